// SPDX-License-Identifier: BSD-3-Clause
//
// Rabenseifner (Ravichandrasekaran 2015, 3.2.7): a reduce-scatter by recursive halving, then an
// allgather by recursive doubling. The last step of the one and the first of the other are
// between the same two members and are merged: the lower one combines both remaining blocks and
// writes them to both. Partial results are in `dest`, without buffers:
//
//   halving   each of two members combines its half of the range with the other's. The other member
//             reads the half that a member gives up; nothing touches it until that member writes it
//   doubling  each writes its finished range to the other
//
// A member is done when the last range has been written to it; by then no member reads its array.
// COST: T_RSAG = 2 lg p a + 2 n (p-1)/p b + n (p-1)/p c; without a power of 2, 2 n b + n c more.
// Any operation; each element is computed once. Restriction: a team with mailboxes.
// Reference: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in
// MPICH", 2005.
#include "collectives/cost_terms.hpp"
#include "collectives/reduce/reduce.hpp"

namespace tessera::collectives {
namespace {

// A run of the 2^k blocks that the vector is cut into.
struct Blocks {
    int first;
    int count;
};

class Halves {
  public:
    Halves(const Reduction& call, const Core& core) : call_(call), core_(core) {}

    std::size_t begin_of(int block) const {
        const auto blocks = static_cast<std::size_t>(core_.size());
        return call_.nelems / blocks * static_cast<std::size_t>(block) +
               std::min(call_.nelems % blocks, static_cast<std::size_t>(block));
    }
    // In bytes.
    std::size_t start(const Blocks& run) const {
        return begin_of(run.first) * call_.element_bytes();
    }
    std::size_t end(const Blocks& run) const {
        return begin_of(run.first + run.count) * call_.element_bytes();
    }
    // The half of `run` that this member keeps in `round`.
    Blocks half(const Blocks& run, int round) const {
        const int count = run.count / 2;
        const bool is_upper = (core_.core_index() >> round & 1) != 0;
        return {.first = run.first + (is_upper ? count : 0), .count = count};
    }

  private:
    const Reduction& call_;
    const Core& core_;
};

void reduce_core(const Reduction& call, const Core& core, const Mailboxes& mailboxes) {
    const Halves halves(call, core);
    const int me = call.group.my_index();
    const int last = core.rounds() - 1;
    auto partner_in = [&](int round) { return core.partner_in(round); };
    Blocks runs[kMailboxRounds];  // this member's blocks after round s
    Blocks run{.first = 0, .count = core.size()};
    for (int round = 0; round < last; ++round) {
        mailboxes.post(GateKind::kReady, round, partner_in(round));
        mailboxes.wait(GateKind::kReady, round);
        run = halves.half(run, round);
        runs[round] = run;
        combine_with(call, partner_in(round), halves.start(run), halves.end(run));
    }
    if (last >= 0) {
        const int partner = partner_in(last);
        const std::size_t begin = halves.start(run);
        const std::size_t end = halves.end(run);
        if (me > partner) {
            mailboxes.post(GateKind::kReady, last, partner);
            mailboxes.wait(GateKind::kDone, last);
        } else {
            mailboxes.wait(GateKind::kReady, last);
            combine_with(call, partner, begin, end);
            call.put(partner, call.dest + begin, call.dest + begin, end - begin);
            mailboxes.post(GateKind::kDone, last, partner);
        }
    }
    for (int round = last - 1; round >= 0; --round) {
        const std::size_t begin = halves.start(runs[round]);
        const std::size_t end = halves.end(runs[round]);
        call.put(partner_in(round), call.dest + begin, call.dest + begin, end - begin);
        mailboxes.post(GateKind::kDone, round, partner_in(round));
        mailboxes.wait(GateKind::kDone, round);
    }
}

void reduce_rabenseifner(const Reduction& call) {
    const Core core(call.group.team());
    reduce_folded(call, core,
                  [&](const Mailboxes& mailboxes) { reduce_core(call, core, mailboxes); });
}

Cost reduce_rabenseifner_cost(const TeamLayout& team, double n) {
    const double p = team.npes;
    const double fold = fold_rounds(team.npes) / 2 * n;
    const double off_node_levels = off_node_rounds(team);
    const double moved = n * (team.nodes - 1) / team.nodes;  // bytes that a node moves each way
    return Cost{.latencies = 2 * (on_node_rounds(team) + fold_rounds(team.npes))} +
           each_member(team, 2 * n * (p - 1) / p + fold, n * (p - 1) / p + fold) +
           Cost{.combined_critical_path =
                    n / p} +  // In the merged step the lower one combines for both.
           off_node(team,
                    3 * off_node_levels + (team.is_oversubscribed() ? team.largest_node : 1) *
                                              chunks(moved / team.largest_node),
                    team.largest_node * off_node_levels, 2 * moved);
}

}  // namespace

extern constinit const Algorithm<Reduce> kReduceRabenseifner{
    {.name = "rabenseifner",
     .formula = "2 lg p a + 2 n (p-1)/p b + n (p-1)/p c",
     .best_when = "long vectors, several nodes",
     .restriction = kMailboxesAssociative,
     .cost = reduce_rabenseifner_cost},
    reduce_rabenseifner};

}  // namespace tessera::collectives

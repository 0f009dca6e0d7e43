// SPDX-License-Identifier: BSD-3-Clause
//
// Rabenseifner (papers/004, 3.2.7): a reduce-scatter by recursive halving, then an allgather by
// recursive doubling. The last step of the one and the first of the other are between the same two
// members and are merged: the left one combines both remaining blocks and writes them to both.
// Partial results are in `dest`; nobody needs a buffer:
//
//   halving   each of two members combines its half of the range with the other's; the half that a
//             member gives up is read by the other and not touched until that one writes to it
//   doubling  each writes its finished range to the other
//
// A member is done when the last range has been written to it; by then nobody reads its array.
// COST: T_RSAG = 2 lg p a + 2 n (p-1)/p b + n (p-1)/p c; without a power of 2, 2 n b + n c more.
// Any operation; each element is computed once. Restriction: a team with links.
// Reference: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in
// MPICH", 2005.
#include "collectives/reduce/algorithms.hpp"

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
        const bool is_upper = (core_.rank() >> round & 1) != 0;
        return {.first = run.first + (is_upper ? count : 0), .count = count};
    }

  private:
    const Reduction& call_;
    const Core& core_;
};

void reduce_core(const Reduction& call, const Core& core, const Links& links) {
    const Halves halves(call, core);
    const int me = call.group.my_index();
    const int last = core.rounds() - 1;
    auto partner_in = [&](int round) { return core.index_of(core.rank() ^ (1 << round)); };
    Blocks runs[kLinkRounds];  // what this member keeps after round s
    Blocks run{.first = 0, .count = core.size()};
    for (int round = 0; round < last; ++round) {
        links.post(LinkKind::kReady, round, partner_in(round));
        links.wait(LinkKind::kReady, round);
        run = halves.half(run, round);
        runs[round] = run;
        combine_with(call, partner_in(round), halves.start(run), halves.end(run));
    }
    if (last >= 0) {
        const int partner = partner_in(last);
        const std::size_t begin = halves.start(run);
        const std::size_t end = halves.end(run);
        if (me > partner) {
            links.post(LinkKind::kReady, last, partner);
            links.wait(LinkKind::kDone, last);
        } else {
            links.wait(LinkKind::kReady, last);
            combine_with(call, partner, begin, end);
            call.put(partner, call.dest + begin, call.dest + begin, end - begin);
            links.post(LinkKind::kDone, last, partner);
        }
    }
    for (int round = last - 1; round >= 0; --round) {
        const std::size_t begin = halves.start(runs[round]);
        const std::size_t end = halves.end(runs[round]);
        call.put(partner_in(round), call.dest + begin, call.dest + begin, end - begin);
        links.post(LinkKind::kDone, round, partner_in(round));
        links.wait(LinkKind::kDone, round);
    }
}

}  // namespace

void reduce_rabenseifner(const Reduction& call) {
    const Core core(call.group.team());
    reduce_folded(call, core, [&](const Links& links) { reduce_core(call, core, links); });
}

}  // namespace tessera::collectives

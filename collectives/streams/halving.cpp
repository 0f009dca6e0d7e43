// SPDX-License-Identifier: BSD-3-Clause
//
// Allreduce of long vectors by recursive halving and doubling: in round r each member of the core
// (patterns/core.hpp) gives one half of its range to the one 2^r places further and combines the
// other half, in the order of the members, which keeps the order even where it counts; then the
// finished ranges go back the same way. Each element is computed once, so all get the same bits.
// Members outside the core give their vector to their right neighbours, and get the result.
// COST: 2 lg p a + 2 n (p-1)/p b + n (p-1)/p c; unless p is a power of 2 two vectors more.
// Reference: Rabenseifner, "Optimization of collective reduction operations", 2004.
#include "collectives/cost_terms.hpp"
#include "collectives/patterns/core.hpp"
#include "collectives/reduce/reduce.hpp"
#include "collectives/streams/binomial.hpp"
#include "collectives/streams/call.hpp"

namespace tessera::collectives {
namespace {

struct Range {
    std::size_t begin;
    std::size_t end;
};

// The ranges of a member of the core, in elements.
struct Halves {
    Halves(const RuntimeCall& call, const Core& core)
        : place(core.core_index()), whole{0, call.bytes / call.element_bytes} {}

    int place;
    Range whole;

    static Range half(Range range, bool is_upper) {
        const std::size_t middle = range.begin + (range.end - range.begin) / 2;
        return is_upper ? Range{middle, range.end} : Range{range.begin, middle};
    }
    // The member's range when `rounds` rounds are over.
    Range after(int rounds) const {
        Range range = whole;
        for (int round = 0; round < rounds; ++round) range = half(range, place >> round & 1);
        return range;
    }
    Range kept(int round) const { return after(round + 1); }
    Range given(int round) const { return half(after(round), (place >> round & 1) == 0); }
};

// The stages of a member of the core. Sends: round 0, 1, ..., then the ranges back from the last
// round to the first, then the result to the neighbour. Receives: the own vector, the neighbour's,
// then as the sends.
class Stages {
  public:
    explicit Stages(const RuntimeCall& call)
        : call_(call), core_(call.npes, call.me), halves_(call, core_), rounds_(core_.rounds()) {}

    const Core& core() const { return core_; }
    std::uint32_t whole() const { return vector_pieces(call_).count(); }
    std::uint32_t before() const { return whole() * (core_.has_neighbour() ? 2 : 1); }
    int exchanges() const { return 2 * rounds_; }
    bool is_back(int stage) const { return stage >= rounds_; }
    int round_of(int stage) const { return is_back(stage) ? exchanges() - 1 - stage : stage; }
    int partner(int stage) const { return core_.partner_in(round_of(stage)); }
    // The ranges that go out and come in. On the way back both are swapped.
    Range out(int stage) const {
        return is_back(stage) ? halves_.kept(round_of(stage)) : halves_.given(stage);
    }
    Range in(int stage) const {
        return is_back(stage) ? halves_.given(round_of(stage)) : halves_.kept(stage);
    }
    Pieces pieces(Range range) const {
        return {(range.end - range.begin) * call_.element_bytes, call_.element_bytes,
                call_.slot_bytes};
    }
    std::uint32_t sent_before(int stage) const {
        std::uint32_t count = 0;
        for (int i = 0; i < stage; ++i) count += pieces(out(i)).count();
        return count;
    }
    std::uint32_t received_before(int stage) const {
        std::uint32_t count = before();
        for (int i = 0; i < stage; ++i) count += pieces(in(i)).count();
        return count;
    }

  private:
    const RuntimeCall& call_;
    Core core_;
    Halves halves_;
    int rounds_;
};

std::uint32_t count_sends(const RuntimeCall& call) {
    const Stages stages(call);
    if (stages.core().is_outside()) return stages.whole();
    return stages.sent_before(stages.exchanges()) +
           (stages.core().has_neighbour() ? stages.whole() : 0);
}

std::uint32_t count_receives(const RuntimeCall& call) {
    const Stages stages(call);
    if (stages.core().is_outside()) return stages.whole();
    return stages.received_before(stages.exchanges());
}

Message send(const RuntimeCall& call, std::uint32_t number) {
    const Stages stages(call);
    if (stages.core().is_outside())
        return vector_pieces(call).send(call.me + 1, call.source, number);
    std::uint32_t needs = stages.before();
    for (int stage = 0; stage < stages.exchanges(); ++stage) {
        const Range range = stages.out(stage);
        const Pieces pieces = stages.pieces(range);
        if (number < pieces.count()) {
            return pieces.send(stages.partner(stage), call.dest + range.begin * call.element_bytes,
                               number, needs);
        }
        number -= pieces.count();
        needs += stages.pieces(stages.in(stage)).count();
    }
    return vector_pieces(call).send(call.me - 1, call.dest, number, needs);
}

Message receive(const RuntimeCall& call, std::uint32_t number) {
    const Stages stages(call);
    const std::uint32_t whole = stages.whole();
    if (stages.core().is_outside()) {
        Message result = vector_pieces(call).receive(call.me + 1, call.dest, number, Action::kCopy);
        result.needs = whole;  // dest may be source.
        return result;
    }
    if (number < whole) return vector_pieces(call).own(call.source, call.dest, number);
    if (number < stages.before()) {
        return vector_pieces(call).receive(call.me - 1, call.dest, number - whole,
                                           Action::kCombineBefore);
    }
    number -= stages.before();
    int stage = 0;
    while (number >= stages.pieces(stages.in(stage)).count())
        number -= stages.pieces(stages.in(stage++)).count();
    const Range range = stages.in(stage);
    const int partner = stages.partner(stage);
    Action action = partner < call.me ? Action::kCombineBefore : Action::kCombineBehind;
    if (stages.is_back(stage)) action = Action::kCopy;
    return stages.pieces(range).receive(partner, call.dest + range.begin * call.element_bytes,
                                        number, action);
}

}  // namespace

const Schedule kHalvingSchedule = {.name = "recursive_halving",
                                   .count_sends = count_sends,
                                   .count_receives = count_receives,
                                   .send = send,
                                   .receive = receive};

namespace {

Cost stream_halving_cost(const TeamLayout& team, double n) {
    const double p = team.npes;
    const double fold = fold_rounds(p) / 2 * n;
    const double levels = off_node_rounds(team);
    const double moved = n * (team.nodes - 1) / team.nodes;
    return Cost{.latencies = 2 * (on_node_rounds(team) + fold_rounds(p)) + 2} +
           each_member(team, kStreamCall + kMailboxPush * (2 * n * (p - 1) / p + fold),
                       n * (p - 1) / p + fold) +
           off_node(team, 2 * std::max(levels, stream_waits(team, moved)),
                    2 * team.largest_node * levels, 2 * moved * team.largest_node / 2);
}

}  // namespace

extern constinit const Algorithm<Reduce> kReduceStreamHalving{
    {.name = "stream_halving",
     .formula = "2 lg p a + 2 n (p-1)/p b + n (p-1)/p c",
     .best_when = "nonblocking calls of long vectors; any arrays",
     .restriction = kStreamsAssociative,
     .cost = stream_halving_cost,
     .schedule = &kHalvingSchedule},
    nullptr};

}  // namespace tessera::collectives

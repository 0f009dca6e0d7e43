// SPDX-License-Identifier: BSD-3-Clause
//
// Each member sends parts of its source to others, and puts the parts that it gets into its dest:
// gather, scatter, allgather and alltoall, with equal parts or not. A piece goes to each member
// before the next piece goes to any, the right neighbour first, so that all streams are in use.
// COST: (p-1) a + n b for n bytes that a member sends or receives.
#include "collectives/streams/call.hpp"

namespace tessera::collectives {
namespace {

Pieces part_of(const RuntimeCall& call, const MemberParts& parts, int member) {
    return {parts.bytes_of(member, call.element_bytes), 1, call.slot_bytes};
}

// The partners of one direction, in the order of their pieces.
class Partners {
  public:
    Partners(const RuntimeCall& call, const MemberParts& parts, int direction)
        : call_(call), parts_(parts), direction_(direction) {}

    std::uint32_t count() const {
        if (parts_.only == kAllMembers) return static_cast<std::uint32_t>(call_.npes) - 1;
        return parts_.only == kNoMember || parts_.only == call_.me ? 0 : 1;
    }
    int at(std::uint32_t number) const {
        if (parts_.only != kAllMembers) return parts_.only;
        const int distance = direction_ * (1 + static_cast<int>(number));
        return (call_.me + distance + call_.npes) % call_.npes;
    }
    std::uint32_t rounds() const {
        std::uint32_t most = 0;
        for (std::uint32_t i = 0; i < count(); ++i) {
            most = std::max(most, part_of(call_, parts_, at(i)).count());
        }
        return most;
    }

  private:
    const RuntimeCall& call_;
    const MemberParts& parts_;
    int direction_;
};

Partners receivers(const RuntimeCall& call) { return {call, call.out, 1}; }
Partners senders(const RuntimeCall& call) { return {call, call.in, -1}; }

// This member's own part, which comes first in the receives.
bool has_own(const RuntimeCall& call) {
    const bool gives = call.out.only == kAllMembers || call.out.only == call.me;
    const bool takes = call.in.only == kAllMembers || call.in.only == call.me;
    return gives && takes &&
           call.out.at(call.me, call.element_bytes) != call.in.at(call.me, call.element_bytes);
}
Message own(const RuntimeCall& call) {
    return {.source = call.out.at(call.me, call.element_bytes),
            .dest = call.in.at(call.me, call.element_bytes),
            .bytes = call.in.bytes_of(call.me, call.element_bytes),
            .is_local = true};
}

std::uint32_t count_sends(const RuntimeCall& call) {
    const Partners to = receivers(call);
    return to.count() * to.rounds();
}

std::uint32_t count_receives(const RuntimeCall& call) {
    const Partners from = senders(call);
    return from.count() * from.rounds() + (has_own(call) ? 1 : 0);
}

Message send(const RuntimeCall& call, std::uint32_t number) {
    const Partners partners = receivers(call);
    const int to = partners.at(number % partners.count());
    const std::uint32_t piece = number / partners.count();
    const Pieces part = part_of(call, call.out, to);
    if (piece >= part.count()) return {};
    return part.send(to, call.out.at(to, call.element_bytes), piece);
}

Message receive(const RuntimeCall& call, std::uint32_t number) {
    if (has_own(call) && number-- == 0) return own(call);
    const Partners partners = senders(call);
    const int from = partners.at(number % partners.count());
    const std::uint32_t piece = number / partners.count();
    const Pieces part = part_of(call, call.in, from);
    if (piece >= part.count()) return {};
    Message message =
        part.receive(from, call.in.at(from, call.element_bytes), piece, Action::kCopy);
    // An alltoall in place: the piece for that member leaves before the one from it comes.
    if (call.out.start == call.in.start && call.out.stride != 0) {
        const int step = (from - call.me - 1 + call.npes) % call.npes;
        message.needs = piece * partners.count() + static_cast<std::uint32_t>(step) + 1;
    }
    return message;
}

}  // namespace

const Schedule kExchangeSchedule = {.name = "pairwise",
                                    .count_sends = count_sends,
                                    .count_receives = count_receives,
                                    .send = send,
                                    .receive = receive};

}  // namespace tessera::collectives

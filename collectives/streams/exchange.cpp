// SPDX-License-Identifier: BSD-3-Clause
//
// Each member sends parts of its source to others, and puts the parts that it gets into its dest:
// gather, scatter, allgather and alltoall, with equal parts or not. A piece goes to each member
// before the next piece goes to any, the right neighbour first, so that all streams are in use.
// Long parts go to the places that their receivers name first (places.hpp).
// COST: (p-1) a + n b for n bytes that a member sends or receives; with long parts 2 (p-1) a.
#include "collectives/exchange/exchange.hpp"
#include "collectives/alltoall/alltoall.hpp"
#include "collectives/collect/collect.hpp"
#include "collectives/cost_terms.hpp"
#include "collectives/streams/places.hpp"

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
    bool has_long_parts() const {
        for (std::uint32_t i = 0; i < count(); ++i) {
            if (is_long(call_, parts_.bytes_of(at(i), call_.element_bytes))) return true;
        }
        return false;
    }
    std::uint32_t rounds() const {
        std::uint32_t most = 0;
        for (std::uint32_t i = 0; i < count(); ++i)
            most = std::max(most, part_of(call_, parts_, at(i)).count());
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

// An alltoall in place: the part for a member leaves before the one from it comes.
bool is_in_place(const RuntimeCall& call) {
    return call.out.start == call.in.start && call.out.stride != 0;
}

void count_places(RuntimeCall& call) {
    const Partners from = senders(call);
    const Partners to = receivers(call);
    call.place_sends = from.has_long_parts() ? from.count() : 0;
    call.place_receives = to.has_long_parts() ? to.count() : 0;
}

LongPart long_part(const RuntimeCall& call, int from) {
    const bool is_wanted = call.in.only == kAllMembers || call.in.only == from;
    const std::size_t bytes = is_wanted ? call.in.bytes_of(from, call.element_bytes) : 0;
    if (from == call.me || !is_long(call, bytes)) return {};
    if (is_in_place(call)) return {.bytes = bytes, .may_land = false};
    return {.bytes = bytes, .dest = call.in.at(from, call.element_bytes)};
}

std::uint32_t count_sends(const RuntimeCall& call) {
    const Partners to = receivers(call);
    return call.place_sends + to.count() * to.rounds();
}

std::uint32_t count_receives(const RuntimeCall& call) {
    const Partners from = senders(call);
    return from.count() * from.rounds() + call.place_receives + (has_own(call) ? 1 : 0);
}

Message send_name(const RuntimeCall& call, std::uint32_t number) {
    const int from = senders(call).at(number);
    if (!is_long(call, call.in.bytes_of(from, call.element_bytes))) return {};
    return name_place(call, from);
}

Message receive_name(const RuntimeCall& call, std::uint32_t number) {
    const int to = receivers(call).at(number);
    if (!is_long(call, call.out.bytes_of(to, call.element_bytes))) return {};
    return hear_place(call, to);
}

Message send(const RuntimeCall& call, std::uint32_t number) {
    if (number < call.place_sends) return send_name(call, number);
    number -= call.place_sends;
    const Partners partners = receivers(call);
    const std::uint32_t partner = number % partners.count();
    const int to = partners.at(partner);
    const std::uint32_t piece = number / partners.count();
    const std::size_t bytes = call.out.bytes_of(to, call.element_bytes);
    char* const source = call.out.at(to, call.element_bytes);
    // Until the place is known; then the message is asked for again.
    const std::uint32_t needs = is_long(call, bytes) ? partner + 1 + (has_own(call) ? 1 : 0) : 0;
    Message message;
    if (has_place(call, to, bytes)) {
        message = send_long(call, long_pieces(call, bytes, 1), to, source, piece);
    } else if (const Pieces part = part_of(call, call.out, to); piece < part.count()) {
        message = part.send(to, source, piece);
    }
    message.needs = needs;
    return message;
}

Message receive(const RuntimeCall& call, std::uint32_t number) {
    if (has_own(call) && number-- == 0) return own(call);
    if (number < call.place_receives) return receive_name(call, number);
    number -= call.place_receives;
    const Partners partners = senders(call);
    const int from = partners.at(number % partners.count());
    const std::uint32_t piece = number / partners.count();
    const std::size_t bytes = call.in.bytes_of(from, call.element_bytes);
    char* const dest = call.in.at(from, call.element_bytes);
    if (has_named(call, from, bytes))
        return receive_long(call, long_pieces(call, bytes, 1), from, dest, piece, Action::kCopy);
    const Pieces part = part_of(call, call.in, from);
    if (piece >= part.count()) return {};
    Message message = part.receive(from, dest, piece, Action::kCopy);
    if (is_in_place(call)) {
        const int step = (from - call.me - 1 + call.npes) % call.npes;
        message.needs =
            call.place_sends + piece * partners.count() + static_cast<std::uint32_t>(step) + 1;
    }
    return message;
}

}  // namespace

const Schedule kExchangeSchedule = {.name = "pairwise",
                                    .count_sends = count_sends,
                                    .count_receives = count_receives,
                                    .send = send,
                                    .receive = receive,
                                    .count_places = count_places,
                                    .long_part = long_part};

namespace {

Cost to_root_cost(const TeamLayout& team, double n) {
    return Cost{.latencies = 2, .copied_critical_path = kStreamCall + 2 * (team.npes - 1) * n} +
           off_node(team, kDelivery, team.off_node_members(), team.off_node_members() * n);
}

constexpr AlgorithmTraits traits(CostFunction cost) {
    return {.name = "stream",
            .formula = "(p-1) a + p n b",
            .best_when = "nonblocking calls; any arrays",
            .restriction = kStreams,
            .cost = cost,
            .schedule = &kExchangeSchedule};
}

}  // namespace

extern constinit const Algorithm<Fcollect> kFcollectStream{traits(streams_to_all), {}};
extern constinit const Algorithm<Alltoall> kAlltoallStream{contiguous(traits(streams_to_all)), {}};
extern constinit const Algorithm<Gather> kGatherStream{traits(to_root_cost), {}};
extern constinit const Algorithm<Scatter> kScatterStream{traits(to_root_cost), {}};
extern constinit const Algorithm<Allgatherv> kAllgathervStream{traits(streams_to_all), {}};
extern constinit const Algorithm<Alltoallv> kAlltoallvStream{traits(streams_to_all), {}};

}  // namespace tessera::collectives

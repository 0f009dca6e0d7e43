// SPDX-License-Identifier: BSD-3-Clause
//
// See meeting.hpp.
#include "messaging/meeting.hpp"

#include <bit>

#include "base/bits.hpp"
#include "base/fatal.hpp"
#include "core/context.hpp"
#include "core/internal_segment.hpp"
#include "teams/team.hpp"

namespace tessera {
namespace {

constexpr std::uint32_t kInvited = 1;

static_assert(kMeetings == 64);
static_assert(sizeof(MeetingBoard) <= kBoardBytes);

MeetingBoard& board_of(InternalSegment& segment) {
    return *reinterpret_cast<MeetingBoard*>(reinterpret_cast<char*>(&segment) + kBoardOffset);
}

// nullptr: PE `pe` is on another node.
MeetingBoard* mapped_board(int pe) {
    Sleeper* sleeper = address_map.peers[pe].sleeper;
    return sleeper != nullptr ? &board_of(segment_of(sleeper)) : nullptr;
}

// This PE's board: also the symmetric name of the others'.
MeetingBoard& my_board() { return *mapped_board(address_map.my_pe); }

TransportContext& transport_context() { return collective_context.transport_context(); }

std::uint64_t digest_of(std::span<const int> pes, std::uint64_t start) {
    std::uint64_t digest = mix_bits(start + pes.size());
    for (int pe : pes) digest = mix_bits(digest * 31 + static_cast<std::uint32_t>(pe));
    return digest != 0 ? digest : 1;
}

// Two teams with a PE in common have different slots.
std::uint64_t digest_of(const Team& team, std::uint64_t start) {
    std::uint64_t digest = mix_bits(start + team.slot);
    digest = mix_bits(digest * 31 + static_cast<std::uint32_t>(team.world_pe(0)));
    digest = mix_bits(digest * 31 + static_cast<std::uint32_t>(team.npes));
    return digest != 0 ? digest : 1;
}

constexpr std::uint64_t kListStart = 0x7E55E4A;
constexpr std::uint64_t kCheckStart = 0xBADC0DE;

}  // namespace

Meeting::Meeting(std::span<const int> pes, int my_index, const char* where)
    : where_(where), list_(digest_of(pes, kListStart)), check_(digest_of(pes, kCheckStart)) {
    come(static_cast<int>(pes.size()), my_index, [&](std::uint32_t index) { return pes[index]; });
}

Meeting::Meeting(const Team& team, const char* where)
    : where_(where), list_(digest_of(team, kListStart)), check_(digest_of(team, kCheckStart)) {
    come(team.npes, team.my_index,
         [&](std::uint32_t index) { return team.world_pe(static_cast<int>(index)); });
}

void Meeting::come(int npes, int my_index, const auto& pe_of) {
    const auto me = static_cast<std::uint32_t>(my_index);
    const auto end = static_cast<std::uint32_t>(npes);
    parent_.pe = me == 0 ? -1 : pe_of(me & (me - 1));
    if (me != 0) round_ = static_cast<std::size_t>(std::countr_zero(me));
    for (std::uint32_t bit = 1; (me & bit) == 0 && (me | bit) < end; bit *= 2)
        children_.push_back({.pe = pe_of(me | bit)});
    claim_place();
    look_for_others();
}

Meeting::~Meeting() {
    // Pairs with messaging/meeting.cpp:try_take_place.
    my_board().taken.fetch_and(~(std::uint64_t{1} << place_), std::memory_order_release);
}

MeetingPlace& Meeting::mine() const { return my_board().places[place_]; }

bool Meeting::try_take_place() {
    std::atomic<std::uint64_t>& taken = my_board().taken;
    std::uint64_t seen = taken.load(std::memory_order_relaxed);
    while (~seen != 0) {
        place_ = static_cast<std::uint32_t>(std::countr_one(seen));
        // The last meeting in the place is over. Pairs with messaging/meeting.cpp:~Meeting.
        if (taken.compare_exchange_weak(seen, seen | std::uint64_t{1} << place_,
                                        std::memory_order_acquire)) {
            return true;
        }
    }
    return false;
}

void Meeting::claim_place() {
    wait_until([this] { return try_take_place(); }, where_);
    MeetingPlace& place = mine();
    place.invitation.gate.reset(0);
    place.down.gate.reset(0);
    for (MeetingLine& line : place.up) line.gate.reset(0);
    // seq_cst, and the fence: before the looks at all boards. The gates are reset. Pairs with
    // messaging/meeting.cpp:find_place.
    my_board().lists[place_].store(list_, std::memory_order_seq_cst);
    is_on_board_ = true;
    // At least one of two PEs, or of two threads, finds the other. Pairs with
    // messaging/meeting.cpp:claim_place.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    for (std::uint32_t i = 0; i < kMeetings; ++i) {
        // Relaxed: behind the fence.
        if (i == place_ || my_board().lists[i].load(std::memory_order_relaxed) != list_) continue;
        fatal(
            "%s: two threads of this PE make a team of the same members at the same time; let one "
            "thread make it",
            where_);
    }
}

std::uint32_t Meeting::find_place(int pe) const {
    std::uint64_t lists[kMeetings];
    if (const MeetingBoard* theirs = mapped_board(pe)) {
        for (std::size_t i = 0; i < kMeetings; ++i) {
            // Pairs with messaging/meeting.cpp:claim_place.
            lists[i] = theirs->lists[i].load(std::memory_order_acquire);
        }
    } else {
        address_map.fabric->get(transport_context(), lists, my_board().lists, sizeof lists, pe);
    }
    for (std::uint32_t i = 0; i < kMeetings; ++i) {
        if (lists[i] == list_) return i;
    }
    return kNoPlace;
}

void Meeting::look_for_others() {
    if (!is_root()) parent_.place = find_place(parent_.pe);
    for (const Other& child : children_) {
        const Other found{.pe = child.pe, .place = find_place(child.pe)};
        if (found.place == kNoPlace) continue;
        send(found, my_board().places[found.place].invitation, kInvited, nullptr, 0);
    }
}

void Meeting::send(const Other& to, const MeetingLine& line, std::uint32_t number,
                   const void* words, std::size_t bytes) const {
    MeetingLine message{};
    message.place = place_;
    message.check = check_;
    if (bytes > 0) std::memcpy(message.words, words, bytes);
    constexpr std::size_t kGate = offsetof(MeetingLine, place);
    const std::size_t length = offsetof(MeetingLine, words) - kGate + bytes;
    const auto* name = reinterpret_cast<const char*>(&line);
    if (MeetingBoard* theirs = mapped_board(to.pe)) {
        auto* there = reinterpret_cast<MeetingLine*>(reinterpret_cast<char*>(theirs) +
                                                     (name - reinterpret_cast<char*>(&my_board())));
        std::memcpy(&there->place, &message.place, length);
        there->gate.post(number);
    } else {
        address_map.fabric->put(transport_context(), const_cast<char*>(name) + kGate,
                                &message.place, length, to.pe);
        address_map.fabric->post_gate_behind(transport_context(), line.gate, number, to.pe);
    }
}

void Meeting::check(const MeetingLine& line) const {
    if (line.check == check_) return;
    fatal("%s: a message of another team's creation has come; this is a mistake of the library",
          where_);
}

const char* Meeting::receive_up(std::size_t round) {
    MeetingLine& line = mine().up[round];
    line.gate.wait_for(pass_, where_);
    check(line);
    children_[round].place = line.place;
    return line.words;
}

// Also tells the parent, in the first pass, where this PE is.
const char* Meeting::exchange_with_parent(const void* words, std::size_t bytes) {
    if (parent_.place == kNoPlace) {
        MeetingLine& invitation = mine().invitation;
        invitation.gate.wait_for(kInvited, where_);
        check(invitation);
        parent_.place = invitation.place;
    }
    send(parent_, my_board().places[parent_.place].up[round_], pass_, words, bytes);
    MeetingLine& line = mine().down;
    line.gate.wait_for(pass_, where_);
    check(line);
    return line.words;
}

void Meeting::send_down(const void* words, std::size_t bytes) {
    leave_list();
    for (const Other& child : children_)
        send(child, my_board().places[child.place].down, pass_, words, bytes);
}

// Before this PE's part of the next pass, so before any PE ends the meeting. Pairs with
// messaging/meeting.cpp:find_place.
void Meeting::leave_list() {
    if (!is_on_board_) return;
    my_board().lists[place_].store(0, std::memory_order_seq_cst);
    is_on_board_ = false;
}

void Meeting::finish() {
    struct Nothing {
        char sent = 0;  // Messages carry at least one byte.
        void combine(const Nothing& /*other*/) {}
    } nothing;
    combine(nothing);
}

}  // namespace tessera

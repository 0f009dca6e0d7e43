// SPDX-License-Identifier: BSD-3-Clause
//
// A call of a collective as its schedule sees it. A schedule is two sequences of messages for each
// member, one that the member sends and one that it receives; each message follows from its number,
// so that a call needs no list of them. The engine (engine.hpp) works through both sequences, in
// order, as streams have room and messages come (messaging/stream_set.hpp). Arrays are ordinary
// memory of the member, private or not.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "collectives/streams/reduce_function.hpp"

namespace tessera::collectives {

struct Schedule;

inline constexpr int kAllMembers = -1;
inline constexpr int kNoMember = -2;
inline constexpr std::size_t kScratchPieces = 2;

// The part of an array that is for, or from, member i: block i, or what counts and displacements
// say, both in elements. A stride of 0: the same block for all.
struct MemberParts {
    char* start = nullptr;
    std::size_t stride = 0;
    std::size_t bytes = 0;
    const std::size_t* counts = nullptr;
    const std::size_t* displacements = nullptr;
    int only = kAllMembers;  // one member, or kNoMember

    char* at(int member, std::size_t element_bytes) const {
        const auto i = static_cast<std::size_t>(member);
        return start + (displacements != nullptr ? displacements[i] * element_bytes : stride * i);
    }
    std::size_t bytes_of(int member, std::size_t element_bytes) const {
        return counts != nullptr ? counts[static_cast<std::size_t>(member)] * element_bytes : bytes;
    }
};

struct RuntimeCall {
    RuntimeCall() = default;
    // COST: half of that of a default one, which the compiler clears by "rep stos".
    RuntimeCall(int npes_of_team, int my_index) : npes(npes_of_team), me(my_index) {}

    const Schedule* schedule = nullptr;
    int npes = 1;
    int me = 0;
    int root = 0;
    char* dest = nullptr;
    const char* source = nullptr;
    std::size_t bytes = 0;          // length of the vector
    std::size_t element_bytes = 1;  // size of an element: reductions, and the unit of counts
    MemberParts out;                // the parts that members get; of reduce_scatter: its blocks
    MemberParts in;                 // exchange: where their parts go
    ReduceFunction function;        // reductions
    // Parts from so many bytes on are long: below, the message that names a place for one takes
    // longer than slots do. They travel in pieces, of at least a slot each (places.hpp).
    std::size_t long_bytes_min = std::size_t{24} << 10;
    std::size_t long_piece_bytes = std::size_t{1} << 20;
    // Set by the engine.
    std::size_t slot_bytes = 0;
    char* scratch = nullptr;
    std::uint32_t sends = 0;
    std::uint32_t receives = 0;
    // Long parts (places.hpp): the messages that name places, and the places, one for each member.
    std::uint32_t place_sends = 0;
    std::uint32_t place_receives = 0;
    char* base = nullptr;           // places count from here
    std::size_t* named = nullptr;   // for the parts of each member, by this one
    std::size_t* places = nullptr;  // for the parts of this member, by each one

    // Room for a piece or an element, whichever is longer: kScratchPieces of them for schedules,
    // which use them in turn, and two for the engine.
    std::size_t scratch_stride() const { return std::max(slot_bytes, element_bytes); }
    char* scratch_group(std::uint32_t group) const {
        return scratch + (group % kScratchPieces) * scratch_stride();
    }
    char* engine_scratch(std::size_t place) const {
        return scratch + (kScratchPieces + place) * scratch_stride();
    }
};

// The use that a member makes of a message that it receives.
enum class Action : std::uint8_t {
    kCopy,           // dest = message
    kCombineBehind,  // dest = dest op message
    kCombineBefore   // dest = message op dest
};

struct Message {
    int peer = kNoMember;          // kNoMember: nothing to do
    const char* source = nullptr;  // messages that are sent, and local ones
    char* dest = nullptr;          // messages that are received
    std::size_t bytes = 0;
    std::uint32_t needs = 0;  // messages of the other sequence that must be done before
    Action action = Action::kCopy;
    bool is_local = false;     // in the receives: the member's own data at `source`
    bool is_direct = false;    // sends: to `place`; receives: the data lies at `source` already
    bool is_last_part = true;  // false: other parts of an element longer than a slot follow
    std::size_t part_at = 0;   // where this part begins in the element
    std::size_t place = 0;
};

// A part for this member that is too long for slots; bytes = 0: it is not.
struct LongPart {
    std::size_t bytes = 0;
    char* dest = nullptr;  // where the sender may put it; nullptr: in memory of the library only
    bool may_land = true;  // in memory of the library
};

// THREADS: all; the functions read the call only. They are the same for the same call.
struct Schedule {
    const char* name;
    std::uint32_t (*count_sends)(const RuntimeCall& call);
    std::uint32_t (*count_receives)(const RuntimeCall& call);
    Message (*send)(const RuntimeCall& call, std::uint32_t number);
    Message (*receive)(const RuntimeCall& call, std::uint32_t number);
    // A schedule with long parts sets place_sends and place_receives here, before the counts.
    void (*count_places)(RuntimeCall& call) = nullptr;
    LongPart (*long_part)(const RuntimeCall& call, int from) = nullptr;
};

extern const Schedule kBarrierSchedule;        // dissemination
extern const Schedule kBroadcastSchedule;      // binomial tree, in pieces
extern const Schedule kReduceSchedule;         // binomial tree, in pieces
extern const Schedule kDoublingSchedule;       // allreduce of short vectors
extern const Schedule kHalvingSchedule;        // allreduce of long vectors
extern const Schedule kReduceScatterSchedule;  // each member combines its block
extern const Schedule kExchangeSchedule;  // gather, scatter, allgather, alltoall; also with counts

// ---- Pieces ----

// A range of bytes in pieces of at most a slot, which hold whole elements; an element that is
// longer than a slot is cut into parts.
class Pieces {
  public:
    Pieces(std::size_t total, std::size_t element_bytes, std::size_t slot_bytes)
        : total_(total),
          element_(element_bytes),
          slot_(slot_bytes),
          parts_(element_bytes <= slot_bytes ? 1 : (element_bytes + slot_bytes - 1) / slot_bytes),
          piece_(parts_ > 1 ? element_bytes : slot_bytes / element_bytes * element_bytes) {}

    std::uint32_t count() const {
        return static_cast<std::uint32_t>((total_ + piece_ - 1) / piece_ * parts_);
    }
    // The parts of an element, which follow each other; 1: elements are not cut.
    std::uint32_t parts() const { return static_cast<std::uint32_t>(parts_); }
    // Elements that are cut, or else pieces.
    std::uint32_t groups() const { return count() / parts(); }
    std::size_t at(std::uint32_t number) const {
        return number / parts_ * piece_ + number % parts_ * slot_;
    }
    std::size_t bytes(std::uint32_t number) const {
        if (parts_ == 1) return std::min(piece_, total_ - at(number));
        return std::min(slot_, element_ - number % parts_ * slot_);
    }
    // For reductions: `dest` is where the element of a part begins.
    Message receive(int peer, char* dest, std::uint32_t number, Action action) const {
        const std::size_t part = number % parts_;
        const bool is_whole = parts_ == 1 || action == Action::kCopy;
        return {.peer = peer,
                .dest = dest + (is_whole ? at(number) : number / parts_ * piece_),
                .bytes = bytes(number),
                .action = action,
                .is_last_part = is_whole || part + 1 == parts_,
                .part_at = is_whole ? 0 : part * slot_};
    }
    Message send(int peer, const char* source, std::uint32_t number,
                 std::uint32_t needs = 0) const {
        return {
            .peer = peer, .source = source + at(number), .bytes = bytes(number), .needs = needs};
    }
    // In the receives: this member's own piece.
    Message own(const char* source, char* dest, std::uint32_t number,
                Action action = Action::kCopy) const {
        Message message = receive(kNoMember, dest, number, action);
        message.source = source + at(number);
        message.is_local = true;
        return message;
    }

  private:
    std::size_t total_;
    std::size_t element_;
    std::size_t slot_;
    std::size_t parts_;  // parts of an element
    std::size_t piece_;  // bytes of the elements that follow each other in one piece
};

inline Pieces vector_pieces(const RuntimeCall& call) {
    return {call.bytes, call.element_bytes, call.slot_bytes};
}

}  // namespace tessera::collectives

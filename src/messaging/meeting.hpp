// SPDX-License-Identifier: BSD-3-Clause
//
// PEs come together: those of a list, which have no team yet, or the members of a team. Passes up
// and down a binomial tree combine a few words of all of them. (Before there is a team there is
// nothing that only its members use; so a meeting uses nothing of a team.)
//
// Each PE has a board in its internal segment. A PE that comes takes a place on its own board and
// publishes there which list it comes for. Then it looks for its parent in the tree, and for its
// children, on their boards. Both publish first and look then, so at least one of two finds the
// other, whichever comes first. A child that found its parent needs nothing more; a parent that
// found its child invites it. From then on a child writes to its parent's place and a parent to its
// children's, so each PE waits for gates of its own place only:
//
//   1. each child sends its place and words up; the root combines; the result goes down
//   ...  as often as combine() is called
//   n. a last pass without words (finish), after which no PE may still write to a place
//
// When a PE receives the first result, all have found each other, and it takes its list off the
// board. So a second meeting of the same list never finds the first one. Meetings of other lists
// have other places: any number of them go on at the same time. A PE may attend kMeetings at once,
// in that many threads; further threads wait.
// THREADS: any, but two threads of a PE must not come for the same list at the same time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "base/platform.hpp"
#include "base/wait.hpp"

namespace tessera {

struct Team;

inline constexpr std::size_t kMeetings = 64;
inline constexpr int kMeetingRounds = 20;  // 2^20 members
inline constexpr std::size_t kMeetingBytes = 96;

// A line of a place, written by one other PE.
//   0 gate   number of the pass that the words belong to
//   4 place  of the sender on its own board
//   8 check  a second digest of the list
//  16 words
struct alignas(kFalseSharingBytes) MeetingLine {
    Gate gate;
    std::uint32_t place;
    std::uint64_t check;
    char words[kMeetingBytes];
};
static_assert(sizeof(MeetingLine) == kFalseSharingBytes);

struct MeetingPlace {
    MeetingLine invitation;          // from the parent, if it has found this PE first
    MeetingLine down;                // from the parent
    MeetingLine up[kMeetingRounds];  // from the child 2^round places further
};

// Zero bytes are an empty board.
struct MeetingBoard {
    // A digest of the list that this PE has come for, by place; 0: none, or all have found it.
    alignas(kFalseSharingBytes) std::atomic<std::uint64_t> lists[kMeetings];
    MeetingPlace places[kMeetings];
    // Bit i: a thread of this PE has place i.
    std::atomic<std::uint64_t> taken;
};
static_assert(std::is_standard_layout_v<MeetingBoard>);

class Meeting {
  public:
    // Comes to the meeting of these PEs, of which this one is pes[my_index].
    Meeting(std::span<const int> pes, int my_index, const char* where);
    // Comes to the meeting of the team's members.
    Meeting(const Team& team, const char* where);
    // REQUIRES: finish().
    ~Meeting();
    Meeting(const Meeting&) = delete;
    Meeting& operator=(const Meeting&) = delete;

    // The digest of the list, which is the same on all PEs.
    std::uint64_t digest() const { return list_; }
    // Combines the words of all PEs by `words.combine(other)`, which neither order nor grouping may
    // change. RETURNS when: all PEs have called it; the result in `words`.
    template <class Words>
    void combine(Words& words) {
        static_assert(std::is_trivially_copyable_v<Words> && sizeof(Words) <= kMeetingBytes);
        ++pass_;
        for (std::size_t round = 0; round < children_.size(); ++round) {
            Words theirs;
            std::memcpy(&theirs, receive_up(round), sizeof theirs);
            words.combine(theirs);
        }
        if (!is_root())
            std::memcpy(&words, exchange_with_parent(&words, sizeof words), sizeof words);
        send_down(&words, sizeof words);
    }
    // The last pass. RETURNS when: all PEs have called it; their earlier stores are visible to all.
    void finish();

  private:
    struct Other {
        int pe = 0;
        std::uint32_t place = kNoPlace;
    };
    static constexpr std::uint32_t kNoPlace = 0xFFFFFFFF;

    void come(int npes, int my_index, const auto& pe_of);
    bool try_take_place();
    void claim_place();
    void look_for_others();
    std::uint32_t find_place(int pe) const;
    const char* receive_up(std::size_t round);
    const char* exchange_with_parent(const void* words, std::size_t bytes);
    void send_down(const void* words, std::size_t bytes);
    void leave_list();
    // `line`: the symmetric name of a line of the receiver's board.
    void send(const Other& to, const MeetingLine& line, std::uint32_t number, const void* words,
              std::size_t bytes) const;
    bool is_root() const { return parent_.pe < 0; }
    MeetingPlace& mine() const;
    void check(const MeetingLine& line) const;

    const char* where_;
    std::uint64_t list_ = 0;   // digest of the list
    std::uint64_t check_ = 0;  // another one
    std::uint32_t place_ = kNoPlace;
    std::uint32_t pass_ = 0;
    bool is_on_board_ = false;
    Other parent_;
    std::size_t round_ = 0;  // this PE's number among its parent's children
    std::vector<Other> children_;
};

}  // namespace tessera

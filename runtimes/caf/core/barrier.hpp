// SPDX-License-Identifier: BSD-3-Clause
//
// The barrier of a team, for sync all, sync team and sync_members(). Unlike those of OpenSHMEM it
// goes on without images that have stopped or failed, and tells all others the same about it.
//
// A tree of groups of up to kRadix members. Level 0 groups images; level n groups the groups of
// level n - 1. The first image of a group is its leader, and has the group's counter in its
// symmetric memory. Members add themselves to it; the last one adds its group to the counter of the
// group above. The image that completes the root group releases its members, each leader
// releases the members of the groups that it leads.
//
//          [counter of the root, on image 1]         level 1
//            |                         |
//   [counter, on image 1]    [counter, on image 17]  level 0
//      images 1..16              images 17..32
//
// An image that leaves (stops or fails) is counted as "gone" for ever. It stays as a silent host:
// its memory serves the others, and it does a leader's work in serve(). A process that dies does
// none of this: from then on barrier_after_deaths.cpp goes another way.
//
// Where more images than cores share a node, the last image releases all others by one word of the
// root, for which they look whenever they have a core; it writes to the words of those alone that
// have looked several times in vain, and wait in OpenSHMEM now.
//
// COST: up to kRadix images: one atomic operation of each image, and one by the last one for each
// image that it releases; for all together where images share cores.

#pragma once

#include <cstddef>
#include <cstdint>

#include "core/failures.hpp"
#include "core/image_state.hpp"
#include "core/members.hpp"

namespace tessera::caf {

class TeamBarrier {
  public:
    static constexpr int kRadix = 16;

    // Symmetric bytes that the barrier of a team with `images` images needs, zeroed.
    static std::size_t memory_bytes(int images);
    TeamBarrier(const Members& team, void* memory);

    // The images map each other's memory. REQUIRES: called by all, before the first round, or by
    // none.
    void use_shared_release();

    // RETURNS when: all images that are not gone have called it: kOk, kStoppedImage or
    // kFailedImage, the same on all.
    int wait();

    // wait() in two halves. end() without begin() does nothing: kOk. The other routines begin with
    // it. REQUIRES, of begin(): end() before; no group below the root.
    void begin();
    int end();

    // Waits for a word of this image, by SHMEM_CMP_... RETURNS: false: a member's process has died,
    // and the word has not become as wanted.
    bool await(std::uint64_t* word, int cmp, std::uint64_t value);

    // How many rounds this image has begun.
    std::uint64_t rounds() const { return round_; }

    // This image takes part no more. `state`: kStopped or kFailed. Called once, outside of wait().
    void leave(ImageState state);

    // For an image that has left: does the work that others wait for. RETURNS: whether there was
    // any. Never blocks.
    bool serve();

    // For an image that has left: whether all images of the team have. Tells others, too.
    bool have_all_left();

  private:
    struct Lines;
    static int levels_of(int images);
    int leader_of(int level) const;  // Images count from 0 in here.
    int members_of(int leader, int level) const;
    bool is_root(int level) const { return level == levels_ - 1; }
    int pe_of_index(int index) const { return team_.pe_of(index + 1); }

    // Adds to the counter of this image's group; completes the root group if it is the last.
    // RETURNS: whether it has completed it, and with it the round.
    bool add(int level, std::uint64_t increment);
    void complete_round(std::uint64_t counter);
    void release_root_group(std::uint64_t word);
    bool await_release();
    bool await_shared_release();
    bool finds_release();
    void release_group(int leader, int level, std::uint64_t word);
    void release_led_groups(std::uint64_t word);
    std::uint64_t take_round(int level, std::uint64_t counter);
    bool serve_group();
    void end_served_round();
    std::uint64_t read_release();
    bool pass_led_groups(bool& is_over);
    int end_round(std::uint64_t word);

    // Whether a member's process has died. COST: a call, unless there is news.
    bool has_deaths() {
        const int deaths = count_deaths();
        if (deaths != deaths_seen_) [[unlikely]] {
            deaths_seen_ = deaths;
            is_broken_ = has_dead_member(team_);
        }
        return is_broken_;
    }
    // barrier_after_deaths.cpp
    std::uint64_t wait_after_deaths();
    std::uint64_t agree_after_deaths();
    bool have_all_left_after_deaths();
    template <class Condition>
    bool are_all(Condition holds) const {  // for the PEs of the team
        for (int index = 0; index < team_.images; ++index) {
            if (!holds(pe_of_index(index))) return false;
        }
        return true;
    }
    int first_alive(bool must_run) const;
    bool find_end(std::uint64_t& word);
    bool decide(std::uint64_t& word);
    struct Findings;
    bool is_settled(int index, Findings& findings) const;
    void spread(std::uint64_t word);

    const Members& team_;
    Lines* lines_;  // symmetric
    // The counter of the root group, where its image is on this node. No image sleeps on it, so
    // arrivals there need not look for a sleeper: a routine would wake the first image each time.
    std::uint64_t* root_ = nullptr;
    // The lines of the image of the root, where the images look for their release; else NULL.
    Lines* shared_ = nullptr;
    int levels_;
    int me_;
    int led_ = 0;  // This image leads its groups of levels 0 .. led_ - 1, all below the root.
    std::uint64_t round_ = 0;
    bool is_begun_ = false;     // round_ has begun, and not ended
    bool has_arrived_ = false;  // in the tree, in that round
    bool is_over_ = false;      // This image has completed that round.
    std::uint64_t word_ = 0;    // the last release that this image knows
    int deaths_seen_ = 0;
    bool is_broken_ = false;
    // After leave():
    int first_level_ = 0;   // The groups that this image leads on lower levels have left.
    int served_level_ = 0;  // The level whose counter serve() watches.
    bool awaits_release_ = false;
};

// The two files of the barrier share this.
//
// A word of release: the round and, in the low bits, what it has found.
inline constexpr int kRoundShift = 2;
inline constexpr std::uint64_t kSawStopped = 1;
inline constexpr std::uint64_t kSawFailed = 2;
inline constexpr std::uint64_t kAllLeft = ~std::uint64_t{0};

struct TeamBarrier::Lines {
    struct alignas(64) Line {
        std::uint64_t word;
    };
    Line release;
    Line progress;   // this image's progress: see barrier_after_deaths.cpp
    Line decision;   // a word of release, by the image that decides after deaths
    Line found;      // a word of release that this image has found elsewhere after deaths
    Line farewells;  // images that know that all have left
    // In the memory of the root's image: the word of release for all images, and a bit for each one
    // that waits for a word of its own.
    struct alignas(64) SharedRelease {
        std::uint64_t word;
        std::uint64_t waiting;
    };
    SharedRelease shared;
    Line counters[1];  // one for each level
};

}  // namespace tessera::caf

// SPDX-License-Identifier: BSD-3-Clause
//
// The barrier of a team (barrier.hpp). A counter has five fields:
//
//   bits 0-15   members that have arrived in this round
//   bits 16-31  members that have stopped, for ever
//   bits 32-47  members that have failed, for ever
//   bits 48-55  arrived groups that have stopped images in them
//   bits 56-63  arrived groups that have failed images in them
//
// A group is complete when the first three add up to its members. The image that completes it
// subtracts the fields of the round before any member can arrive in the next one. One atomic
// operation of each image decides which one completes, so an image that leaves is either in a round
// or not, for all images.
//
// Words of release are changed by atomic operations only, because these wake a PE that sleeps.

#include "core/barrier.hpp"

#include <sched.h>
#include <shmem.h>
#include <shmemx.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "core/ordering.hpp"
#include "core/report.hpp"

namespace tessera::caf {
namespace {

constexpr std::uint64_t kArrived = 1;
constexpr std::uint64_t kStopped = std::uint64_t{1} << 16;
constexpr std::uint64_t kFailed = std::uint64_t{1} << 32;
constexpr std::uint64_t kWithStopped = std::uint64_t{1} << 48;
constexpr std::uint64_t kWithFailed = std::uint64_t{1} << 56;
constexpr std::uint64_t kLeft = (kWithStopped - 1) & ~(kStopped - 1);  // both fields

std::uint64_t field16(std::uint64_t counter, std::uint64_t unit) {
    return (counter / unit) & 0xffff;
}
std::uint64_t field8(std::uint64_t counter, std::uint64_t unit) { return (counter / unit) & 0xff; }

bool is_complete(std::uint64_t counter, int members) {
    return field16(counter, kArrived) + field16(counter, kStopped) + field16(counter, kFailed) ==
           static_cast<std::uint64_t>(members);
}
bool has_arrivals(std::uint64_t counter) { return field16(counter, kArrived) != 0; }

bool saw_stopped(std::uint64_t counter) {
    return field16(counter, kStopped) + field8(counter, kWithStopped) != 0;
}
bool saw_failed(std::uint64_t counter) {
    return field16(counter, kFailed) + field8(counter, kWithFailed) != 0;
}

int status_of(std::uint64_t word) {
    if ((word & kSawStopped) != 0) return kStoppedImage;
    return (word & kSawFailed) != 0 ? kFailedImage : kOk;
}

// The distance of the members of a group.
int stride_of(int level) {
    int stride = 1;
    for (int i = 0; i < level; ++i) stride *= TeamBarrier::kRadix;
    return stride;
}

}  // namespace

int TeamBarrier::levels_of(int images) {
    int levels = 1;
    for (std::int64_t room = kRadix; room < images; room *= kRadix) ++levels;
    return levels;
}

std::size_t TeamBarrier::memory_bytes(int images) {
    return offsetof(Lines, counters) +
           static_cast<std::size_t>(levels_of(images)) * sizeof(Lines::Line);
}

TeamBarrier::TeamBarrier(const Members& team, void* memory)
    : team_(team),
      lines_(static_cast<Lines*>(memory)),
      levels_(levels_of(team.images)),
      me_(team.this_image - 1) {
    if (memory_is_coherent()) {
        root_ = static_cast<std::uint64_t*>(
            shmem_ptr(&lines_->counters[levels_ - 1].word, team.pe_of(1)));
    }
    while (led_ < levels_ - 1 && leader_of(led_) == me_) ++led_;
}

void TeamBarrier::use_shared_release() {
    // The same on all images: of one machine, and without regard to the cores that each may use.
    const bool share_cores = shmem_n_pes() > ::sysconf(_SC_NPROCESSORS_CONF);
    if (levels_ == 1 && share_cores)
        shared_ = static_cast<Lines*>(shmem_ptr(lines_, team_.pe_of(1)));
}

int TeamBarrier::leader_of(int level) const {
    const int span = stride_of(level) * kRadix;
    return me_ / span * span;
}

int TeamBarrier::members_of(int leader, int level) const {
    const int stride = stride_of(level);
    return std::min(kRadix, (team_.images - leader + stride - 1) / stride);
}

bool TeamBarrier::add(int level, std::uint64_t increment) {
    const int leader = leader_of(level);
    const int pe = team_.pe_of(leader + 1);
    std::uint64_t* counter = &lines_->counters[level].word;
    if (!is_root(level)) {
        shmem_uint64_atomic_add(counter, increment, pe);
        return false;
    }
    // The image that completes a round sees what the others did before. Pairs with
    // core/barrier.cpp:add of the other images.
    const std::uint64_t sum =
        increment + (root_ != nullptr ? std::atomic_ref(*root_).fetch_add(increment)
                                      : shmem_uint64_atomic_fetch_add(counter, increment, pe));
    if (!is_complete(sum, members_of(leader, level))) return false;
    complete_round(sum);
    return true;
}

// The root group is complete.
void TeamBarrier::complete_round(std::uint64_t counter) {
    const int level = levels_ - 1;
    std::uint64_t word = kAllLeft;
    if (has_arrivals(counter)) {
        const std::uint64_t of_round = counter & ~kLeft;
        if (root_ != nullptr) {
            // Pairs with core/barrier.cpp:add.
            std::atomic_ref(*root_).fetch_sub(of_round);
        } else {  // Fetching, so that it is done before the release.
            shmem_uint64_atomic_fetch_add(&lines_->counters[level].word, -of_round, team_.pe_of(1));
        }
        word = round_ << kRoundShift | (saw_stopped(counter) ? kSawStopped : 0) |
               (saw_failed(counter) ? kSawFailed : 0);
    }
    if (shared_ != nullptr && word != kAllLeft) {
        release_root_group(word);
    } else {
        release_group(0, level, word);
    }
    word_ = word;
    refresh_loads();  // This image has not waited for the others.
}

void TeamBarrier::release_root_group(std::uint64_t word) {
    // seq_cst: the other image finds the word, or this one finds that it waits. Pairs with
    // core/barrier.cpp:await_shared_release and core/barrier.cpp:finds_release.
    std::atomic_ref(shared_->shared.word).exchange(word);
    std::atomic_ref waiting(shared_->shared.waiting);
    if (waiting.load() == 0) return;
    const std::uint64_t images = waiting.exchange(0);
    // atomic_set orders nothing. Pairs with core/barrier.cpp:await_shared_release.
    std::atomic_thread_fence(std::memory_order_release);
    for (int member = 0; member < team_.images; ++member) {
        if ((images >> member & 1) != 0)
            shmem_uint64_atomic_set(&lines_->release.word, word, pe_of_index(member));
    }
}

bool TeamBarrier::finds_release() {
    // Pairs with core/barrier.cpp:release_root_group.
    const std::uint64_t word = std::atomic_ref(shared_->shared.word).load();
    if (word < round_ << kRoundShift) return false;
    word_ = word;
    return true;
}

// RETURNS when: this round is over, as word_ tells, or as await().
bool TeamBarrier::await_release() {
    if (shared_ != nullptr) return await_shared_release();
    if (!await(&lines_->release.word, SHMEM_CMP_GE, round_ << kRoundShift)) return false;
    // Atomic, because what await() has acquired does not include the store of the word itself.
    word_ = std::atomic_ref(lines_->release.word).load(std::memory_order_relaxed);
    return true;
}

bool TeamBarrier::await_shared_release() {
    constexpr int kYields = 32;
    for (int i = 0; i < kYields; ++i) {
        if (finds_release()) return true;
        ::sched_yield();
    }
    // The image that has released the round before may come only now to the bits. It then takes the
    // one of this round, and writes an earlier word: the bit is set again. Pairs with
    // core/barrier.cpp:release_root_group.
    std::uint64_t* own = &lines_->release.word;
    std::uint64_t word = 0;
    while ((word = std::atomic_ref(*own).load()) < round_ << kRoundShift) {
        std::atomic_ref(shared_->shared.waiting).fetch_or(std::uint64_t{1} << me_);
        if (finds_release()) return true;
        if (!await(own, SHMEM_CMP_GT, word)) return false;
    }
    word_ = word;
    return true;
}

// The members see what this image has seen, though atomic_set orders nothing. Pairs with
// src/api/local_word.hpp:load in await().
void TeamBarrier::release_group(int leader, int level, std::uint64_t word) {
    std::atomic_thread_fence(std::memory_order_release);
    const int stride = stride_of(level);
    const int members = members_of(leader, level);
    for (int i = 0; i < members; ++i) {
        const int member = leader + i * stride;
        if (member != me_)
            shmem_uint64_atomic_set(&lines_->release.word, word, team_.pe_of(member + 1));
    }
}

void TeamBarrier::release_led_groups(std::uint64_t word) {
    for (int level = led_ - 1; level >= 0; --level) release_group(me_, level, word);
}

// A group that this image leads is complete: takes the round out of its counter. RETURNS: the
// increment of the group above.
std::uint64_t TeamBarrier::take_round(int level, std::uint64_t counter) {
    if (!has_arrivals(counter)) return saw_stopped(counter) ? kStopped : kFailed;
    shmem_uint64_atomic_fetch_add(&lines_->counters[level].word, -(counter & ~kLeft),
                                  team_.pe_of(me_ + 1));
    return kArrived + (saw_stopped(counter) ? kWithStopped : 0) +
           (saw_failed(counter) ? kWithFailed : 0);
}

bool TeamBarrier::await(std::uint64_t* word, int cmp, std::uint64_t value) {
    while (shmemx_wait_until_failure(word, cmp, value, deaths_seen_) == 0) {
        if (has_deaths()) return false;
    }
    return true;
}

// Waits for the groups that this image leads, and adds each to the one above. RETURNS as await().
bool TeamBarrier::pass_led_groups(bool& is_over) {
    const int own_pe = pe_of_index(me_);
    for (int level = 0; level < led_; ++level) {
        std::uint64_t* word = &lines_->counters[level].word;
        std::uint64_t counter = 0;
        const int members = members_of(me_, level);
        while (!is_complete(counter = shmem_uint64_atomic_fetch(word, own_pe), members)) {
            if (!await(word, SHMEM_CMP_NE, counter)) return false;
        }
        is_over = add(level + 1, take_round(level, counter));
    }
    return true;
}

void TeamBarrier::begin() {
    ++round_;
    is_begun_ = true;
    publish_stores();
    has_arrived_ = !has_deaths();
    is_over_ = has_arrived_ && add(0, kArrived);
}

int TeamBarrier::end() {
    if (!is_begun_) return kOk;
    is_begun_ = false;
    if (!has_arrived_) [[unlikely]]
        return end_round(wait_after_deaths());
    if (!pass_led_groups(is_over_)) return end_round(wait_after_deaths());
    if (!is_over_ && !await_release()) return end_round(wait_after_deaths());
    release_led_groups(word_);
    return end_round(word_);
}

// This round finds what the round before has found.
int TeamBarrier::wait() {
    end();
    begin();
    return end();
}

// A PE that reads the progress by an atomic operation sees what this one did before. Pairs with
// src/core/context.hpp:fetch.
int TeamBarrier::end_round(std::uint64_t word) {
    std::uint64_t& progress = lines_->progress.word;
    std::atomic_ref(progress).store(word * 2, std::memory_order_release);
    if (!memory_is_coherent()) [[unlikely]]
        shmemx_writeback(&progress, sizeof progress);
    return status_of(word);
}

void TeamBarrier::leave(ImageState state) {
    end();
    if (has_deaths()) {
        return;  // The published state says it all.
    }
    // If this completes the round, it is the one that the others are in.
    ++round_;
    add(0, state == ImageState::kFailed ? kFailed : kStopped);
    --round_;
}

std::uint64_t TeamBarrier::read_release() {
    if (word_ != kAllLeft)
        word_ = shmem_uint64_atomic_fetch(&lines_->release.word, team_.pe_of(me_ + 1));
    return word_;
}

bool TeamBarrier::have_all_left() {
    if (read_release() != kAllLeft) return has_deaths() && have_all_left_after_deaths();
    release_led_groups(kAllLeft);
    return true;
}

// Passes a group up that is complete without this image. RETURNS: whether there was one.
bool TeamBarrier::serve_group() {
    const std::uint64_t counter =
        shmem_uint64_atomic_fetch(&lines_->counters[served_level_].word, team_.pe_of(me_ + 1));
    if (!is_complete(counter, members_of(me_, served_level_))) return false;
    const int level = served_level_++;
    const bool leads_next = served_level_ < led_;
    const bool is_round = has_arrivals(counter);
    if (!is_round) {
        first_level_ = served_level_;  // All of the group have left; it is passed up once.
    }
    // If this completes the root group, it is for the round that the others are in.
    round_ += leads_next ? 0 : 1;
    const bool is_over = add(level + 1, take_round(level, counter));
    if (!is_round) {
        round_ -= leads_next ? 0 : 1;
    } else if (is_over) {
        end_served_round();
    } else {
        awaits_release_ = !leads_next;
    }
    return true;
}

void TeamBarrier::end_served_round() {
    release_led_groups(word_);
    awaits_release_ = false;
    served_level_ = first_level_;
}

bool TeamBarrier::serve() {
    if (has_deaths()) {
        return false;  // The others have left the tree.
    }
    if (!awaits_release_) return served_level_ < led_ && serve_group();
    if (read_release() < round_ << kRoundShift) return false;
    end_served_round();
    return true;
}

}  // namespace tessera::caf

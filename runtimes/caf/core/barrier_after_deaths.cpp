// SPDX-License-Identifier: BSD-3-Clause
//
// The barrier of a team (barrier.hpp) when a member's process has died. The counters of the tree
// then never become complete, or their leader is gone, so the images that live leave the tree and
// agree by another way, which is simple instead of fast:
//
//   Each image publishes its progress: the last round that it has ended, how that ended, and
//   whether it has left the tree in the next one. An image that has left it ends that round by what
//   another one knows. If any image that lives has ended the round, that is the end: all had
//   arrived. Each image looks for this itself, because the one that knows may wait for it in
//   another statement. Otherwise the round goes on without the dead: the first image that runs
//   waits until each other one has left the tree in it or is gone, and writes its decision to each
//   image. If it dies meanwhile, the next image does the same, and finds what it has written.
//
//   An image that finds the end by another one, which may then die, must not be the only one that
//   knows. It publishes what it has found, and takes it only if the other one lives after that. An
//   image that decides looks at all images while none dies: so it finds an end that another one has
//   taken from an image that is dead now.
//
//   progress   word of release of the last round that this image has ended * 2 | has left the tree
//   found      word of release that this image has found
//
// COST: looks at all images, over and over; sleeps between the looks.

#include <sched.h>
#include <shmem.h>

#include <algorithm>
#include <atomic>
#include <ctime>

#include "core/barrier.hpp"
#include "core/ordering.hpp"
#include "core/report.hpp"

namespace tessera::caf {
namespace {

constexpr std::uint64_t kHasLeftTree = 1;
constexpr std::uint64_t round_of(std::uint64_t word) { return word >> kRoundShift; }

// Between two looks at the other images: first yields, then sleeps.
class Pause {
  public:
    void wait() {
        if (yields_ < kYields) {
            ++yields_;
            ::sched_yield();
            return;
        }
        const std::timespec duration{0, nanoseconds_};
        ::nanosleep(&duration, nullptr);
        nanoseconds_ = std::min(nanoseconds_ + nanoseconds_ / 4, kLongest);
    }

  private:
    static constexpr int kYields = 200;
    static constexpr long kLongest = 500'000;
    int yields_ = 0;
    long nanoseconds_ = 10'000;
};

}  // namespace

// The first image whose process lives, and which still takes part if `must_run`; -1: none.
int TeamBarrier::first_alive(bool must_run) const {
    for (int index = 0; index < team_.images; ++index) {
        const int pe = pe_of_index(index);
        if (must_run ? state_of_pe(pe) == ImageState::kRunning : !is_dead(pe)) return index;
    }
    return -1;
}

// RETURNS: whether another image has ended this round, with `word`.
bool TeamBarrier::find_end(std::uint64_t& word) {
    for (int index = 0; index < team_.images; ++index) {
        const int pe = pe_of_index(index);
        if (index == me_ || is_dead(pe)) continue;
        const std::uint64_t ended = shmem_uint64_atomic_fetch(&lines_->progress.word, pe) / 2;
        if (round_of(ended) < round_) continue;
        shmem_uint64_atomic_set(&lines_->found.word, ended, pe_of_index(me_));
        // Before the look at the log of deaths: decide() looks at it first, then here. Pairs with
        // src/base/failures.hpp:failure_count.
        std::atomic_thread_fence(std::memory_order_seq_cst);
        if (!is_dead(pe)) {
            word = ended;
            return true;
        }
    }
    return false;
}

struct TeamBarrier::Findings {
    std::uint64_t gone = 0;   // kSawStopped, kSawFailed
    std::uint64_t ended = 0;  // the end of the round, as an image that has ended it knows it
    std::uint64_t found = 0;  // the same, as an image has found it and has perhaps ended the round
};

// Whether an image will change nothing about this round any more.
bool TeamBarrier::is_settled(int index, Findings& findings) const {
    const int pe = pe_of_index(index);
    for (bool is_gone = false;; is_gone = true) {
        if (is_dead(pe)) {
            findings.gone |= state_of_pe(pe) == ImageState::kStopped ? kSawStopped : kSawFailed;
            return true;
        }
        const std::uint64_t progress = shmem_uint64_atomic_fetch(&lines_->progress.word, pe);
        const std::uint64_t ended = progress / 2;
        const std::uint64_t decided = shmem_uint64_atomic_fetch(&lines_->decision.word, pe);
        if (round_of(ended) >= round_ || round_of(decided) >= round_) {
            findings.ended = round_of(ended) >= round_ ? ended : decided;
            return true;
        }
        const std::uint64_t found = shmem_uint64_atomic_fetch(&lines_->found.word, pe);
        if (round_of(found) >= round_) findings.found = found;
        // An image that is one round behind finds its end by itself.
        if ((progress & kHasLeftTree) != 0 && round_of(ended) == round_ - 1) return true;
        const ImageState state = state_of_pe(pe);
        if (state == ImageState::kRunning) return false;
        if (is_gone) {
            // Its progress was read after its state: it has not taken part.
            findings.gone |= state == ImageState::kStopped ? kSawStopped : kSawFailed;
            return true;
        }
    }
}

void TeamBarrier::spread(std::uint64_t word) {
    for (int index = 0; index < team_.images; ++index) {
        const int pe = pe_of_index(index);
        if (index != me_ && !is_dead(pe)) shmem_uint64_atomic_set(&lines_->decision.word, word, pe);
    }
    shmem_quiet();
}

// For the image that decides. RETURNS: whether the round has ended, with `word`.
bool TeamBarrier::decide(std::uint64_t& word) {
    const int deaths = count_deaths();
    Findings findings;
    for (int index = 0; index < team_.images; ++index) {
        if (index != me_ && !is_settled(index, findings)) return false;
    }
    if (count_deaths() != deaths) {
        return false;  // Another image may have found what the dead one knew after the look at it.
    }
    if (findings.ended != 0) {
        word = findings.ended;
    } else if (findings.found != 0) {
        word = findings.found;
    } else {
        word = round_ << kRoundShift | findings.gone;
    }
    spread(word);
    return true;
}

// RETURNS: the word of release of this round.
std::uint64_t TeamBarrier::wait_after_deaths() {
    const std::uint64_t word = agree_after_deaths();
    refresh_loads();
    return word;
}

std::uint64_t TeamBarrier::agree_after_deaths() {
    const int my_pe = pe_of_index(me_);
    const std::uint64_t before = shmem_uint64_atomic_fetch(&lines_->progress.word, my_pe);
    shmem_uint64_atomic_set(&lines_->progress.word, before | kHasLeftTree, my_pe);
    Pause pause;
    for (;;) {
        const std::uint64_t decided = shmem_uint64_atomic_fetch(&lines_->decision.word, my_pe);
        if (round_of(decided) >= round_) return decided;
        // With none that runs, this image ends, and the answer is of no interest.
        const int first = first_alive(true);
        std::uint64_t word = 0;
        if (first == me_ || first < 0 ? decide(word) : find_end(word)) return word;
        pause.wait();
    }
}

// The image that sees that none runs any more tells the others, because its own state is gone with
// it. On one node this is each image. Else it is the first one that lives, and the last to go: the
// others may still read its memory.
bool TeamBarrier::have_all_left_after_deaths() {
    const int my_pe = pe_of_index(me_);
    const bool is_told = shmem_uint64_atomic_fetch(&lines_->decision.word, my_pe) == kAllLeft;
    const bool is_one_node = are_all([&](int pe) { return shmem_ptr(lines_, pe) != nullptr; });
    const int first = first_alive(false);
    if (!is_one_node && first != me_) {
        if (is_told) {
            shmem_uint64_atomic_add(&lines_->farewells.word, 1, pe_of_index(first));
            shmem_quiet();
        }
        return is_told;
    }
    if (is_one_node && is_told) return true;
    if (!are_all([](int pe) { return state_of_pe(pe) != ImageState::kRunning; })) return false;
    spread(kAllLeft);
    if (is_one_node) return true;
    std::uint64_t others = 0;
    for (int index = 0; index < team_.images; ++index)
        others += index != me_ && !is_dead(pe_of_index(index)) ? 1 : 0;
    constexpr int kLooks = 4000;  // Two seconds: an image may have died after the first look.
    Pause pause;
    for (int i = 0; i < kLooks; ++i) {
        if (shmem_uint64_atomic_fetch(&lines_->farewells.word, my_pe) >= others) break;
        pause.wait();
    }
    // The others wait for the answer to their farewell, which the progress thread sends.
    constexpr std::timespec kAnswers{0, 50'000'000};
    ::nanosleep(&kAnswers, nullptr);
    return true;
}

}  // namespace tessera::caf

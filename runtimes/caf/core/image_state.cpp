// SPDX-License-Identifier: BSD-3-Clause
//
// States of images and sync images (image_state.hpp). Word arrived[q] of PE p counts the calls of
// sync images that q has made with p; only q increments it. Two bits of the same word say that p or
// q makes no more calls, so one atomic operation decides whether p or q was first:
//
//   bit 63  p is gone: q finds it in the old value of its increment, and does not wait
//   bit 62  q is gone, and p was waiting: p's wait ends
//
// When p goes, it sets bit 63 in all its words. Where the old count is larger than p's own number
// of calls, q waits for p, and p sets bit 62 in the word of q. A process that dies (failures.hpp)
// sets nothing: waiting images look at the log of deaths.
//
// An image that waits for a post of any image names the word in `awaited`. The image that leaves
// all others but one behind sets that one's `is_alone`, and a bit in the word that it awaits.

#include "core/image_state.hpp"

#include <sched.h>
#include <shmem.h>
#include <shmemx.h>

#include <atomic>
#include <utility>
#include <vector>

#include "core/failures.hpp"
#include "core/hang_note.hpp"
#include "core/ordering.hpp"
#include "core/report.hpp"

tessera::caf::HangNote _gfortran_caf_hang_note;

namespace tessera::caf {
namespace {

constexpr std::uint64_t kOwnerGone = std::uint64_t{1} << 63;
constexpr std::uint64_t kSenderGone = std::uint64_t{1} << 62;
constexpr std::uint64_t kCount = kSenderGone - 1;

struct Images {
    // Symmetric words:
    std::uint64_t* state = nullptr;  // ImageState
    std::uint64_t* gone = nullptr;   // on PE 0: the images that have stopped or failed
    std::uint64_t* is_alone = nullptr;
    std::uint64_t* awaited = nullptr;  // global pointer, or 0
    std::uint64_t* arrived = nullptr;  // npes words
    std::vector<std::uint64_t> calls;  // sync images of this image with each PE
    int pe = 0;
    int npes = 0;
    std::uint64_t deaths_told = 0;  // a bit for each death that this image has been told of
};
Images images;
std::atomic<bool> is_naming{false};  // A thread uses `awaited`.

int status_of(ImageState state) {
    switch (state) {
        case ImageState::kRunning: return kOk;
        case ImageState::kStopped: return kStoppedImage;
        case ImageState::kFailed: return kFailedImage;
    }
    return kOk;
}

// Tells `pe` about this call. RETURNS: whether `pe` may still answer.
bool notify(int pe) {
    if (is_dead(pe)) {
        ++images.calls[static_cast<std::size_t>(pe)];
        return false;
    }
    const std::uint64_t old = shmem_uint64_atomic_fetch_add(&images.arrived[images.pe], 1, pe);
    ++images.calls[static_cast<std::size_t>(pe)];
    return (old & kOwnerGone) == 0;
}

// RETURNS: whether `pe` has made its call; false: it is gone.
bool await(int pe, bool may_answer) {
    std::uint64_t* word = &images.arrived[pe];
    const std::uint64_t wanted = images.calls[static_cast<std::size_t>(pe)];
    if (!may_answer) refresh_loads();
    while (may_answer) {
        const int deaths = count_deaths();
        may_answer =
            !is_dead(pe) && shmemx_wait_until_failure(word, SHMEM_CMP_GE, wanted, deaths) == 0;
    }
    return (shmem_uint64_atomic_fetch(word, images.pe) & kCount) >= wanted;
}

// The only image that runs, or -1 if there are others or none.
int find_only_running_image() {
    int found = -1;
    for (int pe = 0; pe < images.npes; ++pe) {
        if (state_of_pe(pe) != ImageState::kRunning) continue;
        if (found >= 0) return -1;
        found = pe;
    }
    return found;
}

// The only image that is left, or -1 if there are others or none. Images that have died have not
// counted themselves, and PE 0 may be one of them.
int find_last_image() {
    if (count_deaths() == 0) {
        const std::uint64_t gone = shmem_uint64_atomic_fetch_add(images.gone, 1, 0) + 1;
        if (gone != static_cast<std::uint64_t>(images.npes - 1) && count_deaths() == 0) return -1;
    }
    return find_only_running_image();
}

// Deaths are told once each: by status_of_pe(), or by the next wait for any image.
void tell_death(int pe) {
    const int deaths = count_deaths();
    for (int i = 0; i < deaths; ++i) {
        if (shmemx_failed_pe(i) == pe) images.deaths_told |= std::uint64_t{1} << i;
    }
}

bool has_untold_death() {
    const std::uint64_t all = (std::uint64_t{1} << count_deaths()) - 1;
    return std::exchange(images.deaths_told, all) != all;
}

bool has_reached(const std::uint64_t* word, std::uint64_t wanted) {
    return (shmem_uint64_atomic_fetch(word, images.pe) & (kNoImageLeft - 1)) >= wanted;
}

Awaited end_of_wait(const std::uint64_t* word, std::uint64_t wanted, bool is_over) {
    if (has_reached(word, wanted)) return Awaited::kReached;
    return is_over || is_alone() ? Awaited::kOver : Awaited::kTaken;
}

// A wait of a thread while another one of this image waits for some word.
// RETURNS: as await_count().
Awaited look_for_count(const std::uint64_t* word, std::uint64_t wanted) {
    const int deaths = count_deaths();
    while (!has_reached(word, wanted)) {
        if (is_alone() || count_deaths() != deaths) break;
        ::sched_yield();
    }
    refresh_loads();
    return end_of_wait(word, wanted, count_deaths() != deaths);
}

// Ends the wait of an image that no other one can end.
void leave_alone(int pe) {
    shmem_uint64_atomic_set(images.is_alone, 1, pe);
    shmem_quiet();
    const shmemx_gptr_t awaited = shmem_uint64_atomic_fetch(images.awaited, pe);
    if (awaited != 0) {
        shmem_uint64_atomic_or(static_cast<std::uint64_t*>(shmemx_gptr_addr(awaited)), kNoImageLeft,
                               pe);
    }
}

}  // namespace

void make_image_state(int pe, int npes) {
    images.pe = pe;
    images.npes = npes;
    images.calls.assign(static_cast<std::size_t>(npes), 0);
    const std::size_t words = static_cast<std::size_t>(npes) + 4;
    images.state = static_cast<std::uint64_t*>(shmem_calloc(words, sizeof(std::uint64_t)));
    if (images.state == nullptr) {
        stop_with_error("start", "no symmetric memory for %zu words; raise SHMEM_SYMMETRIC_SIZE",
                        words);
    }
    images.gone = images.state + 1;
    images.is_alone = images.state + 2;
    images.awaited = images.state + 3;
    images.arrived = images.state + 4;
    _gfortran_caf_hang_note.arrived = images.arrived;
    *images.is_alone = npes == 1 ? 1 : 0;
}

ImageState state_of_pe(int pe) {
    // A process that had stopped and dies while it serves its memory has stopped. The memory of a
    // dead process of another node is gone.
    if (is_dead(pe)) [[unlikely]] {
        const auto* state = static_cast<std::uint64_t*>(shmemx_public_ptr(images.state, pe));
        if (state != nullptr) shmemx_invalidate(state, sizeof *state);
        const bool has_stopped =
            state != nullptr && *state == static_cast<std::uint64_t>(ImageState::kStopped);
        return has_stopped ? ImageState::kStopped : ImageState::kFailed;
    }
    return static_cast<ImageState>(shmem_uint64_atomic_fetch(images.state, pe));
}

int status_of_pe(int pe) {
    const ImageState state = state_of_pe(pe);
    if (state == ImageState::kFailed) tell_death(pe);
    return status_of(state);
}

void publish_state(ImageState state) {
    shmem_uint64_atomic_set(images.state, static_cast<std::uint64_t>(state), images.pe);
    shmem_quiet();
    for (int pe = 0; pe < images.npes; ++pe) {
        const std::uint64_t old =
            shmem_uint64_atomic_fetch_or(&images.arrived[pe], kOwnerGone, images.pe);
        if (!is_dead(pe) && (old & kCount) > images.calls[static_cast<std::size_t>(pe)])
            shmem_uint64_atomic_or(&images.arrived[images.pe], kSenderGone, pe);
    }
    const int last = find_last_image();
    if (last >= 0) leave_alone(last);
    shmem_quiet();
}

Awaited await_count(std::uint64_t* word, std::uint64_t wanted) {
    if (has_reached(word, wanted)) {
        refresh_loads();
        return Awaited::kReached;
    }
    // One thread of this image names the word that it awaits; further ones look. Pairs with
    // core/image_state.cpp:await_count of the other threads.
    if (is_naming.exchange(true, std::memory_order_acquire)) return look_for_count(word, wanted);
    const int deaths = count_deaths();
    if (has_untold_death()) {
        // Pairs with core/image_state.cpp:await_count of the other threads.
        is_naming.store(false, std::memory_order_relaxed);
        return Awaited::kOver;
    }
    // The quiet orders the swap before the load of is_alone(): the last other image finds the word
    // in leave_alone(), or this one finds that it is alone.
    shmem_uint64_atomic_swap(images.awaited, shmemx_gptr_of(word, images.pe), images.pe);
    shmem_quiet();
    bool is_over = is_alone();
    if (is_over) {
        refresh_loads();
    } else if (shmemx_wait_until_failure(word, SHMEM_CMP_GE, wanted, deaths) == 0) {
        is_over = true;
        has_untold_death();  // This wait tells.
    }
    shmem_uint64_atomic_set(images.awaited, 0, images.pe);
    // Pairs with core/image_state.cpp:await_count of the other threads.
    is_naming.store(false, std::memory_order_release);
    return end_of_wait(word, wanted, is_over);
}

bool is_alone() {
    return shmem_uint64_atomic_fetch(images.is_alone, images.pe) != 0 ||
           (count_deaths() > 0 && find_only_running_image() == images.pe);
}

int sync_with_pes(const int* pes, int count) {
    // One partner is the common case and needs no list.
    if (count == 1) {
        if (pes[0] == images.pe) return kOk;
        const bool may_answer = notify(pes[0]);
        return await(pes[0], may_answer) ? kOk : status_of_pe(pes[0]);
    }
    std::vector<bool> may_answer(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        if (pes[i] != images.pe) may_answer[static_cast<std::size_t>(i)] = notify(pes[i]);
    }
    int status = kOk;
    for (int i = 0; i < count; ++i) {
        if (pes[i] == images.pe || await(pes[i], may_answer[static_cast<std::size_t>(i)])) continue;
        const int of_pe = status_of_pe(pes[i]);
        if (status != kStoppedImage) {  // Fortran 2018, 11.6.11: stopped images come first.
            status = of_pe;
        }
    }
    return status;
}

}  // namespace tessera::caf

// SPDX-License-Identifier: BSD-3-Clause
//
// Locks and critical constructs: a mutex (shmemx_mutex_t) in the first 8 bytes of the variable. An
// image that fails while it holds one leaves it to the next image, which is told.

#include "core/locks.hpp"

#include "core/failures.hpp"

#include "procedures/target.hpp"

namespace tessera::prif {
namespace {

shmemx_mutex_t* mutex_at(std::byte* address) { return reinterpret_cast<shmemx_mutex_t*>(address); }

// The mutex of a critical construct lies on the first image that has the coarray. ERRORS: a coarray
// that has no room for one ends the program.
Target mutex_of(Handle* critical_coarray, const char* routine) {
    check_running(routine);
    const Handle& handle = checked(critical_coarray, "critical_coarray", routine);
    if (handle.bytes < sizeof(shmemx_mutex_t)) {
        caf::stop_with_error(routine, "critical_coarray has %zu bytes, and no prif_critical_type",
                             handle.bytes);
    }
    return {.pe = handle.team->pe_of(1), .address = handle.base};
}

}  // namespace

// acquired_lock: NULL: waits.
PRIF_ENTRY int tessera_prif_lock(int image, Handle* handle, std::uint64_t where, int is_address,
                                 bool* acquired_lock, int* stat) {
    const char* routine = is_address == 0 ? "prif_lock" : "prif_lock_indirect";
    Target target;
    const int code = find_word({image, handle, where, is_address != 0}, routine, stat, target);
    if (code != kOk) return code;
    int acquired = 1;
    const int status = caf::lock(mutex_at(target.address), target.pe,
                                 acquired_lock != nullptr ? &acquired : nullptr);
    if (acquired_lock != nullptr) *acquired_lock = acquired != 0;
    if (status == kOk) [[likely]]
        return succeed(stat);
    return fail(stat, status, routine,
                status == caf::kLocked
                    ? "this image has locked the variable on image %d already"
                    : "an image has failed while it held the lock on image %d, which this image "
                      "has now",
                image);
}

// The lock is given back also where the image that has the variable has failed: others may wait.
PRIF_ENTRY int tessera_prif_unlock(int image, Handle* handle, std::uint64_t where, int is_address,
                                   int* stat) {
    const char* routine = is_address == 0 ? "prif_unlock" : "prif_unlock_indirect";
    const RemoteMemory place{image, handle, where, is_address != 0};
    Target target;
    int code = find_memory_of_word(place, routine, stat, target);
    if (code != kOk) return code;
    const bool may_be_lost = !caf::detail::is_one_node && caf::is_dead(target.pe);
    if (may_be_lost && shmem_ptr(target.address, target.pe) == nullptr)
        return fail_if_failed(place, routine, stat, target);
    int holder = -1;
    int status = caf::unlock(mutex_at(target.address), target.pe, holder);
    if (status == kOk) return fail_if_failed(place, routine, stat, target);
    if (status == caf::kLockedOtherImage && caf::status_of_pe(holder) == caf::kFailedImage)
        status = caf::kNotLocked;
    if (status == caf::kNotLocked)
        return fail(stat, status, routine, "no image has locked the variable on image %d", image);
    return fail(stat, status, routine,
                "image %d has locked the variable on image %d, not this image", holder + 1, image);
}

PRIF_ENTRY int tessera_prif_critical(Handle* critical_coarray, int* stat) {
    constexpr const char* kRoutine = "prif_critical";
    const Target target = mutex_of(critical_coarray, kRoutine);
    const int status = caf::lock(mutex_at(target.address), target.pe, nullptr);
    if (status == kOk) [[likely]]
        return succeed(stat);
    if (status == caf::kLocked) {
        return fail(stat, caf::kMisuse, kRoutine,
                    "this image is in the critical construct already; call prif_end_critical "
                    "first");
    }
    return fail(stat, caf::kFailedImage, kRoutine,
                "an image has failed in the critical construct, in which this image is now");
}

PRIF_ENTRY void tessera_prif_end_critical(Handle* critical_coarray) {
    constexpr const char* kRoutine = "prif_end_critical";
    const Target target = mutex_of(critical_coarray, kRoutine);
    int holder = -1;
    if (caf::unlock(mutex_at(target.address), target.pe, holder) != kOk) {
        caf::stop_with_error(kRoutine,
                             "this image is not in the critical construct; call prif_critical "
                             "first");
    }
}

}  // namespace tessera::prif

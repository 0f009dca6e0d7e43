// SPDX-License-Identifier: BSD-3-Clause
//
// GCC 8 to 14: locks, critical constructs and events. Image 0 means this image.

#include "core/locks.hpp"
#include <algorithm>

#include "abi12/descriptor.hpp"
#include "core/coarray.hpp"
#include "core/events.hpp"
#include "core/runtime.hpp"
#include "core/team.hpp"

namespace tessera::caf {
namespace {

int pe_at(const Coarray& coarray, int image, const char* routine) {
    if (coarray.is_critical) {
        return 0;  // One lock for all teams, on image 1 of the initial team.
    }
    return image == 0 ? current_team().pe_of(this_image()) : pe_of(image, routine);
}

[[gnu::noinline]] void report_locked(const ErrorTarget& target, int pe) {
    report(target, kLocked, "lock", "this image has locked the variable on image %d already",
           initial_team().image_of(pe));
}

[[gnu::noinline]] void report_failed_unlock(const ErrorTarget& target, int status, int pe,
                                            int holder) {
    const int image = initial_team().image_of(pe);
    if (status == kNotLocked) {
        report(target, status, "unlock", "no image has locked the variable on image %d", image);
        return;
    }
    report(target, status, "unlock", "image %d has locked the variable on image %d, not this image",
           initial_team().image_of(holder), image);
}

}  // namespace

CAF_ENTRY void _gfortran_caf_lock(caf_token_t token, std::size_t index, int image, int* acquired,
                                  int* stat, char* errmsg, std::size_t errmsg_bytes) {
    ensure_initialized();
    const Coarray& coarray = *from_token(token, "lock");
    const int pe = pe_at(coarray, image, "lock");
    // gfortran has no value for a lock whose holder has failed.
    if (lock(mutex_at(coarray, index), pe, acquired) != kLocked) [[likely]] {
        report_ok({.stat = stat});
        return;
    }
    report_locked({stat, errmsg, errmsg_bytes}, pe);
}

CAF_ENTRY void _gfortran_caf_unlock(caf_token_t token, std::size_t index, int image, int* stat,
                                    char* errmsg, std::size_t errmsg_bytes) {
    ensure_initialized();
    const Coarray& coarray = *from_token(token, "unlock");
    const int pe = pe_at(coarray, image, "unlock");
    int holder = -1;
    const int status = unlock(mutex_at(coarray, index), pe, holder);
    if (status == kOk) [[likely]] {
        report_ok({.stat = stat});
        return;
    }
    report_failed_unlock({stat, errmsg, errmsg_bytes}, status, pe, holder);
}

CAF_ENTRY void _gfortran_caf_event_post(caf_token_t token, std::size_t index, int image, int* stat,
                                        char* errmsg, std::size_t errmsg_bytes) {
    ensure_initialized();
    const Coarray& coarray = *from_token(token, "event post");
    post_event(event_count(coarray, index, "event post"), pe_at(coarray, image, "event post"));
    report_ok({stat, errmsg, errmsg_bytes});
}

CAF_ENTRY void _gfortran_caf_event_wait(caf_token_t token, std::size_t index, int until_count,
                                        int* stat, char* errmsg, std::size_t errmsg_bytes) {
    ensure_initialized();
    const Coarray& coarray = *from_token(token, "event wait");
    const int status = wait_for_event(event_count(coarray, index, "event wait"), until_count);
    report({stat, errmsg, errmsg_bytes}, status, "event wait",
           status == kFailedImage
               ? "an image has failed before others have posted %d times"
               : "all other images have stopped or failed before they have posted %d times",
           std::max(1, until_count));
}

CAF_ENTRY void _gfortran_caf_event_query(caf_token_t token, std::size_t index, int image,
                                         int* count, int* stat) {
    ensure_initialized();
    const Coarray& coarray = *from_token(token, "event_query");
    const std::uint64_t* counted = event_count(coarray, index, "event_query");
    *count = static_cast<int>(query_event(counted, pe_at(coarray, image, "event_query")));
    report_ok({.stat = stat});
}

}  // namespace tessera::caf

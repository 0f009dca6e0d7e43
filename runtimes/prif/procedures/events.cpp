// SPDX-License-Identifier: BSD-3-Clause
//
// Events and notify variables: a count of 64 bits in the first 8 bytes.

#include "core/events.hpp"

#include <algorithm>

#include "procedures/target.hpp"

namespace tessera::prif {
namespace {

// The variable of this image that a wait or a query names. RETURNS: kOk, or the reported code.
int find_own(void* variable, const char* routine, int* stat, Target& target) {
    const RemoteMemory place{shmem_my_pe() + 1, nullptr, reinterpret_cast<std::uint64_t>(variable),
                             true};
    return find_word(place, routine, stat, target);
}

}  // namespace

PRIF_ENTRY int tessera_prif_event_post(int image, Handle* handle, std::uint64_t where,
                                       int is_address, int* stat) {
    const char* routine = is_address == 0 ? "prif_event_post" : "prif_event_post_indirect";
    Target target;
    const int code = find_word({image, handle, where, is_address != 0}, routine, stat, target);
    if (code != kOk) return code;
    caf::post_event(word_at(target), target.pe);
    return succeed(stat);
}

PRIF_ENTRY int tessera_prif_event_wait(void* variable, std::int64_t until_count, int is_notify,
                                       int* stat) {
    const char* routine = is_notify == 0 ? "prif_event_wait" : "prif_notify_wait";
    check_running(routine);
    Target target;
    const int code = find_own(variable, routine, stat, target);
    if (code != kOk) return code;
    const int status = is_notify == 0 ? caf::wait_for_event(word_at(target), until_count)
                                      : caf::wait_for_notify(word_at(target), until_count);
    if (status == kOk) return succeed(stat);
    return fail(stat, status, routine,
                status == caf::kFailedImage
                    ? "an image has failed before the count was %lld"
                    : "all other images have stopped or failed before the count was %lld",
                static_cast<long long>(std::max(std::int64_t{1}, until_count)));
}

PRIF_ENTRY int tessera_prif_event_query(void* variable, std::int64_t* count, int* stat) {
    check_running("prif_event_query");
    Target target;
    const int code = find_own(variable, "prif_event_query", stat, target);
    if (code != kOk) return code;
    *count = caf::query_event(word_at(target), target.pe);
    return succeed(stat);
}

}  // namespace tessera::prif

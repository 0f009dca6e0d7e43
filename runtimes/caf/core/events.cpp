// SPDX-License-Identifier: BSD-3-Clause
//
// Events (events.hpp). A post is an atomic operation, so it wakes an image that sleeps in its wait.

#include "core/events.hpp"

#include <shmem.h>

#include <algorithm>

#include "core/coarray.hpp"
#include "core/image_state.hpp"
#include "core/ordering.hpp"
#include "core/report.hpp"
#include "core/team.hpp"
#include "core/team_control.hpp"

namespace tessera::caf {
namespace {

std::uint64_t* count_of(const Coarray& event, std::size_t index, const char* routine) {
    if (index >= event.bytes / kEventBytes) {
        stop_with_error(routine, "element %zu is not in the event variable, which has %zu",
                        index + 1, event.bytes / kEventBytes);
    }
    return reinterpret_cast<std::uint64_t*>(at_offset(event, index * kEventBytes));
}

}  // namespace

void post_event(const Coarray& event, std::size_t index, int pe) {
    std::uint64_t* count = count_of(event, index, "event post");
    complete_all();
    shmem_uint64_atomic_add(count, 1, pe);
}

int wait_for_event(const Coarray& event, std::size_t index, int until_count) {
    std::uint64_t* count = count_of(event, index, "event wait");
    complete_all();
    const auto wanted = static_cast<std::uint64_t>(std::max(1, until_count));
    if (!await_count(count, wanted))
        return count_failed(initial_team()) > 0 ? kFailedImage : kStoppedImage;
    shmem_uint64_atomic_add(count, -wanted, shmem_my_pe());
    return kOk;
}

std::int64_t query_event(const Coarray& event, std::size_t index, int pe) {
    const std::uint64_t* count = count_of(event, index, "event_query");
    return static_cast<std::int64_t>(shmem_uint64_atomic_fetch(count, pe) & ~kNoImageLeft);
}

}  // namespace tessera::caf

// SPDX-License-Identifier: BSD-3-Clause
//
// Events (events.hpp). A post is an atomic operation, so it wakes an image that sleeps in its wait.

#include "core/events.hpp"

#include <sched.h>
#include <shmem.h>
#include <sys/stat.h>

#include <algorithm>

#include "core/coarray.hpp"
#include "core/image_state.hpp"
#include "core/ordering.hpp"
#include "core/report.hpp"
#include "core/team.hpp"
#include "core/team_control.hpp"

namespace tessera::caf {
namespace {

// Why a wait has ended before its count.
int reason_of_wait() { return count_failed(initial_team()) > 0 ? kFailedImage : kStoppedImage; }

// Another thread of this image may notify, too. The function counts all threads, also those of
// libraries, which never notify: its answer is a guess.
bool has_other_threads() {
    struct stat tasks {};
    // A folder has two links and one for each folder in it.
    return ::stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink > 3;
}

// The count of this image becomes less by `taken`, unless another thread has taken some before.
bool take(std::uint64_t* count, std::uint64_t taken) {
    const int me = shmem_my_pe();
    std::uint64_t seen = shmem_uint64_atomic_fetch(count, me);
    while ((seen & ~kNoImageLeft) >= taken) {
        const std::uint64_t found = shmem_uint64_atomic_compare_swap(count, seen, seen - taken, me);
        if (found == seen) return true;
        seen = found;
    }
    return false;
}

}  // namespace

std::uint64_t* event_count(const Coarray& event, std::size_t index, const char* routine) {
    if (index >= event.bytes / kEventBytes) {
        stop_with_error(routine, "element %zu is not in the event variable, which has %zu",
                        index + 1, event.bytes / kEventBytes);
    }
    return reinterpret_cast<std::uint64_t*>(at_offset(event, index * kEventBytes));
}

void post_event(std::uint64_t* count, int pe) {
    complete_all();
    shmem_uint64_atomic_add(count, 1, pe);
}

int wait_for_event(std::uint64_t* count, std::int64_t until_count) {
    complete_all();
    const auto wanted = static_cast<std::uint64_t>(std::max(std::int64_t{1}, until_count));
    if (await_count(count, wanted) != Awaited::kReached) return reason_of_wait();
    shmem_uint64_atomic_add(count, -wanted, shmem_my_pe());
    return kOk;
}

int wait_for_notify(std::uint64_t* count, std::int64_t until_count) {
    const auto wanted = static_cast<std::uint64_t>(std::max(std::int64_t{1}, until_count));
    for (;;) {
        switch (await_count(count, wanted)) {
            case Awaited::kReached:
                if (take(count, wanted)) return kOk;
                break;
            case Awaited::kTaken: break;
            case Awaited::kOver:
                if (!is_alone() || !has_other_threads()) return reason_of_wait();
                ::sched_yield();
        }
    }
}

std::int64_t query_event(const std::uint64_t* count, int pe) {
    return static_cast<std::int64_t>(shmem_uint64_atomic_fetch(count, pe) & ~kNoImageLeft);
}

}  // namespace tessera::caf

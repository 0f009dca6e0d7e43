// SPDX-License-Identifier: BSD-3-Clause
//
// The end of an image (termination.hpp). An image that has stopped or failed leaves the barriers of
// its teams, and lives on as long as others may need its memory.

#include "core/termination.hpp"

#include <shmem.h>
#include <unistd.h>

#include <algorithm>
#include <cfenv>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "core/barrier.hpp"
#include "core/collectives.hpp"
#include "core/failures.hpp"
#include "core/hooks.hpp"
#include "core/image_state.hpp"
#include "core/locks.hpp"
#include "core/ordering.hpp"
#include "core/report.hpp"
#include "core/team.hpp"

// glibc: has a function called at the end of this thread, or at the start of its exit().
extern "C" int __cxa_thread_atexit_impl(void (*function)(void*), void* data, void* library);
extern "C" __attribute__((visibility("hidden"))) void* __dso_handle;
// libgfortran has it, and it knows -ffpe-summary, but only later versions export it.
extern "C" __attribute__((weak)) void _gfortran_report_exception();

namespace tessera::caf {
namespace {

struct ExceptionName {
    int flag;
    const char* name;
};
constexpr ExceptionName kExceptions[] = {
    {FE_INVALID, "IEEE_INVALID_FLAG"},
    {FE_DIVBYZERO, "IEEE_DIVIDE_BY_ZERO"},
    {FE_OVERFLOW, "IEEE_OVERFLOW_FLAG"},
    {FE_UNDERFLOW, "IEEE_UNDERFLOW_FLAG"},
};

void sleep_nanoseconds(long nanoseconds) {
    const std::timespec duration{0, nanoseconds};
    ::nanosleep(&duration, nullptr);
}

// Serves the barriers of all teams until all images have left the initial one.
void serve_others() {
    constexpr long kShortest = 1'000;
    constexpr long kLongest = 500'000;
    long pause = 0;
    while (!initial_team().barrier->have_all_left()) {
        bool was_useful = false;
        for (Team* team : teams_from(initial_team())) was_useful |= team->barrier->serve();
        if (was_useful) {
            pause = 0;
        } else if (pause < kShortest) {
            ::sched_yield();
            ++pause;
        } else {
            sleep_nanoseconds(pause);
            pause = std::min(pause + pause / 4, kLongest);
        }
    }
}

// The image is gone for all others, but for its memory. RETURNS when: all are.
void leave_all(ImageState state) {
    phase = Phase::kOver;
    complete_all();
    release_held_locks(state);
    publish_state(state);
    for (Team* team : teams_from(initial_team())) {
        team->barrier->leave(state);
        leave_broadcasts(*team, state);
    }
    serve_others();
    if (detail::at_finalize != nullptr) detail::at_finalize();
    // With deaths before, shmem_finalize waits for no other image.
    const CollectiveCall call(initial_team(), "end of the program", count_deaths());
    shmem_finalize();
}

pid_t process_of_image = 0;
int exit_status = 0;  // status of exit(), as far as note_exit() has told

void stop_at_exit(int status, void*) {
    if (status == 0 && ::getpid() == process_of_image) {  // A child of fork() is no image.
        terminate_normally();
    }
}

// exit() calls this first, in the thread that has started the images. The handler that it adds is
// the first one to run and learns the status.
void note_exit(void*) {
    ::on_exit([](int status, void*) { exit_status = status; }, nullptr);
}

// Where the coarrays belong to a shared library, its constructors have started the images before
// the C library has registered the end of all shared libraries. exit() then calls stop_at_exit()
// behind the destructors of libfabric and others. This destructor runs in time: behind those of the
// program and of the libraries that use this one, before those of the libraries that it uses.
[[gnu::destructor]] void stop_before_teardown() { stop_at_exit(exit_status, nullptr); }

}  // namespace

void watch_exit() {
    process_of_image = ::getpid();
    ::on_exit(stop_at_exit, nullptr);
    __cxa_thread_atexit_impl(note_exit, nullptr, &__dso_handle);
}

void terminate_normally() {
    if (phase == Phase::kRunning) leave_all(ImageState::kStopped);
}

void stop_image(int code) {
    terminate_normally();
    std::exit(code);
}

void report_exceptions() {
    if (_gfortran_report_exception != nullptr) return _gfortran_report_exception();
    const char* before = "Note: The following floating-point exceptions are signalling:";
    for (const auto& [flag, name] : kExceptions) {
        if (std::fetestexcept(flag) != 0) {
            std::fprintf(stderr, "%s %s", before, name);
            before = "";
        }
    }
    if (*before == '\0') std::fprintf(stderr, "\n");
}

void fail_image() {
    leave_all(ImageState::kFailed);
    std::exit(0);
}

}  // namespace tessera::caf

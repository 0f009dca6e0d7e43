// SPDX-License-Identifier: BSD-3-Clause
//
// A process that ends without shmem_finalize, or that becomes two (session.hpp).
#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "base/fatal.hpp"
#include "core/address_map.hpp"
#include "core/context.hpp"
#include "launch/exchange.hpp"
#include "memory/inline_maps.hpp"
#include "session/exit_meeting.hpp"
#include "session/hang_report.hpp"
#include "session/session.hpp"

namespace tessera {
namespace {

// A child of fork() is not a PE: its calls must fail, and its exit must not look like the PE's.
void disown_in_child() {
    address_map.npes = 0;
    address_map.direct_npes = 0;
    close_inline_maps();
    if (phase.load(std::memory_order_relaxed) == Phase::kInitialized)
        phase.store(Phase::kForkedChild, std::memory_order_relaxed);
    set_job_abort(nullptr);
    reset_wait_environment();
    set_hang_report_word(nullptr);
    set_message_prefix("[child of a PE] ");
}

// How long the rest of exit() may take where it has interrupted a thread. That thread may hold the
// lock of malloc; libfabric's destructor frees memory and would then wait for ever.
constexpr unsigned kExitSeconds = 10;
int status_of_exit = 0;

void limit_exit(int status) {
    status_of_exit = status;
    std::signal(SIGALRM, [](int) { ::_exit(status_of_exit); });
    sigset_t alarm_only;
    ::sigemptyset(&alarm_only);
    ::sigaddset(&alarm_only, SIGALRM);
    ::pthread_sigmask(SIG_UNBLOCK, &alarm_only, nullptr);
    ::alarm(kExitSeconds);
}

// Runs before the handlers and destructors that the program had made before init: these may still
// call shmem_finalize. Pairs with session/runtime.cpp:initialize.
void meet_others_at_exit(int status, void*) {
    if (phase.load(std::memory_order_acquire) != Phase::kInitialized) return;
    if (!is_plain_exit(session->thread_of_init)) return limit_exit(status);
    if (status != 0) return;
    default_context.quiet();
    session->has_met_at_exit =
        meet_at_exit({.job = session->job,
                      .node = *session->node,
                      .fabric = session->fabric.get(),
                      .transport_context = *session->collective_transport_context,
                      .atomic_at_first_pe = atomic_at_first_pe});
    if (!session->has_met_at_exit) return report_exit();
    if (!session->fabric) return;
    session->fabric->leave();
    launch::meet_job(drive_fabric);  // PE 0 answers until all have asked.
}

// The last thing: shmem_finalize has not been called after all. Pairs with
// session/runtime.cpp:close_runtime.
void end_without_finalize(int, void*) {
    if (phase.load(std::memory_order_acquire) != Phase::kInitialized) return;
    if (!session->has_met_at_exit) return;
    if (session->job.pe == 0) {
        warn(
            "the program ends without shmem_finalize, which the specification requires; its PEs "
            "end as if each had called it");
    }
    // Pairs with tools/oshrun/verdict.cpp:state_of.
    session->node->my_record().state.store(heap::PeState::kFinalized, std::memory_order_release);
    launch::leave(session->job);
}

// Before main, so that it runs after the program's handlers; but before pmix_client.cpp's.
[[gnu::constructor]] void watch_exit() { ::on_exit(end_without_finalize, nullptr); }

}  // namespace

void watch_fork_and_exit() {
    session->thread_of_init = ::gettid();
    static const int registered = ::pthread_atfork(nullptr, nullptr, disown_in_child) +
                                  ::on_exit(meet_others_at_exit, nullptr);
    static_cast<void>(registered);
}

}  // namespace tessera

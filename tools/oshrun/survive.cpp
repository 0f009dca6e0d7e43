// SPDX-License-Identifier: BSD-3-Clause
//
// See supervisor.hpp: the death of a PE that the others survive, because their program has asked
// for it (include/shmemx/failures.h). oshrun writes it into the log of each node, which the PEs
// read in their waits.
#include <sys/wait.h>

#include <algorithm>
#include <csignal>

#include "base/failures.hpp"
#include "supervisor.hpp"

namespace tessera::oshrun {
namespace {

// Signals by which the system reports a mistake of the program.
bool is_mistake(int signal) {
    switch (signal) {
        case SIGSEGV:
        case SIGBUS:
        case SIGFPE:
        case SIGILL:
        case SIGABRT:
        case SIGSYS:
        case SIGTRAP: return true;
        default: return false;
    }
}

}  // namespace

// Whether all PEs have asked for it, and one has outlived this death. A PE that has failed by
// itself has: its failure is the job's, whichever of the two ends oshrun sees first.
bool Supervisor::is_survivable(int pe) const {
    const bool is_outlived = std::ranges::any_of(job_.pes, [](const Pe& other) {
        return other.is_running ||
               (WIFEXITED(other.wait_status) && WEXITSTATUS(other.wait_status) != 0);
    });
    if (ending_ != Ending::kNone || !is_outlived) return false;
    if (survived_ == static_cast<int>(kFailuresMax)) return false;
    for (int other = 0; other < job_.npes; ++other) {
        const heap::PeRecord& record = record_of(job_, other);
        // A PE that has finalized needs this one no more. Pairs with
        // session/runtime.cpp:close_runtime and session/failures.cpp:survive_failures.
        const bool is_finalized =
            record.state.load(std::memory_order_acquire) == heap::PeState::kFinalized;
        if (is_finalized && other != pe) continue;
        if (record.survives_failures.load(std::memory_order_acquire) == 0) return false;
    }
    return true;
}

void Supervisor::survive(int pe, int signal, const std::string& what) {
    job_.pes[static_cast<std::size_t>(pe)].has_failed = true;
    if (is_mistake(signal)) exit_code_ = std::max(exit_code_, 128 + signal);
    // Last, so that a PE that learns of it finds the output of the dead one written.
    job_.output->read_everything(Clock::now());
    message(pe_text(job_, pe) + " " + what + "; the program goes on without it");
    for (NodeMemory& node : job_.nodes)
        append_failure(node.header->failures, static_cast<std::uint32_t>(survived_), pe);
    ++survived_;
}

}  // namespace tessera::oshrun

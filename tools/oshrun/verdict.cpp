// SPDX-License-Identifier: BSD-3-Clause
//
// See supervisor.hpp: judges the messages and the ends of PEs, and their meaning for the job.
// oshrun reads a PE's state and waiting place from its record in the node file, which the PE
// writes.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "base/fatal.hpp"
#include "supervisor.hpp"

namespace tessera::oshrun {
namespace {

// After a failure before any PE has called shmem_init the others may be about to fail as well. They
// get a moment to do so, so that the exit code is the worst of all and not a matter of luck.
constexpr auto kUninitializedGrace = std::chrono::milliseconds(250);

// For this time oshrun does not believe a PE that cannot reach another one. The other PE may be
// dying: its connections break before oshrun learns of its death, later by the time of its exit
// handlers. Only a failure of the network, without a death, is reported later by this time.
constexpr auto kDeathSeenTime = std::chrono::seconds(2);

// The code that a shell would report. A failure is never 0.
int failure_code(int code) { return (code & 0xff) != 0 ? code & 0xff : 1; }

// When the PE has ended, waitpid() has ordered everything anyway. Pairs with
// session/node.cpp:publish_record and session/runtime.cpp:close_runtime.
heap::PeState state_of(const Job& job, int pe) {
    return record_of(job, pe).state.load(std::memory_order_acquire);
}

}  // namespace

void Supervisor::handle_control_messages() {
    ControlMessage words;
    // Written in one piece, so read in one piece.
    while (::read(job_.control_read.get(), &words, sizeof words) ==
           static_cast<ssize_t>(sizeof words)) {
        if (words.pe < 0 || words.pe >= job_.npes) continue;
        if (words.kind == ControlMessage::kLostPeer) {
            note_complaint(words.pe, failure_code(words.code));
        } else if (ending_ != Ending::kNone) {
            continue;
        } else if (words.kind == ControlMessage::kGlobalExit) {
            // A crash that the program has survived still counts: often the others end it for that.
            begin_ending(Ending::kGlobalExit, std::max(exit_code_, words.code & 0xff));
        } else if (words.kind == ControlMessage::kAbort) {
            int code = failure_code(words.code);
            fail(words.pe, code, "has failed with code " + std::to_string(code));
        }
    }
}

void Supervisor::handle_pmix_events() {
    std::optional<PmixAbort> abort = job_.pmix.take_abort();
    if (std::optional<std::string> note = job_.pmix.take_note()) message(*note);
    if (!abort || ending_ != Ending::kNone) return;
    int code = failure_code(abort->code);
    std::string what = "called PMIx_Abort with code " + std::to_string(code);
    if (!abort->message.empty()) what += " (" + abort->message + ")";
    fail(abort->pe, code, what);
}

void Supervisor::note_complaint(int pe, int code) {
    job_.pes[static_cast<std::size_t>(pe)].has_lost_peer = true;
    if (!complaint_) complaint_ = {pe, code, Clock::now() + kDeathSeenTime};
}

void Supervisor::believe_complaint() {
    if (!complaint_) return;
    if (ending_ == Ending::kNone) {
        if (running_count() > 0 && survived_ == 0 && Clock::now() < complaint_->believed_at) return;
        fail(complaint_->pe, complaint_->code,
             "has failed with code " + std::to_string(complaint_->code) +
                 ", because it cannot reach another PE; " +
                 (survived_ > 0 ? "one has died before" : "none has died"));
    }
    complaint_.reset();
}

void Supervisor::look_at_pes() {
    const std::vector<int> ended = reap();
    auto judge_those = [&](bool by_signal) {
        for (int pe : ended) {
            const int status = job_.pes[static_cast<std::size_t>(pe)].wait_status;
            if (WIFSIGNALED(status) == by_signal) judge(pe, status);
        }
    };
    if (job_.options.verbose) {
        for (int pe : ended) report_end(pe, job_.pes[static_cast<std::size_t>(pe)].wait_status);
    }
    judge_those(true);
    // A PE that ends the job writes a message and exits; the message says more than the exit.
    handle_control_messages();
    if (job_.has_pmix) handle_pmix_events();
    judge_those(false);
}

std::vector<int> Supervisor::reap() {
    std::vector<int> ended;
    int status;
    pid_t pid;
    while ((pid = ::waitpid(-1, &status, WNOHANG)) > 0) {
        note_end_of_helper(pid, status);
        // Orphans of the PEs come here, too, and the keeper if it was killed.
        auto pe = std::find_if(job_.pes.begin(), job_.pes.end(), [pid](const Pe& candidate) {
            return candidate.is_running && candidate.pid == pid;
        });
        if (pe == job_.pes.end()) continue;
        pe->is_running = false;
        pe->wait_status = status;
        auto index = static_cast<int>(pe - job_.pes.begin());
        job_.keeper->set_group(index, 0);
        ended.push_back(index);
    }
    return ended;
}

void Supervisor::note_end_of_helper(pid_t pid, int wait_status) {
    const auto helper = std::ranges::find_if(job_.helpers, [pid](const HelperProcess& candidate) {
        return candidate.is_running && candidate.pid == pid;
    });
    if (helper == job_.helpers.end()) return;
    helper->is_running = false;
    job_.keeper->set_group(job_.npes + static_cast<int>(helper - job_.helpers.begin()), 0);
    if (ending_ != Ending::kNone || running_count() == 0) return;
    const bool is_killed = WIFSIGNALED(wait_status);
    const std::string how = is_killed
                                ? "was killed by " + signal_text(WTERMSIG(wait_status))
                                : "exited with code " + std::to_string(WEXITSTATUS(wait_status));
    message("a progress helper of node " + std::to_string(helper->node) + " (host " + job_.host +
            ", pid " + std::to_string(pid) + ") " + how + ", ending the job");
    begin_ending(Ending::kFailure,
                 is_killed ? 128 + WTERMSIG(wait_status) : failure_code(WEXITSTATUS(wait_status)));
}

void Supervisor::report_end(int pe, int wait_status) {
    auto elapsed = std::chrono::duration<double>(Clock::now() - job_.started_at).count();
    std::string how = WIFSIGNALED(wait_status)
                          ? "killed by " + signal_text(WTERMSIG(wait_status))
                          : "exited with code " + std::to_string(WEXITSTATUS(wait_status));
    message(pe_text(job_, pe) + ": " + how + " after " + std::to_string(elapsed) + " s");
}

void Supervisor::judge(int pe, int wait_status) {
    if (ending_ != Ending::kNone && ending_ != Ending::kFailure) return;
    heap::PeState state = state_of(job_, pe);
    if (WIFSIGNALED(wait_status)) {
        int signal = WTERMSIG(wait_status);
        if (was_killed_ && signal == SIGKILL) return;  // oshrun killed it.
        std::string what = "was killed by " + signal_text(signal);
        if (WCOREDUMP(wait_status)) what += ", core dumped";
        if (signal == SIGKILL) what += ", by a person or for lack of memory";
        if (is_survivable(pe)) return survive(pe, signal, what);
        fail(pe, 128 + signal, what);
        return;
    }
    int code = WEXITSTATUS(wait_status);
    // The PE has complained, and believe_complaint() decides.
    if (job_.pes[static_cast<std::size_t>(pe)].has_lost_peer) return;
    // PEs of several nodes are clients until they exit; a PE that calls _exit() does not sign off.
    bool is_client_of_ours = job_.nodes.size() > 1 && state == heap::PeState::kFinalized;
    if (code != 0) {
        std::string what = "exited with code " + std::to_string(code);
        if (state == heap::PeState::kInitialized) what += " without shmem_finalize";
        fail(pe, code, what);
    } else if (state == heap::PeState::kInitialized) {
        fail(pe, 1, "ended without shmem_finalize");
    } else if (job_.has_pmix && job_.pmix.is_unfinalized_client(pe) && !is_client_of_ours) {
        fail(pe, 1, "ended without PMIx_Finalize (in MPI programs: MPI_Finalize)");
    }
}

void Supervisor::fail(int pe, int code, const std::string& what, bool is_missed) {
    exit_code_ = std::max(exit_code_, code);
    Pe& failed = job_.pes[static_cast<std::size_t>(pe)];
    if (std::exchange(failed.has_failed, true) && !is_missed) return;
    ++failures_;
    if (ending_ == Ending::kFailure) return;  // oshrun prints the first one and counts the rest.
    // The PE's output before its failure comes before oshrun's message.
    job_.output->read_everything(Clock::now());
    // The others are past shmem_finalize too, or inside it, and need this PE no more.
    bool is_harmless = !is_missed && !failed.is_running && WIFEXITED(failed.wait_status) &&
                       state_of(job_, pe) == heap::PeState::kFinalized;
    const bool is_starting = state_of(job_, pe) == heap::PeState::kStarting;
    bool ends_others = !is_harmless && running_count() > 0;
    message(pe_text(job_, pe) + " " + what + (ends_others ? ", ending the job" : ""));
    ++failures_told_;
    if (is_starting && !is_missed) message(kStartAdvice);
    if (is_harmless) return;
    ending_ = Ending::kFailure;
    if (!failed.is_running && WIFEXITED(failed.wait_status) && newest_session() == 0) {
        kill_at_ = Clock::now() + kUninitializedGrace;
    } else {
        kill_all();
    }
}

// A PE that ended without shmem_init, or without its next one, leaves the other PEs waiting in
// theirs for ever.
void Supervisor::look_for_missing_pe() {
    const std::uint32_t newest = newest_session();
    if (ending_ != Ending::kNone || newest == 0) return;
    for (int pe = 0; pe < job_.npes; ++pe) {
        const Pe& entry = job_.pes[static_cast<std::size_t>(pe)];
        if (entry.is_running || record_of(job_, pe).inits >= newest) continue;
        // A wrapper may have started the program and ended; the program may still call it.
        if (::kill(-entry.pid, 0) == 0) continue;
        const bool is_new = state_of(job_, pe) == heap::PeState::kNotStarted;
        fail(pe, 1,
             is_new ? "ended without shmem_init, which other PEs wait in"
                    : "ended after shmem_finalize, but other PEs wait in shmem_init once more",
             true);
        return;
    }
}

// How often PEs that are in a session have initialized, at most; 0: none is in one.
std::uint32_t Supervisor::newest_session() const {
    std::uint32_t newest = 0;
    for (int pe = 0; pe < job_.npes; ++pe) {
        // Acquire in state_of(): the PE has counted before.
        if (state_of(job_, pe) != heap::PeState::kInitialized) continue;
        newest = std::max(newest, record_of(job_, pe).inits);
    }
    return newest;
}

}  // namespace tessera::oshrun

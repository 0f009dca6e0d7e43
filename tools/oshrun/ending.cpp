// SPDX-License-Identifier: BSD-3-Clause
//
// See supervisor.hpp: ends a job so that no process of it remains.
#include <dirent.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "base/fatal.hpp"
#include "helpers.hpp"
#include "process_state.hpp"
#include "supervisor.hpp"

namespace tessera::oshrun {
namespace {

constexpr auto kLeftoversPatience = std::chrono::seconds(2);
constexpr int kLeftoversPollMs = 20;

void add_children_of_task(const char* task, std::vector<pid_t>& children) {
    std::string path = std::string("/proc/self/task/") + task + "/children";
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"),
                                                         std::fclose);
    if (file == nullptr) return;
    int pid;
    while (std::fscanf(file.get(), "%d", &pid) == 1) children.push_back(pid);
}

// oshrun's children, orphans of the PEs among them. Empty where the kernel does not list them.
std::vector<pid_t> find_children() {
    std::vector<pid_t> children;
    std::unique_ptr<DIR, int (*)(DIR*)> tasks(::opendir("/proc/self/task"), ::closedir);
    if (tasks == nullptr) return children;
    while (const dirent* task = ::readdir(tasks.get())) {
        if (task->d_name[0] != '.') add_children_of_task(task->d_name, children);
    }
    return children;
}

// The PE may be writing its name this very moment, so the text may be cut or mixed.
std::string waiting_place(const heap::PeRecord& record) {
    char text[sizeof record.waiting_in];
    std::memcpy(text, record.waiting_in, sizeof text);
    std::string place;
    for (std::size_t i = 0; i < sizeof text && std::isprint(static_cast<unsigned char>(text[i]));
         ++i) {
        place += text[i];
    }
    return place;
}

std::string activity_text(const Job& job, int pe) {
    const Pe& entry = job.pes[static_cast<std::size_t>(pe)];
    const heap::PeRecord& record = record_of(job, pe);
    if (!entry.is_running) {
        return WIFSIGNALED(entry.wait_status)
                   ? "has been killed by " + signal_text(WTERMSIG(entry.wait_status))
                   : "has exited with code " + std::to_string(WEXITSTATUS(entry.wait_status));
    }
    std::string text;
    // Pairs with session/pe_record_lock.cpp:note_start and session/node.cpp:publish_record.
    switch (record.state.load(std::memory_order_acquire)) {
        case heap::PeState::kNotStarted: text = "has not called shmem_init"; break;
        case heap::PeState::kStarting: text = "is at the start of shmem_init"; break;
        case heap::PeState::kFinalized: text = "has called shmem_finalize"; break;
        case heap::PeState::kInitialized: {
            std::string place = waiting_place(record);
            text =
                place.empty() ? "is running, not waiting in a SHMEM routine" : "waits in " + place;
            break;
        }
    }
    if (process_state(entry.pid) == 'T') text += ", stopped by a signal";
    return text;
}

}  // namespace

void Supervisor::begin_ending(Ending ending, int code) {
    ending_ = ending;
    exit_code_ = code;
    if (ending != Ending::kSignal) kill_all();
}

void Supervisor::kill_all() {
    was_killed_ = true;
    kill_at_.reset();
    signal_all(SIGKILL);
}

void Supervisor::report_timeout() {
    char limit[32];
    std::snprintf(limit, sizeof limit, "%g", job_.options.timeout_seconds);
    job_.output->read_everything(Clock::now());
    message("the job did not end within " + std::string(limit) +
            " s (--timeout), killing it; its PEs:");
    const bool has_report = wait_for_report(report_hang());
    bool is_starting = false;
    for (int pe = 0; pe < job_.npes; ++pe) {
        // The report knows more: of a program of coarrays, for example, the statement.
        if (!has_report) message("  " + pe_text(job_, pe) + " " + activity_text(job_, pe));
        const heap::PeState state = record_of(job_, pe).state.load(std::memory_order_relaxed);
        is_starting |= state == heap::PeState::kStarting;
    }
    if (is_starting) message(kStartAdvice);
}

void Supervisor::kill_leftovers() {
    Clock::time_point deadline = Clock::now() + kLeftoversPatience;
    while (true) {
        bool is_clean = true;
        bool is_late = Clock::now() >= deadline;
        for (pid_t pid : find_children()) {
            if (pid == job_.keeper->pid()) continue;
            is_clean = false;
            ::kill(pid, SIGKILL);
            if (is_late)
                message("process " + std::to_string(pid) + " cannot be killed, leaving it");
        }
        if (is_clean || is_late) return;
        // The children of killed processes become oshrun's children, so look again.
        pollfd signals{.fd = job_.signals.fd.get(), .events = POLLIN, .revents = 0};
        ::poll(&signals, 1, kLeftoversPollMs);
        handle_signals();
    }
}

void Supervisor::finish() {
    kill_helpers(job_);
    kill_leftovers();
    job_.output->read_everything(Clock::now());
    // All possible writers are dead.
    job_.output->close_all();
    if (failures_ > failures_told_)
        message(std::to_string(failures_ - failures_told_) + " more PEs failed");
    while (!job_.output->is_flushed() && !is_impatient_) wait_for_events();
    const Output::Failure failure = job_.output->failure();
    if (failure.error != 0 && failure.error != EPIPE) {
        message("cannot write to " + failure.file + ": " + std::strerror(failure.error));
        if (exit_code_ == 0) exit_code_ = 1;
        while (!job_.output->is_flushed() && !is_impatient_) wait_for_events();
    }
}

}  // namespace tessera::oshrun

// SPDX-License-Identifier: BSD-3-Clause
//
// The end of a job that cannot go on. Used by every folder and by the tools: the place that first
// knows the cause writes the message, callers add nothing. In a PE the message gets the prefix
// "[pe 3] " and the whole job ends; in a tool it gets the tool's name and the tool exits.
#pragma once

namespace tessera {

inline constexpr int kFatalExitCode = 1;

// Writes what stdout still holds, then one line (prefix, message, newline) to stderr in a single
// write, ends the job through the hook of set_job_abort, and exits with kFatalExitCode. Does not
// run atexit handlers.
// THREADS: any; safe when several threads fail at once (the first message wins the exit). Never
// waits for a lock of stdout, and at most a second for a reader of it.
[[noreturn]] void fatal(const char* format, ...) __attribute__((format(printf, 1, 2), cold));

// The PE that causes the end of the job.
enum class Cause {
    kOwn,       // this PE's: the launcher ends the job at once
    kLostPeer,  // another PE does not answer: if it has died, the launcher names that one
};

// As fatal(), where another PE cannot be reached any more. The launcher waits a moment for the
// death of a PE before it takes this PE for the culprit: connections break before a process is
// gone.
[[noreturn]] void fatal_lost_peer(const char* format, ...)
    __attribute__((format(printf, 1, 2), cold));

// A line that fatal() and fatal_lost_peer() write behind their message from here on: where to look
// for the cause. nullptr: none, as at first. `advice` must stay.
void set_fatal_advice(const char* advice);
// For the time in which a job starts, of oshrun and of PEs under other launchers.
inline constexpr const char* kStartAdvice =
    "`osh_info --doctor` looks for everything that makes starts fail";

// Writes one line with the same prefix to stderr and returns.
void warn(const char* format, ...) __attribute__((format(printf, 1, 2), cold));

// "[pe 3] " for a PE, "oshrun: " for a tool. At most 31 characters are kept.
void set_message_prefix(const char* prefix);

// Ends the other PEs of the job. `code` is the exit code that the launcher should report. The hook
// may return; the caller then exits. nullptr: there are no other PEs to end.
using JobAbort = void (*)(int code, Cause cause);
void set_job_abort(JobAbort hook);

// Ends the job with `code` and no message: shmem_global_exit and fatal() come here.
// RETURNS: never. Skips atexit handlers and destructors; flushes nothing.
[[noreturn]] void end_job(int code, Cause cause = Cause::kOwn);

}  // namespace tessera

// SPDX-License-Identifier: BSD-3-Clause
//
// Watches over a running job until nothing of it is left: one loop that waits for signals, deaths,
// messages of PEs, output and deadlines. The ways in which a job can end, and oshrun's exit codes:
//   all PEs end well                       0
//   a PE fails (dies, exits with an error, leaves others without shmem_finalize, aborts):
//                                          the others are killed; the worst of the codes
//   the same by a signal, in a program     the others go on and learn of it (survive.cpp);
//   that survives                          128+N at the end if the PE itself made the mistake
//   a PE cannot reach another one         waits a moment for the death of a PE, which then is the
//                                          failure; else the PE that complains has failed
//   a PE calls shmem_global_exit(code)     the others are killed; code, or the 128+N before it
//   INT, TERM, HUP to oshrun               forwarded, and after a grace the rest is killed; 128+N
//   --timeout                              a report, then all are killed; 124
//   a progress helper dies                 all are killed; 128+N, or its code
// QUIT to oshrun ends nothing: it asks for a report on what the PEs wait for (docs/run/hangs.md).
// Called by main.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/inherited.hpp"
#include "job.hpp"

namespace tessera::oshrun {

inline constexpr int kTimeoutExitCode = 124;  // as timeout(1)

class Supervisor {
  public:
    explicit Supervisor(Job& job);

    // RETURNS when: all processes of the job are gone and all output is written: the exit code.
    int run();

  private:
    enum class Ending { kNone, kFailure, kGlobalExit, kSignal, kTimeout };

    // The loop.
    void wait_for_events();
    int poll_timeout_ms() const;
    void handle_deadlines();
    void handle_signals();
    void handle_signal(int signal);
    void suspend();

    // Events of PEs.
    void handle_control_messages();
    void handle_pmix_events();
    // Deaths first, then messages of PEs: a PE may see another PE's death before oshrun does.
    void look_at_pes();
    std::vector<int> reap();
    void note_end_of_helper(pid_t pid, int wait_status);
    void note_complaint(int pe, int code);
    void believe_complaint();
    void report_end(int pe, int wait_status);
    void judge(int pe, int wait_status);
    // `is_missed`: other PEs wait for it, whatever it has done before.
    void fail(int pe, int code, const std::string& what, bool is_missed = false);
    void look_for_missing_pe();
    bool is_survivable(int pe) const;
    void survive(int pe, int signal, const std::string& what);
    std::uint32_t newest_session() const;
    int running_count() const;

    // How the job ends.
    void begin_ending(Ending ending, int code);
    void kill_all();
    void signal_all(int signal) const;
    void report_timeout();
    // Starts osh_hang (hang_report.cpp). RETURNS: its process; 0: there is none.
    pid_t report_hang();
    // RETURNS: whether it has reported.
    static bool wait_for_report(pid_t pid);
    void kill_leftovers();
    void finish();

    void message(const std::string& text);

    Job& job_;
    Ending ending_ = Ending::kNone;
    int exit_code_ = 0;
    int failures_ = 0;           // PEs that have failed by themselves
    int failures_told_ = 0;      // failures that got a message
    int survived_ = 0;           // deaths that the others know of
    bool was_killed_ = false;    // kill_all() has been called
    bool is_impatient_ = false;  // a second signal came: do not even wait for readers of the output
    // The first PE that cannot reach another one, until a PE has died or it is believed.
    struct Complaint {
        int pe;
        int code;
        Clock::time_point believed_at;
    };
    std::optional<Complaint> complaint_;
    Clock::time_point last_read_{};   // time of the last output
    Clock::time_point rest_until_{};  // reads no output before
    std::optional<Clock::time_point> kill_at_;
    std::optional<Clock::time_point> timeout_at_;
};

}  // namespace tessera::oshrun

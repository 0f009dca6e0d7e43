// SPDX-License-Identifier: BSD-3-Clause
//
// A PE that asks for a report on its hung job (docs/run/hangs.md): on SIGQUIT, after
// SHMEM_HANG_REPORT seconds in one wait or in init, or when it exits while other PEs wait for it.
// The report is the work of a program of its own, osh_hang, which reads the PEs of this host from
// outside. So it works wherever the PEs hang.
#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>

namespace tessera {

// Handles SIGQUIT, unless the program does, and watches init as long as it lives: behind init, slow
// waits watch themselves (base/wait.cpp). COST: three system calls; six with SHMEM_HANG_REPORT.
class InitWatch {
  public:
    InitWatch();
    ~InitWatch();
    InitWatch(const InitWatch&) = delete;
    InitWatch& operator=(const InitWatch&) = delete;

  private:
    timer_t timer_{};
    bool has_timer_ = false;
};

// SHMEM_HANG_REPORT in nanoseconds; 0: no wait reports itself.
std::uint64_t hang_report_nanoseconds();

// Starts osh_hang, and returns at once. Of several calls of PEs of a node in one moment one does.
// THREADS: any, also a signal handler.
void report_hang();

// The same for a PE that is in exit() without shmem_finalize, while other PEs wait for it.
// RETURNS when: the report is printed, or has taken a minute of CPU time.
void report_exit();

// The word of the node file by which its PEs agree on the one that reports; nullptr: there is none.
void set_hang_report_word(std::atomic<std::uint64_t>* word);

}  // namespace tessera

// SPDX-License-Identifier: BSD-3-Clause
//
// A second process that outlives oshrun by a moment. It sleeps in read() on the life pipe. When
// oshrun is gone, for whatever reason, it kills the remaining processes of the job and removes the
// session directory. Without it a kill -9 of oshrun would leave processes that PEs behind wrappers
// had started, and files in /tmp. If the keeper is killed too, parent-death signals and each PE's
// own life pipe remain (launch/oshrun_client.hpp). Called by main.cpp and the supervisor.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <string>

#include "base/fd.hpp"

namespace tessera::oshrun {

class Keeper {
  public:
    // Forks the keeper for a job of `npes` PEs. REQUIRES: no threads yet.
    explicit Keeper(int npes);
    Keeper(const Keeper&) = delete;
    Keeper& operator=(const Keeper&) = delete;

    pid_t pid() const { return pid_; }
    // The life pipe's read end, for the PEs to inherit.
    int life_fd() const { return life_read_.get(); }

    // The process group to clean up; 0 means none. THREADS: the supervisor's only.
    void set_group(int pe, pid_t group);
    void set_directory(const std::string& path);

    // Ends the keeper without any cleaning; the job is over.
    void dismiss();

  private:
    struct Table;

    [[noreturn]] void keep();

    Table* table_ = nullptr;
    int npes_ = 0;
    pid_t pid_ = -1;
    Fd life_read_;
    Fd life_write_;
};

}  // namespace tessera::oshrun

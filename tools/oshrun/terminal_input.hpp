// SPDX-License-Identifier: BSD-3-Clause
//
// Passes the input of oshrun's terminal to PE 0. PEs are in process groups of their own, in the
// background of the terminal, so they cannot read it themselves. Any other stdin PE 0 inherits
// directly (start.cpp), at full speed and with its end. Called by start.cpp and the supervisor.
#pragma once

#include <string>

#include "base/fd.hpp"

namespace tessera::oshrun {

class TerminalInput {
  public:
    // Whether stdin is a terminal, so that this class is needed.
    static bool is_needed();

    // Makes the pipe. RETURNS: PE 0's end, empty on failure; errno.
    Fd open();

    // Wants to read the terminal: nothing is waiting to be written, and oshrun is in the foreground
    // (reading in the background would stop it).
    bool wants_input() const;
    void read();
    // Wants to write to PE 0; -1 when there is nothing to write.
    int fd_to_write() const { return typed_.empty() ? -1 : pipe_.get(); }
    void write();

  private:
    Fd pipe_;
    std::string typed_;
    bool is_over_ = false;  // end of file was typed
};

}  // namespace tessera::oshrun

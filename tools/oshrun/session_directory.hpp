// SPDX-License-Identifier: BSD-3-Clause
//
// The directory for the PMIx server's files, the only part of a job that has a name. oshrun holds a
// lock on it while it lives. If oshrun and its keeper were killed, the next oshrun of the same user
// removes the directory.
#pragma once

#include <string>

#include "base/fd.hpp"

namespace tessera::oshrun {

class SessionDirectory {
  public:
    // Makes /tmp/oshrun-XXXXXX (or below TMPDIR), mode 0700. An empty path() on failure; errno.
    static SessionDirectory make();

    const std::string& path() const { return path_; }

  private:
    std::string path_;
    Fd lock_;
};

// Removes the directory and its contents. Never follows links out of it.
void remove_session_directory(const std::string& path);

}  // namespace tessera::oshrun

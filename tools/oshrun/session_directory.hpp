// SPDX-License-Identifier: BSD-3-Clause
//
// The directory for the PMIx server's files, the only thing of a job that has a name. Held by a
// lock while oshrun lives; what a killed oshrun and a killed keeper left behind is removed by the
// next start of the same user.
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

// Removes the directory and what is in it. Never follows links out of it.
void remove_session_directory(const std::string& path);

}  // namespace tessera::oshrun

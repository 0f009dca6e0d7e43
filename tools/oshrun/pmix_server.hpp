// SPDX-License-Identifier: BSD-3-Clause
//
// The embedded PMIx server, for MPI and other PMIx programs that run under oshrun. PEs of Tessera
// do not connect to it on one node: they inherit all they need. It starts on a thread of its own
// while main.cpp prepares the rest; its own threads call back into pmix_server.cpp and leave notes
// here.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tessera::oshrun {

// The facts about the job that the server gives its clients.
struct PmixJob {
    std::string nspace;
    std::string host;
    std::string directory;          // for the server's files
    std::vector<int> app_of_pe;     // by PE
    std::vector<int> app_first_pe;  // by program
    bool is_verbose = false;        // the server's own messages reach the user
};

// A client called PMIx_Abort.
struct PmixAbort {
    int pe = 0;
    int code = 0;
    std::string message;
};

class PmixServer {
  public:
    // Starts the server in the background. Call once in a process.
    void start(const PmixJob& job);

    // RETURNS when: the server runs (true), could not start, or the time is over (false); error()
    // tells why not. The job runs all the same: only PMIx clients would miss it.
    bool wait_until_ready(int timeout_ms);
    const std::string& error() const { return error_; }
    bool is_starting() const;

    // "NAME=value" entries for a PE. REQUIRES: wait_until_ready() was true.
    std::vector<std::string> environment_of(int pe) const;

    // Whether the PE is a PMIx client and has not called PMIx_Finalize.
    bool is_unfinalized_client(int pe) const;

    // Readable when take_abort() or take_note() has something; take_abort() clears it.
    int event_fd() const;
    std::optional<PmixAbort> take_abort();
    // A line for the user.
    std::optional<std::string> take_note();

  private:
    std::string error_;
};

}  // namespace tessera::oshrun

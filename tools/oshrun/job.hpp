// SPDX-License-Identifier: BSD-3-Clause
//
// The job as oshrun knows it: put together by start.cpp, watched over by the supervisor.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/fd.hpp"
#include "keeper.hpp"
#include "memory.hpp"
#include "options.hpp"
#include "output.hpp"
#include "pmix_server.hpp"
#include "session_directory.hpp"
#include "signals.hpp"
#include "terminal_input.hpp"
#include "topology/topology.hpp"

namespace tessera::oshrun {

struct Pe {
    pid_t pid = 0;
    int app = 0;
    bool is_running = false;
    int wait_status = 0;         // as waitpid() says, when no longer running
    bool has_failed = false;     // and has been counted
    bool has_lost_peer = false;  // has complained that it cannot reach another PE
};

struct HelperProcess {
    pid_t pid = 0;
    int node = 0;
    std::vector<std::uint32_t> pus;  // empty: not bound
    bool is_running = false;
};

struct Job {
    const Options& options;
    SignalState& signals;
    Clock::time_point started_at = Clock::now();
    std::string host{};
    int npes = 0;
    std::vector<Pe> pes{};
    std::vector<HelperProcess> helpers{};

    std::vector<NodeMemory> nodes{};
    Fd control_read{};  // ControlMessages of the PEs
    std::unique_ptr<Keeper> keeper{};
    SessionDirectory session{};
    PmixServer pmix{};
    bool has_pmix = false;
    std::unique_ptr<Output> output{};
    TerminalInput input{};
};

// The record in which `pe` reports its state.
heap::PeRecord& record_of(const Job& job, int pe);

// "pe 3 (host node7, pid 1234, ./a.out)".
std::string pe_text(const Job& job, int pe);

// Prepares everything and starts the PEs. A failure ends oshrun with a message.
void start_job(Job& job);

// Gives back the resources of the job other than processes. REQUIRES: no PE is left.
void close_job(Job& job);

}  // namespace tessera::oshrun

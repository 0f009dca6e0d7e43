// SPDX-License-Identifier: BSD-3-Clause
//
// The findings of osh_hang (tools/osh_hang) about a simulated run that does not end: where the PEs
// wait, which PE waits for which, and the cycle. In place of tools/osh_hang/processes.cpp: all PEs
// lie in this process.
#include <sys/uio.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "real_calls.hpp"
#include "tools/osh_hang/findings.hpp"
#include "world.hpp"

namespace tessera::osh_hang {

Fd open_node_file(const PeProcess& process) { return Fd(::dup(process.node_fd)); }

bool read_memory(pid_t /*pid*/, std::uint64_t address, void* to, std::size_t bytes) {
    const iovec local{.iov_base = to, .iov_len = bytes};
    const iovec remote{.iov_base = reinterpret_cast<void*>(address), .iov_len = bytes};
    return REAL(process_vm_readv)(REAL(getpid)(), &local, 1, &remote, 1, 0) ==
           static_cast<ssize_t>(bytes);
}

}  // namespace tessera::osh_hang

namespace sim {

void show_waits() {
    tessera::osh_hang::NodeFiles files;
    std::vector<tessera::osh_hang::Snapshot> snapshots;
    int npes = 0;
    for (const Pe& pe : world.pes) {
        const tessera::osh_hang::PeProcess process{.pid = pid_of(pe),
                                                   .pe = pe.number,
                                                   .job = "",
                                                   .program = "",
                                                   .state = pe.has_ended ? 'Z' : 'R',
                                                   .node_fd = node_file(pe)};
        snapshots.push_back(files.read(process, npes));
        std::fprintf(stderr, "sim: PE %d %s\n", pe.number,
                     tessera::osh_hang::activity(snapshots.back()).c_str());
    }
    for (const std::string& line : tessera::osh_hang::find(snapshots))
        std::fprintf(stderr, "sim: %s\n", line.c_str());
}

}  // namespace sim

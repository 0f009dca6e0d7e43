// SPDX-License-Identifier: BSD-3-Clause
//
// Launchers give facts about a job, by PMIx and by variables. Input: a byte has the number of
// nodes, each further line has the list of a host's PEs, and the last line the launcher's address.
#include <algorithm>
#include <string>
#include <vector>

#include "fuzz/fuzz.hpp"
#include "launch/launcher_address.hpp"
#include "launch/nodes.hpp"

namespace tessera {

namespace {

constexpr int kPesMax = 1 << 14;  // More take their time, and run the same code.

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::Input input;
    fuzz::Bytes bytes(data, size);
    const int nodes_per_host = 1 + bytes.take<std::uint8_t>() % 8;
    launch::Job job{.npes = 0};
    std::vector<std::vector<int>> hosts;
    std::string line;
    while (!bytes.is_empty()) {
        line = std::string(bytes.take_until('\n'));
        const std::vector<int> pes = launch::parse_pe_list(line);
        fuzz::require(std::ranges::is_sorted(pes), "a list of PEs that is not sorted");
        fuzz::require(pes.empty() || pes.front() >= 0, "a PE with a negative number");
        job.npes += static_cast<int>(pes.size());
        if (job.npes > kPesMax) return 0;
        if (!pes.empty()) hosts.push_back(pes);
    }
    static_cast<void>(launch::launcher_addresses([&](const char*) { return line.c_str(); }));
    if (hosts.empty() || !launch::are_hosts_of_job(hosts, job.npes)) return 0;
    job.pe = hosts[0][hosts[0].size() / 2];
    launch::place_on_host(job, hosts[0], nodes_per_host);
    launch::place_among_hosts(job, hosts, nodes_per_host);
    launch::name_nodes(job, hosts, nodes_per_host);
    fuzz::require(job.local_index >= 0 && job.local_index < job.nlocal, "a PE outside of its node");
    return 0;
}

}  // namespace tessera

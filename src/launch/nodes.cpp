// SPDX-License-Identifier: BSD-3-Clause
//
// See nodes.hpp.
#include "launch/nodes.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "base/virtual_nodes.hpp"

namespace tessera::launch {
namespace {

constexpr long kPesMax = 1 << 24;

}  // namespace

std::vector<int> parse_pe_list(const std::string& text) {
    std::vector<int> pes;
    const char* at = text.c_str();
    while (*at != '\0') {
        char* end = nullptr;
        long first = std::strtol(at, &end, 10);
        if (end == at || first < 0) return {};
        long last = first;
        if (*end == '-') {
            at = end + 1;
            last = std::strtol(at, &end, 10);
            if (end == at || last < first) return {};
        }
        if (last - first >= kPesMax - static_cast<long>(pes.size()) || last >= kPesMax) return {};
        for (long pe = first; pe <= last; ++pe) pes.push_back(static_cast<int>(pe));
        if (*end != '\0' && *end != ',') return {};
        at = *end == ',' ? end + 1 : end;
    }
    std::sort(pes.begin(), pes.end());
    return pes;
}

bool are_hosts_of_job(std::span<const std::vector<int>> hosts, int npes) {
    std::vector<bool> is_found(static_cast<std::size_t>(npes));
    int count = 0;
    for (const std::vector<int>& pes : hosts) {
        for (const int pe : pes) {
            if (pe < 0 || pe >= npes || is_found[static_cast<std::size_t>(pe)]) return false;
            is_found[static_cast<std::size_t>(pe)] = true;
            ++count;
        }
    }
    return count == npes;
}

void place_on_only_host(Job& job, int nodes) {
    job.npes_of_host = job.npes;
    job.nodes_of_host = job.nnodes = virtual_node_count(job.npes, nodes);
    const VirtualNode node = virtual_node_of(job.pe, job.npes, job.nnodes);
    job.node = node.number;
    job.nlocal = node.npes;
    job.local_index = job.pe - node.first;
    job.local_pes.resize(static_cast<std::size_t>(node.npes));
    std::iota(job.local_pes.begin(), job.local_pes.end(), node.first);
    if (job.nnodes == 1) return;
    std::vector<int> begins;
    for (int i = 0; i < job.nnodes; ++i)
        begins.push_back(virtual_node(i, job.npes, job.nnodes).first);
    job.node_names = NodeNames::of_runs(std::move(begins), job.npes);
}

void place_on_host(Job& job, std::span<const int> host_pes, int nodes_per_host) {
    auto self = std::lower_bound(host_pes.begin(), host_pes.end(), job.pe);
    auto position = static_cast<int>(self - host_pes.begin());
    job.npes_of_host = static_cast<int>(host_pes.size());
    job.nodes_of_host = virtual_node_count(job.npes_of_host, nodes_per_host);
    VirtualNode node = virtual_node_of(position, job.npes_of_host, job.nodes_of_host);
    auto mine =
        host_pes.subspan(static_cast<std::size_t>(node.first), static_cast<std::size_t>(node.npes));
    job.local_pes.assign(mine.begin(), mine.end());
    job.nlocal = node.npes;
    job.local_index = position - node.first;
    job.node = node.number;
    job.nnodes = job.nodes_of_host;
}

void place_among_hosts(Job& job, std::span<const std::vector<int>> hosts, int nodes_per_host) {
    job.node = 0;
    job.nnodes = 0;
    for (const std::vector<int>& pes : hosts) {
        auto npes = static_cast<int>(pes.size());
        int nodes = virtual_node_count(npes, nodes_per_host);
        for (int i = 0; i < nodes && npes > 0; ++i) {
            VirtualNode node = virtual_node(i, npes, nodes);
            ++job.nnodes;
            if (pes[static_cast<std::size_t>(node.first)] < job.local_pes[0]) ++job.node;
        }
    }
}

void name_nodes(Job& job, std::span<const std::vector<int>> hosts, int nodes_per_host) {
    std::vector<int> first_pes(static_cast<std::size_t>(job.npes));
    for (const std::vector<int>& pes : hosts) {
        const auto npes = static_cast<int>(pes.size());
        const int nodes = virtual_node_count(npes, nodes_per_host);
        for (int position = 0; position < npes; ++position) {
            const VirtualNode node = virtual_node_of(position, npes, nodes);
            first_pes[static_cast<std::size_t>(pes[static_cast<std::size_t>(position)])] =
                pes[static_cast<std::size_t>(node.first)];
        }
    }
    job.node_names = NodeNames::of_pes(std::move(first_pes));
}

}  // namespace tessera::launch

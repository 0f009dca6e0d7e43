// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when the hierarchical reduction moves more between nodes than it must: with n nodes, each
// sends at most 2 (n-1)/n vectors, whatever the PEs on it. The bytes are those that the kernel has
// sent over this process's TCP connections, so it runs with a provider on TCP.
#include <linux/tcp.h>
#include <netinet/in.h>
#include <shmem.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "collectives/choice.hpp"
#include "collectives/select.hpp"
#include "settings/config.hpp"
#include "support/pe_test.hpp"

namespace {

constexpr std::size_t kElements = 131072;  // 1 MiB
constexpr int kCalls = 10;
constexpr int kDescriptorsMax = 1024;

std::uint64_t bytes_sent() {
    std::uint64_t sum = 0;
    for (int fd = 0; fd < kDescriptorsMax; ++fd) {
        tcp_info info{};
        socklen_t bytes = sizeof info;
        if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &bytes) != 0) continue;
        if (bytes < offsetof(tcp_info, tcpi_bytes_sent) + sizeof info.tcpi_bytes_sent) continue;
        sum += info.tcpi_bytes_sent - info.tcpi_bytes_retrans;
    }
    return sum;
}

// The sum over the PEs of this node.
std::uint64_t node_sum(std::uint64_t mine) {
    static std::uint64_t source;
    static std::uint64_t dest;
    source = mine;
    shmem_uint64_sum_reduce(SHMEM_TEAM_SHARED, &dest, &source, 1);
    return dest;
}

// As SHMEM_REDUCE_ALGORITHM would; before the first reduction.
void choose_hierarchical() {
    const auto all = tessera::collectives::traits_of(tessera::Collective::kReduce);
    const auto found = std::ranges::find_if(
        all, [](const auto* algorithm) { return algorithm->name == "hierarchical"; });
    ASSERT_NE(found, all.end());
    auto& settings = const_cast<tessera::Config&>(tessera::config());
    settings.algorithms[static_cast<std::size_t>(tessera::Collective::kReduce)].number =
        static_cast<std::uint8_t>(found - all.begin() + 1);
}

TEST(ReduceFabric, ANodeSendsWhatItMust) {
    choose_hierarchical();
    const char* text = std::getenv("SHMEM_VIRTUAL_NODES");
    const double nodes = text != nullptr ? std::atof(text) : 1;
    auto* source = static_cast<double*>(shmem_malloc(kElements * sizeof(double)));
    auto* dest = static_cast<double*>(shmem_malloc(kElements * sizeof(double)));
    for (std::size_t i = 0; i < kElements; ++i) source[i] = 1;
    // The first one connects.
    shmem_double_sum_reduce(SHMEM_TEAM_WORLD, dest, source, kElements);
    shmem_barrier_all();
    const std::uint64_t before = bytes_sent();
    for (int i = 0; i < kCalls; ++i)
        shmem_double_sum_reduce(SHMEM_TEAM_WORLD, dest, source, kElements);
    shmem_barrier_all();
    const auto sent = static_cast<double>(node_sum(bytes_sent() - before));
    const double vectors = sent / kCalls / (kElements * sizeof(double));
    const double must = 2 * (nodes - 1) / nodes;
    if (shmem_my_pe() == 0) std::printf("%.4f vectors per node and call, of %.4f\n", vectors, must);
    EXPECT_LE(vectors, must * 1.02);  // Headers, gates and acknowledgements.
    EXPECT_GE(vectors, must);         // Else the count is wrong.
    shmem_free(source);
    shmem_free(dest);
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)

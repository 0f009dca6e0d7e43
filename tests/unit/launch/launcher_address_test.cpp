// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when hosts with several networks talk over one that does not connect them.
#include "launch/launcher_address.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

namespace tessera::launch {
namespace {

using Addresses = std::vector<std::string>;

Addresses addresses_with(const std::map<std::string, std::string>& variables) {
    return launcher_addresses([&](const char* name) {
        auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
    });
}

TEST(LauncherAddress, IsReadFromWhatLaunchersLeave) {
    EXPECT_EQ(addresses_with({}), Addresses());
    EXPECT_EQ(addresses_with({{"SLURM_LAUNCH_NODE_IPADDR", "10.99.0.1"}}),
              Addresses({"10.99.0.1"}));
    EXPECT_EQ(addresses_with({{"OMPI_MCA_orte_hnp_uri",
                               "140181504.0;tcp://192.0.2.2,10.0.0.1:57355;"
                               "tcp6://[fd00::2]:36281"},
                              {"SLURM_LAUNCH_NODE_IPADDR", "10.0.0.1"}}),
              Addresses({"192.0.2.2", "10.0.0.1"}));
    EXPECT_EQ(addresses_with({{"SLURM_SRUN_COMM_HOST", "node7"}}), Addresses());
}

TEST(LauncherAddress, OneHostNeedsNoNetwork) { EXPECT_EQ(launcher_address(true), "127.0.0.1"); }

TEST(LauncherAddress, NothingIsKnownWithoutALauncher) {
    for (const char* name : {"OMPI_MCA_orte_hnp_uri", "PRTE_MCA_prte_hnp_uri",
                             "SLURM_LAUNCH_NODE_IPADDR", "SLURM_SRUN_COMM_HOST"}) {
        ::unsetenv(name);
    }
    EXPECT_EQ(launcher_address(false), "");
    // The way there would be the loopback, which leads to no other host.
    ::setenv("SLURM_LAUNCH_NODE_IPADDR", "127.0.0.1", 1);
    EXPECT_EQ(launcher_address(false), "");
    ::unsetenv("SLURM_LAUNCH_NODE_IPADDR");
}

}  // namespace
}  // namespace tessera::launch

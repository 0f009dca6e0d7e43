// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a PE binds its endpoint to an interface other than the one that was asked for, or
// takes a network card far from its processors.
#include "transports/ofi/interfaces.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace tessera::ofi {
namespace {

cpu_set_t processors(std::initializer_list<int> list) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int cpu : list) CPU_SET(cpu, &set);
    return set;
}

TEST(Interfaces, NetworksContainTheirAddresses) {
    EXPECT_TRUE(is_in_network("10.99.0.1", "10.99.0.0/24"));
    EXPECT_TRUE(is_in_network("10.99.0.1", "10.99.0.77/24"));
    EXPECT_FALSE(is_in_network("10.99.1.1", "10.99.0.0/24"));
    EXPECT_TRUE(is_in_network("10.99.1.1", "10.99.0.0/23"));
    EXPECT_TRUE(is_in_network("1.2.3.4", "0.0.0.0/0"));
    EXPECT_TRUE(is_in_network("1.2.3.4", "1.2.3.4"));
    EXPECT_TRUE(is_in_network("1.2.3.4", "1.2.3.4/32"));
    EXPECT_FALSE(is_in_network("1.2.3.5", "1.2.3.4"));
}

TEST(Interfaces, NonsenseIsNoNetwork) {
    for (const char* text : {"", "/", "eth0", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/x",
                             "10.0.0.0/8x", "10.0.0/8", "10.0.0.0/-1"}) {
        EXPECT_FALSE(is_in_network("10.0.0.0", text)) << text;
    }
    EXPECT_FALSE(is_in_network("", "0.0.0.0/0"));
}

TEST(Interfaces, WishComesBeforeTheLauncher) {
    EXPECT_EQ(choose_address("lo", "10.99.0.1"), "127.0.0.1");
    EXPECT_EQ(choose_address("127.0.0.0/8", "10.99.0.1"), "127.0.0.1");
    EXPECT_EQ(choose_address("127.0.0.1", ""), "127.0.0.1");
    EXPECT_EQ(choose_address("", "10.99.0.1"), "10.99.0.1");
    EXPECT_NE(choose_address("", ""), "");
}

TEST(InterfacesDeathTest, UnknownOneIsRefusedWithAList) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(choose_address("nic9", ""), testing::ExitedWithCode(1),
                "SHMEM_OFI_INTERFACE=nic9: .*(\n.*)*lo  127.0.0.1");
    EXPECT_EXIT(choose_address("203.0.113.0/28", ""), testing::ExitedWithCode(1),
                "SHMEM_OFI_INTERFACE=203.0.113.0/28: ");
}

TEST(Interfaces, ListsOfProcessors) {
    cpu_set_t usable = processors({0, 1, 5, 8, 11, 64});
    EXPECT_EQ(count_listed("0-3,8,10-11\n", usable), 4);
    EXPECT_EQ(count_listed("5\n", usable), 1);
    EXPECT_EQ(count_listed("64-95", usable), 1);
    EXPECT_EQ(count_listed("0-99999999", usable), 6);
    EXPECT_EQ(count_listed("", usable), 0);
    EXPECT_EQ(count_listed("\n", usable), 0);
    EXPECT_EQ(count_listed("2-4", usable), 0);
}

TEST(Interfaces, ProcessorsNearADevice) {
    char folder[] = "/tmp/interfaces_test.XXXXXX";
    ASSERT_NE(::mkdtemp(folder), nullptr);
    std::filesystem::path device = std::filesystem::path(folder) / "0000:3b:00.0";
    std::filesystem::create_directory(device);
    std::FILE* file = std::fopen((device / "local_cpulist").c_str(), "we");
    ASSERT_NE(file, nullptr);
    std::fputs("4-7\n", file);
    std::fclose(file);
    EXPECT_EQ(local_processors("0000:3b:00.0", processors({0, 5, 6}), folder), 2);
    EXPECT_EQ(local_processors("0000:3b:00.1", processors({0, 5, 6}), folder), 0);
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tessera::ofi

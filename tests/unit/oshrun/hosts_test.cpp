// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when PEs start on other hosts, or in other numbers, than --host and --hostfile say.
#include "tools/oshrun/hosts.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

namespace tessera::oshrun {
namespace {

using Names = std::vector<std::string>;

// The list as it was understood, or the complaint.
std::string read_list(const std::string& list) {
    std::vector<Host> hosts;
    std::string complaint = add_hosts(list, hosts);
    return complaint.empty() ? host_list(hosts) : complaint;
}

std::string read_file(const std::string& text) {
    char path[] = "/tmp/hosts-test-XXXXXX";
    int fd = ::mkstemp(path);
    std::FILE* file = ::fdopen(fd, "w");
    std::fwrite(text.data(), 1, text.size(), file);
    std::fclose(file);
    std::vector<Host> hosts;
    std::string complaint = add_host_file(path, hosts);
    std::remove(path);
    return complaint.empty() ? host_list(hosts) : complaint;
}

TEST(Hosts, ListsAreRead) {
    EXPECT_EQ(read_list("a"), "a");
    EXPECT_EQ(read_list("a,b:2,c.example.org:14"), "a,b:2,c.example.org:14");
    EXPECT_EQ(read_list("10.0.0.1:2,[fd00::2],[fd00::3]:4"), "10.0.0.1:2,[fd00::2],[fd00::3]:4");
    EXPECT_EQ(read_list("a,b,a,b:3,a"), "a:3,b:4") << "a name that comes again gets more slots";
}

TEST(Hosts, NonsenseIsRefused) {
    for (const char* list : {"", ",", "a,,b", "a:", "a:0", "a:-1", "a:x", "a:2x", ":2", "-n", "a=b",
                             "a:99999999999"}) {
        EXPECT_NE(read_list(list).find("HOST:SLOTS"), std::string::npos) << list;
    }
}

TEST(Hosts, MoreSlotsThanAnyHostHasAreRefused) {
    EXPECT_NE(read_list("a:1048576,b,a").find("\"a\" has more slots"), std::string::npos);
    EXPECT_NE(read_file("a:1048576\na\n").find("line 2: \"a\""), std::string::npos);
}

TEST(Hosts, FilesAreRead) {
    EXPECT_EQ(read_file("a\nb:2\nc slots=4\n"), "a,b:2,c:4");
    EXPECT_EQ(read_file("# all\n\n  a  slots=2 max_slots=3 # first\nb"), "a:2,b");
    EXPECT_EQ(read_file("a\r\nb\r\na\r\n"), "a:2,b");
    EXPECT_EQ(read_file("a slots=2\na slots=3\n"), "a:5");
}

TEST(Hosts, BadFilesAreRefused) {
    EXPECT_NE(read_file("a\nb slots=x\n").find("line 2"), std::string::npos);
    EXPECT_NE(read_file("a b\n").find("line 1"), std::string::npos);
    EXPECT_NE(read_file("a:b\n").find("line 1"), std::string::npos);
    EXPECT_NE(read_file("# nothing\n").find("no host"), std::string::npos);
    std::vector<Host> hosts;
    EXPECT_NE(add_host_file("/no/such/file", hosts), "");
    EXPECT_NE(add_host_file("/tmp", hosts), "");
    EXPECT_NE(add_host_file("/dev/zero", hosts).find("no host file"), std::string::npos);
}

TEST(Hosts, PesAreDealtOut) {
    std::vector<Host> hosts;
    ASSERT_EQ(add_hosts("a:2,b,c:3", hosts), "");
    EXPECT_EQ(hosts_of_pes(hosts, 0, false), Names({"a", "a", "b", "c", "c", "c"}));
    EXPECT_EQ(hosts_of_pes(hosts, 4, false), Names({"a", "a", "b", "c"}));
    EXPECT_EQ(hosts_of_pes(hosts, 8, false), Names({"a", "a", "b", "c", "c", "c", "a", "a"}));
    EXPECT_EQ(hosts_of_pes(hosts, 0, true), Names({"a", "b", "c", "a", "c", "c"}));
    EXPECT_EQ(hosts_of_pes(hosts, 7, true), Names({"a", "b", "c", "a", "c", "c", "a"}));
    const std::vector<Host> many(10'000, {.name = "x", .slots = 1 << 20});
    EXPECT_EQ(hosts_of_pes(many, 3, false), Names({"x", "x", "x"}));
    EXPECT_EQ(hosts_of_pes(many, 3, true), Names({"x", "x", "x"}));
}

}  // namespace
}  // namespace tessera::oshrun

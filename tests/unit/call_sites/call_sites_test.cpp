// SPDX-License-Identifier: BSD-3-Clause
//
// Names of addresses in this process, and the stack of a child that waits in a known call.
#include "tools/call_sites/call_sites.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

using tessera::call_sites::entry_of;
using tessera::call_sites::has_debug_information;
using tessera::call_sites::Process;
using tessera::call_sites::Site;
using tessera::call_sites::Stack;
using tessera::call_sites::text_of;

namespace {
long watched_words[4];
int release_pipe[2];
int ready_pipe[2];
}  // namespace

// Names of C that are also the codes of C++ types: long long, float, wchar_t.
extern "C" {
long x = 1;
long f[2] = {1, 2};
long w = 1;
void d() { static_cast<void>(::getpid()); }
}

// With the name of a routine of the library, as entry_of() looks for it.
extern "C" void shmem_test_wait();
void shmem_test_wait() {
    char byte = 0;
    if (::write(ready_pipe[1], &byte, 1) != 1) std::abort();
    if (::read(release_pipe[0], &byte, 1) < 0) std::abort();
}
namespace work {
constexpr int kCallLine = __LINE__ + 1;
void call_and_wait() { shmem_test_wait(); }
}  // namespace work

namespace {

std::uint64_t my_return_address() {
    return reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
}
constexpr int kCallOfReturnAddress = __LINE__ + 1;
std::uint64_t address_after_call() { return my_return_address(); }

TEST(CallSites, NameTheCallInTheOwnProcess) {
    if (!has_debug_information()) GTEST_SKIP() << "no libdw";
    Process process(::getpid());
    const Site site = process.caller_at(address_after_call());
    EXPECT_TRUE(site.file.ends_with("call_sites_test.cpp")) << site.file;
    EXPECT_EQ(site.line, kCallOfReturnAddress);
    EXPECT_EQ(site.function, "(anonymous namespace)::address_after_call");
    EXPECT_EQ(text_of(site), "(anonymous namespace)::address_after_call (call_sites_test.cpp:" +
                                 std::to_string(kCallOfReturnAddress) + ")");
}

// osh_report names calls of programs that have ended by what their /proc/PID/maps was.
TEST(CallSites, NameTheCallByTheMapsOfAProcess) {
    Process process("/proc/self/maps");
    const Site site = process.caller_at(address_after_call());
    EXPECT_TRUE(site.module.ends_with("call_sites_test")) << site.module;
    if (!has_debug_information()) GTEST_SKIP() << "no libdw";
    EXPECT_TRUE(site.file.ends_with("call_sites_test.cpp")) << site.file;
    EXPECT_EQ(site.line, kCallOfReturnAddress);
    EXPECT_EQ(text_of(Process("/proc/none").caller_at(0x1234)), "0x1234");
}

TEST(CallSites, NameStaticDataAndNothingElse) {
    if (!has_debug_information()) GTEST_SKIP() << "no libdw";
    Process process(::getpid());
    const auto symbol = process.symbol_of(reinterpret_cast<std::uint64_t>(&watched_words[3]));
    ASSERT_TRUE(symbol.has_value());
    EXPECT_EQ(symbol->name, "(anonymous namespace)::watched_words");
    EXPECT_EQ(symbol->offset, 3 * sizeof(long));
    EXPECT_EQ(symbol->bytes, sizeof watched_words);
    EXPECT_EQ(text_of(*symbol), "(anonymous namespace)::watched_words+24");
    int on_stack = 0;
    EXPECT_FALSE(process.symbol_of(reinterpret_cast<std::uint64_t>(&on_stack)).has_value());
    EXPECT_FALSE(process.symbol_of(8).has_value());
}

TEST(CallSites, NamesOfCStayAsTheyAre) {
    if (!has_debug_information()) GTEST_SKIP() << "no libdw";
    Process process(::getpid());
    const auto name_at = [&](const long* address) {
        const auto symbol = process.symbol_of(reinterpret_cast<std::uint64_t>(address));
        return symbol ? text_of(*symbol) : "";
    };
    EXPECT_EQ(name_at(&x), "x");
    EXPECT_EQ(name_at(&f[1]), "f+8");
    EXPECT_EQ(name_at(&w), "w");
    EXPECT_EQ(process.site_of(reinterpret_cast<std::uint64_t>(&d)).function, "d");
}

TEST(CallSites, AnUnknownAddressIsPrintedAsItIs) {
    Process process(::getpid());
    EXPECT_EQ(text_of(process.site_of(16)), "0x10");
}

TEST(CallSites, ReadTheStackOfAnotherProcess) {
    if (!has_debug_information()) GTEST_SKIP() << "no libdw";
    ASSERT_EQ(::pipe(release_pipe), 0);
    ASSERT_EQ(::pipe(ready_pipe), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        ::close(release_pipe[1]);
        work::call_and_wait();
        ::_exit(0);
    }
    char byte;
    ASSERT_EQ(::read(ready_pipe[0], &byte, 1), 1);
    std::string error;
    std::vector<Stack> stacks = Process(child).stacks(error);
    ::close(release_pipe[1]);
    int status = 1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << "the child did not go on after its stack was read";
    if (error.find("not permitted") != std::string::npos) GTEST_SKIP() << error;
    ASSERT_EQ(stacks.size(), 1U) << error;
    const auto entry = entry_of(stacks[0], {"shmem_", "pshmem_"});
    ASSERT_TRUE(entry.has_value());
    EXPECT_EQ(entry->routine, "shmem_test_wait");
    EXPECT_EQ(entry->caller.function, "work::call_and_wait");
    EXPECT_EQ(entry->caller.line, work::kCallLine);
}

TEST(CallSites, AProcessThatIsGoneHasNoStack) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    std::string error;
    EXPECT_TRUE(Process(child).stacks(error).empty());
    EXPECT_NE(error, "");
}

}  // namespace

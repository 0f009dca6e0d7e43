// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when loading libfabric changes what happens to the program at a signal, overrides the
// user's settings, or fails without saying what to do.
#include "transports/ofi/library.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

namespace tessera::ofi {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGTERM, SIGINT, SIGFPE};

void handler(int) {}

struct sigaction action_of(int signal) {
    struct sigaction action;
    EXPECT_EQ(::sigaction(signal, nullptr, &action), 0);
    return action;
}

// Each runs in a process of its own, where libfabric has not been loaded.
void expect_in_new_process(void (*body)()) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            body();
            std::_Exit(testing::Test::HasFailure() ? 1 : 0);
        },
        testing::ExitedWithCode(0), "");
}

TEST(LibraryDeathTest, SignalHandlersStay) {
    expect_in_new_process([] {
        std::signal(SIGTERM, handler);
        struct sigaction before[std::size(kSignals)];
        for (std::size_t i = 0; i < std::size(kSignals); ++i) before[i] = action_of(kSignals[i]);
        library();
        for (std::size_t i = 0; i < std::size(kSignals); ++i) {
            struct sigaction after = action_of(kSignals[i]);
            EXPECT_EQ(after.sa_handler, before[i].sa_handler) << ::strsignal(kSignals[i]);
        }
        EXPECT_EQ(action_of(SIGTERM).sa_handler, &handler);
    });
}

TEST(LibraryDeathTest, UsersSettingsStay) {
    expect_in_new_process([] {
        ::setenv("FI_OFI_RXM_BUFFER_SIZE", "12345", 1);
        ::unsetenv("FI_OFI_RXM_USE_SRX");
        ::setenv("FI_LOG_LEVEL", "", 1);
        library();
        EXPECT_STREQ(std::getenv("FI_OFI_RXM_BUFFER_SIZE"), "12345");
        EXPECT_STREQ(std::getenv("FI_OFI_RXM_USE_SRX"), "1");
        EXPECT_EQ(std::getenv("FI_LOG_LEVEL"), nullptr) << "would turn warnings on";
    });
}

TEST(LibraryDeathTest, MissingOneIsExplained) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    auto load_without_descriptors = [] {
        rlimit none{.rlim_cur = 3, .rlim_max = 3};  // nothing can be opened
        ::setrlimit(RLIMIT_NOFILE, &none);
        library();
    };
    EXPECT_EXIT(load_without_descriptors(), testing::ExitedWithCode(1),
                "libfabric cannot be loaded .*apt-get install libfabric1");
}

// Bytes that this process has read from files.
long bytes_read() {
    std::ifstream io("/proc/self/io");
    std::string name;
    long bytes = -1;
    io >> name >> bytes;
    EXPECT_EQ(name, "rchar:");
    return bytes;
}

long kernel_symbol_bytes() {
    std::ifstream symbols("/proc/kallsyms");
    return std::distance(std::istreambuf_iterator<char>(symbols), {});
}

// No provider reads the megabytes of the kernel's symbols where no InfiniBand device needs it.
TEST(LibraryDeathTest, KernelSymbolsStayUnread) {
    const long symbols = kernel_symbol_bytes();
    if (::access("/sys/class/infiniband", F_OK) == 0 || symbols < 1'000'000)
        GTEST_SKIP() << "an InfiniBand device, or no kernel symbols";
    expect_in_new_process([] {
        const long before = bytes_read();
        library();
        EXPECT_LT(bytes_read() - before, 1'000'000);
    });
}

TEST(Library, LoadedOnce) {
    EXPECT_EQ(&library(), &library());
    EXPECT_TRUE(FI_VERSION_GE(library().version(), kApiVersion));
}

TEST(Library, TextsOfErrors) {
    EXPECT_STREQ(error_text(-FI_ECONNREFUSED), error_text(FI_ECONNREFUSED));
    EXPECT_STRNE(error_text(-FI_ECONNREFUSED), error_text(-FI_ENOKEY));
}

}  // namespace
}  // namespace tessera::ofi

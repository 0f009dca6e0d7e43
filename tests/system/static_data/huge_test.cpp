// SPDX-License-Identifier: BSD-3-Clause
//
// If this breaks, a large untouched .bss costs memory and time, or what was written to it before
// the library's constructor ran is lost. Also forks when there is no room for a copy.
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include <cstring>

#include "heap/static_data.hpp"
#include "meeting.hpp"

namespace {

constexpr std::size_t kBytes = std::size_t{1} << 30;
constexpr std::size_t kStride = std::size_t{64} << 20;
constexpr std::size_t kFileBytesMax = std::size_t{1} << 20;

char huge[kBytes];
timespec started;

double microseconds_since(const timespec& start) {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec - start.tv_sec) * 1e6 +
           static_cast<double>(now.tv_nsec - start.tv_nsec) / 1e3;
}

// Runs before every constructor of the process.
void touch_early(int, char**, char**) {
    for (std::size_t i = 0; i < kBytes; i += kStride) huge[i + i / kStride] = 7;
    huge[kBytes - 1] = 8;
    clock_gettime(CLOCK_MONOTONIC, &started);
}
[[gnu::section(".preinit_array"), gnu::used]] void (*run_first)(int, char**, char**) = touch_early;

std::size_t sum_of(std::size_t page) {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < 4096; ++i) sum += static_cast<unsigned char>(huge[page + i]);
    return sum;
}

// A fork without room for a second gigabyte: the child gets its copy page by page.
void check_fork_without_memory() {
    FILE* file = std::fopen("/proc/self/statm", "re");
    unsigned long pages = 0;
    CHECK(file != nullptr && std::fscanf(file, "%lu", &pages) == 1);
    std::fclose(file);
    struct rlimit limit {};
    limit.rlim_cur = limit.rlim_max = pages * 4096 + (std::size_t{256} << 20);
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    huge[5] = 1;
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        CHECK(tessera::heap::in_forked_child() && huge[5] == 1 && huge[kStride + 1] == 7);
        huge[5] = 2;
        std::memset(huge + kStride, 9, 8192);
        _exit(0);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(huge[5] == 1 && huge[kStride + 1] == 7 && huge[kStride + 2] == 0);
}

}  // namespace

int main() {
    double startup = microseconds_since(started);
    const tessera::heap::StaticData& data = tessera::heap::static_data();
    CHECK(data.shared && data.bytes > kBytes);
    struct stat status {};
    CHECK(fstat(data.fd, &status) == 0);
    CHECK(static_cast<std::size_t>(status.st_blocks) * 512 <= kFileBytesMax);
    for (std::size_t i = 0; i < kBytes; i += kStride) {
        CHECK(huge[i + i / kStride] == 7);
        CHECK(sum_of(i) == 7 && sum_of(i + 4096) == 0);
    }
    CHECK(huge[kBytes - 1] == 8);
    timespec before{};
    clock_gettime(CLOCK_MONOTONIC, &before);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) _exit(huge[kBytes - 1] == 8 ? 0 : 1);
    double fork_time = microseconds_since(before);
    int end = -1;
    CHECK(waitpid(child, &end, 0) == child && end == 0);
    std::printf("1 GiB of .bss: constructors %.0f us, fork %.0f us\n", startup, fork_time);
    check_fork_without_memory();
    return 0;
}

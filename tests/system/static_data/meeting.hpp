// SPDX-License-Identifier: BSD-3-Clause
//
// Shared by the processes of one static data test besides the data under test: a barrier, and a
// record per process that tells the others where its data lies. launcher.cpp makes the file and
// passes its descriptor number in kMeetingVariable; share_test.cpp and its siblings map it.
// The test programs stand on the heap's static_*.cpp and on base only, not on the whole library.
#pragma once

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace static_test {

inline constexpr const char* kMeetingVariable = "STATIC_TEST_MEETING";
inline constexpr int kProcessesMax = 64;

struct Record {
    int pid;
    int fd;
    std::uint64_t base;
    std::uint64_t file_offset;
    std::atomic<int> destructions;        // destroyed static Guard objects in the PE itself
    std::atomic<int> child_destructions;  // in children that it forked
};

struct Meeting {
    int process_count;
    std::atomic<bool> wants_destructions;  // the launcher then checks the two counts
    std::atomic<int> children_expected;    // forked children that end with exit(), per process
    std::atomic<std::uint32_t> arrived;
    std::atomic<std::uint32_t> round;  // a futex word
    Record records[kProcessesMax];
};

inline int g_pe = -1;

[[noreturn]] inline void fail(const char* file, int line, const char* what) {
    std::fprintf(stderr, "%s:%d: pe %d, pid %d: not true: %s\n", file, line, g_pe, getpid(), what);
    std::fflush(stderr);
    _exit(1);
}

#define CHECK(condition)                                                     \
    do {                                                                     \
        if (!(condition)) static_test::fail(__FILE__, __LINE__, #condition); \
    } while (false)

inline Meeting& map_meeting(int fd) {
    void* memory = mmap(nullptr, sizeof(Meeting), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(memory != MAP_FAILED);
    return *static_cast<Meeting*>(memory);
}

// The meeting that the launcher has made for this process, whose descriptor is not passed on.
inline Meeting& join_meeting() {
    const char* text = std::getenv(kMeetingVariable);
    CHECK(text != nullptr);
    int fd = std::atoi(text);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    return map_meeting(fd);
}

// Barrier. The last to arrive starts the next round; acq_rel makes earlier stores visible to all.
inline void meet(Meeting& meeting) {
    std::uint32_t round = meeting.round.load();
    if (meeting.arrived.fetch_add(1) + 1 == static_cast<std::uint32_t>(meeting.process_count)) {
        meeting.arrived.store(0);
        meeting.round.store(round + 1);
        syscall(SYS_futex, &meeting.round, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
        return;
    }
    while (meeting.round.load() == round)
        syscall(SYS_futex, &meeting.round, FUTEX_WAIT, round, nullptr, nullptr, 0);
}

}  // namespace static_test

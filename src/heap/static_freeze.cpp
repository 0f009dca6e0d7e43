// SPDX-License-Identifier: BSD-3-Clause
//
// See static_freeze.hpp. The previous SIGSEGV handler does not come back at thaw: a thread may have
// faulted just before and get its signal later, and must still find this handler. It restores the
// previous handler at the first fault outside the frozen pages.
// The handler's data lies in a page of its own, outside the frozen pages, and every function that
// it calls has been called before: with lazy binding the first call would write to the program's
// own tables.
#include "heap/static_freeze.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

// The sanitizers intercept sigaction and would run their own handler first. This is the same
// function under the C library's other exported name.
extern "C" int __sigaction(int signal, const struct sigaction* action, struct sigaction* previous);

namespace tessera::heap {
namespace {

struct Freezer {
    std::uint32_t is_frozen;  // a futex word
    std::uintptr_t begin;
    std::uintptr_t end;
    // The last fault inside the pages that came after thaw(): once is late, twice is genuine.
    std::uintptr_t late_address;
    long late_thread;
    struct sigaction previous;
};

// Written before the handler is installed, which only reads it. Never given back.
Freezer* g_freezer = nullptr;

// The new mapping is there before the word changes. Pairs with heap/static_freeze.cpp:thaw.
TESSERA_UNINSTRUMENTED void wait_for_thaw(Freezer& freezer) {
    while (__atomic_load_n(&freezer.is_frozen, __ATOMIC_ACQUIRE) != 0)
        raw_call(SYS_futex, reinterpret_cast<long>(&freezer.is_frozen), FUTEX_WAIT_PRIVATE, 1);
}

TESSERA_UNINSTRUMENTED void on_fault(int signal, siginfo_t* info, void*) {
    int saved_errno = errno;
    Freezer& freezer = *g_freezer;
    auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    bool is_fault = info->si_code > 0;
    bool is_ours = is_fault && freezer.begin <= address && address < freezer.end;
    // Pairs with heap/static_freeze.cpp:freeze.
    bool was_frozen = __atomic_load_n(&freezer.is_frozen, __ATOMIC_ACQUIRE) != 0;
    wait_for_thaw(freezer);
    if (is_ours && !was_frozen) {
        long thread = raw_call(SYS_gettid);
        is_ours = freezer.late_address != address || freezer.late_thread != thread;
        freezer.late_address = address;
        freezer.late_thread = thread;
    }
    if (!is_ours) {
        __sigaction(SIGSEGV, &freezer.previous, nullptr);
        // A fault repeats itself; a signal that was sent must be sent again.
        if (!is_fault) raw_call(SYS_tgkill, raw_call(SYS_getpid), raw_call(SYS_gettid), signal);
    }
    errno = saved_errno;
}

// True when a thread (`name` in /proc/self/task) would be killed by a SIGSEGV because it blocks it.
bool blocks_faults(const char* name) {
    char path[300];
    std::snprintf(path, sizeof path, "/proc/self/task/%s/status", name);
    std::FILE* file = std::fopen(path, "re");
    if (file == nullptr) return false;  // the thread has ended
    char line[256];
    unsigned long long blocked = 0;
    while (std::fgets(line, sizeof line, file) != nullptr) {
        if (std::sscanf(line, "SigBlk: %llx", &blocked) == 1) break;
    }
    std::fclose(file);
    return (blocked >> (SIGSEGV - 1) & 1) != 0;
}

bool every_other_thread_takes_faults() {
    DIR* tasks = ::opendir("/proc/self/task");
    if (tasks == nullptr) return false;
    const long self = raw_call(SYS_gettid);
    bool all_take = true;
    while (dirent* entry = ::readdir(tasks)) {
        if (entry->d_name[0] == '.' || std::atol(entry->d_name) == self) continue;
        all_take = all_take && !blocks_faults(entry->d_name);
    }
    ::closedir(tasks);
    return all_take;
}

TESSERA_UNINSTRUMENTED bool protect(const PageRanges& ranges, int protection) {
    for (int i = 0; i < ranges.count; ++i) {
        const PageRange& range = ranges.list[i];
        if (raw_call(SYS_mprotect, static_cast<long>(range.begin),
                     static_cast<long>(range.end - range.begin), protection) != 0) {
            return false;
        }
    }
    return true;
}

}  // namespace

bool has_other_threads() {
    struct stat status {};
    // ".", "..", and one directory a thread.
    return ::stat("/proc/self/task", &status) == 0 && status.st_nlink > 3;
}

const char* prepare_to_freeze(const PageRanges& ranges) {
    if (!every_other_thread_takes_faults())
        return "threads were running when the library was loaded, and one blocks SIGSEGV";
    void* page = ::mmap(nullptr, sizeof(Freezer), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return "no memory to hold the other threads";
    auto* freezer = static_cast<Freezer*>(page);
    freezer->begin = ranges.base();
    freezer->end = ranges.base() + ranges.bytes();
    g_freezer = freezer;
    // Binds what the handler and thaw() call, while binding may still write.
    raw_call(SYS_futex, reinterpret_cast<long>(&freezer->is_frozen), FUTEX_WAKE_PRIVATE, 0);
    __sigaction(SIGSEGV, nullptr, &freezer->previous);
    errno = 0;
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | (freezer->previous.sa_flags & SA_ONSTACK);
    sigemptyset(&action.sa_mask);
    if (__sigaction(SIGSEGV, &action, nullptr) != 0) return "cannot install a SIGSEGV handler";
    return nullptr;
}

bool freeze(const PageRanges& ranges) {
    // A fault on a protected page looks at it. Pairs with heap/static_freeze.cpp:on_fault.
    __atomic_store_n(&g_freezer->is_frozen, 1, __ATOMIC_SEQ_CST);
    return protect(ranges, PROT_READ);
}

void thaw(const PageRanges& ranges, bool was_replaced) {
    Freezer* freezer = g_freezer;
    if (!was_replaced) protect(ranges, PROT_READ | PROT_WRITE);
    // Pairs with heap/static_freeze.cpp:wait_for_thaw.
    __atomic_store_n(&freezer->is_frozen, 0, __ATOMIC_RELEASE);
    raw_call(SYS_futex, reinterpret_cast<long>(&freezer->is_frozen), FUTEX_WAKE_PRIVATE, INT_MAX);
}

}  // namespace tessera::heap

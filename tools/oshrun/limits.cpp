// SPDX-License-Identifier: BSD-3-Clause
//
// See limits.hpp. The least values are the needs of jobs of empty programs with libpmix 4.2, found
// by trial, and rounded up.
#include "limits.hpp"

#include <algorithm>
#include <cstddef>

#include "base/fatal.hpp"
#include "heap/node_file.hpp"

namespace tessera::oshrun {
namespace {

constexpr rlim_t kKibi = 1024;
constexpr rlim_t kFdsOfOshrun = 28;
constexpr rlim_t kFdsPerPeMin = 2;  // pipes of its output
constexpr rlim_t kFdsPerPe = 6;     // and a connection to the PMIx server, files of its node
constexpr rlim_t kFdsSpare = 256;
constexpr rlim_t kStackBytesMin = 256 * kKibi;  // PMIx_server_setup_fork
constexpr rlim_t kDataBytesMin = 2048 * kKibi;
constexpr rlim_t kAddressBytesMin = 40 * 1024 * kKibi;  // libpmix crashes below 36 MiB
constexpr rlim_t kThreads = 4;  // for libpmix, its gate and the sinks; each has a stack
// glibc's choice for threads where the stack has no limit.
constexpr rlim_t kThreadStackBytes = 2048 * kKibi;

rlimit limit_of(decltype(RLIMIT_NOFILE) resource) {
    rlimit limit{.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
    ::getrlimit(resource, &limit);
    return limit;
}

// Raises the soft limit towards `wanted`.
SavedLimit raise(decltype(RLIMIT_NOFILE) resource, rlim_t wanted) {
    SavedLimit saved{.resource = resource, .before = limit_of(resource)};
    rlimit raised = saved.before;
    // RLIM_INFINITY is the largest value.
    raised.rlim_cur = std::min(raised.rlim_max, wanted);
    if (raised.rlim_cur <= saved.before.rlim_cur) return saved;
    saved.is_changed = ::setrlimit(resource, &raised) == 0;
    return saved;
}

void demand_files(int npes) {
    const rlim_t least = open_files_min(npes);
    const rlim_t limit = limit_of(RLIMIT_NOFILE).rlim_cur;
    if (limit >= least) return;
    fatal(
        "the limit of open files (ulimit -n) is %llu, but a job of %d PEs needs %llu or more; "
        "raise it, or start fewer PEs",
        static_cast<unsigned long long>(limit), npes, static_cast<unsigned long long>(least));
}

// Called before libpmix writes a file: a write beyond the limit causes a deadly signal.
// heap/node_file.cpp checks again, more exactly.
void demand_file_size(int npes) {
    const rlim_t limit = limit_of(RLIMIT_FSIZE).rlim_cur;
    const rlim_t least = static_cast<rlim_t>(npes) * heap::kStaticSlotBytes;
    if (limit >= least) return;
    fatal(
        "the limit of file sizes (ulimit -f) is %llu KiB, but %d PEs share memory through a file "
        "of %llu KiB or more, most of it holes; set it to unlimited",
        static_cast<unsigned long long>(limit / kKibi), npes,
        static_cast<unsigned long long>(least / kKibi));
}

void demand_bytes(decltype(RLIMIT_NOFILE) resource, const char* name, rlim_t least) {
    const rlim_t limit = limit_of(resource).rlim_cur;
    if (limit >= least) return;
    fatal("the limit of %s is %llu KiB, but oshrun needs %llu KiB or more; raise it", name,
          static_cast<unsigned long long>(limit / kKibi),
          static_cast<unsigned long long>(least / kKibi));
}

}  // namespace

rlim_t open_files_min(int npes) { return kFdsOfOshrun + kFdsPerPeMin * static_cast<rlim_t>(npes); }

rlim_t open_files_wanted(int npes) { return kFdsPerPe * static_cast<rlim_t>(npes) + kFdsSpare; }

SavedLimits raise_limits(int npes) {
    const SavedLimits saved = {
        raise(RLIMIT_NOFILE, open_files_wanted(npes)),
        raise(RLIMIT_FSIZE, RLIM_INFINITY),  // The PEs' shared memory is a file.
        raise(RLIMIT_DATA, RLIM_INFINITY)};
    demand_files(npes);
    demand_file_size(npes);
    const rlim_t stack = limit_of(RLIMIT_STACK).rlim_cur;
    demand_bytes(RLIMIT_STACK, "the stack (ulimit -s)", kStackBytesMin);
    const rlim_t thread_stack = stack == RLIM_INFINITY ? kThreadStackBytes : stack;
    demand_bytes(RLIMIT_DATA, "data (ulimit -d)", kDataBytesMin + kThreads * thread_stack);
    demand_bytes(RLIMIT_AS, "address space (ulimit -v)",
                 kAddressBytesMin + kThreads * thread_stack);
    return saved;
}

}  // namespace tessera::oshrun

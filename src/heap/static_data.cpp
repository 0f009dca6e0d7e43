// SPDX-License-Identifier: BSD-3-Clause
//
// See static_data.hpp. Decides in a library constructor, before other constructors and main(),
// whether and where to share the main program's data pages, and does it: copy the touched pages
// into the file, map the file over them. Every step that can fail comes before the first change.
//   under oshrun             this PE's static slot of the node file
//   under another launcher   a memfd of this process, passed on to peers by launch
//   one PE, SHMEM_STATIC_DATA=cma, or a non-coherent SHMEM_HEAP      nothing changes
#include "heap/static_data.hpp"

#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/memfd.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "base/environment.hpp"
#include "base/fd.hpp"
#include "base/inherited.hpp"
#include "base/platform.hpp"
#include "base/virtual_nodes.hpp"
#include "heap/heap_mode.hpp"
#include "heap/node_file.hpp"
#include "heap/static_data_mode.hpp"
#include "heap/static_fork.hpp"
#include "heap/static_freeze.hpp"
#include "heap/static_pages.hpp"
#include "heap/static_stack.hpp"

namespace tessera::heap {
namespace {

constexpr long kKernelSignalSetBytes = 8;

// In a static library these lie among the pages being replaced, and the constructor below runs
// before other initialisation: no variable here may be initialised at run time.
constinit StaticData g_static_data;
bool g_in_forked_child = false;  // changes in a child that has only one thread yet
char g_reason[160];

void refuse(const char* reason) { g_static_data.reason = reason; }

void refuse_with_errno(const char* what) {
    std::snprintf(g_reason, sizeof g_reason, "%s: %s", what, std::strerror(errno));
    refuse(g_reason);
}

// As settings/config.cpp reads it; that is also where a bad value is reported.
bool wants_cma() {
    const char* text = environment("SHMEM_STATIC_DATA");
    constexpr auto kCma = static_cast<std::size_t>(StaticDataMode::kCma);
    return text != nullptr && ::strcasecmp(text, kStaticDataModeNames[kCma].data()) == 0;
}

// Then the pages stay private: they are this PE's copy (transports/noncoherent).
bool has_noncoherent_heap() {
    const char* text = environment("SHMEM_HEAP");
    return text != nullptr && names_noncoherent_heap(text);
}

// Place in a slot or file for the range so that addresses and offsets agree modulo the huge page
// size; otherwise the kernel could never use huge pages for it.
std::uint64_t lead_in() { return g_static_data.base % kHugePageBytes; }

// A program with `ulimit -f` is killed by writing beyond the limit, memfd or not.
bool is_within_file_limit(std::uint64_t end) {
    struct rlimit limit {};
    return ::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
           limit.rlim_cur >= end;
}

// Takes this PE's slot of the node file and empties it: an earlier program of the same PE
// (oshrun sh -c "./a; ./b") may have left its data there. The lock keeps a second program that runs
// at the same time (./a | ./b) away; it ends with the process.
bool claim_slot(const Inherited& job) {
    const int local_index = job.pe - virtual_node_of(job.pe, job.npes, job.nodes).first;
    NodeHeader header{};
    if (::pread(job.node_fd, &header, sizeof header, 0) != static_cast<ssize_t>(sizeof header) ||
        header.magic != kNodeMagic || local_index >= header.npes) {
        refuse("the node file has no slot for this PE");
        return false;
    }
    if (lead_in() + g_static_data.bytes > header.static_slot_bytes) {
        refuse("the static data is larger than its slot in the node file");
        return false;
    }
    std::uint64_t slot =
        header.static_offset + static_cast<std::uint64_t>(local_index) * header.static_slot_bytes;
    if (!is_within_file_limit(slot + header.static_slot_bytes)) {
        refuse("the file size limit (ulimit -f) is too small");
        return false;
    }
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = static_cast<off_t>(slot);
    lock.l_len = static_cast<off_t>(header.static_slot_bytes);
    if (::fcntl(job.node_fd, F_SETLK, &lock) != 0) {
        refuse("another program of this PE is running");
        return false;
    }
    if (::fallocate(job.node_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                    static_cast<off_t>(slot), static_cast<off_t>(header.static_slot_bytes)) != 0) {
        refuse_with_errno("cannot empty the slot in the node file");
        return false;
    }
    g_static_data.fd = job.node_fd;
    g_static_data.file_offset = slot + lead_in();
    return true;
}

bool make_own_file() {
    std::uint64_t end = lead_in() + g_static_data.bytes;
    if (!is_within_file_limit(end)) {
        refuse("the file size limit (ulimit -f) is too small");
        return false;
    }
    Fd file = make_memory_file("tessera-static");
    if (!file || ::ftruncate(file.get(), static_cast<off_t>(end)) != 0) {
        refuse_with_errno("cannot make a shared memory file");
        return false;
    }
    g_static_data.fd = file.release();
    g_static_data.file_offset = lead_in();
    return true;
}

// Tries, at an address without data, whether the system allows the mapping.
bool can_map(const PageRanges& ranges, const PageFile& file) {
    void* trial = ::mmap(nullptr, ranges.bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, file.fd,
                         static_cast<off_t>(file.offset));
    if (trial == MAP_FAILED) return false;
    ::munmap(trial, ranges.bytes());
    return true;
}

// Copies the pages and puts the file in their place. Between the two steps nothing may write to
// the pages, this function included. RETURNS 0 or errno; then the old pages are back.
TESSERA_UNINSTRUMENTED int copy_and_replace(const PageRanges& ranges, const PageFile& file) {
    for (int i = 0; i < ranges.count; ++i) {
        if (!copy_to_file(ranges.list[i], file)) return errno;
    }
    for (int i = 0; i < ranges.count; ++i) {
        const PageRange& range = ranges.list[i];
        if (raw_call(SYS_mmap, static_cast<long>(range.begin),
                     static_cast<long>(range.end - range.begin), PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_FIXED, file.fd,
                     static_cast<long>(file.offset + (range.begin - file.base))) == -1) {
            int error = errno;
            while (--i >= 0) make_private(ranges.list[i], file);
            return error;
        }
    }
    return 0;
}

// No other thread, and no signal handler of this one, may store into the pages either.
TESSERA_UNINSTRUMENTED int replace_undisturbed(const PageRanges& ranges, const PageFile& file,
                                               bool others_run) {
    std::uint64_t all = ~std::uint64_t{0};
    std::uint64_t before = 0;
    raw_call(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(&all),
             reinterpret_cast<long>(&before), kKernelSignalSetBytes);
    int error = !others_run || freeze(ranges) ? copy_and_replace(ranges, file) : errno;
    if (others_run) thaw(ranges, error == 0);
    raw_call(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(&before), 0,
             kKernelSignalSetBytes);
    return error;
}

void share(const PageRanges& ranges) {
    PageFile file = page_file(g_static_data.fd, g_static_data.file_offset, g_static_data.base);
    if (!can_map(ranges, file)) return refuse_with_errno("cannot map the shared memory file");
    const bool others_run = has_other_threads();
    const char* complaint = others_run ? prepare_to_freeze(ranges) : nullptr;
    if (complaint != nullptr) return refuse(complaint);
    errno = replace_undisturbed(ranges, file, others_run);
    if (errno != 0) return refuse_with_errno("cannot replace the data pages");
    set_forked_pages(ranges, file);
    g_static_data.shared = true;
    if (g_static_data.bytes < kHugePageBytes) return;
    for (int i = 0; i < ranges.count; ++i) {
        const PageRange& range = ranges.list[i];
        ::madvise(reinterpret_cast<void*>(range.begin), range.end - range.begin, MADV_HUGEPAGE);
    }
}

// The reason why these pages should stay as they are, or nullptr.
const char* obstacle(const PageRanges& ranges) {
    if (ranges.count == 0) return "the program has no writable data";
    if (!ranges.is_complete) return "the program has too many writable segments";
    if (ranges.is_executable) return "the program's writable data is executable";
    if (!is_private_memory(ranges)) return "the data pages are not ordinary private memory";
    return nullptr;
}

// Whether the program may call shmemx_init_uid: where the user says so, or another launcher has
// started this process. Not later, when it does: a network card may know the pages by then.
bool may_join_group() {
    return environment("SHMEM_STATIC_DATA") != nullptr || environment("PMI_RANK") != nullptr;
}

// Whether this process is one of several PEs, whose peers could use its data; else sets the reason.
bool has_peers() {
    if (inheritance() == Inheritance::kPe && inherited()->npes > 1) return true;
    bool has_pmix = environment("PMIX_NAMESPACE") != nullptr && environment("PMIX_RANK") != nullptr;
    if (inheritance() == Inheritance::kNone && (has_pmix || may_join_group())) return true;
    refuse("single PE");
    return false;
}

void stop_sharing_in_child() {
    g_in_forked_child = true;
    g_static_data.shared = false;
    refuse("forked child");
}

void close_own_file() {
    if (!g_static_data.shared && inheritance() != Inheritance::kPe && g_static_data.fd >= 0)
        ::close(g_static_data.fd);
    if (!g_static_data.shared) {
        g_static_data.fd = -1;
        g_static_data.file_offset = 0;
    }
}

[[gnu::constructor(101)]] void set_up_static_data() {
    const PageRanges ranges = program_data_pages();
    g_static_data.base = ranges.base();
    g_static_data.bytes = ranges.bytes();
    find_replaced_functions();
    if (!watch_forks(check_stack_of_fork, stop_sharing_in_child))
        return refuse("cannot register fork handlers");
    if (!has_peers()) return;
    if (has_noncoherent_heap()) return refuse("SHMEM_HEAP");
    if (wants_cma()) return refuse("SHMEM_STATIC_DATA=cma");
    const char* complaint = obstacle(ranges);
    if (complaint != nullptr) return refuse(complaint);
    if (inheritance() == Inheritance::kPe ? claim_slot(*inherited()) : make_own_file())
        share(ranges);
    close_own_file();
}

}  // namespace

const StaticData& static_data() { return g_static_data; }

bool is_constant(const void* address, std::size_t bytes) {
    PageRange range{reinterpret_cast<std::uintptr_t>(address)};
    range.end = range.begin + bytes;
    return is_in_program_constants(range);
}

bool in_forked_child() { return g_in_forked_child; }

}  // namespace tessera::heap

// SPDX-License-Identifier: BSD-3-Clause
//
// See checks.hpp: limits of the shell (ulimit), of control groups, and of the processor mask.
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/fd.hpp"
#include "heap/address_space.hpp"
#include "heap/heap_address.hpp"
#include "heap/node_file.hpp"
#include "tools/osh_info/doctor/checks.hpp"
#include "tools/osh_info/doctor/text.hpp"
#include "tools/oshrun/limits.hpp"
#include "topology/cgroup.hpp"

namespace tessera::osh_info {
namespace {

// A PE with its progress thread, PMIx's threads, and a launcher's daemon beside them, generously.
constexpr std::uint64_t kTasksPerPe = 8;
constexpr std::uint64_t kTasksSpare = 32;
constexpr std::uint64_t kMebi = std::uint64_t{1} << 20;
// Programs of the examples' size run with it.
constexpr std::uint64_t kMemoryPerPe = 64 * kMebi;
// The bounce buffers of one PE on a network card (transports/ofi/).
constexpr std::uint64_t kLockedMin = 64 * kMebi;

rlimit limit_of(decltype(RLIMIT_AS) resource) {
    rlimit limit{.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
    ::getrlimit(resource, &limit);
    return limit;
}

std::string number_text(rlim_t value) {
    return value == RLIM_INFINITY ? "unlimited" : std::to_string(value);
}

std::string bytes_text(rlim_t value) {
    return value == RLIM_INFINITY ? "unlimited" : size_text(value);
}

// Threads of this user's processes; each counts against RLIMIT_NPROC.
std::uint64_t own_tasks() {
    std::uint64_t count = 0;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
        const std::string name = entry.path().filename();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        struct stat facts {};
        const std::string tasks = entry.path().string() + "/task";
        // The directory has two links, and one for each thread.
        if (::stat(tasks.c_str(), &facts) != 0 || facts.st_uid != ::getuid()) continue;
        count += facts.st_nlink > 2 ? facts.st_nlink - 2 : 1;
    }
    return count;
}

// The memory that PEs of one node map, with the sizes of this job.
std::uint64_t mapped_bytes(const Subject& subject) {
    return static_cast<std::uint64_t>(subject.npes) * (range_bytes(subject) + heap::kInternalBytes);
}

}  // namespace

std::uint64_t range_bytes(const Subject& subject) {
    const Config& config = subject.config;
    const std::uint64_t heap =
        config.symmetric_size != 0
            ? config.symmetric_size
            : heap::default_heap_bytes(subject.facts.memory_bytes, subject.npes);
    return heap::memory_range(heap, config.team_memory_size, config.local_memory_size).bytes();
}

Findings check_open_files(const Subject& subject) {
    const rlimit limit = limit_of(RLIMIT_NOFILE);
    const std::string text =
        number_text(limit.rlim_cur) + ", at most " + number_text(limit.rlim_max);
    const rlim_t least = oshrun::open_files_min(subject.npes);
    const rlim_t wanted = oshrun::open_files_wanted(subject.npes);
    const std::string job = " of " + pes_text(subject.npes) + " on this host";
    const std::string remedy =
        "ulimit -n " + std::to_string(wanted) +
        "; where the shell refuses, the administrator raises nofile in /etc/security/limits.conf "
        "(systemd: LimitNOFILE=)";
    if (limit.rlim_max < least)
        return {problem(text + ", but a job" + job + " needs " + std::to_string(least), remedy)};
    if (limit.rlim_max < wanted)
        return {note(text + "; a job" + job + " may need " + std::to_string(wanted), remedy)};
    return {ok(text)};  // oshrun raises the limit itself as far as it may.
}

Findings check_processes(const Subject& subject) {
    const std::uint64_t wanted =
        kTasksPerPe * static_cast<std::uint64_t>(subject.npes) + kTasksSpare;
    const std::string job = pes_text(subject.npes) + " need about " + std::to_string(wanted);
    Findings findings;
    const std::uint64_t room = topology::read_cgroup_limits("/proc").new_tasks;
    if (room < wanted) {
        findings.push_back(problem("the control group may start only " + std::to_string(room) +
                                       " more processes and threads; " + job,
                                   "end processes of this session, or let the administrator "
                                   "raise pids.max (systemd: TasksMax=; docker: --pids-limit)"));
    }
    const rlim_t limit = limit_of(RLIMIT_NPROC).rlim_cur;
    const std::uint64_t now = own_tasks();
    const bool is_bound = ::geteuid() != 0 && limit != RLIM_INFINITY;
    if (is_bound && limit < now + wanted) {
        findings.push_back(problem("at most " + std::to_string(limit) +
                                       " processes and threads for this user, who has " +
                                       std::to_string(now) + " now; " + job,
                                   "ulimit -u " + std::to_string(now + wanted) +
                                       ", or raise nproc in /etc/security/limits.conf"));
    }
    if (!findings.empty()) return findings;
    std::string text = number_text(limit) + " for this user";
    if (room != topology::CgroupLimits::kNone)
        text += ", " + std::to_string(room) + " more in the control group";
    return {ok(text)};
}

Findings check_address_space(const Subject& subject) {
    const rlim_t limit = limit_of(RLIMIT_AS).rlim_cur;
    if (limit == RLIM_INFINITY) return {ok("unlimited")};
    const std::uint64_t mapped = mapped_bytes(subject);
    const std::string text = size_text(limit) + "; " + pes_text(subject.npes) + " of a node map " +
                             size_text(mapped) + " of each other's memory, most of it untouched";
    const char* const remedy =
        "ulimit -v unlimited (Slurm: VSizeFactor=0); to limit the memory in use, take a control "
        "group; where it has to stay, choose smaller SHMEM_SYMMETRIC_SIZE, SHMEM_TEAM_MEMORY_SIZE "
        "and SHMEM_LOCAL_MEMORY_SIZE";
    if (limit < mapped) return {problem(text, remedy)};
    return {note(text, remedy)};
}

// Tries as PEs do, in this process: programs and their libraries may have mapped other memory.
Findings check_heap_address(const Subject& subject) {
    const HeapAddress& setting = subject.config.heap_address;
    if (setting.kind == HeapAddressKind::kAny) return {ok("differs from PE to PE, as set")};
    const std::uint64_t range = range_bytes(subject);
    // The first PE maps the heaps of the others behind its own, the last one before it.
    const std::uint64_t before = static_cast<std::uint64_t>(subject.npes - 1) * range;
    std::string obstacles;
    for (std::uint32_t number = 0;; ++number) {
        const std::uintptr_t wanted = heap::heap_address_at(setting, number);
        if (wanted == 0) break;
        char address[32];
        std::snprintf(address, sizeof address, "0x%lx", wanted);
        char* const begin = wanted > before ? reinterpret_cast<char*>(wanted - before) : nullptr;
        const std::uint64_t bytes = before + before + range;
        const Mapping trial =
            Mapping::private_memory(bytes, {.aligned_to = 0, .aligned_at = 0, .wanted = begin});
        if (begin != nullptr && trial.data() == begin)
            return {ok(std::string(address) + " on each PE")};
        std::string what =
            heap::describe_mapping_in(wanted - std::min(wanted, before), wanted + range);
        if (what.empty()) what = "no such addresses, or a limit";
        obstacles += (obstacles.empty() ? "" : "; ") + (address + (": " + what));
    }
    const std::string text = "not the same on all PEs: " + obstacles;
    if (setting.must_be_same())
        return {problem(text, "SHMEM_HEAP_ADDRESS=any, or free these addresses (ulimit -v)")};
    return {note(text,
                 "pointers to symmetric memory hold on their own PE only; name a free "
                 "address by SHMEM_HEAP_ADDRESS, or raise ulimit -v")};
}

Findings check_file_size(const Subject& subject) {
    const rlim_t limit = limit_of(RLIMIT_FSIZE).rlim_max;  // oshrun raises the soft one.
    const std::uint64_t wanted =
        static_cast<std::uint64_t>(subject.npes) * heap::kStaticSlotBytes + mapped_bytes(subject);
    if (limit >= wanted) return {ok(bytes_text(limit))};
    return {problem("at most " + size_text(limit) +
                        ", but the PEs of a node share memory through "
                        "files of up to " +
                        size_text(wanted) + ", most of them holes",
                    "ulimit -f unlimited")};
}

Findings check_locked_memory(const Subject& /*subject*/) {
    const rlim_t limit = limit_of(RLIMIT_MEMLOCK).rlim_cur;
    if (limit >= kLockedMin) return {ok(bytes_text(limit))};
    const std::string text = "only " + size_text(limit) + " may be locked";
    const char* const remedy =
        "ulimit -l unlimited, for daemons of the launcher, too (Slurm: PropagateResourceLimits, "
        "LimitMEMLOCK=infinity of slurmd; limits.conf: memlock)";
    // The kernel's folder of RDMA cards: their drivers lock the memory that they register.
    if (std::filesystem::exists("/sys/class/infiniband")) {
        return {problem(text + ", and this host has an RDMA card, which locks the symmetric heap",
                        remedy)};
    }
    return {note(text + "; TCP needs none, RDMA cards lock the symmetric heap", remedy)};
}

Findings check_memory(const Subject& subject) {
    const std::uint64_t bytes = subject.facts.memory_bytes;
    const bool is_less = bytes < subject.facts.machine_memory_bytes;
    const std::string text = size_text(bytes) + (is_less ? " by the control group's limit" : "") +
                             " for " + pes_text(subject.npes);
    const auto npes = static_cast<std::uint64_t>(subject.npes);
    if (subject.config.symmetric_size != 0) {
        const std::string complaint =
            heap::heap_size_complaint(subject.config.symmetric_size, bytes, subject.npes);
        if (!complaint.empty())
            return {problem(complaint, "choose a smaller SHMEM_SYMMETRIC_SIZE, or fewer PEs")};
    }
    if (bytes == 0 || bytes >= npes * kMemoryPerPe) return {ok(text)};
    return {note(text, "ask the batch system for more memory (Slurm: --mem), or start fewer PEs")};
}

Findings check_cores(const Subject& subject) {
    const topology::Facts& facts = subject.facts;
    const std::string text =
        std::to_string(facts.usable_cores) + " of " + std::to_string(facts.cores) + " cores usable";
    if (static_cast<std::uint32_t>(subject.npes) > facts.usable_cores) {
        return {note(text + " for " + pes_text(subject.npes) + ", which take turns",
                     "start at most " + std::to_string(facts.usable_cores) +
                         " PEs here, or ask the batch system for more cores")};
    }
    if (facts.usable_cores == 1 && facts.cores > 1) {
        return {note(text + " (processor mask or quota): all PEs of this host would share one",
                     "taskset -p $$ shows the mask; srun --cpus-per-task=N or --exclusive, "
                     "mpirun --bind-to none")};
    }
    return {ok(text)};
}

}  // namespace tessera::osh_info

// SPDX-License-Identifier: BSD-3-Clause
//
// Facts about this node: its processors, caches and memory, and how much of them the job may use.
// oshrun, or the first local PE under another launcher, discovers them once and writes them into
// the node file (heap/node_file.hpp); the PEs of the node read them there and never change them.
// A PE that has waited for the node file's startup sync also sees the facts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace tessera::topology {

// How many cores and PUs are listed one by one. Counts are right beyond that.
inline constexpr std::size_t kListedCoresMax = 1024;
inline constexpr std::size_t kListedPusMax = 2048;
inline constexpr std::uint16_t kNoL3 = 0xffff;

// One core that the job may run on. A PU is a hardware thread; "OS index" is the kernel's number.
struct CoreFacts {
    std::uint32_t first_pu;   // index into Facts::listed_pus of the first usable PU
    std::uint16_t npus;       // usable PUs of this core, side by side in that list
    std::uint16_t numa_node;  // OS index, as mbind() wants it
    std::uint16_t package;    // 0, 1, ... over the machine
    std::uint16_t l3;         // 0, 1, ... over the machine; kNoL3 when the core has none
    std::uint32_t number;     // 0, 1, ... over the machine, whether the job may use the core or not
};

// Layout: 96 bytes of sizes and counts, then two lists. Fixed, because processes share it.
//     0  memory and cache sizes (5 x 8)
//    40  counts (12 x 4), cpu_quota_milli at 88
//    96  cores   (1024 x 16), in the order in which neighbours share most; where the machine has
//                several kinds of cores, the faster ones first
// 16480  PUs     (2048 x 4)
struct Facts {
    std::uint64_t machine_memory_bytes;
    std::uint64_t memory_bytes;  // usable by the job: the machine's, or less by cgroup limits
    std::uint64_t l1d_bytes;     // cache of the first usable core; 0 where not known
    std::uint64_t l2_bytes;
    std::uint64_t l3_bytes;
    // The last-level caches of all usable cores together, as far as they are like the first one's.
    std::uint64_t caches_bytes() const;

    // The machine, whether the job may use it or not.
    std::uint32_t packages;
    std::uint32_t numa_nodes;
    std::uint32_t cores;
    std::uint32_t pus;
    std::uint32_t cores_per_l3;  // cores of the first usable core's L3; 0 without L3
    std::uint32_t line_bytes;    // cache line; 0 where not known

    // The cores that the affinity mask allows (it never exceeds the cgroup's cpuset) ...
    std::uint32_t allowed_cores;
    std::uint32_t allowed_pus;
    // ... and how many of those the CPU quota can keep busy. More running PEs than this wait for
    // each other.
    std::uint32_t usable_cores;
    std::uint32_t usable_pus;

    // The beginning of the allowed cores and their PUs: all of them, up to the limits above.
    std::uint32_t ncores_listed;
    std::uint32_t npus_listed;
    std::uint64_t cpu_quota_milli;  // CPU quota in thousandths of a PU; 0: none
    CoreFacts listed_cores[kListedCoresMax];
    std::uint32_t listed_pus[kListedPusMax];  // OS indices, those of one core side by side
};
static_assert(std::is_trivially_copyable_v<Facts> && std::is_standard_layout_v<Facts>);
static_assert(sizeof(CoreFacts) == 16);
static_assert(offsetof(Facts, packages) == 40);
static_assert(offsetof(Facts, cpu_quota_milli) == 88);
static_assert(offsetof(Facts, listed_cores) == 96);
static_assert(offsetof(Facts, listed_pus) == 96 + 16 * kListedCoresMax);
static_assert(sizeof(Facts) == 96 + 16 * kListedCoresMax + 4 * kListedPusMax);

inline std::span<const CoreFacts> cores_of(const Facts& facts) {
    return {facts.listed_cores, facts.ncores_listed};
}
inline std::span<const std::uint32_t> pus_of(const Facts& facts, const CoreFacts& core) {
    return {facts.listed_pus + core.first_pu, core.npus};
}

// OS indices of the PUs that process `pid` may run on (0: the calling thread), ascending. Lies
// within the process's cgroup cpuset: the kernel keeps every mask inside it. Empty: no such
// process.
std::vector<std::uint32_t> affinity_of(int pid);

// Where discover() looks. Callers other than tests change allowed_pus at most.
struct Sources {
    // The PUs of the job on this node; empty: affinity_of(0). A launcher that binds each PE before
    // it starts leaves one PE's mask too small: then the union over the local PEs is needed.
    std::vector<std::uint32_t> allowed_pus;
    std::string proc = "/proc";  // for the cgroup limits
    std::string synthetic;       // hwloc's description of a machine that is looked at instead
    std::string xml = {};        // the same, as hwloc exports it
};

// Never fails: unknown facts are 0, and without hwloc's help every PU counts as a core.
// THREADS: for the time of the call no other thread may change the environment (hwloc is kept from
// loading its plugins by a variable, which is then removed again). Leaves thread bindings alone.
// COST: about a millisecond on a small machine; opens about 20 files in /sys for each PU.
Facts discover(const Sources& sources = {});

// A few lines "  name   value" for SHMEM_INFO and osh_info.
std::string describe(const Facts& facts);

}  // namespace tessera::topology

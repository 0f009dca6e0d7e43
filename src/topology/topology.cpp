// SPDX-License-Identifier: BSD-3-Clause
//
// See topology.hpp. hwloc is asked for packages, NUMA nodes, cores, PUs and data caches, nothing
// else; the kernel is asked directly for the affinity mask, the memory size and the cgroup limits.
#include "topology/topology.hpp"

#include <hwloc.h>
#include <hwloc/cpukinds.h>
#include <sched.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>

#include "base/environment.hpp"
#include "topology/cgroup.hpp"

namespace tessera::topology {
namespace {

// The plugins find GPUs and I/O devices, and reading XML by libxml2. Loading them costs more than
// the discovery, and the one for OpenGL connects to X displays. They are looked for in the folders
// of a variable; a name that is no folder turns them off. A user's setting is respected.
class WithoutPlugins {
  public:
    WithoutPlugins() : is_ours_(environment(kVariable) == nullptr) {
        if (is_ours_) ::setenv(kVariable, "/dev/null", 1);
    }
    ~WithoutPlugins() {
        if (is_ours_) ::unsetenv(kVariable);
    }
    WithoutPlugins(const WithoutPlugins&) = delete;
    WithoutPlugins& operator=(const WithoutPlugins&) = delete;

  private:
    static constexpr const char* kVariable = "HWLOC_PLUGINS_PATH";
    bool is_ours_;
};

// Owns an hwloc topology; get() is nullptr when hwloc could not make one.
class Machine {
  public:
    explicit Machine(const Sources& sources) {
        const WithoutPlugins scope;
        if (::hwloc_topology_init(&topology_) != 0) {
            topology_ = nullptr;
        } else if (!load(sources)) {
            ::hwloc_topology_destroy(topology_);
            topology_ = nullptr;
        }
    }
    ~Machine() {
        if (topology_ != nullptr) ::hwloc_topology_destroy(topology_);
    }
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    hwloc_topology_t get() const { return topology_; }

  private:
    bool load(const Sources& sources) {
        // Count also processors that the cgroup forbids; the affinity mask has the allowed ones.
        ::hwloc_topology_set_flags(topology_, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
        ::hwloc_topology_set_all_types_filter(topology_, HWLOC_TYPE_FILTER_KEEP_NONE);
        for (const hwloc_obj_type_t type : {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_CORE, HWLOC_OBJ_L1CACHE,
                                            HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE}) {
            ::hwloc_topology_set_type_filter(topology_, type, HWLOC_TYPE_FILTER_KEEP_ALL);
        }
        // Several NUMA nodes in a package need a group each, or every core seems near all of them.
        ::hwloc_topology_set_type_filter(topology_, HWLOC_OBJ_GROUP,
                                         HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
        // The x86 component moves the calling thread over all PUs; /sys says the same.
        ::hwloc_topology_set_components(topology_, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
        if (!sources.synthetic.empty() &&
            ::hwloc_topology_set_synthetic(topology_, sources.synthetic.c_str()) != 0) {
            return false;
        }
        if (!sources.xml.empty() &&
            ::hwloc_topology_set_xmlbuffer(topology_, sources.xml.c_str(),
                                           static_cast<int>(sources.xml.size() + 1)) != 0) {
            return false;
        }
        return ::hwloc_topology_load(topology_) == 0;
    }

    hwloc_topology_t topology_ = nullptr;
};

std::uint32_t count_of(hwloc_topology_t topology, hwloc_obj_type_t type) {
    return static_cast<std::uint32_t>(std::max(0, ::hwloc_get_nbobjs_by_type(topology, type)));
}

// The nearest object of `type` at or above `object`; nullptr when there is none.
hwloc_obj_t at_or_above(hwloc_obj_t object, hwloc_obj_type_t type) {
    while (object != nullptr && object->type != type) object = object->parent;
    return object;
}

// A numbering that starts at 0 and is far below 2^16 on any machine; others are cut off.
std::uint16_t small_index(unsigned index) {
    return static_cast<std::uint16_t>(std::min<unsigned>(index, kNoL3 - 1));
}

// Appends a core with its allowed PUs to the lists, if there is room for all of them and no core
// before it was left out: the list is the beginning of the allowed cores.
void list_core(Facts& facts, CoreFacts core, std::span<const std::uint32_t> pus) {
    if (facts.ncores_listed == kListedCoresMax || facts.ncores_listed < facts.allowed_cores ||
        facts.npus_listed + pus.size() > kListedPusMax) {
        return;
    }
    core.first_pu = facts.npus_listed;
    core.npus = static_cast<std::uint16_t>(pus.size());
    std::copy(pus.begin(), pus.end(), facts.listed_pus + facts.npus_listed);
    facts.npus_listed += core.npus;
    facts.listed_cores[facts.ncores_listed++] = core;
}

void add_core(Facts& facts, const CoreFacts& core, std::span<const std::uint32_t> pus) {
    list_core(facts, core, pus);
    facts.allowed_cores += 1;
    facts.allowed_pus += static_cast<std::uint32_t>(pus.size());
}

bool contains(const std::vector<std::uint32_t>& ascending, std::uint32_t pu) {
    return std::binary_search(ascending.begin(), ascending.end(), pu);
}

// `core` is a core, or a PU where the machine does not tell its cores.
void add_core_of(Facts& facts, hwloc_obj_t core, const std::vector<std::uint32_t>& allowed) {
    std::vector<std::uint32_t> pus;
    unsigned pu = 0;
    hwloc_bitmap_foreach_begin(pu, core->cpuset) {
        if (contains(allowed, pu)) pus.push_back(pu);
    }
    hwloc_bitmap_foreach_end();
    if (pus.empty()) return;

    const hwloc_obj_t package = at_or_above(core, HWLOC_OBJ_PACKAGE);
    const hwloc_obj_t l3 = at_or_above(core, HWLOC_OBJ_L3CACHE);
    // Where a core has several nodes (ordinary and high-bandwidth memory), the first is ordinary.
    const int numa_node = ::hwloc_bitmap_first(core->nodeset);
    const CoreFacts facts_of_core{
        .first_pu = 0,
        .npus = 0,
        .numa_node = small_index(static_cast<unsigned>(std::max(0, numa_node))),
        .package = package != nullptr ? small_index(package->logical_index) : std::uint16_t{0},
        .l3 = l3 != nullptr ? small_index(l3->logical_index) : kNoL3,
        .number = core->logical_index};
    add_core(facts, facts_of_core, pus);
}

// The names and values that hwloc tells of a kind of cores: two results of hwloc 2, one struct of
// hwloc 3. `get`: hwloc_cpukinds_get_info().
[[maybe_unused]] std::span<const hwloc_info_s> infos_of_kind(
    int (*get)(hwloc_topology_t, unsigned, hwloc_bitmap_t, int*, unsigned*, hwloc_info_s**,
               unsigned long),
    hwloc_topology_t topology, unsigned kind, int& efficiency) {
    unsigned count = 0;
    hwloc_info_s* infos = nullptr;
    if (get(topology, kind, nullptr, &efficiency, &count, &infos, 0) != 0) return {};
    return {infos, count};
}
template <class Infos>
std::span<const hwloc_info_s> infos_of_kind(int (*get)(hwloc_topology_t, unsigned, hwloc_bitmap_t,
                                                       int*, Infos**, unsigned long),
                                            hwloc_topology_t topology, unsigned kind,
                                            int& efficiency) {
    Infos* infos = nullptr;
    if (get(topology, kind, nullptr, &efficiency, &infos, 0) != 0) return {};
    return {infos->array, infos->count};
}

// How fast the core's kind is; 0 where the machine has one kind. hwloc also ranks cores of one kind
// by their frequencies, which differ a little from core to core: only what the kernel names as a
// kind (CoreType) or measures as its capacity (LinuxCapacity) counts.
int speed_of(hwloc_topology_t topology, hwloc_obj_t core) {
    const int kind = ::hwloc_cpukinds_get_by_cpuset(topology, core->cpuset, 0);
    if (kind < 0) return 0;
    int efficiency = 0;
    const auto infos =
        infos_of_kind(::hwloc_cpukinds_get_info, topology, static_cast<unsigned>(kind), efficiency);
    const bool is_named = std::ranges::any_of(infos, [](const hwloc_info_s& info) {
        return std::strcmp(info.name, "CoreType") == 0 ||
               std::strcmp(info.name, "LinuxCapacity") == 0;
    });
    return is_named ? efficiency : 0;
}

// The cores in hwloc's order, faster kinds first.
std::vector<hwloc_obj_t> cores_by_kind(hwloc_topology_t topology, hwloc_obj_type_t type) {
    std::vector<hwloc_obj_t> cores;
    hwloc_obj_t core = nullptr;
    while ((core = ::hwloc_get_next_obj_by_type(topology, type, core)) != nullptr)
        cores.push_back(core);
    if (::hwloc_cpukinds_get_nr(topology, 0) > 1) {
        std::ranges::stable_sort(cores, std::greater<>(),
                                 [&](hwloc_obj_t each) { return speed_of(topology, each); });
    }
    return cores;
}

// Caches are those of the first core that the job may use; machines with two kinds of cores exist.
void add_caches(Facts& facts, hwloc_topology_t topology) {
    if (facts.npus_listed == 0) return;
    const hwloc_obj_t pu = ::hwloc_get_pu_obj_by_os_index(topology, facts.listed_pus[0]);
    const hwloc_obj_t l1 = at_or_above(pu, HWLOC_OBJ_L1CACHE);
    const hwloc_obj_t l2 = at_or_above(pu, HWLOC_OBJ_L2CACHE);
    const hwloc_obj_t l3 = at_or_above(pu, HWLOC_OBJ_L3CACHE);
    if (l1 != nullptr) {
        facts.l1d_bytes = l1->attr->cache.size;
        facts.line_bytes = l1->attr->cache.linesize;
    }
    if (l2 != nullptr) facts.l2_bytes = l2->attr->cache.size;
    if (l3 != nullptr) {
        facts.l3_bytes = l3->attr->cache.size;
        const hwloc_obj_type_t type = facts.cores > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
        const int cores = ::hwloc_get_nbobjs_inside_cpuset_by_type(topology, l3->cpuset, type);
        facts.cores_per_l3 = static_cast<std::uint32_t>(std::max(0, cores));
    }
}

void add_machine(Facts& facts, hwloc_topology_t topology,
                 const std::vector<std::uint32_t>& allowed) {
    facts.packages = std::max(1U, count_of(topology, HWLOC_OBJ_PACKAGE));
    facts.numa_nodes = std::max(1U, count_of(topology, HWLOC_OBJ_NUMANODE));
    facts.cores = count_of(topology, HWLOC_OBJ_CORE);
    facts.pus = count_of(topology, HWLOC_OBJ_PU);

    const hwloc_obj_type_t type = facts.cores > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
    for (const hwloc_obj_t core : cores_by_kind(topology, type)) add_core_of(facts, core, allowed);
    add_caches(facts, topology);
    facts.cores = std::max(facts.cores, facts.allowed_cores);
}

// Without hwloc's help, or when it describes another machine: every allowed PU is a core.
void add_plain_pus(Facts& facts, const std::vector<std::uint32_t>& allowed) {
    for (const std::uint32_t& pu : allowed) {
        const CoreFacts core{
            .first_pu = 0, .npus = 0, .numa_node = 0, .package = 0, .l3 = kNoL3, .number = pu};
        add_core(facts, core, {&pu, 1});
    }
    facts.packages = std::max(facts.packages, 1U);
    facts.numa_nodes = std::max(facts.numa_nodes, 1U);
    facts.cores = std::max(facts.cores, facts.allowed_cores);
    facts.pus = std::max(facts.pus, facts.allowed_pus);
}

// A quota of 1.5 PUs can keep two busy for most of the time, so it is rounded up.
void apply_limits(Facts& facts, const CgroupLimits& limits) {
    facts.usable_cores = facts.allowed_cores;
    facts.usable_pus = facts.allowed_pus;
    facts.memory_bytes = std::min(facts.machine_memory_bytes, limits.memory_bytes);
    if (limits.cpu_milli == CgroupLimits::kNone) return;
    facts.cpu_quota_milli = limits.cpu_milli;
    const std::uint64_t busy = (limits.cpu_milli + 999) / 1000;
    facts.usable_cores =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(facts.usable_cores, busy));
    facts.usable_pus = static_cast<std::uint32_t>(std::min<std::uint64_t>(facts.usable_pus, busy));
}

std::uint64_t physical_memory_bytes() {
    struct sysinfo info;
    if (::sysinfo(&info) != 0) return 0;
    return std::uint64_t{info.totalram} * info.mem_unit;
}

}  // namespace

std::vector<std::uint32_t> affinity_of(int pid) {
    // The kernel refuses a mask smaller than its own, and does not tell that size.
    std::vector<unsigned long> mask(16);
    constexpr std::size_t kWordsMax = 1U << 16;
    constexpr std::size_t kBitsPerWord = 8 * sizeof(unsigned long);
    std::vector<std::uint32_t> pus;
    while (::sched_getaffinity(pid, mask.size() * sizeof mask[0],
                               reinterpret_cast<cpu_set_t*>(mask.data())) != 0) {
        if (errno != EINVAL || mask.size() >= kWordsMax) return pus;
        mask.resize(2 * mask.size());
    }
    for (std::size_t bit = 0; bit < mask.size() * kBitsPerWord; ++bit) {
        if ((mask[bit / kBitsPerWord] >> (bit % kBitsPerWord) & 1) != 0)
            pus.push_back(static_cast<std::uint32_t>(bit));
    }
    return pus;
}

Facts discover(const Sources& sources) {
    Facts facts{};
    std::vector<std::uint32_t> allowed = sources.allowed_pus;
    if (allowed.empty()) allowed = affinity_of(0);
    std::sort(allowed.begin(), allowed.end());
    allowed.erase(std::unique(allowed.begin(), allowed.end()), allowed.end());

    const Machine machine(sources);
    if (machine.get() != nullptr) add_machine(facts, machine.get(), allowed);
    if (facts.allowed_cores == 0) add_plain_pus(facts, allowed);

    facts.machine_memory_bytes = physical_memory_bytes();
    apply_limits(facts, read_cgroup_limits(sources.proc));
    return facts;
}

std::uint64_t Facts::caches_bytes() const {
    if (l3_bytes <= l2_bytes) return l2_bytes * std::max(1U, usable_cores);
    return l3_bytes * std::max(1U, usable_cores / std::max(1U, cores_per_l3));
}

}  // namespace tessera::topology

// SPDX-License-Identifier: BSD-3-Clause
//
// The hardware of units (hardware.hpp), by hwloc.

#include "locality/hardware.hpp"

#include <hwloc.h>
#include <shmem.h>
#include <shmemx.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "core/log.hpp"

namespace tessera::dart {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
// Bandwidth of shared memory where the user has measured none.
constexpr int kShmemMbps = 1235;

std::vector<Location> all_locations;

struct Unload {
    void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, Unload>;

dart_hwinfo_t unknown_hardware() {
    dart_hwinfo_t hardware;
    std::fill_n(reinterpret_cast<int*>(&hardware), sizeof hardware / sizeof(int), -1);
    std::fill_n(hardware.host, sizeof hardware.host, '\0');
    hardware.num_scopes = 0;
    return hardware;
}

Topology load_topology() {
    hwloc_topology_t loaded = nullptr;
    if (hwloc_topology_init(&loaded) != 0) return nullptr;
    Topology topology(loaded);
    return hwloc_topology_load(loaded) == 0 ? std::move(topology) : nullptr;
}

int count(hwloc_topology_t topology, hwloc_obj_type_t type) {
    return std::max(hwloc_get_nbobjs_by_type(topology, type), -1);
}

int as_mebibytes(std::uint64_t bytes) { return static_cast<int>(bytes / kMiB); }

// The hardware thread that this process has run on last.
hwloc_obj_t find_processor(hwloc_topology_t topology) {
    hwloc_bitmap_t where = hwloc_bitmap_alloc();
    hwloc_obj_t processor = nullptr;
    if (hwloc_get_last_cpu_location(topology, where, HWLOC_CPUBIND_PROCESS) == 0) {
        const int number = hwloc_bitmap_first(where);
        if (number >= 0)
            processor = hwloc_get_pu_obj_by_os_index(topology, static_cast<unsigned>(number));
    }
    hwloc_bitmap_free(where);
    return processor;
}

dart_locality_scope_t scope_of(hwloc_obj_type_t type) {
    switch (type) {
        case HWLOC_OBJ_CORE: return DART_LOCALITY_SCOPE_CORE;
        case HWLOC_OBJ_PACKAGE: return DART_LOCALITY_SCOPE_PACKAGE;
        case HWLOC_OBJ_NUMANODE: return DART_LOCALITY_SCOPE_NUMA;
        default:
            return hwloc_obj_type_is_dcache(type) != 0 ? DART_LOCALITY_SCOPE_CACHE
                                                       : DART_LOCALITY_SCOPE_UNDEFINED;
    }
}

void add_scope(dart_hwinfo_t& hardware, hwloc_obj_t object) {
    const dart_locality_scope_t scope = scope_of(object->type);
    if (scope != DART_LOCALITY_SCOPE_UNDEFINED &&
        hardware.num_scopes < DART_LOCALITY_MAX_DOMAIN_SCOPES) {
        hardware.scopes[hardware.num_scopes++] = {scope, static_cast<int>(object->logical_index)};
    }
}

void add_cache(dart_hwinfo_t& hardware, hwloc_obj_t object) {
    if (hwloc_obj_type_is_dcache(object->type) == 0) return;
    const unsigned level = object->attr->cache.depth - 1;
    if (level < DART_LOCALITY_MAX_CACHE_LEVELS) {
        hardware.cache_sizes[level] = static_cast<int>(object->attr->cache.size);
        hardware.cache_line_sizes[level] = static_cast<int>(object->attr->cache.linesize);
        hardware.cache_ids[level] = static_cast<int>(object->logical_index);
    }
}

// Core, caches, NUMA domain, package, from the processor outwards.
void add_parts_around(dart_hwinfo_t& hardware, hwloc_obj_t processor) {
    hardware.cpu_id = static_cast<int>(processor->logical_index);
    for (hwloc_obj_t object = processor->parent; object != nullptr; object = object->parent) {
        add_scope(hardware, object);
        add_cache(hardware, object);
        if (object->type == HWLOC_OBJ_CORE)
            hardware.core_id = static_cast<int>(object->logical_index);
        // hwloc 2: a NUMA domain hangs beside the processors that are close to it.
        if (hwloc_obj_t memory = object->memory_first_child;
            memory != nullptr && hardware.numa_id < 0 && memory->type == HWLOC_OBJ_NUMANODE) {
            hardware.numa_id = static_cast<int>(memory->logical_index);
            hardware.numa_memory_bytes = as_mebibytes(memory->attr->numanode.local_memory);
            add_scope(hardware, memory);
        }
    }
}

void add_counts(dart_hwinfo_t& hardware, hwloc_topology_t topology) {
    hardware.num_cores = count(topology, HWLOC_OBJ_CORE);
    hardware.num_numa = count(topology, HWLOC_OBJ_NUMANODE);
    hardware.num_sockets = count(topology, HWLOC_OBJ_PACKAGE);
    const int processors = count(topology, HWLOC_OBJ_PU);
    if (hardware.num_cores > 0) {
        hardware.min_threads = 1;
        hardware.max_threads = processors / hardware.num_cores;
    }
    hardware.system_memory_bytes = as_mebibytes(hwloc_get_root_obj(topology)->total_memory);
}

int shmem_mbps() {
    const char* text = std::getenv("DASH_MAX_SHMEM_MBPS");
    const int value = text != nullptr ? std::atoi(text) : 0;
    return value > 0 ? value : kShmemMbps;
}

dart_hwinfo_t read_hardware() {
    dart_hwinfo_t hardware = unknown_hardware();
    gethostname(hardware.host, sizeof hardware.host - 1);
    hardware.max_shmem_mbps = shmem_mbps();
    if (const Topology topology = load_topology(); topology != nullptr) {
        add_counts(hardware, topology.get());
        if (hwloc_obj_t processor = find_processor(topology.get()); processor != nullptr)
            add_parts_around(hardware, processor);
    }
    if (hardware.num_scopes == 0)
        hardware.scopes[hardware.num_scopes++] = {DART_LOCALITY_SCOPE_CORE, 0};
    return hardware;
}

}  // namespace

void start_locations() {
    if (!all_locations.empty()) return;
    shmemx_location_t location;
    shmemx_pe_location(shmem_my_pe(), &location);
    const Location mine{.hardware = read_hardware(), .node = location.node};
    all_locations.resize(static_cast<std::size_t>(shmem_n_pes()));
    if (shmemx_allgather(SHMEM_TEAM_WORLD, all_locations.data(), &mine, 1, sizeof mine) != 0)
        fatal("dart_init", "the library has no memory for messages of all units");
}

const std::vector<Location>& locations() { return all_locations; }

}  // namespace tessera::dart

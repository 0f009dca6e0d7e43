// SPDX-License-Identifier: BSD-3-Clause
//
// Types of localities: the hardware of a unit, and the tree of domains (parts of the machine) of a
// team. The layouts are those of DASH as GNU compilers see it on Linux. A number is -1 where it is
// not known.

#ifndef DASH_DART_IF_DART_LOCALITY_TYPES_H
#define DASH_DART_IF_DART_LOCALITY_TYPES_H

#include "dart_unit_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Kinds of domains, from the whole machine inwards. */
typedef enum {
    DART_LOCALITY_SCOPE_UNDEFINED = -1,
    DART_LOCALITY_SCOPE_GLOBAL = 0,
    /** Domains that dart_domain_group has put together. */
    DART_LOCALITY_SCOPE_GROUP = 1,
    DART_LOCALITY_SCOPE_NETWORK = 50,
    DART_LOCALITY_SCOPE_NODE = 100,
    /** A host, or an accelerator of it. */
    DART_LOCALITY_SCOPE_MODULE = 200,
    DART_LOCALITY_SCOPE_NUMA = 300,
    DART_LOCALITY_SCOPE_UNIT = 400,
    DART_LOCALITY_SCOPE_PACKAGE = 500,
    DART_LOCALITY_SCOPE_UNCORE = 510,
    DART_LOCALITY_SCOPE_CACHE = 530,
    DART_LOCALITY_SCOPE_CORE = 550,
    DART_LOCALITY_SCOPE_CPU = 600
} dart_locality_scope_t;

/** Sizes of the arrays below. HOST_NAME_MAX of Linux, whether or not <limits.h> shows it. */
#define DART_LOCALITY_HOST_MAX_SIZE 64
#define DART_LOCALITY_DOMAIN_TAG_MAX_SIZE ((int)(32))
#define DART_LOCALITY_MAX_DOMAIN_SCOPES ((int)(12))
#define DART_LOCALITY_UNIT_MAX_CPUS ((int)(64))
#define DART_LOCALITY_MAX_NUMA_ID ((int)(16))
#define DART_LOCALITY_MAX_CACHE_LEVELS ((int)(5))

/** A domain by its kind, and its number among those of this kind in the host. */
typedef struct {
    dart_locality_scope_t scope;
    int index;
} dart_locality_scope_pos_t;

/** The hardware of a unit. */
typedef struct {
    char host[DART_LOCALITY_HOST_MAX_SIZE];
    /** Cores and NUMA domains of the host, the unit's NUMA domain, sockets of the host. */
    int num_cores;
    int num_numa;
    int numa_id;
    int num_sockets;
    /** The core and the hardware thread that the unit runs on. */
    int core_id;
    int cpu_id;
    int min_cpu_mhz;
    int max_cpu_mhz;
    /** The caches of the core, from the first level on: bytes, bytes of a line, numbers. */
    int cache_sizes[DART_LOCALITY_MAX_CACHE_LEVELS];
    int cache_line_sizes[DART_LOCALITY_MAX_CACHE_LEVELS];
    int cache_ids[DART_LOCALITY_MAX_CACHE_LEVELS];
    /** Threads that the unit can run at the same time. */
    int min_threads;
    int max_threads;
    /** Bandwidth of shared memory. */
    int max_shmem_mbps;
    /** Memory of the host and of the NUMA domain, in MiB. */
    int system_memory_bytes;
    int numa_memory_bytes;
    /** The domains of the host that the unit is in, the innermost first. */
    dart_locality_scope_pos_t scopes[DART_LOCALITY_MAX_DOMAIN_SCOPES];
    int num_scopes;
} dart_hwinfo_t;

/** A module of a host. */
typedef struct {
    char host[DART_LOCALITY_HOST_MAX_SIZE];
    char module[DART_LOCALITY_HOST_MAX_SIZE];
    dart_locality_scope_pos_t pos;
} dart_module_location_t;

/** A domain: a part of the machine with the units in it. Its parts are its children. */
typedef struct dart_domain_locality_s {
    char host[DART_LOCALITY_HOST_MAX_SIZE];
    /** The place in the tree: "." is the root, ".1" its second child, ".1.0" the first of that. */
    char domain_tag[DART_LOCALITY_DOMAIN_TAG_MAX_SIZE];
    /** Other domains with the same hardware. */
    struct dart_domain_locality_s** aliases;
    int num_aliases;
    dart_locality_scope_t scope;
    /** Distance from the root. */
    int level;
    /** Number among the domains of this scope, and among the children of the parent. */
    int global_index;
    int relative_index;
    struct dart_domain_locality_s* parent;
    int num_domains;
    struct dart_domain_locality_s** children;
    /** Whether all children are alike. */
    int is_symmetric;
    dart_team_t team;
    /** The units in the domain, by their numbers in the program. */
    int num_units;
    dart_global_unit_t* unit_ids;
    int num_nodes;
    int node_id;
    int num_cores;
    int shared_mem_bytes;
} dart_domain_locality_t;

/** The place and the hardware of a unit of a team. */
typedef struct {
    dart_team_unit_t unit;
    dart_team_t team;
    dart_hwinfo_t hwinfo;
    /** The domain of the unit. */
    char domain_tag[DART_LOCALITY_DOMAIN_TAG_MAX_SIZE];
} dart_unit_locality_t;

#ifdef __cplusplus
}
#endif

#endif  // DASH_DART_IF_DART_LOCALITY_TYPES_H

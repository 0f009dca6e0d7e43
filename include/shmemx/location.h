// SPDX-License-Identifier: BSD-3-Clause
//
// The place of each PE in the machine, for runtimes that plan by locality. Part of <shmemx.h>.

#ifndef SHMEM_INTERNAL_SHMEMX_LOCATION_H
#define SHMEM_INTERNAL_SHMEMX_LOCATION_H

#include "../shmem/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The longest name of a host, in bytes without the 0 at its end. */
#define SHMEMX_HOST_NAME_MAX 64

/**
 * The place of a PE. Numbers of parts of a host count within the host; two PEs share a part when
 * host_name and the number are equal. A number is -1 where the PE may run on several such parts
 * (it is not bound), and where the machine does not tell.
 */
typedef struct {
    /** The node: PEs of one node load from and store to each other's memory. From 0 on. */
    int node;
    /** The processor package (socket), as hwloc counts them. */
    int package;
    /** The NUMA domain, by the number that the operating system gives it. */
    int numa_domain;
    /** The group of cores that share a last-level cache, as hwloc counts them. */
    int cache_cluster;
    /** The core, as hwloc counts them. */
    int core;
    /** The name of the host, cut off where it is longer. */
    char host_name[SHMEMX_HOST_NAME_MAX + 1];
} shmemx_location_t;

/**
 * Tells where a PE runs: on which node, and to which parts of it its threads were bound when it
 * initialized.
 *
 * pe         number of the PE in the world.
 * location   receives its place.
 *
 * RETURNS when: location is filled. A PE of this node: local. A PE of another node: one round trip
 * at the first call of any PE of this node for that PE, local afterwards; the other PE's program
 * takes no part. Waits for a PE that is still in its initialization.
 * ERRORS: a bad PE number and a null pointer end the job with a message.
 * THREADS: as the thread level allows.
 */
void shmemx_pe_location(int pe, shmemx_location_t* location) SHMEM_INTERNAL_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif  // SHMEM_INTERNAL_SHMEMX_LOCATION_H

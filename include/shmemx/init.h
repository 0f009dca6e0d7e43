// SPDX-License-Identifier: BSD-3-Clause
//
// Initialization beside MPI and without a launcher: a program that some other means has started
// hands its processes one unique id, and each says which PE it is.

#ifndef SHMEM_INTERNAL_SHMEMX_INIT_H
#define SHMEM_INTERNAL_SHMEMX_INIT_H

#include "../shmem/types.h"

/** Questions of shmemx_query_interoperability: whether PE i is the process with rank i in
 *  MPI_COMM_WORLD of a program that uses MPI as well. */
#define SHMEMX_MPI_RANKS_ARE_PES 1
/** Whether waits of OpenSHMEM routines make progress for MPI. */
#define SHMEMX_PROGRESS_MPI 2
/** Whether transfers of OpenSHMEM make progress while a PE waits in MPI, or computes. */
#define SHMEMX_PROGRESS_SHMEM 3

#ifdef __cplusplus
extern "C" {
#endif

/** The name of a group's meeting point: plain bytes, to be sent to its processes by any means. */
typedef struct {
    unsigned char bytes[128];
} shmemx_uniqueid_t;

/** The bytes of all processes of a group: as MPI_Allgather of `bytes` MPI_BYTEs. */
typedef int (*shmemx_allgather_t)(const void* mine, void* all, size_t bytes, void* user_data);

/**
 * Makes a unique id. One process of the group calls it, which then listens at a TCP port for the
 * PEs of the group; it has to live until all of them have finalized. An id serves one group, once.
 *
 * uid        receives the id. Processes that know it can join the group: keep it private.
 *
 * RETURNS when: at once; local. ERRORS: without a network of its own, not even a loopback, the
 * process ends with a message. THREADS: any thread, at any time.
 */
void shmemx_get_uniqueid(shmemx_uniqueid_t* uid) SHMEM_INTERNAL_NOTHROW;

/**
 * shmem_init_thread for a process that joins a group by a unique id, whatever has started it.
 * Collective over the processes of the group. Where oshrun has started the processes, they are its
 * PEs, and the numbers must be those that it gave. Counts as one call of shmem_init; a second one
 * needs the same numbers.
 *
 * uid        the id, the same on all.
 * pe         number of this process in the group, from 0 on.
 * npes       processes of the group.
 * requested  thread level, as for shmem_init_thread.
 * provided   receives the thread level; may be NULL.
 *
 * RETURNS when: all PEs have come; 0.
 * ERRORS: an id that is none, numbers out of range or given twice, different npes, PEs that have
 * not come within SHMEM_NETWORK_TIMEOUT, and a PE that ends without finalizing end the job with a
 * message. THREADS: one thread per PE at a time.
 */
int shmemx_init_uid(const shmemx_uniqueid_t* uid, int pe, int npes, int requested,
                    int* provided) SHMEM_INTERNAL_NOTHROW;

/**
 * shmemx_init_uid with the id that PE 0 makes, which the PEs exchange by a function of the program:
 * for a communicator of MPI, or any other group. With MPI, the function calls MPI_Allgather:
 *
 *     static int allgather(const void* mine, void* all, size_t bytes, void* comm) {
 *         return MPI_Allgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE,
 *                              *(MPI_Comm*)comm);
 *     }
 *
 * allgather  called once by each PE, inside of this call; returns 0, anything else is an error.
 * user_data  passed to it.
 * pe         number of this process in the group, from 0 on.
 * npes       processes of the group.
 * requested  thread level, as for shmem_init_thread.
 * provided   receives the thread level; may be NULL.
 *
 * RETURNS when: all PEs have come; 0. ERRORS: as shmemx_init_uid; an error of allgather ends the
 * job with a message. THREADS: one thread per PE at a time.
 */
int shmemx_init_with(shmemx_allgather_t allgather, void* user_data, int pe, int npes, int requested,
                     int* provided) SHMEM_INTERNAL_NOTHROW;

/**
 * Tells how this job works beside other programming models.
 *
 * property   SHMEMX_MPI_RANKS_ARE_PES: 1 under a launcher that numbers the processes of both
 *            (oshrun, mpirun, srun --mpi=pmix), 0 in a group by a unique id.
 *            SHMEMX_PROGRESS_MPI: 0; a PE that waits for a message of MPI has to call MPI.
 *            SHMEMX_PROGRESS_SHMEM: 1 where all PEs share memory, or a thread of the library
 *            drives the network (SHMEM_PROGRESS); else 0.
 *
 * RETURNS when: at once; local; 1 or 0, 0 for any other property. ERRORS: none. THREADS: as the
 * thread level allows.
 */
int shmemx_query_interoperability(int property) SHMEM_INTERNAL_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif  // SHMEM_INTERNAL_SHMEMX_INIT_H

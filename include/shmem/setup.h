// SPDX-License-Identifier: BSD-3-Clause
//
// Library setup, exit and query (OpenSHMEM 1.6, 9.1), thread support (9.2), and the constants that
// name the library. Part of <shmem.h>.
//
// Unless a routine says otherwise it may be called only between initialization and finalization; a
// call outside ends the program with a message.

#ifndef SHMEM_INTERNAL_SETUP_H
#define SHMEM_INTERNAL_SETUP_H

#include "types.h"

/** The version of the specification that this library implements (OpenSHMEM 1.6, 6). */
#define SHMEM_MAJOR_VERSION 1
#define SHMEM_MINOR_VERSION 6

/** Bytes that hold any name shmem_info_get_name gives, its terminating NUL included. */
#define SHMEM_MAX_NAME_LEN 64

/** The library's name and version, equal to the result of shmem_info_get_name. */
#define SHMEM_VENDOR_STRING "Tessera 1.0.0-rc1"

/** Thread levels, in increasing order (OpenSHMEM 1.6, 9.2): the program has one thread. */
#define SHMEM_THREAD_SINGLE 0
/** Only the thread that initialized the library calls it. */
#define SHMEM_THREAD_FUNNELED 1
/** Any thread calls the library, but never two at the same time. */
#define SHMEM_THREAD_SERIALIZED 2
/** Any thread calls the library at any time. */
#define SHMEM_THREAD_MULTIPLE 3

// How a routine that does not return is marked in the language at hand.
#if defined(__cplusplus) && __cplusplus >= 201103L
#define SHMEM_INTERNAL_NORETURN [[noreturn]]
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define SHMEM_INTERNAL_NORETURN _Noreturn
#else
#define SHMEM_INTERNAL_NORETURN __attribute__((__noreturn__))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Initializes the library on all PEs: symmetric memory exists and all PEs can be reached when it
 * returns. Collective over all PEs. May be repeated, also after finalization; every call needs its
 * own shmem_finalize. The library chooses the thread level, at least SHMEM_THREAD_SINGLE.
 *
 * RETURNS when: all PEs have called it.
 * ERRORS: a setting or system that does not allow initialization ends the job with a message.
 * THREADS: one thread per PE at a time. OpenSHMEM 1.6, 9.1, shmem_init.
 */
void shmem_init(void) SHMEM_INTERNAL_NOTHROW;

/**
 * Initializes the library as shmem_init does and asks for a thread level.
 *
 * requested  one of SHMEM_THREAD_SINGLE, _FUNNELED, _SERIALIZED, _MULTIPLE.
 * provided   receives the level that the library supports from here on.
 *
 * RETURNS when: all PEs have called it; 0, or nonzero when the library could not be initialized.
 * ERRORS: an unknown level, or a malformed environment variable, as shmem_init.
 * THREADS: one thread per PE at a time; above SHMEM_THREAD_SINGLE the same thread calls
 * shmem_finalize. OpenSHMEM 1.6, 9.2, shmem_init_thread.
 */
int shmem_init_thread(int requested, int* provided) SHMEM_INTERNAL_NOTHROW;

/**
 * Gives the thread level that initialization provided.
 *
 * provided   receives the level; SHMEM_THREAD_SINGLE before the first initialization.
 *
 * RETURNS when: at once; local. ERRORS: none.
 * THREADS: any thread, at any time. OpenSHMEM 1.6, 9.2, shmem_query_thread.
 */
void shmem_query_thread(int* provided) SHMEM_INTERNAL_NOTHROW;

/**
 * Undoes one initialization. All but the last act as shmem_barrier_all and free nothing; the last
 * also frees the symmetric heap, all teams and all shareable contexts. Private contexts must be
 * destroyed before. Collective over all PEs.
 *
 * RETURNS when: all PEs have called it and all their operations are complete.
 * ERRORS: a call without an initialization to undo ends the job with a message.
 * THREADS: the initializing thread. OpenSHMEM 1.6, 9.1, shmem_finalize.
 */
void shmem_finalize(void) SHMEM_INTERNAL_NOTHROW;

/**
 * Tells whether the library is initialized.
 *
 * initialized  receives 1 between initialization and the last finalization, otherwise 0.
 *
 * RETURNS when: at once; local. ERRORS: none.
 * THREADS: any thread, at any time, also before initialization and after finalization.
 * OpenSHMEM 1.6, 9.1, shmem_query_initialized.
 */
void shmem_query_initialized(int* initialized) SHMEM_INTERNAL_NOTHROW;

/**
 * Ends all PEs of the program, whatever they are doing. Not collective. The calling PE's standard
 * streams are flushed as in a normal termination.
 *
 * status     exit status of the job; one of the values counts if several PEs call it.
 *
 * RETURNS when: never. ERRORS: none. THREADS: any thread.
 * OpenSHMEM 1.6, 9.1, shmem_global_exit.
 */
SHMEM_INTERNAL_NORETURN void shmem_global_exit(int status) SHMEM_INTERNAL_NOTHROW;

/**
 * The number of the calling PE, 0 to shmem_n_pes() - 1. It does not change between
 * initialization and finalization.
 *
 * RETURNS when: at once; local. ERRORS: none. THREADS: any thread.
 * OpenSHMEM 1.6, 9.1, shmem_my_pe.
 */
int shmem_my_pe(void) SHMEM_INTERNAL_NOTHROW;

/**
 * The number of PEs of the program.
 *
 * RETURNS when: at once; local. ERRORS: none. THREADS: any thread.
 * OpenSHMEM 1.6, 9.1, shmem_n_pes.
 */
int shmem_n_pes(void) SHMEM_INTERNAL_NOTHROW;

/**
 * Tells whether a PE can be the target of operations.
 *
 * pe         any number.
 *
 * RETURNS when: at once; 1 if pe is a PE that runs the same executable, otherwise 0, also for a
 * number outside [0, shmem_n_pes()). ERRORS: none. THREADS: any thread.
 * OpenSHMEM 1.6, 9.1, shmem_pe_accessible.
 */
int shmem_pe_accessible(int pe) SHMEM_INTERNAL_NOTHROW;

/**
 * Tells whether an address is symmetric and can be reached on a PE.
 *
 * addr       any address of the calling PE.
 * pe         PE number in [0, shmem_n_pes()).
 *
 * RETURNS when: at once; 1 if routines may use addr as a symmetric address towards pe, otherwise 0.
 * ERRORS: none. THREADS: any thread. OpenSHMEM 1.6, 9.1, shmem_addr_accessible.
 */
int shmem_addr_accessible(const void* addr, int pe) SHMEM_INTERNAL_NOTHROW;

/**
 * A pointer through which the calling PE can load and store a symmetric object of another PE. It is
 * not a symmetric address itself, and is valid until the object is freed or the library finalized.
 *
 * dest       symmetric address of the object.
 * pe         PE number in [0, shmem_n_pes()); the own number gives dest itself.
 *
 * RETURNS when: at once; the pointer, or NULL if loads and stores cannot reach the object.
 * ERRORS: none. THREADS: any thread. OpenSHMEM 1.6, 9.1, shmem_ptr.
 */
void* shmem_ptr(const void* dest, int pe) SHMEM_INTERNAL_NOTHROW;

/**
 * The version of the specification that the library implements, equal to SHMEM_MAJOR_VERSION and
 * SHMEM_MINOR_VERSION of the headers that the library was built with.
 *
 * major, minor  receive the two numbers.
 *
 * RETURNS when: at once; local. ERRORS: none. THREADS: any thread.
 * OpenSHMEM 1.6, 9.1, shmem_info_get_version.
 */
void shmem_info_get_version(int* major, int* minor) SHMEM_INTERNAL_NOTHROW;

/**
 * The library's name, equal to SHMEM_VENDOR_STRING.
 *
 * name       receives the NUL-terminated name; room for SHMEM_MAX_NAME_LEN bytes.
 *
 * RETURNS when: at once; local. ERRORS: none. THREADS: any thread.
 * OpenSHMEM 1.6, 9.1, shmem_info_get_name.
 */
void shmem_info_get_name(char* name) SHMEM_INTERNAL_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif  // SHMEM_INTERNAL_SETUP_H

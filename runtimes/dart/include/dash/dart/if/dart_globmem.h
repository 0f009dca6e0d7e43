// SPDX-License-Identifier: BSD-3-Clause
//
// Global memory, and the global pointers that name it. A global pointer is plain data: any unit of
// its team may store it, send it and use it.

#ifndef DASH_DART_IF_DART_GLOBMEM_H
#define DASH_DART_IF_DART_GLOBMEM_H

#include "dart_team_group.h"
#include "dart_types.h"
#include "dart_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Global pointers --------------------------------------------------------------------------

/** A global pointer: 128 bits. */
typedef struct {
    /** The unit that has the memory, by its number in the team. */
    dart_unit_t unitid : 24;
    /** Tells allocations of the same number apart, unless dart_gptr_setflags has changed it. */
    unsigned int flags : 8;
    /** The allocation: 0 for dart_memalloc, positive for allocated, negative for registered. */
    int16_t segid;
    int16_t teamid;
    /** The place in the unit's part of the allocation. */
    union {
        uint64_t offset;
        void* addr;
    } addr_or_offs;
} dart_gptr_t;

/** The global pointer that names nothing. */
#ifdef __cplusplus
#define DART_GPTR_NULL (dart_gptr_t{-1, 0, 0, DART_TEAM_NULL, {0}})
#else
#define DART_GPTR_NULL \
    ((dart_gptr_t){    \
        .unitid = -1, .flags = 0, .segid = 0, .teamid = DART_TEAM_NULL, .addr_or_offs.offset = 0})
#endif

/** Whether a global pointer names nothing; whether two name the same byte. */
#define DART_GPTR_ISNULL(gptr)                                                    \
    ((gptr).unitid < 0 && (gptr).segid == 0 && (gptr).teamid == DART_TEAM_NULL && \
     (gptr).addr_or_offs.addr == 0)
#define DART_GPTR_EQUAL(a, b)                                                          \
    ((a).unitid == (b).unitid && (a).segid == (b).segid && (a).teamid == (b).teamid && \
     (a).addr_or_offs.offset == (b).addr_or_offs.offset)

/** The allocation of all memory of dart_memalloc. */
#define DART_SEGMENT_LOCAL ((int16_t)0)

/**
 * Translate between a global pointer to memory of the calling unit and its address.
 *
 * gptr    a global pointer; setaddr: becomes the one of addr, in its team and allocation.
 * addr    the address; getaddr: receives it, NULL for memory of other units.
 *
 * RETURNS: DART_OK; DART_ERR_INVAL: no such team or allocation, or one that has ended.
 */
dart_ret_t dart_gptr_getaddr(const dart_gptr_t gptr, void** addr) DART_NOTHROW;
dart_ret_t dart_gptr_setaddr(dart_gptr_t* gptr, void* addr) DART_NOTHROW;

/** Moves a global pointer by some bytes. Local; DART_OK. */
DART_INLINE DART_NOTHROW dart_ret_t dart_gptr_incaddr(dart_gptr_t* gptr, int64_t offs) {
    gptr->addr_or_offs.offset += (uint64_t)offs;
    return DART_OK;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
/** Changes the unit of a global pointer. Local; DART_OK. */
DART_INLINE DART_NOTHROW dart_ret_t dart_gptr_setunit(dart_gptr_t* gptr, dart_team_unit_t unit) {
    gptr->unitid = unit.id;
    return DART_OK;
}
#pragma GCC diagnostic pop

/**
 * Tell and set 16 bits that the calling unit keeps for an allocation. setflags also puts the low 8
 * of them into the global pointer, which then no longer tells whether its allocation has ended.
 *
 * gptr    a global pointer to the allocation.
 * flags   the bits.
 *
 * RETURNS: DART_OK; DART_ERR_INVAL: no such team or allocation.
 */
dart_ret_t dart_gptr_getflags(dart_gptr_t gptr, uint16_t* flags) DART_NOTHROW;
dart_ret_t dart_gptr_setflags(dart_gptr_t* gptr, uint16_t flags) DART_NOTHROW;

// ---- Memory -----------------------------------------------------------------------------------

/**
 * Allocates memory of the calling unit. Local.
 *
 * nelem   elements.
 * dtype   their type; basic.
 * gptr    receives the global pointer, DART_GPTR_NULL with an error.
 *
 * RETURNS: DART_OK; DART_ERR_INVAL: another type; DART_ERR_NOMEM: not enough memory.
 */
dart_ret_t dart_memalloc(size_t nelem, dart_datatype_t dtype, dart_gptr_t* gptr) DART_NOTHROW;

/**
 * Frees memory of dart_memalloc. Local; only on the unit that has allocated it.
 *
 * gptr    what dart_memalloc has given.
 *
 * RETURNS: DART_OK; DART_ERR_INVAL: any other pointer.
 */
dart_ret_t dart_memfree(dart_gptr_t gptr) DART_NOTHROW;

/**
 * Allocates the same amount of memory on each unit of a team. Collective.
 *
 * teamid  the team.
 * nelem   elements on each unit; also 0.
 * dtype   their type; basic.
 * gptr    receives the global pointer to the memory of unit 0, DART_GPTR_NULL with an error.
 *
 * RETURNS, the same on all units: DART_OK; DART_ERR_INVAL: no such team, or another type;
 * DART_ERR_NOMEM: not enough memory; DART_ERR_OTHER: no number is left for an allocation.
 */
dart_ret_t dart_team_memalloc_aligned(dart_team_t teamid, size_t nelem, dart_datatype_t dtype,
                                      dart_gptr_t* gptr) DART_NOTHROW;

/**
 * Frees memory of dart_team_memalloc_aligned. Collective. No unit may access it any more.
 *
 * gptr    a global pointer to the allocation; DART_GPTR_NULL does nothing.
 *
 * RETURNS: DART_OK; DART_ERR_INVAL: no such team or allocation, or one that has ended.
 */
dart_ret_t dart_team_memfree(dart_gptr_t gptr) DART_NOTHROW;

/**
 * Make memory that the program has allocated by other means reachable for a team. Collective. The
 * memory stays the program's. _aligned: as much on each unit; else each gives any amount, also 0.
 *
 * teamid  the team.
 * nelem   elements of the calling unit.
 * dtype   their type; basic.
 * addr    their address.
 * gptr    receives the global pointer to the memory of unit 0.
 *
 * RETURNS: as dart_team_memalloc_aligned; DART_ERR_INVAL: also NULL as the address of elements.
 */
dart_ret_t dart_team_memregister_aligned(dart_team_t teamid, size_t nelem, dart_datatype_t dtype,
                                         void* addr, dart_gptr_t* gptr) DART_NOTHROW;
dart_ret_t dart_team_memregister(dart_team_t teamid, size_t nelem, dart_datatype_t dtype,
                                 void* addr, dart_gptr_t* gptr) DART_NOTHROW;

/**
 * Ends a registration. Collective.
 *
 * gptr    a global pointer to it; DART_GPTR_NULL does nothing.
 *
 * RETURNS: DART_OK; DART_ERR_INVAL: no such team or registration.
 */
dart_ret_t dart_team_memderegister(dart_gptr_t gptr) DART_NOTHROW;

// ---- Allocators -------------------------------------------------------------------------------

/** A pool of global memory on each unit of a team, from which each unit allocates locally. */
typedef struct dart_allocator_struct* dart_allocator_t;

/**
 * Makes an allocator. Collective.
 *
 * pool_size      bytes of each unit.
 * team           the team.
 * new_allocator  receives the allocator.
 *
 * RETURNS: as dart_team_memalloc_aligned.
 */
dart_ret_t dart_allocator_new(size_t pool_size, dart_team_t team,
                              dart_allocator_t* new_allocator) DART_NOTHROW;

/**
 * Allocates memory of the calling unit from its pool. Local. A block takes the next power of two
 * bytes.
 *
 * nelem      elements.
 * dtype      their type; basic.
 * gptr       receives the global pointer, DART_GPTR_NULL with an error.
 * allocator  the allocator.
 *
 * RETURNS: DART_OK; DART_ERR_NOMEM: no block is free that is large enough; DART_ERR_INVAL: no
 * allocator, or another type.
 */
dart_ret_t dart_allocator_alloc(size_t nelem, dart_datatype_t dtype, dart_gptr_t* gptr,
                                dart_allocator_t allocator) DART_NOTHROW;

/**
 * Frees memory of dart_allocator_alloc. Local; only on the unit that has allocated it.
 *
 * gptr       what dart_allocator_alloc has given; becomes DART_GPTR_NULL.
 * allocator  the allocator.
 *
 * RETURNS: DART_OK; DART_ERR_INVAL: another pointer, or no allocator.
 */
dart_ret_t dart_allocator_free(dart_gptr_t* gptr, dart_allocator_t allocator) DART_NOTHROW;

/**
 * Ends an allocator, with its memory. Collective.
 *
 * allocator  the allocator; becomes NULL.
 *
 * RETURNS: DART_OK; DART_ERR_INVAL: no allocator. dart_exit ends those that are left.
 */
dart_ret_t dart_allocator_destroy(dart_allocator_t* allocator) DART_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif  // DASH_DART_IF_DART_GLOBMEM_H

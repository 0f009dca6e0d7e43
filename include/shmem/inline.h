// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: bodies for single elements, small transfers of constant size and atomics, which the
// compiler may put into the program in place of a call. Part of <shmem.h> when SHMEM_INLINE is
// defined before it; docs/run/inline.md has the conditions. Needs gcc or clang.
//
// The bodies handle the usual case: a PE whose heap is mapped, an address in the symmetric heap,
// SHMEM_CTX_DEFAULT. In all other cases, mistakes included, they call the library's routine.
// Pointers to functions and pshmem_ names are the library's. The order of memory is that of
// src/core/context.hpp: p and put are relaxed stores, g and get acquire, atomics are sequentially
// consistent; each operation that may end a wait checks whether the target PE sleeps.
//
// The program has one map of its node, which the library fills once if it knows this layout;
// otherwise the map stays empty and every operation calls the library. The map never changes after
// that, so the bodies read it as a constant: a compiler may keep it in registers over a loop, calls
// included. It may even read parts too early, because an operation calls the library while one of
// the first three numbers is 0. Only one word for each PE changes, its inline limit: the heap
// offset below which other PEs need no call. The bodies read it each time. It is 0 before init and
// after finalize, in a child of fork(), and while the PE sleeps. So one compare decides whether to
// call.

#ifndef SHMEM_INTERNAL_INLINE_H
#define SHMEM_INTERNAL_INLINE_H

#include "atomics.h"
#include "contexts.h"
#include "rma.h"
#include "types.h"

// Changes with the structs below.
#define SHMEM_INTERNAL_INLINE_LAYOUT 2
// Bytes that the library keeps free at the end of a heap.
#define SHMEM_INTERNAL_INLINE_BYTES_MAX 64
// PEs in the map, and one that is never there. Operations on other PEs call the library.
#define SHMEM_INTERNAL_INLINE_PEERS 512
// Beyond all PEs, so that with an origin of 0 no PE is on the node.
#define SHMEM_INTERNAL_INLINE_ORIGIN 0x80000000u
// From one PE's inline limit to the next one's, in bytes.
#define SHMEM_INTERNAL_INLINE_LIMIT_BYTES 128
#define SHMEM_INTERNAL_INLINE_MAP_BYTES 73728

#ifdef __cplusplus
extern "C" {
#endif

// Numbers start near the end of a page, as in src/core/address_map.hpp and for the same reason:
// stores to the beginnings of other pages would hold up loads here.
struct shmem_internal_inline_map {
    char unused[3584];
    size_t origin;     // SHMEM_INTERNAL_INLINE_ORIGIN - the PE of heaps[0]; the others follow
    size_t heap_base;  // this PE's heap
    size_t limits;     // where the inline limits of these PEs are, as the distance from no_limits
    size_t heaps[SHMEM_INTERNAL_INLINE_PEERS];  // where they are mapped, as numbers
    // Zeros, for before there are limits. A program has pages for them once it reads them.
    char no_limits[SHMEM_INTERNAL_INLINE_PEERS * SHMEM_INTERNAL_INLINE_LIMIT_BYTES];
} __attribute__((__aligned__(4096)));

#ifdef SHMEM_INLINE

// src/memory/inline_maps.cpp. attach: fills `map`, now or at init. To be called before anything
// reads `map`.
void shmem_internal_inline_attach(struct shmem_internal_inline_map* map,
                                  int layout) SHMEM_INTERNAL_NOTHROW;
void shmem_internal_inline_detach(struct shmem_internal_inline_map* map) SHMEM_INTERNAL_NOTHROW;
void shmem_internal_inline_wake(int pe) SHMEM_INTERNAL_NOTHROW;

// One for a program or shared library, however many of its sources include this. Defined where
// compilers do not see it: they would find that it is no constant, or that it is empty. Link-time
// optimization joins the definitions of all sources, hence .ifndef.
#define SHMEM_INTERNAL_TEXT_OF(X) #X
#define SHMEM_INTERNAL_TEXT(X) SHMEM_INTERNAL_TEXT_OF(X)
extern const struct shmem_internal_inline_map shmem_internal_inline_map
    __attribute__((visibility("hidden")));
__asm__(
    ".ifndef shmem_internal_inline_map\n"
    ".pushsection .bss.shmem_internal_inline_map,\"awG\",%nobits,shmem_internal_inline_map,comdat\n"
    ".weak shmem_internal_inline_map\n"
    ".hidden shmem_internal_inline_map\n"
    ".type shmem_internal_inline_map,%object\n"
    ".size shmem_internal_inline_map," SHMEM_INTERNAL_TEXT(SHMEM_INTERNAL_INLINE_MAP_BYTES) "\n"
    ".balign 4096\n"
    "shmem_internal_inline_map:\n"
    ".zero " SHMEM_INTERNAL_TEXT(SHMEM_INTERNAL_INLINE_MAP_BYTES) "\n"
    ".popsection\n"
    ".endif\n");

// Casts are those of C from here on; C++ has them, too.
#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#endif

__attribute__((constructor, unused)) static void shmem_internal_inline_begin(void) {
    shmem_internal_inline_attach((struct shmem_internal_inline_map*)&shmem_internal_inline_map,
                                 SHMEM_INTERNAL_INLINE_LAYOUT);
}
__attribute__((destructor, unused)) static void shmem_internal_inline_end(void) {
    shmem_internal_inline_detach((struct shmem_internal_inline_map*)&shmem_internal_inline_map);
}

// A body beside the library's: taking the routine's address still gives the library's.
#define SHMEM_INTERNAL_INLINE                                                            \
    extern __inline__ __attribute__((__gnu_inline__, __always_inline__, __artificial__)) \
    SHMEM_INTERNAL_NOTHROW
#define SHMEM_INTERNAL_LIKELY(X) __builtin_expect(!!(X), 1)
// The library's routine under a name that has no body here. clang would take a body that calls its
// own symbol for recursive and leave it out.
#ifdef __clang__
#define SHMEM_INTERNAL_CALLED(NAME) __asm__("p" #NAME)
#else
#define SHMEM_INTERNAL_CALLED(NAME) __asm__(#NAME)
#endif

typedef size_t __attribute__((__may_alias__)) shmem_internal_word;

SHMEM_INTERNAL_INLINE size_t shmem_internal_distance(int pe) {
    return (size_t)(unsigned int)pe - SHMEM_INTERNAL_INLINE_ORIGIN +
           shmem_internal_inline_map.origin;
}
SHMEM_INTERNAL_INLINE int shmem_internal_is_on_node(int pe) {
    return shmem_internal_distance(pe) < SHMEM_INTERNAL_INLINE_PEERS;
}
// Without a branch, so that it leaves a loop over one PE. Behind a test of is_on_node() it is
// only the difference.
SHMEM_INTERNAL_INLINE size_t shmem_internal_index(int pe) {
    const size_t index = shmem_internal_distance(pe);
    return index < SHMEM_INTERNAL_INLINE_PEERS ? index : SHMEM_INTERNAL_INLINE_PEERS - 1;
}
// Aliases everything, so that it is read again after each store.
SHMEM_INTERNAL_INLINE const shmem_internal_word* shmem_internal_limit(int pe) {
    return (const shmem_internal_word*)((size_t)shmem_internal_inline_map.no_limits +
                                        shmem_internal_inline_map.limits +
                                        shmem_internal_index(pe) *
                                            SHMEM_INTERNAL_INLINE_LIMIT_BYTES);
}

struct shmem_internal_place {
    char* address;  // as mapped here
    int is_usual;   // else `address` is of no use
};
// A p is certain to see that a PE sleeps if the PE has slept for some nanoseconds. It may miss a PE
// that falls asleep between this and the store; that PE's timed sleep then ends by itself.
SHMEM_INTERNAL_INLINE struct shmem_internal_place shmem_internal_find(const void* address, int pe) {
    const size_t offset = (size_t)address - shmem_internal_inline_map.heap_base;
    // Read here, in or out of range: the compiler does not move a load behind a branch out of a
    // loop.
    const size_t heap = shmem_internal_inline_map.heaps[shmem_internal_index(pe)];
    struct shmem_internal_place place;
    place.address = (char*)(heap + offset);
    place.is_usual = offset < *shmem_internal_limit(pe);
    return place;
}

// After a sequentially consistent atomic, with which it is exact: pairs with the fence in
// src/base/wait.cpp:sleep_unless().
SHMEM_INTERNAL_INLINE void shmem_internal_wake_after_atomic(int pe) {
    if (!SHMEM_INTERNAL_LIKELY(__atomic_load_n(shmem_internal_limit(pe), __ATOMIC_SEQ_CST) != 0))
        shmem_internal_inline_wake(pe);
}

// Words of any alignment and type.
typedef struct {
    uint16_t value;
} __attribute__((__packed__, __may_alias__)) shmem_internal_word16;
typedef struct {
    uint32_t value;
} __attribute__((__packed__, __may_alias__)) shmem_internal_word32;
typedef struct {
    uint64_t value;
} __attribute__((__packed__, __may_alias__)) shmem_internal_word64;

// `bytes` is a constant. A word is one load and one store, because waits may watch it.
SHMEM_INTERNAL_INLINE void shmem_internal_copy(void* dest, const void* source, size_t bytes) {
    if (bytes == 8) {
        ((volatile shmem_internal_word64*)dest)->value =
            ((const volatile shmem_internal_word64*)source)->value;
    } else if (bytes == 4) {
        ((volatile shmem_internal_word32*)dest)->value =
            ((const volatile shmem_internal_word32*)source)->value;
    } else if (bytes == 2) {
        ((volatile shmem_internal_word16*)dest)->value =
            ((const volatile shmem_internal_word16*)source)->value;
    } else if (bytes == 1) {
        *(volatile unsigned char*)dest = *(const volatile unsigned char*)source;
    } else {
        __builtin_memcpy(dest, source, bytes);
    }
}
#define SHMEM_INTERNAL_IS_SMALL(NELEMS, BYTES)       \
    (__builtin_constant_p(NELEMS) && (NELEMS) > 0 && \
     (NELEMS) <= SHMEM_INTERNAL_INLINE_BYTES_MAX / (BYTES))

// One routine and its form with a context. SIGNATURE and ARGUMENTS are in brackets; BODY uses
// place.address and returns. RETURN: return, or (void) where there is no result.
#define SHMEM_INTERNAL_CTX_SIGNATURE(...) (shmem_ctx_t ctx, __VA_ARGS__)
#define SHMEM_INTERNAL_CTX_ARGUMENTS(...) (ctx, __VA_ARGS__)
#define SHMEM_INTERNAL_BODY(RETURN, RESULT, NAME, SIGNATURE, ARGUMENTS, IS_USUAL, SYMMETRIC, BODY) \
    RESULT shmem_internal_call_##NAME SIGNATURE SHMEM_INTERNAL_CALLED(shmem_##NAME)                \
        SHMEM_INTERNAL_NOTHROW;                                                                    \
    SHMEM_INTERNAL_INLINE RESULT shmem_##NAME SIGNATURE {                                          \
        if (IS_USUAL) {                                                                            \
            struct shmem_internal_place place = shmem_internal_find(SYMMETRIC, pe);                \
            if (SHMEM_INTERNAL_LIKELY(place.is_usual)) BODY                                        \
        }                                                                                          \
        RETURN shmem_internal_call_##NAME ARGUMENTS;                                               \
    }
#define SHMEM_INTERNAL_BODIES(RETURN, RESULT, NAME, SIGNATURE, ARGUMENTS, IS_USUAL, SYMMETRIC, \
                              BODY)                                                            \
    SHMEM_INTERNAL_BODY(RETURN, RESULT, NAME, SIGNATURE, ARGUMENTS, IS_USUAL, SYMMETRIC, BODY) \
    SHMEM_INTERNAL_BODY(RETURN, RESULT, ctx_##NAME, SHMEM_INTERNAL_CTX_SIGNATURE SIGNATURE,    \
                        SHMEM_INTERNAL_CTX_ARGUMENTS ARGUMENTS,                                \
                        ctx == SHMEM_CTX_DEFAULT && (IS_USUAL), SYMMETRIC, BODY)

// ---- p, g ---------------------------------------------------------------------------------------

// shmem_TYPENAME_p, shmem_TYPENAME_g, and their shmem_ctx_ forms
#define SHMEM_INTERNAL_DEFINE(NAME, T)                                                             \
    SHMEM_INTERNAL_BODIES((void), void, NAME##_p, (T * dest, T value, int pe), (dest, value, pe),  \
                          1, dest, {                                                               \
                              *(volatile T*)(void*)place.address = value;                          \
                              return;                                                              \
                          })                                                                       \
    SHMEM_INTERNAL_BODIES(return, T, NAME##_g, (const T* source, int pe), (source, pe), 1, source, \
                                {                                                                  \
                                    T value = *(const volatile T*)(void*)place.address;            \
                                    __atomic_thread_fence(__ATOMIC_ACQUIRE);                       \
                                    return value;                                                  \
                                })
SHMEM_INTERNAL_RMA_TYPES(SHMEM_INTERNAL_DEFINE)
#undef SHMEM_INTERNAL_DEFINE

// ---- put, get and their _nbi forms, of a constant number of elements ----------------------------

#define SHMEM_INTERNAL_PUT(NAME, T, BYTES)                                                        \
    SHMEM_INTERNAL_BODIES((void), void, NAME, (T * dest, const T* source, size_t nelems, int pe), \
                          (dest, source, nelems, pe), SHMEM_INTERNAL_IS_SMALL(nelems, BYTES),     \
                          dest, {                                                                 \
                              shmem_internal_copy(place.address, source, nelems*(BYTES));         \
                              return;                                                             \
                          })
#define SHMEM_INTERNAL_GET(NAME, T, BYTES)                                                        \
    SHMEM_INTERNAL_BODIES((void), void, NAME, (T * dest, const T* source, size_t nelems, int pe), \
                          (dest, source, nelems, pe), SHMEM_INTERNAL_IS_SMALL(nelems, BYTES),     \
                          source, {                                                               \
                              shmem_internal_copy(dest, place.address, nelems*(BYTES));           \
                              __atomic_thread_fence(__ATOMIC_ACQUIRE);                            \
                              return;                                                             \
                          })

// shmem_TYPENAME_{put,get,put_nbi,get_nbi} and their shmem_ctx_ forms
#define SHMEM_INTERNAL_DEFINE(NAME, T)               \
    SHMEM_INTERNAL_PUT(NAME##_put, T, sizeof(T))     \
    SHMEM_INTERNAL_PUT(NAME##_put_nbi, T, sizeof(T)) \
    SHMEM_INTERNAL_GET(NAME##_get, T, sizeof(T))     \
    SHMEM_INTERNAL_GET(NAME##_get_nbi, T, sizeof(T))
SHMEM_INTERNAL_RMA_TYPES(SHMEM_INTERNAL_DEFINE)
#undef SHMEM_INTERNAL_DEFINE

// shmem_{put,get}SIZE, shmem_{put,get}SIZE_nbi and their shmem_ctx_ forms
#define SHMEM_INTERNAL_DEFINE(BITS, BYTES)           \
    SHMEM_INTERNAL_PUT(put##BITS, void, BYTES)       \
    SHMEM_INTERNAL_PUT(put##BITS##_nbi, void, BYTES) \
    SHMEM_INTERNAL_GET(get##BITS, void, BYTES)       \
    SHMEM_INTERNAL_GET(get##BITS##_nbi, void, BYTES)
SHMEM_INTERNAL_SIZES(SHMEM_INTERNAL_DEFINE)
#undef SHMEM_INTERNAL_DEFINE

SHMEM_INTERNAL_PUT(putmem, void, 1)
SHMEM_INTERNAL_PUT(putmem_nbi, void, 1)
SHMEM_INTERNAL_GET(getmem, void, 1)
SHMEM_INTERNAL_GET(getmem_nbi, void, 1)
#undef SHMEM_INTERNAL_PUT
#undef SHMEM_INTERNAL_GET

// ---- Atomics ------------------------------------------------------------------------------------

// BODY works on `word`. An address that is not aligned is the library's to complain about.
#define SHMEM_INTERNAL_AMO(RETURN, RESULT, NAME, T, SIGNATURE, ARGUMENTS, SYMMETRIC, BODY)       \
    SHMEM_INTERNAL_BODIES(RETURN, RESULT, NAME, SIGNATURE, ARGUMENTS,                            \
                          (size_t)(SYMMETRIC) % sizeof(T) == 0 && shmem_internal_is_on_node(pe), \
                          SYMMETRIC, {                                                           \
                              T* word = (T*)(void*)place.address;                                \
                              BODY                                                               \
                          })

// shmem_TYPENAME_atomic_{fetch,set,swap} and their shmem_ctx_ forms
#define SHMEM_INTERNAL_DEFINE(NAME, T)                                                             \
    SHMEM_INTERNAL_AMO(return, T, NAME##_atomic_fetch, T, (const T* source, int pe), (source, pe), \
                             source, {                                                             \
                                 T old;                                                            \
                                 __atomic_load(word, &old, __ATOMIC_ACQUIRE);                      \
                                 return old;                                                       \
                             })                                                                    \
    SHMEM_INTERNAL_AMO((void), void, NAME##_atomic_set, T, (T * dest, T value, int pe),            \
                       (dest, value, pe), dest, {                                                  \
                           __atomic_store(word, &value, __ATOMIC_RELAXED);                         \
                           shmem_internal_wake_after_atomic(pe);                                   \
                           return;                                                                 \
                       })                                                                          \
    SHMEM_INTERNAL_AMO(return, T, NAME##_atomic_swap, T, (T * dest, T value, int pe),              \
                             (dest, value, pe), dest, {                                            \
                                 T old;                                                            \
                                 __atomic_exchange(word, &value, &old, __ATOMIC_SEQ_CST);          \
                                 shmem_internal_wake_after_atomic(pe);                             \
                                 return old;                                                       \
                             })
SHMEM_INTERNAL_AMO_EXT_TYPES(SHMEM_INTERNAL_DEFINE)
#undef SHMEM_INTERNAL_DEFINE

// shmem_TYPENAME_atomic_fetch_OP, shmem_TYPENAME_atomic_OP and their shmem_ctx_ forms
#define SHMEM_INTERNAL_CHANGE(NAME, T, OP)                                                   \
    SHMEM_INTERNAL_AMO(return, T, NAME##_atomic_fetch_##OP, T, (T * dest, T value, int pe),  \
                             (dest, value, pe), dest, {                                      \
                                 T old = __atomic_fetch_##OP(word, value, __ATOMIC_SEQ_CST); \
                                 shmem_internal_wake_after_atomic(pe);                       \
                                 return old;                                                 \
                             })                                                              \
    SHMEM_INTERNAL_AMO((void), void, NAME##_atomic_##OP, T, (T * dest, T value, int pe),     \
                       (dest, value, pe), dest, {                                            \
                           __atomic_fetch_##OP(word, value, __ATOMIC_SEQ_CST);               \
                           shmem_internal_wake_after_atomic(pe);                             \
                           return;                                                           \
                       })
// and shmem_TYPENAME_atomic_{compare_swap,fetch_inc,inc}
#define SHMEM_INTERNAL_DEFINE(NAME, T)                                                             \
    SHMEM_INTERNAL_CHANGE(NAME, T, add)                                                            \
    SHMEM_INTERNAL_AMO(return, T, NAME##_atomic_compare_swap, T,                                   \
                             (T * dest, T cond, T value, int pe), (dest, cond, value, pe), dest, { \
                                 T old = cond;                                                     \
                                 __atomic_compare_exchange_n(word, &old, value, 0,                 \
                                                             __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);  \
                                 shmem_internal_wake_after_atomic(pe);                             \
                                 return old;                                                       \
                             })                                                                    \
    SHMEM_INTERNAL_AMO(return, T, NAME##_atomic_fetch_inc, T, (T * dest, int pe), (dest, pe),      \
                             dest, {                                                               \
                                 T old = __atomic_fetch_add(word, 1, __ATOMIC_SEQ_CST);            \
                                 shmem_internal_wake_after_atomic(pe);                             \
                                 return old;                                                       \
                             })                                                                    \
    SHMEM_INTERNAL_AMO((void), void, NAME##_atomic_inc, T, (T * dest, int pe), (dest, pe), dest, { \
        __atomic_fetch_add(word, 1, __ATOMIC_SEQ_CST);                                             \
        shmem_internal_wake_after_atomic(pe);                                                      \
        return;                                                                                    \
    })
SHMEM_INTERNAL_AMO_STD_TYPES(SHMEM_INTERNAL_DEFINE)
#undef SHMEM_INTERNAL_DEFINE

#define SHMEM_INTERNAL_DEFINE(NAME, T)  \
    SHMEM_INTERNAL_CHANGE(NAME, T, and) \
    SHMEM_INTERNAL_CHANGE(NAME, T, or)  \
    SHMEM_INTERNAL_CHANGE(NAME, T, xor)
SHMEM_INTERNAL_AMO_BIT_TYPES(SHMEM_INTERNAL_DEFINE)
#undef SHMEM_INTERNAL_DEFINE

#undef SHMEM_INTERNAL_CHANGE
#undef SHMEM_INTERNAL_AMO
#undef SHMEM_INTERNAL_BODIES
#undef SHMEM_INTERNAL_BODY
#undef SHMEM_INTERNAL_CTX_SIGNATURE
#undef SHMEM_INTERNAL_CTX_ARGUMENTS
#undef SHMEM_INTERNAL_IS_SMALL
#undef SHMEM_INTERNAL_INLINE
#undef SHMEM_INTERNAL_LIKELY
#undef SHMEM_INTERNAL_CALLED
#undef SHMEM_INTERNAL_TEXT
#undef SHMEM_INTERNAL_TEXT_OF

#ifdef __cplusplus
#pragma GCC diagnostic pop
#endif

#endif  // SHMEM_INLINE

#ifdef __cplusplus
}
#endif

#endif  // SHMEM_INTERNAL_INLINE_H

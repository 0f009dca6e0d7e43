// SPDX-License-Identifier: BSD-3-Clause
//
// Reductions and scans (OpenSHMEM 1.6, 9.10): team forms, and the deprecated _to_all forms, whose
// pWrk is not needed. Here a type becomes an operation on arrays (collectives/reduce/operand.hpp).
#include <type_traits>

#include "api/entry.hpp"
#include "api/groups.hpp"
#include "collectives/reduce/slice.hpp"
#include "collectives/scan/slice.hpp"
#include "shmem/collectives.h"
#include "shmem/deprecated.h"

using tessera::api::group_of;
using tessera::collectives::Operation;
using tessera::collectives::reduce_slice;
using tessera::collectives::scan_slice;
using tessera::collectives::ScanKind;

namespace {

struct And {
    template <class T>
    static T apply(T a, T b) {
        return static_cast<T>(a & b);
    }
};
struct Or {
    template <class T>
    static T apply(T a, T b) {
        return static_cast<T>(a | b);
    }
};
struct Xor {
    template <class T>
    static T apply(T a, T b) {
        return static_cast<T>(a ^ b);
    }
};
struct Max {
    template <class T>
    static T apply(T a, T b) {
        return a < b ? b : a;
    }
};
struct Min {
    template <class T>
    static T apply(T a, T b) {
        return b < a ? b : a;
    }
};
struct Sum {
    template <class T>
    static T apply(T a, T b) {
        return wrapping(a, b, [](auto x, auto y) { return x + y; });
    }

    // Signed overflow wraps around, as it does in other PEs' hardware, instead of being undefined.
    template <class T, class Arithmetic>
    static T wrapping(T a, T b, Arithmetic arithmetic) {
        if constexpr (std::is_integral_v<T>) {
            using Wide = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
            return static_cast<T>(arithmetic(static_cast<Wide>(a), static_cast<Wide>(b)));
        } else {
            return arithmetic(a, b);
        }
    }
};
struct Prod {
    template <class T>
    static T apply(T a, T b) {
        return Sum::wrapping(a, b, [](auto x, auto y) { return x * y; });
    }
};

template <class T, class Op>
void combine(void* accumulator, const void* operand, size_t nelems) {
    T* __restrict a = static_cast<T*>(accumulator);
    const T* __restrict b = static_cast<const T*>(operand);
    for (size_t i = 0; i < nelems; ++i) a[i] = Op::apply(a[i], b[i]);
}

template <class T, class Op>
inline constexpr Operation kOperation{.element_bytes = sizeof(T), .combine = combine<T, Op>};

}  // namespace

// shmem_TYPENAME_OP_reduce
#define DEFINE_REDUCE(NAME, T, OP, FUNCTION)                                                       \
    SHMEM_ENTRY(int, shmem_##NAME##_##OP##_reduce, shmem_team_t team, T* dest, const T* source,    \
                size_t nreduce) {                                                                  \
        reduce_slice(group_of(team, SHMEM_WHERE), dest, source, nreduce, kOperation<T, FUNCTION>); \
        return 0;                                                                                  \
    }
#define DEFINE_BITWISE(NAME, T)      \
    DEFINE_REDUCE(NAME, T, and, And) \
    DEFINE_REDUCE(NAME, T, or, Or)   \
    DEFINE_REDUCE(NAME, T, xor, Xor)
#define DEFINE_EXTREME(NAME, T)      \
    DEFINE_REDUCE(NAME, T, max, Max) \
    DEFINE_REDUCE(NAME, T, min, Min)
#define DEFINE_ARITHMETIC(NAME, T)   \
    DEFINE_REDUCE(NAME, T, sum, Sum) \
    DEFINE_REDUCE(NAME, T, prod, Prod)
SHMEM_INTERNAL_RED_BIT_TYPES(DEFINE_BITWISE)
SHMEM_INTERNAL_RED_MM_TYPES(DEFINE_EXTREME)
SHMEM_INTERNAL_RED_SP_TYPES(DEFINE_ARITHMETIC)
#undef DEFINE_BITWISE
#undef DEFINE_EXTREME
#undef DEFINE_ARITHMETIC
#undef DEFINE_REDUCE

// shmem_TYPENAME_sum_inscan, shmem_TYPENAME_sum_exscan
#define DEFINE_SCANS(NAME, T)                                                                \
    SHMEM_ENTRY(int, shmem_##NAME##_sum_inscan, shmem_team_t team, T* dest, const T* source, \
                size_t nelems) {                                                             \
        scan_slice(group_of(team, SHMEM_WHERE), dest, source, nelems, kOperation<T, Sum>,    \
                   ScanKind::kInclusive);                                                    \
        return 0;                                                                            \
    }                                                                                        \
    SHMEM_ENTRY(int, shmem_##NAME##_sum_exscan, shmem_team_t team, T* dest, const T* source, \
                size_t nelems) {                                                             \
        scan_slice(group_of(team, SHMEM_WHERE), dest, source, nelems, kOperation<T, Sum>,    \
                   ScanKind::kExclusive);                                                    \
        return 0;                                                                            \
    }
SHMEM_INTERNAL_RED_SP_TYPES(DEFINE_SCANS)
#undef DEFINE_SCANS

// Deprecated since 1.5: shmem_TYPENAME_OP_to_all. A negative count is no count.
#define DEFINE_TO_ALL(NAME, T, OP, FUNCTION)                                                \
    SHMEM_ENTRY(void, shmem_##NAME##_##OP##_to_all, T* dest, const T* source, int nreduce,  \
                int PE_start, int logPE_stride, int PE_size, T*, long* pSync) {             \
        size_t nelems = nreduce > 0 ? static_cast<size_t>(nreduce) : 0;                     \
        reduce_slice(group_of({PE_start, logPE_stride, PE_size}, pSync, SHMEM_WHERE), dest, \
                     source, nelems, kOperation<T, FUNCTION>);                              \
    }
#define DEFINE_BITWISE(NAME, T)      \
    DEFINE_TO_ALL(NAME, T, and, And) \
    DEFINE_TO_ALL(NAME, T, or, Or)   \
    DEFINE_TO_ALL(NAME, T, xor, Xor)
#define DEFINE_EXTREME(NAME, T)      \
    DEFINE_TO_ALL(NAME, T, max, Max) \
    DEFINE_TO_ALL(NAME, T, min, Min)
#define DEFINE_ARITHMETIC(NAME, T)   \
    DEFINE_TO_ALL(NAME, T, sum, Sum) \
    DEFINE_TO_ALL(NAME, T, prod, Prod)
SHMEM_INTERNAL_AS_BIT_TYPES(DEFINE_BITWISE)
SHMEM_INTERNAL_AS_MM_TYPES(DEFINE_EXTREME)
SHMEM_INTERNAL_AS_SP_TYPES(DEFINE_ARITHMETIC)
#undef DEFINE_BITWISE
#undef DEFINE_EXTREME
#undef DEFINE_ARITHMETIC
#undef DEFINE_TO_ALL

// SPDX-License-Identifier: BSD-3-Clause
//
// Reductions and scans (OpenSHMEM 1.6, 9.10): team forms, and the deprecated _to_all forms, whose
// pWrk is not needed. Here a type becomes a kernel on arrays (collectives/kernels/kernel.hpp).
#include "api/entry.hpp"
#include "api/extents.hpp"
#include "api/groups.hpp"
#include "collectives/kernels/kernel.hpp"
#include "collectives/select.hpp"
#include "shmem/collectives.h"
#include "shmem/deprecated.h"

using tessera::api::check_array;
using tessera::api::Elements;
using tessera::api::group_of;
using tessera::api::in_active_set;
using tessera::collectives::element_of;
using tessera::collectives::Group;
using tessera::collectives::Kernel;
using tessera::collectives::kernel_of;
using tessera::collectives::Operator;
using tessera::collectives::OrderDependence;
using tessera::collectives::reduce;
using tessera::collectives::scan;
using tessera::collectives::ScanKind;

namespace {

template <class T>
const Kernel& kernel(Operator op) {
    return kernel_of(op, element_of<T>());
}

template <class T>
constexpr OrderDependence dependence(Operator op) {
    return tessera::collectives::order_dependence(op, element_of<T>());
}

void check(const Group& group, const void* dest, const void* source, const Elements& elements) {
    check_array({"source", source}, elements, group.where());
    check_array({"dest", dest}, elements, group.where());
}

void checked_reduce(const Group& group, void* dest, const void* source, size_t nreduce,
                    const Kernel& kernel, OrderDependence dependence) {
    check(group, dest, source,
          {.count = nreduce, .bytes = kernel.element_bytes, .name = "nreduce"});
    reduce(group, dest, source, nreduce, kernel, dependence);
}

void checked_scan(const Group& group, void* dest, const void* source, size_t nelems,
                  const Kernel& sum, OrderDependence dependence, ScanKind kind) {
    check(group, dest, source, {.count = nelems, .bytes = sum.element_bytes});
    scan(group, dest, source, nelems, sum, dependence, kind);
}

}  // namespace

// shmem_TYPENAME_OP_reduce
#define DEFINE_REDUCE(NAME, T, OP, OPERATOR)                                                    \
    SHMEM_ENTRY(int, shmem_##NAME##_##OP##_reduce, shmem_team_t team, T* dest, const T* source, \
                size_t nreduce) {                                                               \
        checked_reduce(group_of(team, SHMEM_WHERE), dest, source, nreduce,                      \
                       kernel<T>(Operator::OPERATOR), dependence<T>(Operator::OPERATOR));       \
        return 0;                                                                               \
    }
#define DEFINE_BITWISE(NAME, T)       \
    DEFINE_REDUCE(NAME, T, and, kAnd) \
    DEFINE_REDUCE(NAME, T, or, kOr)   \
    DEFINE_REDUCE(NAME, T, xor, kXor)
#define DEFINE_EXTREME(NAME, T)       \
    DEFINE_REDUCE(NAME, T, max, kMax) \
    DEFINE_REDUCE(NAME, T, min, kMin)
#define DEFINE_ARITHMETIC(NAME, T)    \
    DEFINE_REDUCE(NAME, T, sum, kSum) \
    DEFINE_REDUCE(NAME, T, prod, kProd)
SHMEM_INTERNAL_RED_BIT_TYPES(DEFINE_BITWISE)
SHMEM_INTERNAL_RED_MM_TYPES(DEFINE_EXTREME)
SHMEM_INTERNAL_RED_SP_TYPES(DEFINE_ARITHMETIC)
#undef DEFINE_BITWISE
#undef DEFINE_EXTREME
#undef DEFINE_ARITHMETIC
#undef DEFINE_REDUCE

// shmem_TYPENAME_sum_inscan, shmem_TYPENAME_sum_exscan
#define DEFINE_SCANS(NAME, T)                                                                      \
    SHMEM_ENTRY(int, shmem_##NAME##_sum_inscan, shmem_team_t team, T* dest, const T* source,       \
                size_t nelems) {                                                                   \
        checked_scan(group_of(team, SHMEM_WHERE), dest, source, nelems, kernel<T>(Operator::kSum), \
                     dependence<T>(Operator::kSum), ScanKind::kInclusive);                         \
        return 0;                                                                                  \
    }                                                                                              \
    SHMEM_ENTRY(int, shmem_##NAME##_sum_exscan, shmem_team_t team, T* dest, const T* source,       \
                size_t nelems) {                                                                   \
        checked_scan(group_of(team, SHMEM_WHERE), dest, source, nelems, kernel<T>(Operator::kSum), \
                     dependence<T>(Operator::kSum), ScanKind::kExclusive);                         \
        return 0;                                                                                  \
    }
SHMEM_INTERNAL_RED_SP_TYPES(DEFINE_SCANS)
#undef DEFINE_SCANS

// Deprecated since 1.5: shmem_TYPENAME_OP_to_all. A negative count is no count.
#define DEFINE_TO_ALL(NAME, T, OP, OPERATOR)                                                       \
    SHMEM_ENTRY(void, shmem_##NAME##_##OP##_to_all, T* dest, const T* source, int nreduce,         \
                int PE_start, int logPE_stride, int PE_size, T*, long* pSync) {                    \
        size_t nelems = nreduce > 0 ? static_cast<size_t>(nreduce) : 0;                            \
        in_active_set({PE_start, logPE_stride, PE_size}, pSync, SHMEM_WHERE, checked_reduce, dest, \
                      source, nelems, kernel<T>(Operator::OPERATOR),                               \
                      dependence<T>(Operator::OPERATOR));                                          \
    }
#define DEFINE_BITWISE(NAME, T)       \
    DEFINE_TO_ALL(NAME, T, and, kAnd) \
    DEFINE_TO_ALL(NAME, T, or, kOr)   \
    DEFINE_TO_ALL(NAME, T, xor, kXor)
#define DEFINE_EXTREME(NAME, T)       \
    DEFINE_TO_ALL(NAME, T, max, kMax) \
    DEFINE_TO_ALL(NAME, T, min, kMin)
#define DEFINE_ARITHMETIC(NAME, T)    \
    DEFINE_TO_ALL(NAME, T, sum, kSum) \
    DEFINE_TO_ALL(NAME, T, prod, kProd)
SHMEM_INTERNAL_AS_BIT_TYPES(DEFINE_BITWISE)
SHMEM_INTERNAL_AS_MM_TYPES(DEFINE_EXTREME)
SHMEM_INTERNAL_AS_SP_TYPES(DEFINE_ARITHMETIC)
#undef DEFINE_BITWISE
#undef DEFINE_EXTREME
#undef DEFINE_ARITHMETIC
#undef DEFINE_TO_ALL

// SPDX-License-Identifier: BSD-3-Clause
//
// Atomics on words of 8 bytes. Each is done and visible when its procedure returns, so all go by
// the fetching routines. They are ordered behind earlier puts of the image to the same word.

#include "core/ordering.hpp"
#include "procedures/target.hpp"

namespace tessera::prif {
namespace {

// The Fortran layer has the same numbers.
enum Operation : int {
    kAdd,
    kAnd,
    kOr,
    kXor,
    kFetchAdd,
    kFetchAnd,
    kFetchOr,
    kFetchXor,
    kDefineInt,
    kRefInt,
    kCasInt,
    kDefineLogical,
    kRefLogical,
    kCasLogical
};

// By coarray, and by address.
constexpr const char* kNames[][2] = {
    {"prif_atomic_add", "prif_atomic_add_indirect"},
    {"prif_atomic_and", "prif_atomic_and_indirect"},
    {"prif_atomic_or", "prif_atomic_or_indirect"},
    {"prif_atomic_xor", "prif_atomic_xor_indirect"},
    {"prif_atomic_fetch_add", "prif_atomic_fetch_add_indirect"},
    {"prif_atomic_fetch_and", "prif_atomic_fetch_and_indirect"},
    {"prif_atomic_fetch_or", "prif_atomic_fetch_or_indirect"},
    {"prif_atomic_fetch_xor", "prif_atomic_fetch_xor_indirect"},
    {"prif_atomic_define_int", "prif_atomic_define_int_indirect"},
    {"prif_atomic_ref_int", "prif_atomic_ref_int_indirect"},
    {"prif_atomic_cas_int", "prif_atomic_cas_int_indirect"},
    {"prif_atomic_define_logical", "prif_atomic_define_logical_indirect"},
    {"prif_atomic_ref_logical", "prif_atomic_ref_logical_indirect"},
    {"prif_atomic_cas_logical", "prif_atomic_cas_logical_indirect"}};

}  // namespace

// old: the value before, where the caller wants it; else NULL.
PRIF_ENTRY int tessera_prif_atomic(int operation, int image, Handle* handle, std::uint64_t where,
                                   int is_address, std::uint64_t value, std::uint64_t compare,
                                   std::uint64_t* old, int* stat) {
    Target target;
    const int code = find_word({image, handle, where, is_address != 0},
                               kNames[operation][is_address != 0 ? 1 : 0], stat, target);
    if (code != kOk) return code;
    std::uint64_t* word = word_at(target);
    const int pe = target.pe;
    caf::complete(pe);
    std::uint64_t before = 0;
    switch (operation) {
        case kAdd:
        case kFetchAdd: before = shmem_uint64_atomic_fetch_add(word, value, pe); break;
        case kAnd:
        case kFetchAnd: before = shmem_uint64_atomic_fetch_and(word, value, pe); break;
        case kOr:
        case kFetchOr: before = shmem_uint64_atomic_fetch_or(word, value, pe); break;
        case kXor:
        case kFetchXor: before = shmem_uint64_atomic_fetch_xor(word, value, pe); break;
        case kDefineInt:
        case kDefineLogical: before = shmem_uint64_atomic_swap(word, value, pe); break;
        case kRefInt:
        case kRefLogical: before = shmem_uint64_atomic_fetch(word, pe); break;
        default: before = shmem_uint64_atomic_compare_swap(word, compare, value, pe); break;
    }
    if (old != nullptr) *old = before;
    return succeed(stat);
}

}  // namespace tessera::prif

// SPDX-License-Identifier: BSD-3-Clause
//
// GCC 8 to 14: atomic subroutines. Variables are integers and logicals of 4 bytes; the compiler
// converts other kinds. Image 0 means this image.

#include <shmem.h>

#include <cstdint>

#include "abi12/descriptor.hpp"
#include "core/coarray.hpp"
#include "core/ordering.hpp"
#include "core/runtime.hpp"
#include "core/team.hpp"

namespace tessera::caf {
namespace {

enum AtomicOperation : int { kAdd = 1, kAnd = 2, kOr = 3, kXor = 4 };

struct Variable {
    std::uint32_t* address;
    int pe;
};

// The variable that a call means. Puts of this image to that image come first.
Variable find_variable(caf_token_t token, std::size_t offset, int image, int kind,
                       const char* routine) {
    ensure_initialized();
    if (kind != 4) stop_with_error(routine, "kind %d; atomic variables have kind 4", kind);
    const Coarray& coarray = *from_token(token, routine);
    const int pe = image == 0 ? current_team().pe_of(this_image()) : pe_of(image, routine);
    complete(pe);
    return {reinterpret_cast<std::uint32_t*>(at_offset(coarray, offset)), pe};
}

// Behind an operation that may be under way: later accesses to that image come behind it.
void note_change(const Variable& variable) {
    if (shmem_ptr(variable.address, variable.pe) == nullptr) note_put(variable.pe);
}

std::uint32_t value_of(const void* value) { return *static_cast<const std::uint32_t*>(value); }

void operate(int operation, const Variable& variable, std::uint32_t value) {
    auto [address, pe] = variable;
    switch (operation) {
        case kAdd: return shmem_uint32_atomic_add(address, value, pe);
        case kAnd: return shmem_uint32_atomic_and(address, value, pe);
        case kOr: return shmem_uint32_atomic_or(address, value, pe);
        case kXor: return shmem_uint32_atomic_xor(address, value, pe);
        default: stop_with_error("atomic subroutine", "operation %d is unknown", operation);
    }
}

std::uint32_t fetch_and_operate(int operation, const Variable& variable, std::uint32_t value) {
    auto [address, pe] = variable;
    switch (operation) {
        case kAdd: return shmem_uint32_atomic_fetch_add(address, value, pe);
        case kAnd: return shmem_uint32_atomic_fetch_and(address, value, pe);
        case kOr: return shmem_uint32_atomic_fetch_or(address, value, pe);
        case kXor: return shmem_uint32_atomic_fetch_xor(address, value, pe);
        default: stop_with_error("atomic subroutine", "operation %d is unknown", operation);
    }
}

}  // namespace

CAF_ENTRY void _gfortran_caf_atomic_define(caf_token_t token, std::size_t offset, int image,
                                           void* value, int* stat, int, int kind) {
    const Variable variable = find_variable(token, offset, image, kind, "atomic_define");
    shmem_uint32_atomic_set(variable.address, value_of(value), variable.pe);
    note_change(variable);
    report_ok({.stat = stat});
}

CAF_ENTRY void _gfortran_caf_atomic_ref(caf_token_t token, std::size_t offset, int image,
                                        void* value, int* stat, int, int kind) {
    const Variable variable = find_variable(token, offset, image, kind, "atomic_ref");
    *static_cast<std::uint32_t*>(value) = shmem_uint32_atomic_fetch(variable.address, variable.pe);
    report_ok({.stat = stat});
}

CAF_ENTRY void _gfortran_caf_atomic_cas(caf_token_t token, std::size_t offset, int image, void* old,
                                        void* compare, void* value, int* stat, int, int kind) {
    const Variable variable = find_variable(token, offset, image, kind, "atomic_cas");
    *static_cast<std::uint32_t*>(old) = shmem_uint32_atomic_compare_swap(
        variable.address, value_of(compare), value_of(value), variable.pe);
    report_ok({.stat = stat});
}

CAF_ENTRY void _gfortran_caf_atomic_op(int operation, caf_token_t token, std::size_t offset,
                                       int image, void* value, void* old, int* stat, int,
                                       int kind) {
    const Variable variable = find_variable(token, offset, image, kind, "atomic subroutine");
    if (old == nullptr) {
        operate(operation, variable, value_of(value));
        note_change(variable);
    } else {
        *static_cast<std::uint32_t*>(old) = fetch_and_operate(operation, variable, value_of(value));
    }
    report_ok({.stat = stat});
}

}  // namespace tessera::caf

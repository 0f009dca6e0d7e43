// SPDX-License-Identifier: BSD-3-Clause
//
// dart_accumulate*, dart_fetch_and_op, dart_compare_and_swap (dart_communication.h). OpenSHMEM
// performs them, so that all exclude each other on any node. It has no logical operations: those
// are loops of compare-and-swap.
#include <dash/dart/if/dart_communication.h>
#include <shmemx.h>

#include <cstdint>
#include <cstring>

#include "collectives/element_functions.hpp"
#include "core/entry.hpp"
#include "core/log.hpp"
#include "core/lookup.hpp"
#include "core/operations.hpp"
#include "core/types.hpp"
#include "transfers/pending.hpp"
#include "transfers/target.hpp"
#include "transfers/wide_atomics.hpp"

namespace tessera::dart {
namespace {

constexpr std::size_t kWordBytesMax = 8;

bool is_logical(dart_operation_t op) {
    return op == DART_OP_LAND || op == DART_OP_LOR || op == DART_OP_LXOR;
}

// RETURNS: false, after a message: atomics do not have the operation, or not for the type.
bool check_operation(dart_operation_t op, dart_datatype_t type, const char* routine) {
    if (is_basic(op) && op != DART_OP_MINMAX && is_basic(type) && is_possible(op, type))
        return true;
    fail(DART_ERR_INVAL, routine, "operation %lu on elements of type %ld is not possible",
         static_cast<unsigned long>(op), static_cast<long>(type));
    return false;
}

// An integer of the same size: a compare-and-swap compares bits.
int word_code(std::size_t bytes) {
    switch (bytes) {
        case 1: return SHMEMX_TYPE_UINT8;
        case 2: return SHMEMX_TYPE_UINT16;
        case 4: return SHMEMX_TYPE_UINT32;
        default: return SHMEMX_TYPE_UINT64;
    }
}

// `result`: kWordBytesMax bytes, receives the old element.
void apply_logical(const Target& target, std::size_t element, const void* value, void* result,
                   dart_datatype_t type, dart_operation_t op) {
    const std::size_t bytes = bytes_of_basic(type);
    const int code = word_code(bytes);
    char* address = target.address + element * bytes;
    alignas(kWordBytesMax) char expected[kWordBytesMax];
    alignas(kWordBytesMax) char operand[kWordBytesMax];
    alignas(kWordBytesMax) char wanted[kWordBytesMax];
    std::memcpy(operand, value, bytes);
    shmemx_fetch_op(address, nullptr, result, code, SHMEMX_OP_NO_OP, target.pe);
    do {
        std::memcpy(expected, result, bytes);
        std::memcpy(wanted, expected, bytes);
        element_function(op, type)(wanted, operand, 1, nullptr);
        shmemx_compare_swap(address, expected, wanted, result, code, target.pe);
    } while (std::memcmp(expected, result, bytes) != 0);
}

// An element on another node. Atomics without result gather in packets there, where each accumulate
// is a message. RETURNS: false: OpenSHMEM has no such atomic for such words.
template <class T>
bool update_word(const Target& target, const void* value, dart_operation_t op) {
    T operand;
    std::memcpy(&operand, value, sizeof operand);
    auto* const dest = reinterpret_cast<T*>(target.address);
    switch (op) {
        case DART_OP_SUM: shmem_atomic_add(dest, operand, target.pe); return true;
        case DART_OP_BAND: shmem_atomic_and(dest, operand, target.pe); return true;
        case DART_OP_BOR: shmem_atomic_or(dest, operand, target.pe); return true;
        case DART_OP_BXOR: shmem_atomic_xor(dest, operand, target.pe); return true;
        default: return false;
    }
}

bool update_remote(const Target& target, const void* value, dart_datatype_t type,
                   dart_operation_t op) {
    if (target.mapped != nullptr || type > DART_TYPE_ULONGLONG) return false;
    switch (bytes_of_basic(type)) {
        case 4: return update_word<std::uint32_t>(target, value, op);
        case 8: return update_word<std::uint64_t>(target, value, op);
        default: return false;
    }
}

dart_ret_t accumulate(const dart_gptr_t& gptr, const void* values, std::size_t nelem,
                      dart_datatype_t type, dart_operation_t op, const char* routine) {
    Target target;
    if (!check_operation(op, type, routine) ||
        !find_elements(gptr, nelem, bytes_of_basic(type), routine, target)) {
        return bad_argument();
    }
    if (nelem == 0 || op == DART_OP_NO_OP) return DART_OK;
    if (values == nullptr) return fail(DART_ERR_INVAL, routine, "the values are NULL");
    if (type == DART_TYPE_LONG_DOUBLE) {
        update_long_doubles(target, values, nelem, nullptr, op);
        return DART_OK;
    }
    if (nelem == 1 && update_remote(target, values, type, op)) return DART_OK;
    if (!is_logical(op)) {
        shmemx_accumulate(target.address, values, nelem, type_code(type), operation_code(op),
                          target.pe);
        return DART_OK;
    }
    alignas(kWordBytesMax) char old[kWordBytesMax];
    const std::size_t bytes = bytes_of_basic(type);
    for (std::size_t i = 0; i < nelem; ++i)
        apply_logical(target, i, static_cast<const char*>(values) + i * bytes, old, type, op);
    return DART_OK;
}

// An operation whose result a flush completes.
void leave_pending(shmemx_req_t& req) {
    if (req != SHMEMX_REQ_COMPLETE) {
        shmemx_req_free(&req);
        pending.note();
    }
}

}  // namespace

DART_ENTRY dart_ret_t dart_accumulate(dart_gptr_t gptr, const void* values, size_t nelem,
                                      dart_datatype_t dtype, dart_operation_t op) {
    return accumulate(gptr, values, nelem, dtype, op, __func__);
}

DART_ENTRY dart_ret_t dart_accumulate_blocking_local(dart_gptr_t gptr, const void* values,
                                                     size_t nelem, dart_datatype_t dtype,
                                                     dart_operation_t op) {
    return accumulate(gptr, values, nelem, dtype, op, __func__);
}

DART_ENTRY dart_ret_t dart_fetch_and_op(dart_gptr_t gptr, const void* value, void* result,
                                        dart_datatype_t dtype, dart_operation_t op) {
    Target target;
    if (!check_operation(op, dtype, __func__) ||
        !find_elements(gptr, 1, bytes_of_basic(dtype), __func__, target)) {
        return bad_argument();
    }
    const std::size_t bytes = bytes_of_basic(dtype);
    if (result == nullptr || (value == nullptr && op != DART_OP_NO_OP))
        return fail(DART_ERR_INVAL, __func__, "value or result is NULL");
    if (dtype == DART_TYPE_LONG_DOUBLE) {
        update_long_doubles(target, value, 1, result, op);
        return DART_OK;
    }
    if (is_logical(op)) {
        alignas(kWordBytesMax) char old[kWordBytesMax];
        apply_logical(target, 0, value, old, dtype, op);
        std::memcpy(result, old, bytes);
        return DART_OK;
    }
    const int type = type_code(dtype);
    const int operation = operation_code(op);
    if (target.mapped != nullptr) {
        shmemx_fetch_op(target.address, value, result, type, operation, target.pe);
        return DART_OK;
    }
    shmemx_req_t req = SHMEMX_REQ_COMPLETE;
    shmemx_fetch_op_req(target.address, value, result, type, operation, target.pe, &req);
    leave_pending(req);
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_compare_and_swap(dart_gptr_t gptr, const void* value,
                                            const void* compare, void* result,
                                            dart_datatype_t dtype) {
    if (value == nullptr || compare == nullptr || result == nullptr || !is_basic(dtype) ||
        dtype > DART_TYPE_ULONGLONG) {
        return fail(DART_ERR_INVAL, __func__,
                    "value, compare or result is NULL, or type %ld is no integer",
                    static_cast<long>(dtype));
    }
    Target target;
    if (!find_elements(gptr, 1, bytes_of_basic(dtype), __func__, target)) return bad_argument();
    const int type = type_code(dtype);
    if (target.mapped != nullptr) {
        shmemx_compare_swap(target.address, compare, value, result, type, target.pe);
        return DART_OK;
    }
    shmemx_req_t req = SHMEMX_REQ_COMPLETE;
    shmemx_compare_swap_req(target.address, compare, value, result, type, target.pe, &req);
    leave_pending(req);
    return DART_OK;
}

}  // namespace tessera::dart

// SPDX-License-Identifier: BSD-3-Clause
//
// dart_reduce and dart_allreduce: by the codes of <shmemx.h> where it has them, by functions for
// logical operations, DART_OP_MINMAX and operations of the program; and the nonblocking forms
// (dart_tessera.h).

#include <dash/dart/if/dart_communication.h>
#include <dash/dart/if/dart_tessera.h>
#include <shmemx.h>

#include <cstring>
#include <vector>

#include "collectives/arguments.hpp"
#include "collectives/element_functions.hpp"
#include "core/entry.hpp"
#include "core/log.hpp"
#include "core/operations.hpp"
#include "core/requests.hpp"
#include "core/types.hpp"

namespace tessera::dart {
namespace {

// The arrays of a reduction, and its root.
struct Reduction {
    const Team& team;
    void* dest;
    const void* source;
    std::size_t nelems;
    int root;               // -1: all units
    dart_handle_t* handle;  // nullptr: the blocking form
};

constexpr std::size_t kOperandBytes = 4096;

// Calls a function of DART, which writes its result over the operand of the higher unit, where
// <shmemx.h> wants it over that of the lower one: by a copy of a part of the operand.
void combine_by_function(void* inout, const void* in, std::size_t nelems, void* user_data) {
    const auto& operation = *static_cast<const CreatedOperation*>(user_data);
    if (operation.commutes) return operation.function(in, inout, nelems, operation.user_data);
    const std::size_t bytes = operation.element_bytes;
    alignas(std::max_align_t) char part[kOperandBytes];
    std::vector<char> large(bytes > kOperandBytes ? bytes : 0);
    char* operand = large.empty() ? part : large.data();
    const std::size_t nelems_max = large.empty() ? kOperandBytes / bytes : 1;
    auto* lower = static_cast<char*>(inout);
    const auto* higher = static_cast<const char*>(in);
    while (nelems > 0) {
        const std::size_t count = nelems < nelems_max ? nelems : nelems_max;
        std::memcpy(operand, higher, count * bytes);
        operation.function(lower, operand, count, operation.user_data);
        std::memcpy(lower, operand, count * bytes);
        lower += count * bytes;
        higher += count * bytes;
        nelems -= count;
    }
}

int reduce_by_code(const Reduction& reduction, int type, int op) {
    const auto& [team, dest, source, nelems, root, handle] = reduction;
    if (handle != nullptr) {
        shmemx_req_t* request = request_of(handle);
        return root < 0
                   ? shmemx_iallreduce(team.handle, dest, source, nelems, type, op, request)
                   : shmemx_ireduce(team.handle, dest, source, nelems, type, op, root, request);
    }
    return root < 0 ? shmemx_allreduce(team.handle, dest, source, nelems, type, op)
                    : shmemx_reduce(team.handle, dest, source, nelems, type, op, root);
}

int reduce_by_function(const Reduction& reduction, const shmemx_op_t& op) {
    const auto& [team, dest, source, nelems, root, handle] = reduction;
    if (handle != nullptr) {
        shmemx_req_t* request = request_of(handle);
        return root < 0 ? shmemx_iallreduce_op(team.handle, dest, source, nelems, &op, request)
                        : shmemx_ireduce_op(team.handle, dest, source, nelems, &op, root, request);
    }
    return root < 0 ? shmemx_allreduce_op(team.handle, dest, source, nelems, &op)
                    : shmemx_reduce_op(team.handle, dest, source, nelems, &op, root);
}

// RETURNS: DART_OK, or an error after a message.
dart_ret_t check_created(dart_datatype_t type, dart_operation_t op, const char* routine) {
    const CreatedOperation* created = find_operation(op);
    if (created == nullptr) {
        return fail(DART_ERR_INVAL, routine,
                    "operation %lu is none of DART_OP_*, and not from dart_op_create, or has ended",
                    static_cast<unsigned long>(op));
    }
    if (created->type != type) {
        return fail(DART_ERR_INVAL, routine, "type %ld is not that of the operation, %ld",
                    static_cast<long>(type), static_cast<long>(created->type));
    }
    return DART_OK;
}

// The same for all operations.
dart_ret_t check_operation(dart_datatype_t type, dart_operation_t op, std::size_t nelems,
                           const char* routine) {
    if (!is_basic(op)) return check_created(type, op, routine);
    if (!is_basic(type) || !is_possible(op, type) || op >= DART_OP_REPLACE) {
        return fail(DART_ERR_INVAL, routine, "operation %lu is not possible for type %ld",
                    static_cast<unsigned long>(op), static_cast<long>(type));
    }
    if (op == DART_OP_MINMAX && nelems % 2 != 0)
        return fail(DART_ERR_INVAL, routine, "DART_OP_MINMAX of %zu elements: give pairs", nelems);
    return DART_OK;
}

dart_ret_t reduce_by_created(const Reduction& reduction, dart_operation_t op, const char* routine) {
    const CreatedOperation* created = find_operation(op);
    const shmemx_op_t function{.function = combine_by_function,
                               .user_data = const_cast<CreatedOperation*>(created),
                               .element_bytes = created->element_bytes,
                               .is_commutative = created->commutes ? 1 : 0};
    const int status = reduce_by_function(reduction, function);
    if (reduction.handle != nullptr) note_use(op, *request_of(reduction.handle));
    return result_of(status, routine);
}

// REQUIRES: check_operation().
dart_ret_t reduce(Reduction reduction, dart_datatype_t type, dart_operation_t op,
                  const char* routine) {
    if (!is_basic(op)) return reduce_by_created(reduction, op, routine);
    if (const int code = operation_code(op); code != 0) [[likely]]
        return result_of(reduce_by_code(reduction, type_code(type), code), routine);
    shmemx_op_t function{.function = element_function(op, type),
                         .user_data = nullptr,
                         .element_bytes = bytes_of_basic(type),
                         .is_commutative = 1};
    if (op == DART_OP_MINMAX) {
        reduction.nelems /= 2;
        function.element_bytes *= 2;
    }
    return result_of(reduce_by_function(reduction, function), routine);
}

// The arguments of dart_reduce and dart_allreduce.
struct Operands {
    const void* sendbuf;
    void* recvbuf;
    std::size_t nelem;
    dart_datatype_t dtype;
    dart_operation_t op;
};

// `root`: -1: all units receive the result. `handle`: nullptr: the blocking form.
dart_ret_t reduce_operands(Collective& call, const Operands& operands, int root,
                           dart_handle_t* handle, const char* routine) {
    const auto& [sendbuf, recvbuf, nelem, dtype, op] = operands;
    call.check_type(dtype);
    call.check_buffer(sendbuf, nelem, "sendbuf");
    call.check_buffer(recvbuf, nelem, "recvbuf", 1, root < 0 || call.is_unit({root}));
    if (call.is_possible()) [[likely]]
        call.refuse(check_operation(dtype, op, nelem, routine));
    if (!call.begin()) [[unlikely]]
        return call.fail_together();
    return reduce({call.team(), recvbuf, sendbuf, nelem, root, handle}, dtype, op, routine);
}

}  // namespace

DART_ENTRY dart_ret_t dart_allreduce(const void* sendbuf, void* recvbuf, size_t nelem,
                                     dart_datatype_t dtype, dart_operation_t op,
                                     dart_team_t team_id) {
    Collective call(team_id, __func__);
    return reduce_operands(call, {sendbuf, recvbuf, nelem, dtype, op}, -1, nullptr, __func__);
}

DART_ENTRY dart_ret_t dart_allreduce_nb(const void* sendbuf, void* recvbuf, size_t nelem,
                                        dart_datatype_t dtype, dart_operation_t op,
                                        dart_team_t team_id, dart_handle_t* handle) {
    Collective call(team_id, __func__);
    call.check_handle(handle);
    return reduce_operands(call, {sendbuf, recvbuf, nelem, dtype, op}, -1, handle, __func__);
}

DART_ENTRY dart_ret_t dart_reduce(const void* sendbuf, void* recvbuf, size_t nelem,
                                  dart_datatype_t dtype, dart_operation_t op, dart_team_unit_t root,
                                  dart_team_t team_id) {
    Collective call(team_id, __func__);
    call.check_root(root);
    return reduce_operands(call, {sendbuf, recvbuf, nelem, dtype, op}, root.id, nullptr, __func__);
}

DART_ENTRY dart_ret_t dart_reduce_nb(const void* sendbuf, void* recvbuf, size_t nelem,
                                     dart_datatype_t dtype, dart_operation_t op,
                                     dart_team_unit_t root, dart_team_t team_id,
                                     dart_handle_t* handle) {
    Collective call(team_id, __func__);
    call.check_handle(handle);
    call.check_root(root);
    return reduce_operands(call, {sendbuf, recvbuf, nelem, dtype, op}, root.id, handle, __func__);
}

}  // namespace tessera::dart

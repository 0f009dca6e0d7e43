// SPDX-License-Identifier: BSD-3-Clause
//
// dart_op_create and dart_op_destroy, and the tables of operations (operations.hpp).

#include "core/operations.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include "core/entry.hpp"
#include "core/handles.hpp"
#include "core/log.hpp"
#include "core/types.hpp"

namespace tessera::dart {
namespace {

constexpr int kTypeCodes[DART_TYPE_LAST] = {
    0,
    SHMEMX_TYPE_UINT8,   // BYTE
    SHMEMX_TYPE_INT16,   // SHORT
    SHMEMX_TYPE_INT32,   // INT
    SHMEMX_TYPE_UINT32,  // UINT
    SHMEMX_TYPE_INT64,   // LONG
    SHMEMX_TYPE_UINT64,  // ULONG
    SHMEMX_TYPE_INT64,   // LONGLONG
    SHMEMX_TYPE_UINT64,  // ULONGLONG
    SHMEMX_TYPE_FLOAT,
    SHMEMX_TYPE_DOUBLE,
    SHMEMX_TYPE_LONG_DOUBLE,
};

constexpr int kOperationCodes[DART_OP_LAST] = {
    0,
    SHMEMX_OP_MIN,
    SHMEMX_OP_MAX,
    0,  // MINMAX
    SHMEMX_OP_SUM,
    SHMEMX_OP_PROD,
    SHMEMX_OP_AND,
    0,  // LAND
    SHMEMX_OP_OR,
    0,  // LOR
    SHMEMX_OP_XOR,
    0,  // LXOR
    SHMEMX_OP_REPLACE,
    SHMEMX_OP_NO_OP,
};

using CreatedOperations = Handles<CreatedOperation, HandleKind::kOperation>;

// Nonblocking reductions with operations of dart_op_create. Never destroyed, as all of the library.
class Uses {
  public:
    static Uses& all() {
        static Uses& uses = *new Uses;
        return uses;
    }
    void add(dart_operation_t op, shmemx_req_t request) {
        const std::lock_guard guard(mutex_);
        remove_ended();
        uses_.push_back({op, request});
    }
    bool has(dart_operation_t op) {
        const std::lock_guard guard(mutex_);
        remove_ended();
        return std::ranges::find(uses_, op, &Use::op) != uses_.end();
    }

  private:
    struct Use {
        dart_operation_t op;
        shmemx_req_t request;
    };

    // REQUIRES: mutex_.
    void remove_ended() {
        std::erase_if(uses_, [](const Use& use) { return shmemx_req_is_open(use.request) == 0; });
    }

    std::mutex mutex_{};
    std::vector<Use> uses_{};
};

}  // namespace

void note_use(dart_operation_t op, shmemx_req_t request) {
    if (request != SHMEMX_REQ_COMPLETE) Uses::all().add(op, request);
}

const CreatedOperation* find_operation(dart_operation_t op) {
    return CreatedOperations::all().find(op);
}

int type_code(dart_datatype_t type) { return kTypeCodes[type]; }

int operation_code(dart_operation_t op) { return kOperationCodes[op]; }

bool is_possible(dart_operation_t op, dart_datatype_t type) {
    const bool is_integer = type <= DART_TYPE_ULONGLONG;
    return is_integer || op < DART_OP_BAND || op > DART_OP_LXOR;
}

DART_ENTRY dart_ret_t dart_op_create(dart_operator_t op, void* userdata, bool commute,
                                     dart_datatype_t dtype, bool /*dtype_is_tmp*/,
                                     dart_operation_t* new_op) {
    if (new_op == nullptr || op == nullptr)
        return fail(DART_ERR_INVAL, __func__, "the function, or new_op, is a null pointer");
    *new_op = DART_OP_UNDEFINED;
    const std::size_t bytes = contiguous_bytes(dtype);
    if (bytes == 0) {
        return fail(DART_ERR_INVAL, __func__, "type %ld is neither a basic nor a custom type",
                    static_cast<long>(dtype));
    }
    *new_op = CreatedOperations::all().add(
        std::make_unique<CreatedOperation>(CreatedOperation{.function = op,
                                                            .user_data = userdata,
                                                            .commutes = commute,
                                                            .type = dtype,
                                                            .element_bytes = bytes}));
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_op_destroy(dart_operation_t* op) {
    if (op == nullptr) return fail(DART_ERR_INVAL, __func__, "the operation is a null pointer");
    if (Uses::all().has(*op)) {
        return fail(DART_ERR_INVAL, __func__,
                    "a nonblocking reduction with operation %lu is under way; wait for its handle "
                    "before",
                    static_cast<unsigned long>(*op));
    }
    if (CreatedOperations::all().remove(*op) == nullptr) {
        return fail(DART_ERR_INVAL, __func__,
                    "operation %lu was not made by dart_op_create, or has ended",
                    static_cast<unsigned long>(*op));
    }
    *op = DART_OP_UNDEFINED;
    return DART_OK;
}

}  // namespace tessera::dart

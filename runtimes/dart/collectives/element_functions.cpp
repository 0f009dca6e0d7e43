// SPDX-License-Identifier: BSD-3-Clause
//
// Logical operations and DART_OP_MINMAX (element_functions.hpp).

#include "collectives/element_functions.hpp"

#include <algorithm>
#include <cstddef>

namespace tessera::dart {
namespace {

struct And {
    bool operator()(bool a, bool b) const { return a && b; }
};
struct Or {
    bool operator()(bool a, bool b) const { return a || b; }
};
struct Xor {
    bool operator()(bool a, bool b) const { return a != b; }
};

// Truth values: 0 is false, the result is 0 or 1.
template <class T, class Operation>
void combine_truths(void* inout, const void* in, std::size_t nelems, void* /*user_data*/) {
    auto* result = static_cast<T*>(inout);
    const auto* operand = static_cast<const T*>(in);
    for (std::size_t i = 0; i < nelems; ++i)
        result[i] = static_cast<T>(Operation{}(result[i] != T{0}, operand[i] != T{0}));
}

// Pairs of a minimum and a maximum.
template <class T>
void combine_minmax(void* inout, const void* in, std::size_t npairs, void* /*user_data*/) {
    auto* result = static_cast<T*>(inout);
    const auto* operand = static_cast<const T*>(in);
    for (std::size_t i = 0; i < 2 * npairs; i += 2) {
        result[i + DART_OP_MINMAX_MIN] =
            std::min(result[i + DART_OP_MINMAX_MIN], operand[i + DART_OP_MINMAX_MIN]);
        result[i + DART_OP_MINMAX_MAX] =
            std::max(result[i + DART_OP_MINMAX_MAX], operand[i + DART_OP_MINMAX_MAX]);
    }
}

template <class T>
shmemx_op_fn_t truth_function(dart_operation_t op) {
    switch (op) {
        case DART_OP_LAND: return combine_truths<T, And>;
        case DART_OP_LOR: return combine_truths<T, Or>;
        default: return combine_truths<T, Xor>;
    }
}

template <class T>
shmemx_op_fn_t integer_function(dart_operation_t op) {
    return op == DART_OP_MINMAX ? combine_minmax<T> : truth_function<T>(op);
}

}  // namespace

shmemx_op_fn_t element_function(dart_operation_t op, dart_datatype_t type) {
    switch (type) {
        case DART_TYPE_BYTE: return integer_function<unsigned char>(op);
        case DART_TYPE_SHORT: return integer_function<short>(op);
        case DART_TYPE_INT: return integer_function<int>(op);
        case DART_TYPE_UINT: return integer_function<unsigned>(op);
        case DART_TYPE_LONG:
        case DART_TYPE_LONGLONG: return integer_function<long long>(op);
        case DART_TYPE_ULONG:
        case DART_TYPE_ULONGLONG: return integer_function<unsigned long long>(op);
        case DART_TYPE_FLOAT: return combine_minmax<float>;
        case DART_TYPE_DOUBLE: return combine_minmax<double>;
        default: return combine_minmax<long double>;
    }
}

}  // namespace tessera::dart

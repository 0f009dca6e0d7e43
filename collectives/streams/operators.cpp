// SPDX-License-Identifier: BSD-3-Clause
//
// See operators.hpp.
#include "collectives/streams/operators.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace tessera::collectives {
namespace {

// ---- Values with their locations ----

template <class T>
struct Located {
    T value;
    std::int64_t location;
};
static_assert(sizeof(Located<double>) == sizeof(shmemx_double_loc_t));
static_assert(sizeof(Located<long double>) == sizeof(shmemx_longdouble_loc_t));

// Neither is better: the left one stays, unless both are equal and the right one has the smaller
// location. So a NaN does not move.
template <class T, bool kIsMax>
void locate(void* inout, const void* in, std::size_t nelems, void* /*user_data*/) {
    auto* left = static_cast<Located<T>*>(inout);
    const auto* right = static_cast<const Located<T>*>(in);
    for (std::size_t i = 0; i < nelems; ++i) {
        const bool is_better =
            kIsMax ? left[i].value < right[i].value : right[i].value < left[i].value;
        const bool is_first =
            left[i].value == right[i].value && right[i].location < left[i].location;
        if (is_better || is_first) left[i] = right[i];
    }
}

using Function = shmemx_op_fn_t;
template <class T>
constexpr std::array<Function, 2> kLocate{locate<T, false>, locate<T, true>};

// ---- The first and the last one ----

void keep(void*, const void*, std::size_t, void*) {}
// The size of an element lies in the pointer itself.
void replace(void* inout, const void* in, std::size_t nelems, void* user_data) {
    std::memcpy(inout, in, nelems * reinterpret_cast<std::size_t>(user_data));
}

// ---- The tables ----

struct Type {
    Element element;
    std::size_t bytes;
    std::size_t located_bytes;  // 0: has no order
    std::array<Function, 2> locate;
};
template <class T>
constexpr Type type() {
    return {element_of<T>(), sizeof(T), sizeof(Located<T>), kLocate<T>};
}

// By code, from 1 on.
constexpr Type kTypes[] = {
    type<std::int8_t>(),
    type<std::int16_t>(),
    type<std::int32_t>(),
    type<std::int64_t>(),
    type<std::uint8_t>(),
    type<std::uint16_t>(),
    type<std::uint32_t>(),
    type<std::uint64_t>(),
    type<float>(),
    type<double>(),
    type<long double>(),
    {Element::kComplexFloat, 2 * sizeof(float), 0, {}},
    {Element::kComplexDouble, 2 * sizeof(double), 0, {}},
};
static_assert(std::size(kTypes) == SHMEMX_TYPE_COMPLEX_DOUBLE);

bool is_integer(Element element) { return element < Element::kFloat; }

std::optional<Operator> operator_of(const Type& type, int op) {
    const bool has_order = type.located_bytes != 0;
    const bool has_bits = is_integer(type.element);
    switch (op) {
        case SHMEMX_OP_SUM: return Operator::kSum;
        case SHMEMX_OP_PROD: return Operator::kProd;
        case SHMEMX_OP_MIN: return has_order ? std::optional(Operator::kMin) : std::nullopt;
        case SHMEMX_OP_MAX: return has_order ? std::optional(Operator::kMax) : std::nullopt;
        case SHMEMX_OP_AND: return has_bits ? std::optional(Operator::kAnd) : std::nullopt;
        case SHMEMX_OP_OR: return has_bits ? std::optional(Operator::kOr) : std::nullopt;
        case SHMEMX_OP_XOR: return has_bits ? std::optional(Operator::kXor) : std::nullopt;
        default: return std::nullopt;
    }
}

}  // namespace

std::optional<CodedFunction> function_of(int code, int op) {
    if (code < SHMEMX_TYPE_INT8 || code > SHMEMX_TYPE_COMPLEX_DOUBLE) return std::nullopt;
    const Type& type = kTypes[code - 1];
    if (op == SHMEMX_OP_MINLOC || op == SHMEMX_OP_MAXLOC) {
        if (type.located_bytes == 0) return std::nullopt;
        const Function function = type.locate[op == SHMEMX_OP_MAXLOC ? 1 : 0];
        return CodedFunction{{.function = function, .dependence = OrderDependence::kSpecialValues},
                             type.located_bytes};
    }
    if (op == SHMEMX_OP_REPLACE || op == SHMEMX_OP_NO_OP) {
        return CodedFunction{{.function = op == SHMEMX_OP_REPLACE ? replace : keep,
                              .user_data = reinterpret_cast<void*>(type.bytes),
                              .is_commutative = false,
                              .dependence = OrderDependence::kOrder},
                             type.bytes};
    }
    const std::optional<Operator> found = operator_of(type, op);
    if (!found) return std::nullopt;
    // Maxima and minima of NaN and zeros of both signs depend on the order.
    const OrderDependence dependence = order_dependence(*found, type.element);
    return CodedFunction{{.kernel = &kernel_of(*found, type.element),
                          .is_commutative = dependence != OrderDependence::kSpecialValues,
                          .dependence = dependence},
                         type.bytes};
}

}  // namespace tessera::collectives

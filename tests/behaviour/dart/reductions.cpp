// SPDX-License-Identifier: BSD-3-Clause
//
// dart_reduce and dart_allreduce: each operation on each type that has it, and functions of the
// program, also one for which the order of the units counts.
#include <algorithm>
#include <functional>

#include "together.hpp"

namespace {

template <class T>
T element_of(int unit, std::size_t i) {
    return static_cast<T>((unit * 5 + static_cast<int>(i)) % 11);
}

template <class T>
using Combine = std::function<T(T, T)>;

// On all units, and on one; not in place, and in place.
template <class T>
void check_operation(dart_datatype_t type, dart_operation_t op, const Combine<T>& combine) {
    const std::size_t nelem = 13;
    std::vector<T> mine(nelem);
    std::vector<T> expected(nelem);
    for (std::size_t i = 0; i < nelem; ++i) {
        mine[i] = element_of<T>(me(), i);
        expected[i] = element_of<T>(0, i);
        for (int unit = 1; unit < units(); ++unit)
            expected[i] = combine(expected[i], element_of<T>(unit, i));
    }
    if (units() == 1 && op >= DART_OP_BAND && op <= DART_OP_LXOR) {
        return;  // One unit leaves its values as they are, not truth values.
    }
    std::vector<T> result(nelem);
    OK(dart_allreduce(mine.data(), result.data(), nelem, type, op, DART_TEAM_ALL));
    CHECK(result == expected);
    const int root = units() - 1;
    std::fill(result.begin(), result.end(), T{});
    OK(dart_reduce(mine.data(), result.data(), nelem, type, op, root, DART_TEAM_ALL));
    CHECK(me() != root || result == expected);
    result = mine;
    OK(dart_allreduce(result.data(), result.data(), nelem, type, op, DART_TEAM_ALL));
    CHECK(result == expected);
}

template <class T>
void check_minmax(dart_datatype_t type) {
    T pairs[4] = {element_of<T>(me(), 0), element_of<T>(me(), 0), element_of<T>(me(), 3),
                  element_of<T>(me(), 3)};
    T result[4] = {};
    OK(dart_allreduce(pairs, result, 4, type, DART_OP_MINMAX, DART_TEAM_ALL));
    for (std::size_t pair = 0; pair < 2; ++pair) {
        T smallest = element_of<T>(0, 3 * pair);
        T largest = smallest;
        for (int unit = 1; unit < units(); ++unit) {
            smallest = std::min(smallest, element_of<T>(unit, 3 * pair));
            largest = std::max(largest, element_of<T>(unit, 3 * pair));
        }
        CHECK(result[2 * pair + DART_OP_MINMAX_MIN] == smallest);
        CHECK(result[2 * pair + DART_OP_MINMAX_MAX] == largest);
    }
}

template <class T>
void check_numbers(dart_datatype_t type) {
    check_operation<T>(type, DART_OP_MIN, [](T a, T b) { return std::min(a, b); });
    check_operation<T>(type, DART_OP_MAX, [](T a, T b) { return std::max(a, b); });
    check_operation<T>(type, DART_OP_SUM, [](T a, T b) { return static_cast<T>(a + b); });
    check_operation<T>(type, DART_OP_PROD, [](T a, T b) { return static_cast<T>(a * b); });
    check_minmax<T>(type);
}

template <class T>
void check_integers(dart_datatype_t type) {
    check_numbers<T>(type);
    check_operation<T>(type, DART_OP_BAND, [](T a, T b) { return static_cast<T>(a & b); });
    check_operation<T>(type, DART_OP_BOR, [](T a, T b) { return static_cast<T>(a | b); });
    check_operation<T>(type, DART_OP_BXOR, [](T a, T b) { return static_cast<T>(a ^ b); });
    check_operation<T>(type, DART_OP_LAND, [](T a, T b) { return static_cast<T>(a && b); });
    check_operation<T>(type, DART_OP_LOR, [](T a, T b) { return static_cast<T>(a || b); });
    check_operation<T>(type, DART_OP_LXOR, [](T a, T b) { return static_cast<T>(!a != !b); });
}

// The first and the last unit of a run of units that have been combined in their order.
struct Run {
    int first;
    int last;
    int is_broken;
};

struct Calls {
    std::size_t elements = 0;
};

// inout[i] = in[i] op inout[i]
void join_runs(const void* in, void* inout, std::size_t nelems, void* user_data) {
    const auto* lower = static_cast<const Run*>(in);
    auto* higher = static_cast<Run*>(inout);
    static_cast<Calls*>(user_data)->elements += nelems;
    for (std::size_t i = 0; i < nelems; ++i) {
        const bool follows = lower[i].last + 1 == higher[i].first;
        const int is_broken =
            !follows || lower[i].is_broken != 0 || higher[i].is_broken != 0 ? 1 : 0;
        higher[i] = {lower[i].first, higher[i].last, is_broken};
    }
}

void check_ordered_function() {
    Calls calls;
    dart_datatype_t type = DART_TYPE_UNDEFINED;
    dart_operation_t op = DART_OP_UNDEFINED;
    OK(dart_type_create_custom(sizeof(Run), &type));
    OK(dart_op_create(join_runs, &calls, false, type, true, &op));
    for (const std::size_t nelem : {1, 1000}) {
        const std::vector<Run> mine(nelem, {me(), me(), 0});
        std::vector<Run> result(nelem);
        OK(dart_allreduce(mine.data(), result.data(), nelem, type, op, DART_TEAM_ALL));
        for (const Run& run : result)
            CHECK(run.first == 0 && run.last == units() - 1 && run.is_broken == 0);
        const int root = units() / 2;
        OK(dart_reduce(mine.data(), result.data(), nelem, type, op, root, DART_TEAM_ALL));
        CHECK(me() != root || result[nelem - 1].last == units() - 1);
    }
    INVALID(dart_allreduce(&calls, &calls, 1, DART_TYPE_LONG, op, DART_TEAM_ALL));
    OK(dart_op_destroy(&op));
    CHECK(op == DART_OP_UNDEFINED);
    OK(dart_type_destroy(&type));
}

// A commutative function of elements that are larger than its part of the stack.
struct Large {
    long values[1000];
};

void add_large(const void* in, void* inout, std::size_t nelems, void* /*user_data*/) {
    const auto* from = static_cast<const long*>(in);
    auto* to = static_cast<long*>(inout);
    for (std::size_t i = 0; i < nelems * 1000; ++i) to[i] += from[i];
}

void check_large_function(bool commutes) {
    dart_datatype_t type = DART_TYPE_UNDEFINED;
    dart_operation_t op = DART_OP_UNDEFINED;
    OK(dart_type_create_custom(sizeof(Large), &type));
    OK(dart_op_create(add_large, nullptr, commutes, type, false, &op));
    std::vector<Large> mine(2);
    mine[1].values[999] = me() + 1;
    OK(dart_allreduce(mine.data(), mine.data(), 2, type, op, DART_TEAM_ALL));
    CHECK(mine[1].values[999] == units() * (units() + 1) / 2 && mine[0].values[999] == 0);
    OK(dart_op_destroy(&op));
    OK(dart_type_destroy(&type));
}

void check_errors() {
    int value = 1;
    int result = 0;
    double real = 1;
    dart_operation_t op = DART_OP_UNDEFINED;
    dart_datatype_t strided = DART_TYPE_UNDEFINED;
    OK(dart_type_create_strided(DART_TYPE_INT, 2, 1, &strided));
    for (const dart_operation_t bad :
         {DART_OP_UNDEFINED, DART_OP_REPLACE, DART_OP_NO_OP, DART_OP_LAST}) {
        INVALID(dart_allreduce(&value, &result, 1, DART_TYPE_INT, bad, DART_TEAM_ALL));
    }
    INVALID(dart_allreduce(&real, &real, 1, DART_TYPE_DOUBLE, DART_OP_BAND, DART_TEAM_ALL));
    INVALID(dart_allreduce(&value, &result, 1, strided, DART_OP_SUM, DART_TEAM_ALL));
    INVALID(dart_allreduce(&value, &result, 1, DART_TYPE_INT, DART_OP_MINMAX, DART_TEAM_ALL));
    INVALID(dart_allreduce(&value, &result, 1, DART_TYPE_INT, DART_OP_SUM, DART_TEAM_NULL));
    INVALID(dart_reduce(&value, &result, 1, DART_TYPE_INT, DART_OP_SUM, units(), DART_TEAM_ALL));
    INVALID(dart_op_create(nullptr, nullptr, true, DART_TYPE_INT, false, &op));
    INVALID(dart_op_create(join_runs, nullptr, true, strided, false, &op));
    op = DART_OP_SUM;
    INVALID(dart_op_destroy(&op));
    OK(dart_type_destroy(&strided));
}

}  // namespace

void test_reductions() {
    check_integers<unsigned char>(DART_TYPE_BYTE);
    check_integers<short>(DART_TYPE_SHORT);
    check_integers<int>(DART_TYPE_INT);
    check_integers<unsigned>(DART_TYPE_UINT);
    check_integers<long>(DART_TYPE_LONG);
    check_integers<unsigned long>(DART_TYPE_ULONG);
    check_integers<long long>(DART_TYPE_LONGLONG);
    check_integers<unsigned long long>(DART_TYPE_ULONGLONG);
    check_numbers<float>(DART_TYPE_FLOAT);
    check_numbers<double>(DART_TYPE_DOUBLE);
    check_numbers<long double>(DART_TYPE_LONG_DOUBLE);
    check_ordered_function();
    check_large_function(true);
    check_large_function(false);
    check_errors();
}

// SPDX-License-Identifier: BSD-3-Clause
//
// Accumulate, fetch_and_op, compare_and_swap: the results of all units together show that each
// update happened, and happened once.
#include <algorithm>

#include "onesided.hpp"

namespace {

constexpr int kRounds = 12;

template <class T>
T old_value(dart_gptr_t gptr, dart_datatype_t type) {
    T value{};
    OK(dart_fetch_and_op(gptr, nullptr, &value, type, DART_OP_NO_OP));
    OK(dart_flush_local(gptr));
    return value;
}

template <class T>
T fetch(dart_gptr_t gptr, T value, dart_datatype_t type, dart_operation_t op) {
    T old{};
    OK(dart_fetch_and_op(gptr, &value, &old, type, op));
    OK(dart_flush(gptr));
    return old;
}

template <class T>
void set(dart_gptr_t gptr, T value, dart_datatype_t type) {
    OK(dart_accumulate(gptr, &value, 1, type, DART_OP_REPLACE));
    OK(dart_flush(gptr));
}

// Units add to one element in three ways at the same time.
template <class T>
void check_sum(const Memory& memory, dart_datatype_t type) {
    const dart_gptr_t gptr = memory.of(0, 2 * sizeof(T));
    if (me() == 0) set<T>(gptr, 0, type);
    check_meet();
    const int rounds = sizeof(T) == 1 ? 5 : kRounds;
    T one = 1;
    for (int i = 0; i < rounds; ++i) {
        OK(dart_accumulate(gptr, &one, 1, type, DART_OP_SUM));
        fetch<T>(gptr, 1, type, DART_OP_SUM);
    }
    OK(dart_flush(gptr));
    check_meet();
    CHECK(old_value<T>(gptr, type) == static_cast<T>(2 * rounds * units()));
    check_meet();
}

// The same with compare_and_swap besides, on integers.
template <class T>
void check_swap(const Memory& memory, dart_datatype_t type) {
    const dart_gptr_t gptr = memory.of(units() - 1, 3 * sizeof(T));
    if (me() == 0) set<T>(gptr, 0, type);
    check_meet();
    const int rounds = sizeof(T) == 1 ? 5 : kRounds;
    for (int i = 0; i < rounds; ++i) {
        fetch<T>(gptr, 1, type, DART_OP_SUM);
        for (T seen = 0;;) {
            const T next = static_cast<T>(seen + 1);
            T old = 0;
            OK(dart_compare_and_swap(gptr, &next, &seen, &old, type));
            OK(dart_flush(gptr));
            if (old == seen) break;
            seen = old;
        }
    }
    check_meet();
    CHECK(old_value<T>(gptr, type) == static_cast<T>(2 * rounds * units()));
    check_meet();
}

// Numbers that units draw are all different.
void test_tickets(const Memory& memory) {
    const dart_gptr_t gptr = memory.of(0);
    if (me() == 0) set<long>(gptr, 0, DART_TYPE_LONG);
    check_meet();
    std::vector<long> mine;
    for (int i = 0; i < kRounds; ++i)
        mine.push_back(fetch<long>(gptr, 1, DART_TYPE_LONG, DART_OP_SUM));
    std::vector<long> all(mine.size() * static_cast<std::size_t>(units()));
    OK(dart_allgather(mine.data(), all.data(), mine.size(), DART_TYPE_LONG, DART_TEAM_ALL));
    std::sort(all.begin(), all.end());
    for (std::size_t i = 0; i < all.size(); ++i) CHECK(all[i] == static_cast<long>(i));
}

// One operation by each unit on an array, whose result any order gives.
template <class T, class Combine>
void check_array(const Memory& memory, dart_datatype_t type, dart_operation_t op, T start,
                 Combine combine) {
    constexpr std::size_t kCount = 37;
    const dart_gptr_t gptr = memory.of(0, 16);
    const auto value = [](int unit, std::size_t i) {
        return static_cast<T>((static_cast<std::size_t>(unit) * 5 + i * 3) % 7);
    };
    if (me() == 0) {
        const std::vector<T> first(kCount, start);
        OK(dart_put_blocking(gptr, first.data(), kCount, type, type));
    }
    check_meet();
    std::vector<T> values;
    for (std::size_t i = 0; i < kCount; ++i) values.push_back(value(me(), i));
    OK(me() % 2 == 0 ? dart_accumulate(gptr, values.data(), kCount, type, op)
                     : dart_accumulate_blocking_local(gptr, values.data(), kCount, type, op));
    OK(dart_flush(gptr));
    check_meet();
    std::vector<T> result(kCount);
    OK(dart_get_blocking(result.data(), gptr, kCount, type, type));
    for (std::size_t i = 0; i < kCount; ++i) {
        T wanted = start;
        for (int unit = 0; unit < units(); ++unit) wanted = combine(wanted, value(unit, i));
        CHECK(result[i] == wanted);
    }
    check_meet();
}

template <class T>
void check_numbers(const Memory& memory, dart_datatype_t type) {
    check_array<T>(memory, type, DART_OP_SUM, 1, [](T a, T b) { return static_cast<T>(a + b); });
    check_array<T>(memory, type, DART_OP_PROD, 1, [](T a, T b) { return static_cast<T>(a * b); });
    check_array<T>(memory, type, DART_OP_MIN, 5, [](T a, T b) { return std::min(a, b); });
    check_array<T>(memory, type, DART_OP_MAX, 2, [](T a, T b) { return std::max(a, b); });
    check_array<T>(memory, type, DART_OP_NO_OP, 2, [](T a, T) { return a; });
}

template <class T>
void check_integers(const Memory& memory, dart_datatype_t type) {
    check_numbers<T>(memory, type);
    const auto logical = [&](dart_operation_t op, T start, auto combine) {
        check_array<T>(memory, type, op, start,
                       [=](T a, T b) { return static_cast<T>(combine(a != 0, b != 0)); });
    };
    check_array<T>(memory, type, DART_OP_BAND, 7, [](T a, T b) { return static_cast<T>(a & b); });
    check_array<T>(memory, type, DART_OP_BOR, 8, [](T a, T b) { return static_cast<T>(a | b); });
    check_array<T>(memory, type, DART_OP_BXOR, 3, [](T a, T b) { return static_cast<T>(a ^ b); });
    logical(DART_OP_LAND, 1, [](bool a, bool b) { return a && b; });
    logical(DART_OP_LOR, 0, [](bool a, bool b) { return a || b; });
    logical(DART_OP_LXOR, 1, [](bool a, bool b) { return a != b; });
    check_swap<T>(memory, type);
    check_sum<T>(memory, type);
}

void test_old_values(const Memory& memory) {
    const dart_gptr_t gptr = memory.of(me(), 8);
    set<double>(gptr, 2.5, DART_TYPE_DOUBLE);
    CHECK(fetch<double>(gptr, 4, DART_TYPE_DOUBLE, DART_OP_MAX) == 2.5);
    CHECK(fetch<double>(gptr, 9, DART_TYPE_DOUBLE, DART_OP_REPLACE) == 4);
    CHECK(old_value<double>(gptr, DART_TYPE_DOUBLE) == 9);
    set<int>(gptr, 6, DART_TYPE_INT);
    CHECK(fetch<int>(gptr, 3, DART_TYPE_INT, DART_OP_LAND) == 6);
    CHECK(fetch<int>(gptr, 0, DART_TYPE_INT, DART_OP_LXOR) == 1);
    short old = 0;
    const short value = 5;
    const short compare = 7;
    set<short>(gptr, 6, DART_TYPE_SHORT);
    OK(dart_compare_and_swap(gptr, &value, &compare, &old, DART_TYPE_SHORT));
    OK(dart_flush(gptr));
    CHECK(old == 6 && old_value<short>(gptr, DART_TYPE_SHORT) == 6);
}

void test_errors(const Memory& memory) {
    const dart_gptr_t gptr = memory.of(me(), 8);
    double value = 1;
    double old = 0;
    dart_operation_t created = DART_OP_UNDEFINED;
    OK(dart_op_create([](const void*, void*, size_t, void*) {}, nullptr, true, DART_TYPE_DOUBLE,
                      false, &created));
    for (dart_operation_t op : {created, dart_operation_t{DART_OP_UNDEFINED},
                                dart_operation_t{DART_OP_MINMAX}, dart_operation_t{DART_OP_BAND},
                                dart_operation_t{DART_OP_LOR}, dart_operation_t{DART_OP_LAST}}) {
        INVALID(dart_accumulate(gptr, &value, 1, DART_TYPE_DOUBLE, op));
        INVALID(dart_fetch_and_op(gptr, &value, &old, DART_TYPE_DOUBLE, op));
    }
    OK(dart_op_destroy(&created));
    INVALID(dart_accumulate(gptr, &value, 1, DART_TYPE_UNDEFINED, DART_OP_SUM));
    INVALID(dart_accumulate(gptr, nullptr, 1, DART_TYPE_DOUBLE, DART_OP_SUM));
    INVALID(dart_accumulate(at(gptr, me(), 1), &value, 1, DART_TYPE_DOUBLE, DART_OP_SUM));
    INVALID(dart_accumulate(gptr, &value, SIZE_MAX / 2, DART_TYPE_DOUBLE, DART_OP_SUM));
    INVALID(dart_accumulate(DART_GPTR_NULL, &value, 1, DART_TYPE_DOUBLE, DART_OP_SUM));
    INVALID(dart_fetch_and_op(gptr, nullptr, &old, DART_TYPE_DOUBLE, DART_OP_SUM));
    INVALID(dart_fetch_and_op(gptr, &value, nullptr, DART_TYPE_DOUBLE, DART_OP_SUM));
    INVALID(dart_compare_and_swap(gptr, &value, &value, &old, DART_TYPE_DOUBLE));
    INVALID(dart_compare_and_swap(gptr, &value, nullptr, &old, DART_TYPE_LONG));
    INVALID(dart_compare_and_swap(at(gptr, me(), 4), &value, &value, &old, DART_TYPE_LONG));
    OK(dart_accumulate(gptr, nullptr, 0, DART_TYPE_DOUBLE, DART_OP_SUM));
}

void test_kinds(Memory::Kind kind) {
    Memory memory(kind, 1024);
    check_integers<unsigned char>(memory, DART_TYPE_BYTE);
    check_integers<long>(memory, DART_TYPE_LONG);
    check_numbers<double>(memory, DART_TYPE_DOUBLE);
    check_sum<double>(memory, DART_TYPE_DOUBLE);
    check_sum<long double>(memory, DART_TYPE_LONG_DOUBLE);
    test_tickets(memory);
    check_meet();
    test_old_values(memory);
    test_errors(memory);
}

void test_other_types() {
    Memory memory(Memory::kAllocated, 1024);
    check_integers<short>(memory, DART_TYPE_SHORT);
    check_integers<int>(memory, DART_TYPE_INT);
    check_integers<unsigned>(memory, DART_TYPE_UINT);
    check_integers<unsigned long>(memory, DART_TYPE_ULONG);
    check_integers<long long>(memory, DART_TYPE_LONGLONG);
    check_integers<unsigned long long>(memory, DART_TYPE_ULONGLONG);
    check_numbers<float>(memory, DART_TYPE_FLOAT);
    check_numbers<long double>(memory, DART_TYPE_LONG_DOUBLE);
    check_sum<float>(memory, DART_TYPE_FLOAT);
}

}  // namespace

// Between nodes, and on registered memory, an update is a message: few types and rounds there.
void test_atomics() {
    for (int kind = 0; kind < Memory::kKinds; ++kind) test_kinds(static_cast<Memory::Kind>(kind));
    test_other_types();
}

// SPDX-License-Identifier: BSD-3-Clause
//
// The table of atomics and waits (routine_table.hpp).
#include <cstring>

#include "random/routine_table.hpp"
#include "support/spec_types.hpp"
#include "support/wait_forms.hpp"

namespace tessera::random {

const char* const kAtomicNames[kAllAtomics] = {
    "fetch", "set",       "swap", "compare_swap", "fetch_inc", "inc",       "fetch_add",
    "add",   "fetch_and", "and",  "fetch_or",     "or",        "fetch_xor", "xor"};
const char* const kWaitNameTexts[kWaitNames] = {
    "wait_until",      "test",     "wait_until_all", "wait_until_any",
    "wait_until_some", "test_all", "test_any",       "test_some"};

bool returns_value(AtomicName name) {
    switch (name) {
        case AtomicName::kSet:
        case AtomicName::kInc:
        case AtomicName::kAdd:
        case AtomicName::kAnd:
        case AtomicName::kOr:
        case AtomicName::kXor: return false;
        default: return true;
    }
}

namespace {

template <class T>
T from_bits(std::uint64_t bits) {
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}
template <class T>
std::uint64_t to_bits(T value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
}

#define CALL(NAME, ...) \
    (ctx != nullptr ? shmem_ctx_##NAME(*ctx, __VA_ARGS__) : shmem_##NAME(__VA_ARGS__))

// `a`, `dest` and `value` are what every case below uses.
#define EXTENDED_CASES(NAME)                                                        \
    case AtomicName::kFetch: return to_bits(CALL(NAME##_atomic_fetch, dest, a.pe)); \
    case AtomicName::kSet: CALL(NAME##_atomic_set, dest, value, a.pe); return 0;    \
    case AtomicName::kSwap:                                                         \
        return to_bits(CALL(NAME##_atomic_swap, dest, value, a.pe));
#define STANDARD_CASES(NAME, T)                                                                   \
    case AtomicName::kCompareSwap:                                                                \
        return to_bits(                                                                           \
            CALL(NAME##_atomic_compare_swap, dest, from_bits<T>(a.condition), value, a.pe));      \
    case AtomicName::kFetchInc: return to_bits(CALL(NAME##_atomic_fetch_inc, dest, a.pe));        \
    case AtomicName::kInc: CALL(NAME##_atomic_inc, dest, a.pe); return 0;                         \
    case AtomicName::kFetchAdd: return to_bits(CALL(NAME##_atomic_fetch_add, dest, value, a.pe)); \
    case AtomicName::kAdd:                                                                        \
        CALL(NAME##_atomic_add, dest, value, a.pe);                                               \
        return 0;
#define BITWISE_CASES(NAME)                                                                       \
    case AtomicName::kFetchAnd: return to_bits(CALL(NAME##_atomic_fetch_and, dest, value, a.pe)); \
    case AtomicName::kAnd: CALL(NAME##_atomic_and, dest, value, a.pe); return 0;                  \
    case AtomicName::kFetchOr: return to_bits(CALL(NAME##_atomic_fetch_or, dest, value, a.pe));   \
    case AtomicName::kOr: CALL(NAME##_atomic_or, dest, value, a.pe); return 0;                    \
    case AtomicName::kFetchXor: return to_bits(CALL(NAME##_atomic_fetch_xor, dest, value, a.pe)); \
    case AtomicName::kXor:                                                                        \
        CALL(NAME##_atomic_xor, dest, value, a.pe);                                               \
        return 0;

#define EXTENDED_NBI(NAME)                                                             \
    case AtomicName::kFetch: CALL(NAME##_atomic_fetch_nbi, fetch, dest, a.pe); return; \
    case AtomicName::kSwap:                                                            \
        CALL(NAME##_atomic_swap_nbi, fetch, dest, value, a.pe);                        \
        return;
#define STANDARD_NBI(NAME, T)                                                                      \
    case AtomicName::kCompareSwap:                                                                 \
        CALL(NAME##_atomic_compare_swap_nbi, fetch, dest, from_bits<T>(a.condition), value, a.pe); \
        return;                                                                                    \
    case AtomicName::kFetchInc: CALL(NAME##_atomic_fetch_inc_nbi, fetch, dest, a.pe); return;      \
    case AtomicName::kFetchAdd:                                                                    \
        CALL(NAME##_atomic_fetch_add_nbi, fetch, dest, value, a.pe);                               \
        return;
#define BITWISE_NBI(NAME)                                                                          \
    case AtomicName::kFetchAnd: CALL(NAME##_atomic_fetch_and_nbi, fetch, dest, value, a.pe);       \
        return;                                                                                    \
    case AtomicName::kFetchOr: CALL(NAME##_atomic_fetch_or_nbi, fetch, dest, value, a.pe); return; \
    case AtomicName::kFetchXor:                                                                    \
        CALL(NAME##_atomic_fetch_xor_nbi, fetch, dest, value, a.pe);                               \
        return;

#define CALLER(T, CASES)                                                                  \
    [](OptionalContext ctx, AtomicName name, const AtomicArguments& a) -> std::uint64_t { \
        T* dest = static_cast<T*>(a.dest);                                                \
        const T value = from_bits<T>(a.operand);                                          \
        switch (name) { CASES default : __builtin_trap(); }                               \
    }
#define NBI_CALLER(T, CASES)                                                           \
    [](OptionalContext ctx, AtomicName name, void* result, const AtomicArguments& a) { \
        T* fetch = static_cast<T*>(result);                                            \
        T* dest = static_cast<T*>(a.dest);                                             \
        [[maybe_unused]] const T value = from_bits<T>(a.operand);                      \
        switch (name) { CASES default : __builtin_trap(); }                            \
    }

template <class T>
std::size_t call_wait(const test::Waits<T>& waits, WaitName name, bool is_vector,
                      const WaitArguments& a) {
    T* words = static_cast<T*>(a.words);
    const T* values = static_cast<const T*>(a.values);
    const test::ArrayWaits<T>& array = waits.arrays[is_vector ? 1 : 0];
    switch (name) {
        case WaitName::kWaitUntil: waits.wait(words, a.cmp, *values); return 0;
        case WaitName::kTest: return static_cast<std::size_t>(waits.test(words, a.cmp, *values));
        case WaitName::kAll: array.wait_all(words, a.count, a.status, a.cmp, values); return 0;
        case WaitName::kAny: return array.wait_any(words, a.count, a.status, a.cmp, values);
        case WaitName::kSome:
            return array.wait_some(words, a.count, a.indices, a.status, a.cmp, values);
        case WaitName::kTestAll:
            return static_cast<std::size_t>(
                array.test_all(words, a.count, a.status, a.cmp, values));
        case WaitName::kTestAny: return array.test_any(words, a.count, a.status, a.cmp, values);
        case WaitName::kTestSome:
            return array.test_some(words, a.count, a.indices, a.status, a.cmp, values);
    }
    __builtin_trap();
}

#define WAITER(NAME, T)                                         \
    [](WaitName name, bool is_vector, const WaitArguments& a) { \
        static const auto kForms = WAIT_FORMS(NAME, T);         \
        return call_wait(kForms[0], name, is_vector, a);        \
    }

#define ROW(NAME, T, ATOMICS, CASES, NBI_CASES, WAIT)                   \
    AtomicRoutines{.name = #NAME,                                       \
                   .bytes = sizeof(T),                                  \
                   .is_signed = static_cast<T>(-1) < static_cast<T>(0), \
                   .atomics = ATOMICS,                                  \
                   .has_waits = (ATOMICS) > kExtendedAtomics,           \
                   .call = CALLER(T, CASES),                            \
                   .call_nbi = NBI_CALLER(T, NBI_CASES),                \
                   .wait = WAIT},
#define EXTENDED_ROW(NAME, T) \
    ROW(NAME, T, kExtendedAtomics, EXTENDED_CASES(NAME), EXTENDED_NBI(NAME), nullptr)
#define STANDARD_ROW(NAME, T)                                                    \
    ROW(NAME, T, kStandardAtomics, EXTENDED_CASES(NAME) STANDARD_CASES(NAME, T), \
        EXTENDED_NBI(NAME) STANDARD_NBI(NAME, T), WAITER(NAME, T))
#define BITWISE_ROW(NAME, T)                                                                    \
    ROW(NAME, T, kAllAtomics, EXTENDED_CASES(NAME) STANDARD_CASES(NAME, T) BITWISE_CASES(NAME), \
        EXTENDED_NBI(NAME) STANDARD_NBI(NAME, T) BITWISE_NBI(NAME), WAITER(NAME, T))

// The standard types that are not bitwise types: int long longlong size ptrdiff.
const AtomicRoutines kRows[] = {
    EXTENDED_ROW(float, float) EXTENDED_ROW(double, double) STANDARD_ROW(int, int)
        STANDARD_ROW(long, long) STANDARD_ROW(longlong, long long) STANDARD_ROW(size, size_t)
            STANDARD_ROW(ptrdiff, ptrdiff_t) SPEC_AMO_BITWISE_TYPES(BITWISE_ROW)};
static_assert(std::size(kRows) == 14);

}  // namespace

std::span<const AtomicRoutines> atomic_routines() { return kRows; }

}  // namespace tessera::random

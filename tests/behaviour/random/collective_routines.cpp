// SPDX-License-Identifier: BSD-3-Clause
//
// The tables of collectives (routine_table.hpp), and the arithmetic that the model checks them
// with: written here once more, so that a wrong operator in the library cannot hide.
#include <cstring>
#include <iterator>
#include <type_traits>

#include "random/random.hpp"
#include "random/routine_table.hpp"
#include "support/spec_types.hpp"

namespace tessera::random {

const char* const kReduceNameTexts[kReduceNames] = {"and_reduce",  "or_reduce",  "xor_reduce",
                                                    "max_reduce",  "min_reduce", "sum_reduce",
                                                    "prod_reduce", "sum_inscan", "sum_exscan"};

namespace {

// ---- Moving data -------------------------------------------------------------------------------

#define TEAM_MOVE(NAME, T)                                                                    \
    [](const Group& group, void* dest, const void* source, std::size_t nelems) {              \
        return shmem_##NAME(group.team, static_cast<T*>(dest), static_cast<const T*>(source), \
                            nelems);                                                          \
    }
#define TEAM_ROW(TEXT, BROADCAST, COLLECT, FCOLLECT, ALLTOALL, ALLTOALLS, T, BYTES)                \
    MoveRoutines{                                                                                  \
        .name = TEXT,                                                                              \
        .element_bytes = BYTES,                                                                    \
        .alignment = BYTES,                                                                        \
        .is_active_set = false,                                                                    \
        .broadcast =                                                                               \
            [](const Group& group, void* dest, const void* source, std::size_t nelems, int root) { \
                return shmem_##BROADCAST(group.team, static_cast<T*>(dest),                        \
                                         static_cast<const T*>(source), nelems, root);             \
            },                                                                                     \
        .collect = TEAM_MOVE(COLLECT, T),                                                          \
        .fcollect = TEAM_MOVE(FCOLLECT, T),                                                        \
        .alltoall = TEAM_MOVE(ALLTOALL, T),                                                        \
        .alltoalls =                                                                               \
            [](const Group& group, void* dest, const void* source, std::ptrdiff_t dst,             \
               std::ptrdiff_t sst, std::size_t nelems) {                                           \
                return shmem_##ALLTOALLS(group.team, static_cast<T*>(dest),                        \
                                         static_cast<const T*>(source), dst, sst, nelems);         \
            }},
#define TYPE_ROW(NAME, T)                                                               \
    TEAM_ROW(#NAME, NAME##_broadcast, NAME##_collect, NAME##_fcollect, NAME##_alltoall, \
             NAME##_alltoalls, T, sizeof(T))

// The arguments that say which PEs.
#define ACTIVE_SET group.set.start, group.set.log_stride, group.set.size
#define ACTIVE_MOVE(NAME)                                                        \
    [](const Group& group, void* dest, const void* source, std::size_t nelems) { \
        shmem_##NAME(dest, source, nelems, ACTIVE_SET, group.psync);             \
        return 0;                                                                \
    }
#define ACTIVE_ROW(BITS)                                                                           \
    MoveRoutines{                                                                                  \
        .name = #BITS,                                                                             \
        .element_bytes = (BITS) / 8,                                                               \
        .alignment = (BITS) / 8,                                                                   \
        .is_active_set = true,                                                                     \
        .broadcast =                                                                               \
            [](const Group& group, void* dest, const void* source, std::size_t nelems, int root) { \
                shmem_broadcast##BITS(dest, source, nelems, root, ACTIVE_SET, group.psync);        \
                return 0;                                                                          \
            },                                                                                     \
        .collect = ACTIVE_MOVE(collect##BITS),                                                     \
        .fcollect = ACTIVE_MOVE(fcollect##BITS),                                                   \
        .alltoall = ACTIVE_MOVE(alltoall##BITS),                                                   \
        .alltoalls =                                                                               \
            [](const Group& group, void* dest, const void* source, std::ptrdiff_t dst,             \
               std::ptrdiff_t sst, std::size_t nelems) {                                           \
                shmem_alltoalls##BITS(dest, source, dst, sst, nelems, ACTIVE_SET, group.psync);    \
                return 0;                                                                          \
            }},

const MoveRoutines kMoves[] = {SPEC_RMA_TYPES(TYPE_ROW) TEAM_ROW(
    "mem", broadcastmem, collectmem, fcollectmem, alltoallmem, alltoallsmem, void, 1) ACTIVE_ROW(32)
                                   ACTIVE_ROW(64)};
static_assert(std::size(kMoves) == 27);

// ---- Arithmetic --------------------------------------------------------------------------------

__extension__ using ComplexDouble = double _Complex;
__extension__ using ComplexFloat = float _Complex;

template <class T>
inline constexpr bool kIsInteger = std::is_integral_v<T>;
template <class T>
inline constexpr bool kIsComplex =
    std::is_same_v<T, ComplexDouble> || std::is_same_v<T, ComplexFloat>;

// Integers wrap around in 64 bits and are then cut off.
template <class T>
T combine_elements(ReduceName name, T a, T b) {
    if constexpr (!kIsComplex<T>) {
        if (name == ReduceName::kMax) return a > b ? a : b;
        if (name == ReduceName::kMin) return a < b ? a : b;
    }
    if constexpr (kIsInteger<T>) {
        const auto x = static_cast<std::uint64_t>(a);
        const auto y = static_cast<std::uint64_t>(b);
        switch (name) {
            case ReduceName::kAnd: return static_cast<T>(x & y);
            case ReduceName::kOr: return static_cast<T>(x | y);
            case ReduceName::kXor: return static_cast<T>(x ^ y);
            case ReduceName::kProd: return static_cast<T>(x * y);
            default: return static_cast<T>(x + y);
        }
    } else {
        return name == ReduceName::kProd ? a * b : a + b;
    }
}

// The bytes that are no part of the value are made 0.
template <class T>
void store(unsigned char* to, T value) {
    constexpr std::size_t kValueBytes = std::is_same_v<T, long double> ? 10 : sizeof(T);
    std::memset(to, 0, sizeof(T));
    std::memcpy(to, &value, kValueBytes);
}

template <class T>
T load(const void* elements, std::size_t i) {
    T value;
    std::memcpy(&value, static_cast<const unsigned char*>(elements) + i * sizeof(T), sizeof value);
    return value;
}

template <class T>
void combine(ReduceName name, void* accumulator, const void* operand, std::size_t nelems) {
    auto* to = static_cast<unsigned char*>(accumulator);
    for (std::size_t i = 0; i < nelems; ++i) {
        store(to + i * sizeof(T),
              combine_elements(name, load<T>(accumulator, i), load<T>(operand, i)));
    }
}

// Small integers, so that sums and products are exact in any order.
template <class T>
void fill(void* elements, std::size_t nelems, std::uint64_t pattern) {
    constexpr int kValues[] = {-2, -1, 1, 2};
    Random random(pattern);
    auto* to = static_cast<unsigned char*>(elements);
    for (std::size_t i = 0; i < nelems; ++i) {
        if constexpr (kIsComplex<T>) {
            T value{};
            __real__ value = random.chance(50) ? 1 : -1;
            __imag__ value = random.chance(50) ? 1 : 0;
            store(to + i * sizeof(T), value);
        } else {
            store(to + i * sizeof(T), static_cast<T>(random.pick(kValues)));
        }
    }
}

template <class T>
bool equal(const void* a, const void* b, std::size_t nelems) {
    for (std::size_t i = 0; i < nelems; ++i) {
        if (load<T>(a, i) != load<T>(b, i)) return false;
    }
    return true;
}

// ---- Reductions and scans ----------------------------------------------------------------------

#define TEAM_REDUCE(NAME, T) \
    shmem_##NAME(group.team, static_cast<T*>(dest), static_cast<const T*>(source), nelems)
#define TO_ALL(NAME, T)                                                                           \
    (shmem_##NAME(static_cast<T*>(dest), static_cast<const T*>(source), static_cast<int>(nelems), \
                  ACTIVE_SET, static_cast<T*>(group.pwrk), group.psync),                          \
     0)
// Which of the two: a type may have only one of them.
#define TEAM_ONLY(NAME, T) TEAM_REDUCE(NAME##_reduce, T)
#define BOTH(NAME, T) \
    (group.psync != nullptr ? TO_ALL(NAME##_to_all, T) : TEAM_REDUCE(NAME##_reduce, T))
#define ACTIVE_ONLY(NAME, T) TO_ALL(NAME##_to_all, T)

// The cases of a switch over ReduceName. (The formatter takes them for one macro.)
// clang-format off
#define BITWISE(FORM, NAME, T)                         \
    case ReduceName::kAnd: return FORM(NAME##_and, T); \
    case ReduceName::kOr: return FORM(NAME##_or, T);   \
    case ReduceName::kXor: return FORM(NAME##_xor, T);
#define EXTREME(FORM, NAME, T)                         \
    case ReduceName::kMax: return FORM(NAME##_max, T); \
    case ReduceName::kMin: return FORM(NAME##_min, T);
#define ARITHMETIC(FORM, NAME, T)                                       \
    case ReduceName::kSum: return FORM(NAME##_sum, T);                  \
    case ReduceName::kProd: return FORM(NAME##_prod, T);                \
    case ReduceName::kInscan: return TEAM_REDUCE(NAME##_sum_inscan, T); \
    case ReduceName::kExscan: return TEAM_REDUCE(NAME##_sum_exscan, T);
// clang-format on

constexpr unsigned kBitwise = 0b000000111;
constexpr unsigned kExtreme = 0b000011000;
constexpr unsigned kSumProd = 0b001100000;
constexpr unsigned kScans = 0b110000000;

#define ROW(NAME, T, TEAM_NAMES, ACTIVE_NAMES, CASES)                                              \
    ReduceRoutines{.name = #NAME,                                                                  \
                   .element_bytes = sizeof(T),                                                     \
                   .is_floating = !kIsInteger<T>,                                                  \
                   .team_names = TEAM_NAMES,                                                       \
                   .active_names = ACTIVE_NAMES,                                                   \
                   .call = [](ReduceName name, const Group& group, void* dest, const void* source, \
                              std::size_t nelems) -> int {                                         \
                       switch (name) { CASES default : __builtin_trap(); }                         \
                   },                                                                              \
                   .combine = combine<T>,                                                          \
                   .fill = fill<T>,                                                                \
                   .equal = equal<T>},
// The types of the bitwise team reductions, 14.
#define FIXED_ROW(NAME, T)                                   \
    ROW(NAME, T, kBitwise | kExtreme | kSumProd | kScans, 0, \
        BITWISE(TEAM_ONLY, NAME, T) EXTREME(TEAM_ONLY, NAME, T) ARITHMETIC(TEAM_ONLY, NAME, T))
// char, schar and ptrdiff: no bitwise reductions, no active sets.
#define SIGNED_ROW(NAME, T)                       \
    ROW(NAME, T, kExtreme | kSumProd | kScans, 0, \
        EXTREME(TEAM_ONLY, NAME, T) ARITHMETIC(TEAM_ONLY, NAME, T))
// short, int, long, longlong: bitwise ones on active sets only.
#define ACTIVE_INTEGER_ROW(NAME, T)                                            \
    ROW(NAME, T, kExtreme | kSumProd | kScans, kBitwise | kExtreme | kSumProd, \
        BITWISE(ACTIVE_ONLY, NAME, T) EXTREME(BOTH, NAME, T) ARITHMETIC(BOTH, NAME, T))
#define REAL_ROW(NAME, T)                                           \
    ROW(NAME, T, kExtreme | kSumProd | kScans, kExtreme | kSumProd, \
        EXTREME(BOTH, NAME, T) ARITHMETIC(BOTH, NAME, T))
#define COMPLEX_ROW(NAME, T) ROW(NAME, T, kSumProd | kScans, kSumProd, ARITHMETIC(BOTH, NAME, T))

// clang-format off
const ReduceRoutines kReductions[] = {
    FIXED_ROW(uchar, unsigned char)
    FIXED_ROW(ushort, unsigned short)
    FIXED_ROW(uint, unsigned int)
    FIXED_ROW(ulong, unsigned long)
    FIXED_ROW(ulonglong, unsigned long long)
    FIXED_ROW(int8, std::int8_t)
    FIXED_ROW(int16, std::int16_t)
    FIXED_ROW(int32, std::int32_t)
    FIXED_ROW(int64, std::int64_t)
    FIXED_ROW(uint8, std::uint8_t)
    FIXED_ROW(uint16, std::uint16_t)
    FIXED_ROW(uint32, std::uint32_t)
    FIXED_ROW(uint64, std::uint64_t)
    FIXED_ROW(size, std::size_t)
    SIGNED_ROW(char, char)
    SIGNED_ROW(schar, signed char)
    SIGNED_ROW(ptrdiff, std::ptrdiff_t)
    ACTIVE_INTEGER_ROW(short, short)
    ACTIVE_INTEGER_ROW(int, int)
    ACTIVE_INTEGER_ROW(long, long)
    ACTIVE_INTEGER_ROW(longlong, long long)
    REAL_ROW(float, float)
    REAL_ROW(double, double)
    REAL_ROW(longdouble, long double)
    COMPLEX_ROW(complexd, ComplexDouble)
    COMPLEX_ROW(complexf, ComplexFloat)
};
// clang-format on
static_assert(std::size(kReductions) == 26);

}  // namespace

std::span<const MoveRoutines> move_routines() { return kMoves; }
std::span<const ReduceRoutines> reduce_routines() { return kReductions; }

}  // namespace tessera::random

// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a reduction or scan, of any type or form, computes something else, forgets a PE or an
// element, takes a signed type for an unsigned one, gives PEs different results or touches what it
// should not (OpenSHMEM 1.6, 9.10).
//
// One template for all operations and types. Operands are such that no order of additions or
// multiplications rounds or overflows, so results are compared exactly.
#include <algorithm>
#include <span>
#include <type_traits>
#include <vector>

#include "conformance/groups.hpp"
#include "conformance/operations.hpp"
#include "conformance/routines.hpp"
#include "conformance/values.hpp"
#include "support/pe_test.hpp"

namespace tessera::conformance {
namespace {

enum class Kind { kReduction, kInclusiveScan, kExclusiveScan };

template <class T>
struct Reduction {
    int id;
    Kind kind;
    Op op;
    int (*call)(const Group& group, T* dest, const T* source, std::size_t nelems);
};

// The value that member `index` must have for element `i`.
template <class T>
T expected_value(const Reduction<T>& reduction, const Group& group, std::size_t i, unsigned turn) {
    const auto operand = [&](int index) {
        return operand_of<T>(reduction.op, {index, group.size(), i, turn});
    };
    int first = 0;
    int end = group.size();
    if (reduction.kind == Kind::kInclusiveScan) end = group.my_index + 1;
    if (reduction.kind == Kind::kExclusiveScan) end = group.my_index;
    if (end == 0) return T{};
    T result = operand(first);
    for (int index = first + 1; index < end; ++index)
        result = combine(reduction.op, result, operand(index));
    return result;
}

// dest and source in different places or, in place, in the same; elements before and after dest
// are guards. The source is overwritten as soon as the call returns.
template <class T>
void run(const Reduction<T>& reduction, const Group& group, std::size_t nelems, bool in_place) {
    constexpr std::size_t kGuards = 4;
    static unsigned turn = 0;
    ++turn;
    const test::Region& region = next_region();
    const std::size_t room = nelems + 2 * kGuards;
    ASSERT_LE(2 * room * sizeof(T), test::kRegionBytes);
    T* arena = reinterpret_cast<T*>(region.data);
    T* dest = arena + kGuards;
    T* source = in_place ? dest : arena + room + kGuards;
    const T guard = value_of<T>(mix(31, 7));
    std::fill(arena, arena + room, guard);
    change_psync();
    shmem_barrier_all();  // dest is ready on all PEs
    std::vector<T> expected(room, guard);
    if (group.is_member()) {
        come_late_in_turn(turn);
        for (std::size_t i = 0; i < nelems; ++i) {
            source[i] = operand_of<T>(reduction.op, {group.my_index, group.size(), i, turn});
            expected[kGuards + i] = expected_value(reduction, group, i, turn);
        }
        bool is_null = nelems == 0;
        EXPECT_EQ(
            reduction.call(group, is_null ? nullptr : dest, is_null ? nullptr : source, nelems), 0);
        if (!in_place) std::fill(source, source + nelems, guard);
    }
    for (std::size_t i = 0; i < room; ++i) {
        if (arena[i] == expected[i]) continue;
        ADD_FAILURE() << name_of(reduction.id) << ", " << group.name << ", " << nelems
                      << " elements, " << region.kind << (in_place ? ", in place" : "")
                      << ": element " << static_cast<std::ptrdiff_t>(i - kGuards) << " is "
                      << text_of(arena[i]) << ", not " << text_of(expected[i]);
    }
}

template <class T>
void check(const Reduction<T>& reduction, std::span<const Group> groups) {
    static std::size_t next_group = 0;
    run(reduction, groups.front(), 5, false);
    run(reduction, groups.front(), 33, true);
    for (std::size_t nelems : {1U, 0U, 150U})
        run(reduction, groups[++next_group % groups.size()], nelems, nelems == 1);
}

// CALL uses group, dest, source and nelems.
#define REDUCTION(ID, T, KIND, OP, GROUPS, CALL)                                            \
    check<T>({ID, Kind::KIND, Op::OP,                                                       \
              [](const Group& group, T* dest, const T* source, std::size_t nelems) -> int { \
                  called(ID);                                                               \
                  return CALL;                                                              \
              }},                                                                           \
             GROUPS);
#define TEAM(ID, NAME, T, KIND, OP) \
    REDUCTION(ID, T, KIND, OP, team_groups(), NAME(group.team, dest, source, nelems))
#define ACTIVE_SET(ID, NAME, T, OP)                                                        \
    REDUCTION(ID, T, kReduction, OP, active_set_groups(),                                  \
              (NAME(dest, source, static_cast<int>(nelems), group.start, group.log_stride, \
                    group.size(), static_cast<T*>(work_array()), psync()),                 \
               kNoStatus))

#define AND(ID, NAME, T, CTX) TEAM(ID, NAME, T, kReduction, kAnd)
#define OR(ID, NAME, T, CTX) TEAM(ID, NAME, T, kReduction, kOr)
#define XOR(ID, NAME, T, CTX) TEAM(ID, NAME, T, kReduction, kXor)
#define MAX(ID, NAME, T, CTX) TEAM(ID, NAME, T, kReduction, kMax)
#define MIN(ID, NAME, T, CTX) TEAM(ID, NAME, T, kReduction, kMin)
#define SUM(ID, NAME, T, CTX) TEAM(ID, NAME, T, kReduction, kSum)
#define PROD(ID, NAME, T, CTX) TEAM(ID, NAME, T, kReduction, kProd)
#define INSCAN(ID, NAME, T, CTX) TEAM(ID, NAME, T, kInclusiveScan, kSum)
#define EXSCAN(ID, NAME, T, CTX) TEAM(ID, NAME, T, kExclusiveScan, kSum)
TEST(Reduce, bitwise){EACH_and_reduce(AND) EACH_or_reduce(OR) EACH_xor_reduce(XOR)} TEST(Reduce,
                                                                                         max){
    EACH_max_reduce(MAX)} TEST(Reduce, min){EACH_min_reduce(MIN)} TEST(Reduce, sum){
    EACH_sum_reduce(SUM)} TEST(Reduce, prod){EACH_prod_reduce(PROD)} TEST(Scan, inclusive){
    EACH_sum_inscan(INSCAN)} TEST(Scan, exclusive){EACH_sum_exscan(EXSCAN)}
#define AND_ALL(ID, NAME, T, CTX) ACTIVE_SET(ID, NAME, T, kAnd)
#define OR_ALL(ID, NAME, T, CTX) ACTIVE_SET(ID, NAME, T, kOr)
#define XOR_ALL(ID, NAME, T, CTX) ACTIVE_SET(ID, NAME, T, kXor)
#define MAX_ALL(ID, NAME, T, CTX) ACTIVE_SET(ID, NAME, T, kMax)
#define MIN_ALL(ID, NAME, T, CTX) ACTIVE_SET(ID, NAME, T, kMin)
#define SUM_ALL(ID, NAME, T, CTX) ACTIVE_SET(ID, NAME, T, kSum)
#define PROD_ALL(ID, NAME, T, CTX) ACTIVE_SET(ID, NAME, T, kProd)
TEST(ToAll, bitwise){EACH_and_to_all(AND_ALL) EACH_or_to_all(OR_ALL)
                         EACH_xor_to_all(XOR_ALL)} TEST(ToAll, max_and_min){
    EACH_max_to_all(MAX_ALL) EACH_min_to_all(MIN_ALL)} TEST(ToAll, sum_and_prod){
    EACH_sum_to_all(SUM_ALL) EACH_prod_to_all(PROD_ALL)} TEST(ToAll, restores_psync) {
    shmem_barrier_all();
    expect_psync_restored();
}

// Vectors that algorithms cut into pieces, one for each PE and more.
template <class T>
void check_large(const Reduction<T>& reduction) {
    for (const Group& group : team_groups().first(4)) {
        for (std::size_t nelems : {1025U, 20000U}) {
            run(reduction, group, nelems, false);
            run(reduction, group, nelems, true);
        }
    }
}
TEST(Reduce, large) {
    check_large<double>(
        {ID_shmem_double_max_reduce, Kind::kReduction, Op::kMax,
         [](const Group& group, double* dest, const double* source, std::size_t nelems) {
             return shmem_double_max_reduce(group.team, dest, source, nelems);
         }});
    check_large<short>(
        {ID_shmem_short_sum_reduce, Kind::kReduction, Op::kSum,
         [](const Group& group, short* dest, const short* source, std::size_t nelems) {
             return shmem_short_sum_reduce(group.team, dest, source, nelems);
         }});
}
TEST(Scan, large) {
    check_large<long>({ID_shmem_long_sum_exscan, Kind::kExclusiveScan, Op::kSum,
                       [](const Group& group, long* dest, const long* source, std::size_t nelems) {
                           return shmem_long_sum_exscan(group.team, dest, source, nelems);
                       }});
    check_large<float>(
        {ID_shmem_float_sum_inscan, Kind::kInclusiveScan, Op::kSum,
         [](const Group& group, float* dest, const float* source, std::size_t nelems) {
             return shmem_float_sum_inscan(group.team, dest, source, nelems);
         }});
}

}  // namespace
}  // namespace tessera::conformance

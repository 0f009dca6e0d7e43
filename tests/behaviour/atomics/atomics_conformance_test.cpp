// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when an atomic of any type, form or context leaves or returns another value than the
// specification says, touches another word or PE, or excludes no others (OpenSHMEM 1.6, 9.7).
//
// One template for all: a routine is called on words whose old values tell their PE and caller and
// lie where a carry, a sign or a compare of half a word would show.
#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>
#include <vector>

#include "conformance/routines.hpp"
#include "conformance/values.hpp"
#include "conformance/views.hpp"
#include "support/pattern.hpp"
#include "support/pe_test.hpp"

namespace tessera::conformance {
namespace {

enum class Op { kFetch, kSet, kSwap, kCompareSwap, kInc, kAdd, kAnd, kOr, kXor };

template <class T>
struct Atomic {
    int id;
    bool has_ctx;
    Op op;
    bool fetches;
    T (*call)(T* dest, T cond, T value, int pe);
};

// The value after the operation.
template <class T>
T result_of(Op op, T old, T cond, T value) {
    switch (op) {
        case Op::kFetch: return old;
        case Op::kSet:
        case Op::kSwap: return value;
        case Op::kCompareSwap: return old == cond ? value : old;
        case Op::kInc: return add(old, static_cast<T>(1));
        case Op::kAdd: return add(old, value);
        default: break;
    }
    if constexpr (std::is_integral_v<T>) {
        if (op == Op::kAnd) return static_cast<T>(old & value);
        if (op == Op::kOr) return static_cast<T>(old | value);
        return static_cast<T>(old ^ value);
    }
    return old;
}

template <class T>
struct Case {
    T old;
    T cond;
    T value;
};
constexpr std::size_t kCases = 6;

// The operations of PE `caller` on its words on PE `owner`.
template <class T>
std::array<Case<T>, kCases> cases_of(int id, int owner, int caller) {
    std::array<Case<T>, kCases> cases;
    for (std::size_t k = 0; k < kCases; ++k) {
        const auto bits = [&](std::uint64_t part) {
            return value_of<T>(mix(static_cast<unsigned>(id) * 64U + k * 4 + part,
                                   static_cast<unsigned>(owner), static_cast<unsigned>(caller)));
        };
        cases[k] = {bits(0), bits(1), bits(2)};
    }
    cases[0].cond = cases[0].old;
    if constexpr (std::is_integral_v<T>) {
        constexpr int kHalf = sizeof(T) * 4;
        const T low_ones = static_cast<T>((std::uint64_t{1} << kHalf) - 1);
        cases[1].old = low_ones;  // A carry into the high half; a compare of the low half only.
        cases[1].cond = static_cast<T>(cases[1].old ^ (T{1} << kHalf));
        cases[2].old = static_cast<T>(-1);  // Wraps around to 0.
        cases[2].cond = cases[2].old;
        cases[3].cond = static_cast<T>(cases[3].old ^ 1);  // A compare of the high half only.
        cases[4].old = static_cast<T>(cases[4].old & ~low_ones);
        cases[4].cond = cases[4].old;
    } else {  // Bits that a computation would change.
        using Limits = std::numeric_limits<T>;
        cases[1] = {Limits::quiet_NaN(), {}, -Limits::infinity()};
        cases[2] = {-T{0}, {}, Limits::quiet_NaN()};
        cases[3] = {Limits::denorm_min(), {}, -T{0}};
        cases[4] = {Limits::max(), {}, Limits::denorm_min()};
    }
    return cases;
}

// Words lie among guards: guard, word, guard, word, ..., guard.
template <class T>
T* words_of(const test::Region& region, int caller) {
    return reinterpret_cast<T*>(region.data) + static_cast<std::size_t>(caller) * 2 * kCases;
}

template <class T>
std::vector<T> start_values(int id, int owner) {
    const int npes = shmem_n_pes();
    std::vector<T> words;
    for (int caller = 0; caller < npes; ++caller) {
        const auto cases = cases_of<T>(id, owner, caller);
        for (const Case<T>& it : cases) {
            words.push_back(value_of<T>(mix(77, words.size())));
            words.push_back(it.old);
        }
    }
    words.push_back(value_of<T>(99));
    return words;
}

// Every PE of the context calls it on words of every other one, itself included.
template <class T>
void check_values(const Atomic<T>& atomic, const View& view) {
    const test::Region& region = next_region();
    const int me = shmem_my_pe();
    std::vector<T> expected = start_values<T>(atomic.id, me);
    std::memcpy(region.data, expected.data(), expected.size() * sizeof(T));
    shmem_barrier_all();
    view.use();
    T* mine = words_of<T>(region, me);
    for (std::size_t number = 0; number < view.pes.size(); ++number) {
        const auto cases = cases_of<T>(atomic.id, view.pes[number], me);
        for (std::size_t k = 0; k < kCases; ++k) {
            T seen = atomic.call(mine + 2 * k + 1, cases[k].cond, cases[k].value,
                                 static_cast<int>(number));
            if (!atomic.fetches) continue;
            EXPECT_TRUE(test::same_bits(seen, cases[k].old))
                << name_of(atomic.id) << " returned from PE " << view.pes[number] << ", "
                << view.name << ", case " << k;
        }
    }
    if (!view.pes.empty()) view.quiet();
    shmem_barrier_all();
    for (int caller : view.pes) {
        const auto cases = cases_of<T>(atomic.id, me, caller);
        for (std::size_t k = 0; k < kCases; ++k) {
            T& word = expected[static_cast<std::size_t>(caller) * 2 * kCases + 2 * k + 1];
            word = result_of(atomic.op, word, cases[k].cond, cases[k].value);
        }
    }
    const T* actual = reinterpret_cast<const T*>(region.data);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_TRUE(test::same_bits(actual[i], expected[i]))
            << name_of(atomic.id) << " left " << actual[i] << " in word " << i << ", " << view.name
            << ", " << region.kind;
    }
}

// All PEs do the same to the same words of each PE. The order does not matter, a lost update does:
// no two updates of a word name the same bit.
template <class T>
void check_exclusion(const Atomic<T>& atomic) {
    const int npes = shmem_n_pes();
    // Between nodes each of these calls waits for an answer; mixed_atomics_test makes 10^7 there.
    const bool is_one_node = shmem_team_n_pes(SHMEM_TEAM_SHARED) == npes;
    const std::size_t words_each = is_one_node ? 24 : 1;
    const int updates = std::max(static_cast<int>(sizeof(T) * (is_one_node ? 8 : 2)) / npes, 1);
    const auto operand = [&](int pe, int i) {
        T bit = static_cast<T>(T{1} << (pe * updates + i));
        return atomic.op == Op::kAnd ? static_cast<T>(~bit) : bit;
    };
    const test::Region& region = next_region();
    T* words = reinterpret_cast<T*>(region.data);
    const T start = value_of<T>(mix(5, static_cast<unsigned>(atomic.id)));
    for (std::size_t word = 0; word < words_each; ++word) words[word] = start;
    shmem_barrier_all();
    for (std::size_t word = 0; word < words_each; ++word) {
        for (int i = 0; i < updates; ++i) {
            for (int pe = 0; pe < npes; ++pe)
                atomic.call(words + word, T{}, operand(shmem_my_pe(), i), pe);
        }
    }
    shmem_barrier_all();
    T expected = start;
    for (int pe = 0; pe < npes; ++pe) {
        for (int i = 0; i < updates; ++i)
            expected = result_of(atomic.op, expected, T{}, operand(pe, i));
    }
    for (std::size_t word = 0; word < words_each; ++word) {
        EXPECT_EQ(words[word], expected)
            << name_of(atomic.id) << " lost an update of word " << word << ", " << region.kind;
    }
    shmem_barrier_all();
}

template <class T>
void check(const Atomic<T>& atomic) {
    for (const View& view : views_of(atomic.id, atomic.has_ctx)) check_values(atomic, view);
    if constexpr (std::is_integral_v<T>) {
        if (atomic.op < Op::kInc) return;
        views(false)[0].use();
        check_exclusion(atomic);
    }
}

// CALL uses dest, cond, value and pe. A nonblocking form fills `old` when the context is quiet.
#define ATOMIC(ID, T, CTX, OP, FETCHES, CALL)                                                 \
    check<T>({ID, IS_##CTX, Op::OP, FETCHES,                                                  \
              []([[maybe_unused]] T* dest, [[maybe_unused]] T cond, [[maybe_unused]] T value, \
                 int pe) -> T {                                                               \
                  called(ID);                                                                 \
                  T old = value_of<T>(123);                                                   \
                  CALL;                                                                       \
                  return old;                                                                 \
              }});
#define QUIET(CTX) shmem_ctx_quiet(IS_##CTX ? current_ctx : SHMEM_CTX_DEFAULT)

#define FETCH(ID, NAME, T, CTX) ATOMIC(ID, T, CTX, kFetch, true, old = NAME(CTX() dest, pe))
#define SET(ID, NAME, T, CTX) ATOMIC(ID, T, CTX, kSet, false, NAME(CTX() dest, value, pe))
#define SWAP(ID, NAME, T, CTX) ATOMIC(ID, T, CTX, kSwap, true, old = NAME(CTX() dest, value, pe))
TEST(Atomics, fetch){EACH_atomic_fetch(FETCH)} TEST(Atomics, set){
    EACH_atomic_set(SET)} TEST(Atomics, swap){EACH_atomic_swap(SWAP)}
#define CSWAP(ID, NAME, T, CTX) \
    ATOMIC(ID, T, CTX, kCompareSwap, true, old = NAME(CTX() dest, cond, value, pe))
TEST(Atomics, compare_swap){EACH_atomic_compare_swap(CSWAP)}

#define FETCH_INC(ID, NAME, T, CTX) ATOMIC(ID, T, CTX, kInc, true, old = NAME(CTX() dest, pe))
#define INC(ID, NAME, T, CTX) ATOMIC(ID, T, CTX, kInc, false, NAME(CTX() dest, pe))
TEST(Atomics, inc){EACH_atomic_fetch_inc(FETCH_INC) EACH_atomic_inc(INC)}

#define FETCH_OP(ID, NAME, T, CTX, OP) \
    ATOMIC(ID, T, CTX, OP, true, old = NAME(CTX() dest, value, pe))
#define PLAIN_OP(ID, NAME, T, CTX, OP) ATOMIC(ID, T, CTX, OP, false, NAME(CTX() dest, value, pe))
#define FETCH_ADD(ID, NAME, T, CTX) FETCH_OP(ID, NAME, T, CTX, kAdd)
#define ADD(ID, NAME, T, CTX) PLAIN_OP(ID, NAME, T, CTX, kAdd)
#define FETCH_AND(ID, NAME, T, CTX) FETCH_OP(ID, NAME, T, CTX, kAnd)
#define AND(ID, NAME, T, CTX) PLAIN_OP(ID, NAME, T, CTX, kAnd)
#define FETCH_OR(ID, NAME, T, CTX) FETCH_OP(ID, NAME, T, CTX, kOr)
#define OR(ID, NAME, T, CTX) PLAIN_OP(ID, NAME, T, CTX, kOr)
#define FETCH_XOR(ID, NAME, T, CTX) FETCH_OP(ID, NAME, T, CTX, kXor)
#define XOR(ID, NAME, T, CTX) PLAIN_OP(ID, NAME, T, CTX, kXor)
TEST(Atomics, add){EACH_atomic_fetch_add(FETCH_ADD) EACH_atomic_add(ADD)} TEST(Atomics,
                                                                               bitwise_and){
    EACH_atomic_fetch_and(FETCH_AND) EACH_atomic_and(AND)} TEST(Atomics, bitwise_or){
    EACH_atomic_fetch_or(FETCH_OR) EACH_atomic_or(OR)} TEST(Atomics, bitwise_xor){
    EACH_atomic_fetch_xor(FETCH_XOR) EACH_atomic_xor(XOR)}

#define NBI(ID, T, CTX, OP, CALL) ATOMIC(ID, T, CTX, OP, true, CALL; QUIET(CTX))
#define FETCH_NBI(ID, NAME, T, CTX) NBI(ID, T, CTX, kFetch, NAME(CTX() & old, dest, pe))
#define SWAP_NBI(ID, NAME, T, CTX) NBI(ID, T, CTX, kSwap, NAME(CTX() & old, dest, value, pe))
#define CSWAP_NBI(ID, NAME, T, CTX) \
    NBI(ID, T, CTX, kCompareSwap, NAME(CTX() & old, dest, cond, value, pe))
#define INC_NBI(ID, NAME, T, CTX) NBI(ID, T, CTX, kInc, NAME(CTX() & old, dest, pe))
#define ADD_NBI(ID, NAME, T, CTX) NBI(ID, T, CTX, kAdd, NAME(CTX() & old, dest, value, pe))
#define AND_NBI(ID, NAME, T, CTX) NBI(ID, T, CTX, kAnd, NAME(CTX() & old, dest, value, pe))
#define OR_NBI(ID, NAME, T, CTX) NBI(ID, T, CTX, kOr, NAME(CTX() & old, dest, value, pe))
#define XOR_NBI(ID, NAME, T, CTX) NBI(ID, T, CTX, kXor, NAME(CTX() & old, dest, value, pe))
TEST(NonblockingAtomics, fetch){EACH_atomic_fetch_nbi(FETCH_NBI)} TEST(NonblockingAtomics, swap){
    EACH_atomic_swap_nbi(SWAP_NBI)} TEST(NonblockingAtomics, compare_swap){
    EACH_atomic_compare_swap_nbi(CSWAP_NBI)} TEST(NonblockingAtomics, inc){
    EACH_atomic_fetch_inc_nbi(INC_NBI)} TEST(NonblockingAtomics, add){
    EACH_atomic_fetch_add_nbi(ADD_NBI)} TEST(NonblockingAtomics, bitwise_and){
    EACH_atomic_fetch_and_nbi(AND_NBI)} TEST(NonblockingAtomics, bitwise_or){
    EACH_atomic_fetch_or_nbi(OR_NBI)} TEST(NonblockingAtomics, bitwise_xor) {
    EACH_atomic_fetch_xor_nbi(XOR_NBI)
}

}  // namespace
}  // namespace tessera::conformance

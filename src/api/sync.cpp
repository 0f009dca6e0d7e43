// SPDX-License-Identifier: BSD-3-Clause
//
// Point-to-point synchronization (OpenSHMEM 1.6, 9.11). A condition is a set of words with a
// comparison; waits repeat the test of the same name (base/wait.hpp says how).
#include "shmem/sync.h"

#include <cstdint>
#include <cstring>

#include "api/entry.hpp"
#include "api/local_word.hpp"
#include "base/failures.hpp"
#include "base/fatal.hpp"
#include "base/wait.hpp"
#include "base/wait_list.hpp"
#include "shmem/deprecated.h"
#include "shmemx/failures.h"

namespace tessera::api {
namespace {

// The start of a scan for any element: another one each time, so that no element starves behind a
// busy one. Random, because a thread may test several arrays in turn.
std::size_t choose_scan_start(std::size_t count) {
    static thread_local std::uint64_t state = 0;
    state = state * 6364136223846793005U + 1442695040888963407U;  // Knuth's MMIX
    return static_cast<std::size_t>(state >> 33) % count;
}

TESSERA_COLD [[noreturn]] void fail_comparison(int cmp, const char* where) {
    fatal("%s: cmp %d is none of SHMEM_CMP_EQ, NE, LT, LE, GT, GE", where, cmp);
}

template <class T>
TESSERA_INLINE bool holds(T word, int cmp, T value) {
    switch (cmp) {
        case SHMEM_CMP_EQ: return word == value;
        case SHMEM_CMP_NE: return word != value;
        case SHMEM_CMP_LT: return word < value;
        case SHMEM_CMP_LE: return word <= value;
        case SHMEM_CMP_GT: return word > value;
        default: return word >= value;
    }
}

TESSERA_INLINE void check_comparison(int cmp, const char* where) {
    if (cmp < SHMEM_CMP_EQ || cmp > SHMEM_CMP_LE) [[unlikely]]
        fail_comparison(cmp, where);
}

// "words[i] cmp values[i * value_step]" for the elements whose status is 0.
template <class T>
class Condition {
  public:
    struct Arguments {
        const T* words;
        std::size_t count;
        const int* status;
        int cmp;
        const T* values;
        std::size_t value_step;  // 0: one value for all
    };
    Condition(const Arguments& arguments, const char* where)
        : arguments_(arguments), words_(arguments.words, arguments.count, where) {
        check_comparison(arguments.cmp, where);
    }

    bool is_included(std::size_t i) const {
        return arguments_.status == nullptr || arguments_.status[i] == 0;
    }
    bool is_met(std::size_t i) const {
        return holds(words_.load(i), arguments_.cmp, arguments_.values[i * arguments_.value_step]);
    }
    bool is_empty() const {
        for (std::size_t i = 0; i < arguments_.count; ++i) {
            if (is_included(i)) return false;
        }
        return true;
    }
    bool all() const {
        for (std::size_t i = 0; i < arguments_.count; ++i) {
            if (is_included(i) && !is_met(i)) return false;
        }
        return true;
    }
    // An element that is met, or SIZE_MAX.
    std::size_t any() const {
        const std::size_t count = arguments_.count;
        for (std::size_t step = 0, i = count > 0 ? choose_scan_start(count) : 0; step < count;
             ++step) {
            if (is_included(i) && is_met(i)) return i;
            i = i + 1 < count ? i + 1 : 0;
        }
        return SIZE_MAX;
    }
    // Every element that is met.
    std::size_t some(std::size_t* indices) const {
        std::size_t found = 0;
        for (std::size_t i = 0; i < arguments_.count; ++i) {
            if (is_included(i) && is_met(i)) indices[found++] = i;
        }
        return found;
    }

  private:
    Arguments arguments_;
    LocalWords<T> words_;
};

template <class T>
using Arguments = typename Condition<T>::Arguments;

// For osh_hang.
template <class T>
WaitSubject word_subject(const T* word, int cmp, T value) {
    WaitSubject subject{.kind = WaitKind::kWords,
                        .comparison = cmp,
                        .address = word,
                        .word_bytes = sizeof(T),
                        .count = 1};
    std::memcpy(&subject.value, &value, sizeof(T));
    return subject;
}
// `list` is written when the wait becomes slow.
template <class T>
WaitSubject list_subject(const Arguments<T>& arguments, WaitList& list) {
    list = {.words = arguments.words,
            .values = arguments.values,
            .value_step = arguments.value_step,
            .status = arguments.status,
            .count = arguments.count,
            .word_bytes = sizeof(T)};
    return {.kind = WaitKind::kWords,
            .comparison = arguments.cmp,
            .address = &list,
            .count = static_cast<std::uint32_t>(arguments.count)};
}

template <class T>
TESSERA_INLINE void wait_for_word(const T* word, int cmp, T value, const char* where) {
    LocalWords<T> words(word, 1, where);
    check_comparison(cmp, where);
    wait_until([&] { return holds(words.load(0), cmp, value); }, where,
               [&] { return word_subject(word, cmp, value); });
}

// RETURNS: whether the word was the end of the wait; false: another PE has died.
TESSERA_INLINE bool wait_for_word_or_failure(const std::uint64_t* word, int cmp,
                                             std::uint64_t value, std::uint32_t failures,
                                             const char* where) {
    LocalWords<std::uint64_t> words(word, 1, where);
    check_comparison(cmp, where);
    bool is_met = false;
    wait_until(
        [&] { return (is_met = holds(words.load(0), cmp, value)) || failure_count() != failures; },
        where, [&] { return word_subject(word, cmp, value); });
    return is_met;
}

// A test that fails is likely to be repeated: other PEs must be served meanwhile. So is one that a
// program repeats as long as it succeeds.
template <class Result>
TESSERA_INLINE Result after_failure_drive(Result result, Result failure) {
    if (result == failure) {
        release_held();
        drive_progress();
        cancellation_point();
    } else {
        serve_other_nodes();
    }
    return result;
}

template <class T>
TESSERA_INLINE int test_word(const T* word, int cmp, T value, const char* where) {
    LocalWords<T> words(word, 1, where);
    check_comparison(cmp, where);
    return after_failure_drive(holds(words.load(0), cmp, value) ? 1 : 0, 0);
}

template <class T>
void wait_for_all(const Arguments<T>& arguments, const char* where) {
    Condition<T> condition(arguments, where);
    WaitList list;
    std::size_t next = 0;  // Elements before this one have been met.
    wait_until(
        [&] {
            while (next < arguments.count &&
                   (!condition.is_included(next) || condition.is_met(next))) {
                ++next;
            }
            return next == arguments.count;
        },
        where, [&] { return list_subject<T>(arguments, list); });
}

template <class T>
std::size_t wait_for_any(const Arguments<T>& arguments, const char* where) {
    Condition<T> condition(arguments, where);
    if (condition.is_empty()) return SIZE_MAX;
    WaitList list;
    std::size_t found = SIZE_MAX;
    wait_until([&] { return (found = condition.any()) != SIZE_MAX; }, where,
               [&] { return list_subject<T>(arguments, list); });
    return found;
}

template <class T>
std::size_t wait_for_some(const Arguments<T>& arguments, std::size_t* indices, const char* where) {
    Condition<T> condition(arguments, where);
    if (condition.is_empty()) return 0;
    WaitList list;
    std::size_t found = 0;
    wait_until([&] { return (found = condition.some(indices)) != 0; }, where,
               [&] { return list_subject<T>(arguments, list); });
    return found;
}

}  // namespace
}  // namespace tessera::api

using tessera::api::after_failure_drive;
using tessera::api::check_comparison;
using tessera::api::Condition;
using tessera::api::holds;
using tessera::api::LocalWords;
using tessera::api::test_word;
using tessera::api::wait_for_all;
using tessera::api::wait_for_any;
using tessera::api::wait_for_some;
using tessera::api::wait_for_word;
using tessera::api::wait_for_word_or_failure;

// shmem_TYPENAME_wait_until, shmem_TYPENAME_test
#define DEFINE_WORD(NAME, T)                                                      \
    SHMEM_ENTRY(void, shmem_##NAME##_wait_until, T* ivar, int cmp, T cmp_value) { \
        wait_for_word(ivar, cmp, cmp_value, SHMEM_WHERE);                         \
    }                                                                             \
    SHMEM_ENTRY(int, shmem_##NAME##_test, T* ivar, int cmp, T cmp_value) {        \
        return test_word(ivar, cmp, cmp_value, SHMEM_WHERE);                      \
    }
SHMEM_INTERNAL_AMO_STD_TYPES(DEFINE_WORD)
SHMEM_INTERNAL_P2P_SHORT_TYPES(DEFINE_WORD)
#undef DEFINE_WORD

SHMEM_ENTRY(int, shmemx_wait_until_failure, uint64_t* ivar, int cmp, uint64_t cmp_value,
            int failures) {
    return wait_for_word_or_failure(ivar, cmp, cmp_value, static_cast<uint32_t>(failures),
                                    SHMEM_WHERE)
               ? 1
               : 0;
}

// shmem_TYPENAME_{wait_until,test}_{all,any,some}, and with _vector
#define DEFINE_ARRAY(NAME, T, SUFFIX, VALUE, VALUES, STEP)                                         \
    SHMEM_ENTRY(void, shmem_##NAME##_wait_until_all##SUFFIX, T* ivars, size_t nelems,              \
                const int* status, int cmp, VALUE) {                                               \
        wait_for_all<T>({ivars, nelems, status, cmp, VALUES, STEP}, SHMEM_WHERE);                  \
    }                                                                                              \
    SHMEM_ENTRY(size_t, shmem_##NAME##_wait_until_any##SUFFIX, T* ivars, size_t nelems,            \
                const int* status, int cmp, VALUE) {                                               \
        return wait_for_any<T>({ivars, nelems, status, cmp, VALUES, STEP}, SHMEM_WHERE);           \
    }                                                                                              \
    SHMEM_ENTRY(size_t, shmem_##NAME##_wait_until_some##SUFFIX, T* ivars, size_t nelems,           \
                size_t* indices, const int* status, int cmp, VALUE) {                              \
        return wait_for_some<T>({ivars, nelems, status, cmp, VALUES, STEP}, indices, SHMEM_WHERE); \
    }                                                                                              \
    SHMEM_ENTRY(int, shmem_##NAME##_test_all##SUFFIX, T* ivars, size_t nelems, const int* status,  \
                int cmp, VALUE) {                                                                  \
        return after_failure_drive<int>(                                                           \
            Condition<T>({ivars, nelems, status, cmp, VALUES, STEP}, SHMEM_WHERE).all(), 0);       \
    }                                                                                              \
    SHMEM_ENTRY(size_t, shmem_##NAME##_test_any##SUFFIX, T* ivars, size_t nelems,                  \
                const int* status, int cmp, VALUE) {                                               \
        return after_failure_drive(                                                                \
            Condition<T>({ivars, nelems, status, cmp, VALUES, STEP}, SHMEM_WHERE).any(),           \
            SIZE_MAX);                                                                             \
    }                                                                                              \
    SHMEM_ENTRY(size_t, shmem_##NAME##_test_some##SUFFIX, T* ivars, size_t nelems,                 \
                size_t* indices, const int* status, int cmp, VALUE) {                              \
        return after_failure_drive(                                                                \
            Condition<T>({ivars, nelems, status, cmp, VALUES, STEP}, SHMEM_WHERE).some(indices),   \
            size_t{0});                                                                            \
    }
#define DEFINE_ARRAYS(NAME, T)                          \
    DEFINE_ARRAY(NAME, T, , T cmp_value, &cmp_value, 0) \
    DEFINE_ARRAY(NAME, T, _vector, const T* cmp_values, cmp_values, 1)
SHMEM_INTERNAL_AMO_STD_TYPES(DEFINE_ARRAYS)
#undef DEFINE_ARRAYS
#undef DEFINE_ARRAY

SHMEM_ENTRY(uint64_t, shmem_signal_wait_until, uint64_t* sig_addr, int cmp, uint64_t cmp_value) {
    LocalWords<uint64_t> signal(sig_addr, 1, SHMEM_WHERE);
    check_comparison(cmp, SHMEM_WHERE);
    uint64_t seen = 0;
    tessera::wait_until([&] { return holds(seen = signal.load(0), cmp, cmp_value); }, SHMEM_WHERE,
                        [&] { return tessera::api::word_subject(sig_addr, cmp, cmp_value); });
    return seen;
}

// Deprecated since 1.4: shmem_wait_until on long, shmem_wait, shmem_TYPENAME_wait
SHMEM_ENTRY(void, shmem_wait_until, long* ivar, int cmp, long cmp_value) {
    wait_for_word(ivar, cmp, cmp_value, SHMEM_WHERE);
}
SHMEM_ENTRY(void, shmem_wait, long* ivar, long cmp_value) {
    wait_for_word(ivar, SHMEM_CMP_NE, cmp_value, SHMEM_WHERE);
}
#define DEFINE_OLD_WAIT(NAME, T)                                   \
    SHMEM_ENTRY(void, shmem_##NAME##_wait, T* ivar, T cmp_value) { \
        wait_for_word(ivar, SHMEM_CMP_NE, cmp_value, SHMEM_WHERE); \
    }
SHMEM_INTERNAL_WAIT_OLD_TYPES(DEFINE_OLD_WAIT)
#undef DEFINE_OLD_WAIT

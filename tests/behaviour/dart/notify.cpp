// SPDX-License-Identifier: BSD-3-Clause
//
// Notified puts: the data is there when the word is, in memory of each kind, with each form, for
// many and for few elements, and between two layouts. And wrong arguments.
#include <dash/dart/if/dart_tessera.h>

#include "onesided.hpp"

namespace {

constexpr std::size_t kSizes[] = {0, 1, 63, 1000, 100000};
constexpr std::size_t kLongest = 100000;

long element(int unit, std::size_t round, std::size_t i) {
    return 1000000L * unit + 1000L * static_cast<long>(round) + static_cast<long>(i % 997);
}

enum Form { kByFlush, kByHandle, kStrided, kStridedByHandle, kForms };

// One put of a round. The source stays as it is until the flush or the wait.
void put(Form form, const Memory& data, dart_gptr_t word, const std::vector<long>& source,
         std::size_t elements, dart_datatype_t strided, std::uint64_t value) {
    const dart_gptr_t dest = data.of(next_unit());
    const bool is_strided = form == kStrided || form == kStridedByHandle;
    const dart_datatype_t dest_type = is_strided ? strided : DART_TYPE_LONG;
    const dart_notify_t how = value % 2 == 0 ? DART_NOTIFY_SET : DART_NOTIFY_ADD;
    const std::uint64_t change = how == DART_NOTIFY_SET ? value : 1;
    if (form == kByFlush || form == kStrided) {
        OK(dart_put_notify(dest, source.data(), elements, DART_TYPE_LONG, dest_type, word, how,
                           change));
        OK(dart_flush(dest));
        return;
    }
    dart_handle_t handle = DART_HANDLE_NULL;
    OK(dart_put_notify_handle(dest, source.data(), elements, DART_TYPE_LONG, dest_type, word, how,
                              change, &handle));
    OK(dart_wait(&handle));
    CHECK(handle == DART_HANDLE_NULL);
}

void await(int round, dart_gptr_t word, std::uint64_t value) {
    std::uint64_t found = 0;
    if (round % 2 == 0) {
        OK(dart_notify_wait(word, value, &found));
    } else {
        std::int32_t is_there = 0;
        while (is_there == 0) OK(dart_notify_test(word, value, &found, &is_there));
    }
    CHECK(found == value);
}

// Each unit puts to the next one, and waits for the previous one's data.
void test_kind(Memory::Kind kind) {
    Memory data(kind, 2 * kLongest * sizeof(long));
    Memory words(kind, 2 * sizeof(std::uint64_t));
    words.own<std::uint64_t>()[1] = 0;
    dart_datatype_t strided = DART_TYPE_UNDEFINED;
    OK(dart_type_create_strided(DART_TYPE_LONG, 2, 1, &strided));
    check_meet();
    std::uint64_t value = 0;
    for (int form = 0; form < kForms; ++form) {
        const std::size_t step = form >= kStrided ? 2 : 1;
        for (std::size_t elements : kSizes) {
            const std::size_t round = ++value;
            std::vector<long> source(elements);
            for (std::size_t i = 0; i < elements; ++i) source[i] = element(me(), round, i);
            put(static_cast<Form>(form), data, words.of(next_unit(), sizeof(std::uint64_t)), source,
                elements, strided, value);
            await(static_cast<int>(round), words.of(me(), sizeof(std::uint64_t)), value);
            for (std::size_t i = 0; i < elements; ++i)
                CHECK(data.own<long>()[step * i] == element(previous_unit(), round, i));
            check_meet();
        }
    }
    OK(dart_type_destroy(&strided));
}

// Puts of several units count up one word.
void test_counting() {
    Memory words(Memory::kAllocated, sizeof(std::uint64_t));
    *words.own<std::uint64_t>() = 0;
    check_meet();
    constexpr std::uint64_t kEach = 50;
    for (std::uint64_t i = 0; i < kEach; ++i) {
        OK(dart_put_notify(words.of(0), nullptr, 0, DART_TYPE_INT, DART_TYPE_INT, words.of(0),
                           DART_NOTIFY_ADD, 1));
    }
    OK(dart_flush(words.of(0)));
    if (me() == 0) {
        const std::uint64_t all = kEach * static_cast<std::uint64_t>(units());
        OK(dart_notify_wait(words.of(0), all, nullptr));
        CHECK(*words.own<std::uint64_t>() == all);
    }
}

void test_wrong_arguments() {
    Memory words(Memory::kAllocated, 2 * sizeof(std::uint64_t));
    const dart_gptr_t word = words.of(me());
    const long source = 1;
    std::int32_t is_there = 0;
    const auto put_to = [&](dart_gptr_t gptr, const void* from, dart_gptr_t changed,
                            dart_notify_t how) {
        return dart_put_notify(gptr, from, 1, DART_TYPE_LONG, DART_TYPE_LONG, changed, how, 1);
    };
    INVALID(put_to(word, nullptr, word, DART_NOTIFY_SET));
    INVALID(put_to(word, &source, words.of(me(), 4), DART_NOTIFY_SET));
    INVALID(put_to(word, &source, words.of(me(), 16), DART_NOTIFY_SET));
    INVALID(put_to(word, &source, DART_GPTR_NULL, DART_NOTIFY_SET));
    INVALID(put_to(words.of(me(), 16), &source, word, DART_NOTIFY_SET));
    INVALID(put_to(word, &source, word, 7));
    INVALID(
        dart_put_notify(word, &source, 1, DART_TYPE_LONG, DART_TYPE_INT, word, DART_NOTIFY_SET, 1));
    INVALID(dart_put_notify(word, &source, SIZE_MAX, DART_TYPE_LONG, DART_TYPE_LONG, word,
                            DART_NOTIFY_SET, 1));
    INVALID(dart_put_notify_handle(word, &source, 1, DART_TYPE_LONG, DART_TYPE_LONG, word,
                                   DART_NOTIFY_SET, 1, nullptr));
    INVALID(dart_notify_test(word, 1, nullptr, nullptr));
    INVALID(dart_notify_wait(words.of(me(), 4), 0, nullptr));
    if (units() > 1) {
        INVALID(put_to(word, &source, words.of(next_unit()), DART_NOTIFY_SET));
        INVALID(dart_notify_wait(words.of(next_unit()), 0, nullptr));
        INVALID(dart_notify_test(words.of(next_unit()), 0, nullptr, &is_there));
    }
}

}  // namespace

void test_notify() {
    for (int kind = 0; kind < Memory::kKinds; ++kind) test_kind(static_cast<Memory::Kind>(kind));
    test_counting();
    test_wrong_arguments();
}

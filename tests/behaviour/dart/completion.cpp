// SPDX-License-Identifier: BSD-3-Clause
//
// Handles and flushes, several of them under way at a time. The first test is the case of paper 000
// (figure 6.1) that a lock for each operation cannot do: two puts to one target, then two waits.
#include <algorithm>
#include <chrono>
#include <thread>

#include "onesided.hpp"

namespace {

constexpr std::size_t kLong = 20000;  // longs: more than any network injects
constexpr int kParts = 8;

std::vector<long> values_of(int unit) {
    std::vector<long> values(kLong);
    for (std::size_t i = 0; i < kLong; ++i) values[i] = unit * 100000 + static_cast<long>(i);
    return values;
}

void check_values(const long* values, int unit) {
    for (std::size_t i = 0; i < kLong; ++i)
        CHECK(values[i] == unit * 100000 + static_cast<long>(i));
}

dart_gptr_t part(const Memory& memory, int unit, int i) {
    return memory.of(unit, static_cast<std::size_t>(i) * kLong / kParts * sizeof(long));
}

void test_two_waits(const Memory& memory) {
    const std::vector<long> values = values_of(me());
    dart_handle_t first = DART_HANDLE_NULL;
    dart_handle_t second = DART_HANDLE_NULL;
    OK(dart_put_handle(memory.of(next_unit()), values.data(), kLong / 2, DART_TYPE_LONG,
                       DART_TYPE_LONG, &first));
    OK(dart_put_handle(memory.of(next_unit(), kLong / 2 * sizeof(long)), values.data() + kLong / 2,
                       kLong / 2, DART_TYPE_LONG, DART_TYPE_LONG, &second));
    OK(dart_wait(&first));
    OK(dart_wait(&second));
    CHECK(first == DART_HANDLE_NULL && second == DART_HANDLE_NULL);
    check_meet();
    check_values(memory.own<long>(), previous_unit());
    check_meet();
}

enum Way { kWaitAll, kTestAll, kTestEach, kWaitLocal, kFree, kWays };

void start_puts(const Memory& memory, const long* values, dart_handle_t* handles) {
    for (int i = 0; i < kParts; ++i) {
        OK(dart_put_handle(part(memory, next_unit(), i),
                           values + static_cast<std::size_t>(i) * kLong / kParts, kLong / kParts,
                           DART_TYPE_LONG, DART_TYPE_LONG, &handles[i]));
    }
}

void start_gets(const Memory& memory, long* values, dart_handle_t* handles) {
    for (int i = 0; i < kParts; ++i) {
        OK(dart_get_handle(values + static_cast<std::size_t>(i) * kLong / kParts,
                           part(memory, next_unit(), i), kLong / kParts, DART_TYPE_LONG,
                           DART_TYPE_LONG, &handles[i]));
    }
}

// kWaitLocal and kFree leave the remote side to a flush.
void end(Way way, dart_handle_t* handles, dart_gptr_t gptr) {
    std::int32_t is_finished = 0;
    switch (way) {
        case kWaitAll: OK(dart_waitall(handles, kParts + 2)); break;
        case kTestAll:
            while (is_finished == 0) OK(dart_testall(handles, kParts + 2, &is_finished));
            break;
        case kTestEach:
            for (int i = 0; i < kParts; ++i) {
                for (is_finished = 0; is_finished == 0;) OK(dart_test(&handles[i], &is_finished));
            }
            break;
        case kWaitLocal:
            OK(dart_waitall_local(handles, kParts + 2));
            OK(dart_flush(gptr));
            break;
        default:
            for (int i = 0; i < kParts; ++i) OK(dart_handle_free(&handles[i]));
            OK(dart_flush_all(gptr));
    }
    for (int i = 0; i < kParts + 2; ++i) CHECK(handles[i] == DART_HANDLE_NULL);
}

// `local`: kLong longs, of which helpers reach those in shared memory in any number.
void test_many(const Memory& memory, Way way, long* local) {
    // Two more handles, which are NULL.
    dart_handle_t handles[kParts + 2] = {};
    std::ranges::copy(values_of(me() + way), local);
    start_puts(memory, local, handles);
    end(way, handles, memory.of(next_unit()));
    check_meet();
    check_values(memory.own<long>(), previous_unit() + way);
    std::fill_n(local, kLong, 0);
    start_gets(memory, local, handles);
    end(way, handles, memory.of(next_unit()));
    check_values(local, me() + way);
    check_meet();
}

// The same without handles: a flush completes what it must.
void test_flushes(const Memory& memory, long* local) {
    std::ranges::copy(values_of(me()), local);
    OK(dart_put(memory.of(next_unit()), local, kLong, DART_TYPE_LONG, DART_TYPE_LONG));
    OK(dart_flush_local(memory.of(next_unit())));
    std::fill_n(local, kLong, 0);  // The buffer is ours again.
    OK(dart_flush(memory.of(next_unit())));
    check_meet();
    check_values(memory.own<long>(), previous_unit());
    OK(dart_get(local, memory.of(next_unit()), kLong, DART_TYPE_LONG, DART_TYPE_LONG));
    OK(dart_flush_local_all(memory.of(next_unit())));
    check_values(local, me());
    check_meet();
    std::ranges::copy(values_of(me() + 1), local);
    OK(dart_put(memory.of(next_unit()), local, kLong, DART_TYPE_LONG, DART_TYPE_LONG));
    OK(dart_flush(memory.of(next_unit())));
    check_meet();
    check_values(memory.own<long>(), previous_unit() + 1);
    check_meet();
}

void test_local(const Memory& memory) {
    dart_handle_t handles[kParts] = {};
    std::vector<long> back(kLong);
    start_gets(memory, back.data(), handles);
    std::int32_t is_finished = 0;
    while (is_finished == 0) OK(dart_test_local(&handles[0], &is_finished));
    OK(dart_wait_local(&handles[1]));
    for (is_finished = 0; is_finished == 0;) OK(dart_testall_local(handles, kParts, &is_finished));
    check_values(back.data(), me() + kWays - 1);
}

void test_null() {
    std::int32_t is_finished = 0;
    dart_handle_t handle = DART_HANDLE_NULL;
    OK(dart_wait(nullptr));
    OK(dart_wait(&handle));
    OK(dart_wait_local(nullptr));
    OK(dart_waitall(nullptr, 0));
    OK(dart_waitall_local(&handle, 1));
    OK(dart_handle_free(&handle));
    for (auto test : {dart_test, dart_test_local}) {
        for (dart_handle_t* handles : {static_cast<dart_handle_t*>(nullptr), &handle}) {
            is_finished = 0;
            OK(test(handles, &is_finished));
            CHECK(is_finished == 1);
        }
    }
    for (auto test : {dart_testall, dart_testall_local}) {
        is_finished = 0;
        OK(test(nullptr, 3, &is_finished));
        CHECK(is_finished == 1);
        is_finished = 0;
        OK(test(&handle, 0, &is_finished));
        CHECK(is_finished == 1);
        INVALID(test(&handle, 1, nullptr));
    }
    INVALID(dart_waitall(nullptr, 1));
    INVALID(dart_handle_free(nullptr));
}

// A put that has returned as complete is visible before its unit loads anything else: of two units
// that put to each other, and then load their own words, at least one sees the other's value. The
// words of each round lie on lines of their own.
constexpr std::size_t kLine = 64;
enum Put { kBlocking, kBlockingStrided, kHandleTested, kHandlesTested, kFlushed, kPuts };

void put_complete(Put how, dart_gptr_t gptr, dart_datatype_t strided) {
    const long one = 1;
    dart_handle_t handle = DART_HANDLE_NULL;
    std::int32_t is_finished = 0;
    switch (how) {
        case kBlocking: return OK(dart_put_blocking(gptr, &one, 1, DART_TYPE_LONG, DART_TYPE_LONG));
        case kBlockingStrided: return OK(dart_put_blocking(gptr, &one, 1, DART_TYPE_LONG, strided));
        case kHandleTested:
        case kHandlesTested:
            OK(dart_put_handle(gptr, &one, 1, DART_TYPE_LONG, DART_TYPE_LONG, &handle));
            while (is_finished == 0) {
                OK(how == kHandleTested ? dart_test(&handle, &is_finished)
                                        : dart_testall(&handle, 1, &is_finished));
            }
            return;
        default: OK(dart_put(gptr, &one, 1, DART_TYPE_LONG, DART_TYPE_LONG)); OK(dart_flush(gptr));
    }
}

// The byte at a place of this unit, by a load or by a get. The get could order more than the put
// before it does.
char look(const Memory& memory, std::size_t place, bool is_loaded) {
    if (is_loaded) return *(memory.own<volatile char>() + place);
    char byte = 0;
    OK(dart_get_blocking(&byte, memory.of(me(), place), 1, DART_TYPE_BYTE, DART_TYPE_BYTE));
    return byte;
}

// RETURNS: the flag, when the other unit has set it. A get serves other nodes meanwhile.
char await(const Memory& memory, std::size_t place) {
    const bool is_loaded = nodes() == 1 && is_coherent();
    char flag = 0;
    for (int i = 0; flag == 0; ++i) {
        flag = look(memory, place, is_loaded);
        if (i % 1000 == 999) std::this_thread::yield();
    }
    return flag;
}

// Units 0 and 1 meet, and put to each other. RETURNS: whether it was the last round: unit 0 ends
// them after half a second, because they are slow on a loaded machine.
bool play_round(Put how, const Memory& memory, std::size_t round, dart_datatype_t strided,
                std::chrono::steady_clock::time_point end, char& is_old) {
    const int other = me() ^ 1;
    const std::size_t word = 2 * round * kLine;
    const long flag = me() == 0 && std::chrono::steady_clock::now() > end ? 2 : 1;
    OK(dart_put(memory.of(other, word + kLine), &flag, 1, DART_TYPE_LONG, DART_TYPE_LONG));
    OK(dart_flush(memory.of(other)));
    const char others_flag = await(memory, word + kLine);
    put_complete(how, memory.of(other, word), strided);
    is_old = look(memory, word, is_coherent()) == 0 ? 1 : 0;
    return flag == 2 || others_flag == 2;
}

void test_store_buffer(Put how) {
    const std::size_t rounds = nodes() == 1 ? 10000 : 100;
    const Memory memory(Memory::kAllocated, 2 * rounds * kLine);
    std::fill_n(memory.own<char>(), 2 * rounds * kLine, char{0});
    std::vector<char> is_old(rounds);
    dart_datatype_t strided = DART_TYPE_UNDEFINED;
    OK(dart_type_create_strided(DART_TYPE_LONG, 2, 1, &strided));
    check_meet();
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
    bool is_last = me() > 1 || units() == 1;
    for (std::size_t round = 0; !is_last && round < rounds; ++round)
        is_last = play_round(how, memory, round, strided, end, is_old[round]);
    check_meet();
    std::vector<char> all(rounds * static_cast<std::size_t>(units()));
    OK(dart_allgather(is_old.data(), all.data(), rounds, DART_TYPE_BYTE, DART_TEAM_ALL));
    for (std::size_t round = 0; units() > 1 && round < rounds; ++round)
        CHECK(all[round] == 0 || all[rounds + round] == 0);
    OK(dart_type_destroy(&strided));
}

}  // namespace

void test_completion() {
    for (int how = 0; how < kPuts; ++how) test_store_buffer(static_cast<Put>(how));
    Memory shared(Memory::kLocal, kLong * sizeof(long));
    std::vector<long> own(kLong);
    for (int kind = 0; kind < Memory::kKinds; ++kind) {
        Memory memory(static_cast<Memory::Kind>(kind), kLong * sizeof(long));
        test_two_waits(memory);
        for (long* local : {own.data(), shared.own<long>()}) {
            test_flushes(memory, local);
            for (int way = 0; way < kWays; ++way) test_many(memory, static_cast<Way>(way), local);
        }
        test_local(memory);
    }
    test_null();
}

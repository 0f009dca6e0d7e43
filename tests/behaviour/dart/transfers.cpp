// SPDX-License-Identifier: BSD-3-Clause
//
// Puts and gets of contiguous elements: all ways to complete them, all kinds of memory.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <string>

#include "onesided.hpp"

namespace {

constexpr std::size_t kSizes[] = {1,  2,  3,   4,   7,   8,    9,    16,
                                  64, 65, 255, 256, 257, 4096, 4097, 70000};
constexpr std::size_t kBytesMax = 70000 + 16;

enum Way { kBlocking, kFlush, kFlushAll, kHandle, kWays };

char pattern(int unit, std::size_t i) { return static_cast<char>(unit * 31 + i * 7 + i / 256); }

void put(Way way, dart_gptr_t gptr, const char* source, std::size_t bytes) {
    dart_handle_t handle = DART_HANDLE_NULL;
    switch (way) {
        case kBlocking:
            OK(dart_put_blocking(gptr, source, bytes, DART_TYPE_BYTE, DART_TYPE_BYTE));
            break;
        case kHandle:
            OK(dart_put_handle(gptr, source, bytes, DART_TYPE_BYTE, DART_TYPE_BYTE, &handle));
            OK(dart_wait(&handle));
            CHECK(handle == DART_HANDLE_NULL);
            break;
        default:
            OK(dart_put(gptr, source, bytes, DART_TYPE_BYTE, DART_TYPE_BYTE));
            OK(way == kFlush ? dart_flush(gptr) : dart_flush_all(gptr));
    }
}

void get(Way way, char* dest, dart_gptr_t gptr, std::size_t bytes) {
    dart_handle_t handle = DART_HANDLE_NULL;
    switch (way) {
        case kBlocking:
            OK(dart_get_blocking(dest, gptr, bytes, DART_TYPE_BYTE, DART_TYPE_BYTE));
            break;
        case kHandle:
            OK(dart_get_handle(dest, gptr, bytes, DART_TYPE_BYTE, DART_TYPE_BYTE, &handle));
            OK(dart_wait_local(&handle));
            CHECK(handle == DART_HANDLE_NULL);
            break;
        default:
            OK(dart_get(dest, gptr, bytes, DART_TYPE_BYTE, DART_TYPE_BYTE));
            OK(way == kFlush ? dart_flush_local(gptr) : dart_flush_local_all(gptr));
    }
}

void check_bytes(const char* bytes, int unit, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) CHECK(bytes[i] == pattern(unit, i));
}

void test_sizes(Memory::Kind kind, Way way) {
    Memory memory(kind, kBytesMax);
    std::vector<char> local(kBytesMax);
    for (std::size_t bytes : kSizes) {
        for (std::size_t i = 0; i < bytes; ++i) local[i] = pattern(me(), i);
        put(way, memory.of(next_unit(), 8), local.data(), bytes);
        check_meet();
        check_bytes(memory.own<char>() + 8, previous_unit(), bytes);
        std::memset(local.data(), 0, bytes + 1);
        get(way, local.data() + 1, memory.of(next_unit(), 8), bytes);
        CHECK(local[0] == 0);
        check_bytes(local.data() + 1, me(), bytes);
        check_meet();
    }
}

template <class T>
void check_type(const Memory& memory, dart_datatype_t type) {
    const T values[3] = {static_cast<T>(1), static_cast<T>(me() + 2), static_cast<T>(-3)};
    OK(dart_put_blocking(memory.of(next_unit()), values, 3, type, type));
    T back[3] = {};
    OK(dart_get_blocking(back, memory.of(next_unit()), 3, type, type));
    for (int i = 0; i < 3; ++i) CHECK(back[i] == values[i]);
}

void test_basic_types() {
    Memory memory(Memory::kAllocated, 64);
    check_type<char>(memory, DART_TYPE_BYTE);
    check_type<short>(memory, DART_TYPE_SHORT);
    check_type<int>(memory, DART_TYPE_INT);
    check_type<unsigned>(memory, DART_TYPE_UINT);
    check_type<long>(memory, DART_TYPE_LONG);
    check_type<unsigned long>(memory, DART_TYPE_ULONG);
    check_type<long long>(memory, DART_TYPE_LONGLONG);
    check_type<unsigned long long>(memory, DART_TYPE_ULONGLONG);
    check_type<float>(memory, DART_TYPE_FLOAT);
    check_type<double>(memory, DART_TYPE_DOUBLE);
    check_type<long double>(memory, DART_TYPE_LONG_DOUBLE);
}

int poll(dart_gptr_t word) {
    int value = -1;
    OK(dart_get_blocking(&value, word, 1, DART_TYPE_INT, DART_TYPE_INT));
    return value;
}

// Each unit waits for its own word, by gets only: DASH's halos do so.
void test_polling(Memory::Kind kind) {
    Memory memory(kind, 64);
    *memory.own<int>() = 0;
    check_meet();
    for (int round = 1; round <= 20; ++round) {
        if (me() == 0)
            OK(dart_put_blocking(memory.of(next_unit()), &round, 1, DART_TYPE_INT, DART_TYPE_INT));
        while (poll(memory.of(me())) < round) {
        }
        if (me() != 0)
            OK(dart_put_blocking(memory.of(next_unit()), &round, 1, DART_TYPE_INT, DART_TYPE_INT));
    }
}

// Two units put, then get what the other one has put: at least one of them sees it, because a
// blocking put is complete.
void test_order() {
    constexpr int kRounds = 400;
    Memory memory(Memory::kAllocated, 64 + sizeof(int) * kRounds);
    const int partner = me() ^ 1;
    const bool takes_part = partner < units() && me() < 2;
    int* mine = memory.own<int>();
    for (int i = 0; i < kRounds + 16; ++i) mine[i] = 0;
    check_meet();
    std::vector<int> seen(kRounds, 1);
    const int one = 1;
    for (int round = 0; takes_part && round < kRounds; ++round) {
        // Close together: the partner has come to this round.
        const int here = round + 1;
        OK(dart_put_blocking(memory.of(partner), &here, 1, DART_TYPE_INT, DART_TYPE_INT));
        while (poll(memory.of(me())) < here) {
        }
        const std::size_t place = 64 + sizeof(int) * static_cast<std::size_t>(round);
        OK(dart_put_blocking(memory.of(me(), place), &one, 1, DART_TYPE_INT, DART_TYPE_INT));
        seen[static_cast<std::size_t>(round)] = poll(memory.of(partner, place));
    }
    Memory results(Memory::kAllocated, sizeof(int) * kRounds);
    std::memcpy(results.own<int>(), seen.data(), sizeof(int) * kRounds);
    check_meet();
    if (takes_part) {
        std::vector<int> other(kRounds);
        OK(dart_get_blocking(other.data(), results.of(partner), kRounds, DART_TYPE_INT,
                             DART_TYPE_INT));
        for (std::size_t i = 0; i < kRounds; ++i) CHECK(seen[i] + other[i] >= 1);
    }
}

// Rounds that the units tell each other past DART, by a file of the host.
class Board {
  public:
    Board() : name_("/tmp/tessera-dart-test-" + std::to_string(::getppid())) {
        const int file = ::open(name_.c_str(), O_CREAT | O_RDWR, 0600);
        CHECK(file >= 0 && ::ftruncate(file, kBytes) == 0);
        void* memory = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        CHECK(memory != MAP_FAILED);
        rounds_ = static_cast<int*>(memory);
        ::close(file);
        check_meet();
        ::unlink(name_.c_str());
    }
    ~Board() { ::munmap(rounds_, kBytes); }
    std::atomic_ref<int> round(int unit) { return std::atomic_ref<int>(rounds_[unit * 16]); }

  private:
    static constexpr std::size_t kBytes = 4096;
    std::string name_;
    int* rounds_ = nullptr;
};

// The target sees all bytes of a blocking put as soon as it is told.
void test_complete() {
    Memory memory(Memory::kAllocated, kBytesMax);
    Board board;
    std::vector<char> local(kBytesMax);
    std::vector<char> seen(kBytesMax);
    for (int round = 1; round <= 40; ++round) {
        for (std::size_t i = 0; i < kBytesMax; ++i) local[i] = pattern(round, i);
        OK(dart_put_blocking(memory.of(next_unit()), local.data(), kBytesMax, DART_TYPE_BYTE,
                             DART_TYPE_BYTE));
        board.round(me()).store(round);
        while (board.round(previous_unit()).load() < round) poll(memory.of(me()));
        if (is_coherent()) check_bytes(memory.own<char>(), round, kBytesMax);
        get(kBlocking, seen.data(), memory.of(me()), kBytesMax);
        check_bytes(seen.data(), round, kBytesMax);
        check_meet();
    }
}

void test_errors() {
    Memory memory(Memory::kAllocated, 64);
    const dart_gptr_t gptr = memory.of(me());
    long value = 5;
    dart_handle_t handle = DART_HANDLE_NULL;
    const auto put_to = [&](dart_gptr_t to) {
        return dart_put_blocking(to, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG);
    };
    INVALID(put_to(DART_GPTR_NULL));
    INVALID(put_to(at(gptr, units())));
    INVALID(put_to(at(gptr, -1)));
    INVALID(put_to(at(gptr, me(), 57)));
    INVALID(put_to(at(gptr, me(), -1)));
    dart_gptr_t wrong = gptr;
    wrong.segid = 12345;
    INVALID(put_to(wrong));
    wrong = gptr;
    wrong.teamid = 12345;
    INVALID(put_to(wrong));
    INVALID(dart_flush(wrong));
    INVALID(dart_flush_all(wrong));
    INVALID(dart_flush_local(wrong));
    INVALID(dart_get(&value, wrong, 1, DART_TYPE_LONG, DART_TYPE_LONG));
    INVALID(dart_get(&value, gptr, 1, DART_TYPE_LONG, DART_TYPE_INT));
    INVALID(dart_get(&value, gptr, 1, DART_TYPE_UNDEFINED, DART_TYPE_UNDEFINED));
    INVALID(dart_get(&value, gptr, SIZE_MAX / 4, DART_TYPE_LONG, DART_TYPE_LONG));
    INVALID(dart_get_blocking(nullptr, gptr, 1, DART_TYPE_LONG, DART_TYPE_LONG));
    INVALID(dart_get_handle(&value, gptr, 1, DART_TYPE_LONG, DART_TYPE_LONG, nullptr));
    INVALID(dart_put_handle(wrong, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG, &handle));
    CHECK(handle == DART_HANDLE_NULL && value == 5);
    OK(dart_put(gptr, nullptr, 0, DART_TYPE_LONG, DART_TYPE_LONG));
    OK(dart_get_handle(nullptr, at(gptr, me(), 64), 0, DART_TYPE_LONG, DART_TYPE_LONG, &handle));
    CHECK(handle == DART_HANDLE_NULL);
}

}  // namespace

void test_transfers() {
    for (int kind = 0; kind < Memory::kKinds; ++kind) {
        for (int way = 0; way < kWays; ++way)
            test_sizes(static_cast<Memory::Kind>(kind), static_cast<Way>(way));
        test_polling(static_cast<Memory::Kind>(kind));
    }
    test_basic_types();
    test_order();
    test_complete();
    test_errors();
}

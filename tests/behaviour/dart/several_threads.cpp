// SPDX-License-Identifier: BSD-3-Clause
//
// Threads of each unit that put, get, update and allocate at the same time, while the main thread
// makes segments: DART_THREAD_MULTIPLE.
#include <algorithm>
#include <atomic>
#include <thread>

#include "onesided.hpp"

namespace {

constexpr int kThreads = 3;
constexpr int kRounds = 200;

void work(const Memory& memory, int thread, int my_unit, int target) {
    const std::size_t place = 64 + 16 * static_cast<std::size_t>(thread);
    const dart_gptr_t gptr = memory.of(target, place);
    for (long i = 0; i < kRounds; ++i) {
        const long value = my_unit * 1000 + i;
        OK(dart_put_blocking(gptr, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG));
        long back = -1;
        dart_handle_t handle = DART_HANDLE_NULL;
        OK(dart_get_handle(&back, gptr, 1, DART_TYPE_LONG, DART_TYPE_LONG, &handle));
        OK(dart_waitall(&handle, 1));
        CHECK(back == value);
        const long one = 1;
        OK(dart_accumulate(memory.of(0), &one, 1, DART_TYPE_LONG, DART_OP_SUM));
        dart_gptr_t local = DART_GPTR_NULL;
        OK(dart_memalloc(static_cast<std::size_t>(i % 40), DART_TYPE_LONG, &local));
        OK(dart_memfree(local));
    }
    OK(dart_flush_all(gptr));
}

// More segments than the first table has, while the others look theirs up.
void make_segments() {
    std::vector<dart_gptr_t> gptrs(20);
    for (dart_gptr_t& gptr : gptrs)
        OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 10, DART_TYPE_LONG, &gptr));
    for (dart_gptr_t gptr : gptrs) OK(dart_team_memfree(gptr));
}

// A flush of the local side completes this thread's operation, whatever other threads flush.
constexpr std::size_t kLongs = 65536;
enum Way { kGet, kGetHandle, kWays };

void get_and_check(dart_gptr_t gptr, int owner, Way way, std::atomic<bool>& is_over) {
    std::vector<long> values(kLongs);
    for (int i = 0; i < 20; ++i) {
        values.front() = values.back() = -1;
        dart_handle_t handle = DART_HANDLE_NULL;
        if (way == kGet) {
            OK(dart_get(values.data(), gptr, kLongs, DART_TYPE_LONG, DART_TYPE_LONG));
        } else {
            OK(dart_get_handle(values.data(), gptr, kLongs, DART_TYPE_LONG, DART_TYPE_LONG,
                               &handle));
        }
        OK(dart_flush_local(gptr));
        CHECK(values.front() == owner && values.back() == owner);
        OK(dart_handle_free(&handle));
    }
    is_over = true;
}

void test_flushes() {
    const Memory memory(Memory::kAllocated, kLongs * sizeof(long));
    std::fill_n(memory.own<long>(), kLongs, long{me()});
    const int owner = next_unit();
    check_meet();
    for (int way = 0; way < kWays; ++way) {
        std::atomic<bool> is_over = false;
        std::thread other([&] {
            long value = 0;
            while (!is_over) {
                OK(dart_get(&value, memory.of(owner), 1, DART_TYPE_LONG, DART_TYPE_LONG));
                OK(dart_flush_local(memory.of(owner)));
                CHECK(value == owner);
            }
        });
        get_and_check(memory.of(owner), owner, static_cast<Way>(way), is_over);
        other.join();
    }
}

}  // namespace

void test_threads() {
    test_flushes();
    Memory memory(Memory::kAllocated, 256);
    *memory.own<long>() = 0;
    check_meet();
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread)
        threads.emplace_back(work, std::cref(memory), thread, me(), next_unit());
    make_segments();
    for (std::thread& thread : threads) thread.join();
    check_meet();
    long sum = 0;
    OK(dart_get_blocking(&sum, memory.of(0), 1, DART_TYPE_LONG, DART_TYPE_LONG));
    CHECK(sum == long{kThreads} * kRounds * units());
    check_meet();
}

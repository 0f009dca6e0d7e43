// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a wait returns too early or never, misses a wake, or forgets progress or its label.
#include "base/wait.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>
#include <thread>
#include <vector>

#include "base/clock.hpp"

namespace tessera {
namespace {

// The three situations: a core each, more PEs than cores, and strangers on the cores.
enum class Load { kFits, kOversubscribed, kStrangers };
constexpr Load kLoads[] = {Load::kFits, Load::kOversubscribed, Load::kStrangers};

std::atomic<std::uint64_t> oversubscribed_until{0};
std::atomic<std::uint32_t> arrivals{0};

void choose(Load load) {
    oversubscribed_until = load == Load::kStrangers ? ~std::uint64_t{0} : 0;
    choose_wait_policy(load == Load::kFits ? 1 : 64, 2);
    wait_environment.oversubscribed_until_ns = &oversubscribed_until;
}

class Wait : public testing::Test {
  protected:
    ~Wait() override {
        reset_wait_environment();
        choose_wait_policy(1, 1);
    }
};

TEST_F(Wait, PolicyFollowsTheCores) {
    choose_wait_policy(4, 4);
    EXPECT_GT(wait_policy.pauses, 0U);
    const std::uint32_t yields_with_cores = wait_policy.yields;
    choose_wait_policy(5, 4);
    EXPECT_EQ(wait_policy.pauses, 0U) << "A pausing PE keeps the others from the core.";
    EXPECT_LT(wait_policy.yields, yields_with_cores);
}

// A wait before init or after finalize must not touch what another PE sees.
TEST_F(Wait, ResetEnvironmentIsPrivate) {
    const WaitEnvironment before = wait_environment;
    static Sleeper sleeper;
    static InlineLimit inline_limit;
    WaitTimes times{};
    const WaitTimes* others[] = {&times};
    char label[8] = "";
    std::atomic<std::int64_t> note{0};
    set_wait_environment({.sleeper = &sleeper,
                          .inline_limit = &inline_limit,
                          .inline_limit_bytes = 7,
                          .times = &times,
                          .times_of_others = others,
                          .oversubscribed_until_ns = &oversubscribed_until,
                          .label = label,
                          .sleep_note = &note,
                          .progress = [] {},
                          .help = [] { return false; },
                          .arrivals = &arrivals});
    set_release_hook([] {});
    EXPECT_EQ(wait_environment.sleeper, &sleeper);
    EXPECT_LE(wait_policy.pauses, 50U) << "Pauses drive no progress.";
    reset_wait_environment();
    EXPECT_EQ(wait_environment.sleeper, before.sleeper);
    EXPECT_EQ(wait_environment.inline_limit, before.inline_limit);
    EXPECT_EQ(wait_environment.times, before.times);
    EXPECT_TRUE(wait_environment.times_of_others.empty());
    EXPECT_EQ(wait_environment.oversubscribed_until_ns, before.oversubscribed_until_ns);
    EXPECT_TRUE(wait_environment.label.empty());
    EXPECT_EQ(wait_environment.sleep_note, nullptr);
    EXPECT_EQ(wait_environment.progress, nullptr);
    EXPECT_EQ(wait_environment.arrivals, nullptr);
    EXPECT_EQ(wait_environment.help, nullptr);
    EXPECT_EQ(wait_environment.release, nullptr);
    EXPECT_EQ(inline_limit.bytes, 7U) << "a child of fork() must not close its parent's heap";
}

TEST_F(Wait, TimesTellHowLongAPeWasBusy) {
    WaitTimes times{};
    EXPECT_EQ(times.busy_between(100, 200), 100U) << "It has not waited yet.";
    times.entered = 150;
    times.ended = 120;
    EXPECT_EQ(times.busy_between(100, 200), 30U) << "between its waits";
    EXPECT_EQ(times.busy_between(130, 140), 10U);
    EXPECT_EQ(times.busy_between(160, 200), 0U) << "It waits.";
    EXPECT_EQ(times.busy_between(100, 110), 0U) << "It waited.";
    times.ended = 170;
    EXPECT_EQ(times.busy_between(100, 200), 30U) << "since its last wait";
    EXPECT_EQ(times.busy_between(180, 200), 20U);
}

// A yield that takes long: another process had the core meanwhile.
TEST_F(Wait, OnlyAStrangerOnTheCoreEndsYielding) {
    static int slow_yields;
    for (bool is_ours : {true, false}) {
        WaitTimes mine{}, other{};
        if (!is_ours) other.entered = 1;  // A stranger has waited for long.
        oversubscribed_until = 0;
        choose_wait_policy(64, 2);
        const WaitTimes* others[] = {&other};
        set_wait_environment({.times = &mine,
                              .times_of_others = others,
                              .oversubscribed_until_ns = &oversubscribed_until});
        slow_yields = 0;
        wait_until(
            [] {
                // The check takes the time: to the wait it is the same.
                const std::uint64_t end = now_ns() + 2'000'000;
                while (now_ns() < end) continue;
                return ++slow_yields == 5;
            },
            "test");
        EXPECT_EQ(oversubscribed_until != 0, !is_ours);
        EXPECT_GT(mine.ended, mine.entered);
        reset_wait_environment();
    }
}

TEST_F(Wait, ReturnsWhenReadyAndNotBefore) {
    for (Load load : kLoads) {
        choose(load);
        // Few yields: on a loaded machine each check that they leave is a sleep of up to 16 ms.
        wait_policy.yields = std::min(wait_policy.yields, 50U);
        for (int needed : {1, 2, 3, 100, 1120, 1180}) {
            if (load != Load::kFits && needed > 1000) continue;  // These loads have fewer pauses.
            int asked = 0;
            wait_until([&] { return ++asked >= needed; }, "test");
            EXPECT_GE(asked, needed);
            EXPECT_LE(asked, needed + 1) << "It may ask once more after a yes.";
        }
    }
}

TEST_F(Wait, GateKnowsThePast) {
    alignas(64) unsigned char zeros[sizeof(Gate)] = {};
    Gate& gate = *reinterpret_cast<Gate*>(zeros);
    EXPECT_TRUE(gate.has_reached(0)) << "Zero bytes are number 0.";
    EXPECT_FALSE(gate.has_reached(1));
    for (std::uint32_t number : {1U, 2U, 5U, 0x3fffffffU, 0x40000000U, 0x7fffffffU}) {
        gate.post(number);
        EXPECT_EQ(gate.number(), number);
        EXPECT_TRUE(gate.has_reached(number));
        EXPECT_TRUE(gate.has_reached(number - 1));
        EXPECT_FALSE(gate.has_reached(number + 1));
        gate.wait_for(number, "test");
        gate.wait_for(number - 1, "test");
    }
    gate.post(0x80000000U);  // As a counter of 32 bits goes on; the gate keeps 31 of them.
    EXPECT_TRUE(gate.has_reached(0x7fffffffU));
    EXPECT_TRUE(gate.has_reached(0x80000000U));
    EXPECT_FALSE(gate.has_reached(0x80000001U));
}

// Two threads or processes that wait for each other in turn; `note` travels with the gates.
struct Table {
    Gate there;
    alignas(64) Gate back;
    alignas(64) long note;
    std::uint32_t first;
    int rounds;
};

bool play(Table& table, bool is_first) {
    bool is_right = true;
    for (int i = 0; i < table.rounds; ++i) {
        const std::uint32_t number = table.first + static_cast<std::uint32_t>(i) + 1;
        if (is_first) {
            table.note = 2 * i;
            table.there.post(number);
            table.back.wait_for(number, "first");
            is_right = is_right && table.note == 2 * i + 1;
        } else {
            table.there.wait_for(number, "second");
            is_right = is_right && table.note == 2 * i;
            table.note = 2 * i + 1;
            table.back.post(number);
        }
    }
    return is_right;
}

// Also across the wrap of the counter.
void set_table(Table& table, int rounds, bool wraps) {
    std::memset(static_cast<void*>(&table), 0, sizeof table);
    table.rounds = rounds;
    table.first = wraps ? 0x7fffffffU - 50 : 0;
    for (std::uint32_t number : {0x30000000U, 0x60000000U, table.first}) {
        if (!wraps) break;
        table.there.post(number);
        table.back.post(number);
    }
}

TEST_F(Wait, GateWakesThreads) {
    for (Load load : kLoads) {
        for (bool wraps : {false, true}) {
            choose(load);
            static Table table;
            set_table(table, 3000, wraps);
            bool second_is_right = false;
            std::thread second([&] { second_is_right = play(table, false); });
            EXPECT_TRUE(play(table, true));
            second.join();
            EXPECT_TRUE(second_is_right);
        }
    }
}

TEST_F(Wait, GateWakesProcesses) {
    void* memory =
        ::mmap(nullptr, sizeof(Table), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    auto& table = *static_cast<Table*>(memory);
    for (Load load : kLoads) {
        choose(load);
        set_table(table, 3000, true);
        pid_t child = ::fork();
        if (child == 0) ::_exit(play(table, false) ? 0 : 1);
        EXPECT_TRUE(play(table, true));
        int status = -1;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
    }
    ::munmap(memory, sizeof(Table));
}

TEST_F(Wait, ManySleepOnOneGate) {
    for (Load load : kLoads) {
        choose(load);
        static Gate gate;
        new (&gate) Gate{};
        std::atomic<int> awake{0};
        std::vector<std::thread> waiters;
        for (int i = 0; i < 6; ++i) {
            waiters.emplace_back([&] {
                for (std::uint32_t number = 1; number <= 200; ++number) {
                    gate.wait_for(number, "waiter");
                    ++awake;
                }
            });
        }
        for (std::uint32_t number = 1; number <= 200; ++number) {
            gate.post(number);
            if (number % 3 == 0) ::sched_yield();
        }
        for (std::thread& waiter : waiters) waiter.join();
        EXPECT_EQ(awake, 6 * 200);
    }
}

TEST_F(Wait, SleeperShowsAndEndsItsSleep) {
    static Sleeper sleeper;
    std::atomic<int> word{0};
    choose(Load::kStrangers);  // No yields: straight to sleep.
    wait_environment.sleeper = &sleeper;
    for (int i = 1; i <= 50; ++i) {
        std::thread waiter([&] { wait_until([&] { return word.load() >= i; }, "sleep"); });
        while (!sleeper.is_sleeping()) ::sched_yield();
        word.fetch_add(1);
        if (sleeper.is_sleeping()) sleeper.wake();
        waiter.join();
        EXPECT_FALSE(sleeper.is_sleeping());
    }
}

TEST_F(Wait, InlineLimitIsZeroDuringSleep) {
    static Sleeper sleeper;
    static InlineLimit inline_limit;
    set_wait_environment(
        {.sleeper = &sleeper, .inline_limit = &inline_limit, .inline_limit_bytes = 123});
    choose(Load::kStrangers);
    EXPECT_EQ(inline_limit.bytes, 123u);
    std::atomic<bool> flag{false};
    std::thread waiter([&] { wait_until([&] { return flag.load(); }, "inline_limit"); });
    while (inline_limit.bytes != 0) ::sched_yield();
    flag.store(true);
    waiter.join();
    EXPECT_EQ(inline_limit.bytes, 123u);
}

// A word that changes by a plain store, without a wake of the sleeper.
TEST_F(Wait, SleeperWakesByItself) {
    static Sleeper sleeper;
    choose(Load::kStrangers);
    wait_environment.sleeper = &sleeper;
    std::atomic<bool> flag{false};
    std::thread waiter([&] { wait_until([&] { return flag.load(); }, "timed sleep"); });
    while (!sleeper.is_sleeping()) ::sched_yield();
    flag.store(true, std::memory_order_relaxed);
    waiter.join();
}

int hook_calls = 0;

TEST_F(Wait, SlowWaitsDriveProgress) {
    for (Load load : kLoads) {
        choose(load);
        hook_calls = 0;
        wait_environment.progress = [] { ++hook_calls; };
        // Only progress makes it ready, as with a transport that needs the CPU.
        wait_until([] { return hook_calls >= 3; }, "test");
        EXPECT_GE(hook_calls, 3);
        static Gate gate;
        new (&gate) Gate{};
        wait_environment.progress = [] {
            if (++hook_calls % 20 == 0) gate.post(1);
        };
        gate.wait_for(1, "test");
    }
}

// A waiter that sleeps polls again when something comes from another node; and it goes on polling
// as long as something comes.
TEST_F(Wait, ArrivalsEndTheSleepOfAWaiterWithACore) {
    static Sleeper sleeper;
    for (Load load : {Load::kFits, Load::kOversubscribed}) {
        choose(load);
        wait_environment.sleeper = &sleeper;
        wait_environment.arrivals = &arrivals;
        oversubscribed_until = ~std::uint64_t{0};  // So it sleeps at once.
        hook_calls = 0;
        wait_environment.progress = [] {
            ++hook_calls;
            if (hook_calls < 3) return;
            oversubscribed_until = 0;
            ++arrivals;
        };
        const int enough = load == Load::kFits ? 1'100'000 : 20;
        int sleeps = 0;
        wait_until(
            [&] {
                if (sleeper.is_sleeping()) ++sleeps;
                return hook_calls >= enough || sleeps > 100;
            },
            "test");
        if (load == Load::kFits) {
            EXPECT_LE(sleeps, 5);
        } else {
            EXPECT_GE(sleeps, 10) << "the core is for others";
        }
    }
}

// As many pieces as there are, one after the other; the end of the wait ends that.
TEST_F(Wait, SlowWaitsHelpOthers) {
    for (Load load : kLoads) {
        if (load == Load::kStrangers) continue;  // Waits beside strangers sleep at once.
        choose(load);
        hook_calls = 0;
        wait_environment.help = [] { return ++hook_calls <= 10; };
        std::uint32_t asked = 0;
        wait_until(
            [&] {
                ++asked;
                return hook_calls > 10;
            },
            "test");
        EXPECT_LE(asked, wait_policy.pauses + 20) << "helps before it yields";
        hook_calls = 0;
        wait_until([] { return hook_calls >= 3; }, "test");
        EXPECT_EQ(hook_calls, 3);
        wait_environment.help = nullptr;
    }
}

TEST_F(Wait, SlowWaitsLeaveTheirName) {
    char label[8] = "#######";
    wait_environment.label = label;
    label[0] = '\0';
    choose(Load::kOversubscribed);
    int asked = 0;
    char seen[8] = "";
    wait_until(
        [&] {
            std::memcpy(seen, label, sizeof seen);
            return ++asked > 20;
        },
        "shmem_long_wait_until");
    EXPECT_STREQ(seen, "shmem_l") << "cut to what fits, with its end";
    EXPECT_STREQ(label, "");
}

}  // namespace
}  // namespace tessera

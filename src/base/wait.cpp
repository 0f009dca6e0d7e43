// SPDX-License-Identifier: BSD-3-Clause
//
// See wait.hpp. Nothing here runs unless a wait outlasted its first checks.
#include "base/wait.hpp"

#include <sched.h>
#include <time.h>

#include <algorithm>
#include <cstring>

#include "base/futex.hpp"

namespace tessera {

WaitPolicy wait_policy;

namespace {

constexpr std::uint32_t kPausesWithCoreEach = 2000;
constexpr std::uint32_t kPausesOversubscribed = 50;
constexpr std::uint32_t kYieldsOversubscribed = 20;
// User waits are not woken, so they yield longer before they sleep.
constexpr std::uint32_t kUserWaitYieldFactor = 10;
constexpr long kSleepNanosecondsMin = 20'000;
constexpr long kSleepNanosecondsMax = 1'000'000;

std::atomic<ProgressHook> progress_hook{nullptr};
char* wait_label = nullptr;
std::uint32_t wait_label_bytes = 0;

void drive_progress() {
    if (ProgressHook hook = progress_hook.load(std::memory_order_acquire)) hook();
}

// Names the wait for oshrun while it lasts.
class WaitName {
  public:
    explicit WaitName(const char* where) {
        if (wait_label == nullptr) return;
        std::strncpy(wait_label, where, wait_label_bytes - 1);
    }
    ~WaitName() {
        if (wait_label != nullptr) wait_label[0] = '\0';
    }
    WaitName(const WaitName&) = delete;
    WaitName& operator=(const WaitName&) = delete;
};

}  // namespace

void choose_wait_policy(int npes_local, std::uint32_t usable_cores) {
    if (static_cast<std::uint32_t>(npes_local) <= usable_cores) {
        wait_policy = {.pauses = kPausesWithCoreEach, .yields = 0, .may_sleep = false};
    } else {
        wait_policy = {.pauses = kPausesOversubscribed,
                       .yields = kYieldsOversubscribed,
                       .may_sleep = true};
    }
}

void set_progress_hook(ProgressHook hook) {
    progress_hook.store(hook, std::memory_order_release);
}

void set_wait_label(char* label, std::uint32_t bytes) {
    wait_label = label;
    wait_label_bytes = bytes;
}

void wait_slowly(bool (*ready)(void*), void* state, const char* where) {
    WaitName name(where);
    std::uint32_t yields = 0;
    long sleep_nanoseconds = kSleepNanosecondsMin;
    while (!ready(state)) {
        drive_progress();
        if (!wait_policy.may_sleep || yields < wait_policy.yields * kUserWaitYieldFactor) {
            ++yields;
            ::sched_yield();
            continue;
        }
        timespec pause{.tv_sec = 0, .tv_nsec = sleep_nanoseconds};
        ::nanosleep(&pause, nullptr);
        sleep_nanoseconds = std::min(sleep_nanoseconds * 2, kSleepNanosecondsMax);
    }
}

void WakeWord::wake() { futex_wake_all(value); }

void WakeWord::wait_for_slowly(std::uint32_t wanted, const char* where) {
    WaitName name(where);
    for (std::uint32_t yields = 0; !has_reached(wanted); ++yields) {
        drive_progress();
        if (!wait_policy.may_sleep || yields < wait_policy.yields) {
            ::sched_yield();
        } else {
            std::uint32_t seen = value.load(std::memory_order_acquire);
            if (static_cast<std::int32_t>(seen - wanted) < 0) sleep_until_changed(seen);
        }
    }
}

void WakeWord::sleep_until_changed(std::uint32_t seen) {
    sleepers.fetch_add(1, std::memory_order_seq_cst);  // Pairs with the load in set().
    if (value.load(std::memory_order_seq_cst) == seen) futex_wait(value, seen);
    sleepers.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace tessera

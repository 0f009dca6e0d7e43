// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when epochs of one window count for another one, when a PE reaches another part than the
// owner gave, when a window's number is used again too early or never, or when a synchronization of
// a window does not cover its range.
#include <pshmemx.h>

#include <numeric>
#include <vector>

#include "runtime_layer/segments/part.hpp"
#include "support/pattern.hpp"
#include "support/pe_test.hpp"

namespace {

using tessera::test::Part;
using tessera::test::scaled;

constexpr int kPesMax = 64;
constexpr int kWindowsMax = 63;

// Symmetric.
long inbox[kPesMax];
long other_inbox[kPesMax];
long gptrs[kPesMax];

int me() { return shmem_my_pe(); }
int npes() { return shmem_n_pes(); }
int right() { return (me() + 1) % npes(); }
int left() { return (me() + npes() - 1) % npes(); }

std::vector<int> all_pes() {
    std::vector<int> pes(static_cast<std::size_t>(npes()));
    std::iota(pes.begin(), pes.end(), 0);
    return pes;
}

class Window {
  public:
    Window(shmem_team_t team, void* base, std::size_t bytes) {
        EXPECT_EQ(shmemx_window_create(team, base, bytes, &window_), 0);
        EXPECT_NE(window_, SHMEMX_WINDOW_INVALID);
    }
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;
    ~Window() {
        shmemx_window_destroy(&window_);
        EXPECT_EQ(window_, SHMEMX_WINDOW_INVALID);
        shmemx_window_destroy(&window_);
    }
    operator shmemx_window_t() const { return window_; }

    // An epoch in which this PE puts to `target`, and `origin` to this PE.
    void put(long* dest, long value, int target, int origin, long options = 0) const {
        shmemx_epoch_t exposure;
        shmemx_epoch_t access;
        shmemx_window_post(window_, &origin, 1, 0, &exposure);
        shmemx_window_start(window_, &target, 1, options, &access);
        shmemx_epoch_put(access, dest, &value, sizeof value, target);
        shmemx_epoch_complete(&access);
        shmemx_epoch_wait(&exposure);
    }

  private:
    shmemx_window_t window_ = SHMEMX_WINDOW_INVALID;
};

TEST(Windows, EpochsOnWindowsTransfer) {
    const Window window(SHMEM_TEAM_WORLD, inbox, sizeof inbox);
    for (const long mode : {0L, SHMEMX_EPOCH_IMMEDIATE, SHMEMX_EPOCH_DEFERRED}) {
        for (long round = 1; round <= scaled(100); ++round) {
            window.put(&inbox[me()], mode * 10000 + round, right(), left(), mode);
            ASSERT_EQ(inbox[left()], mode * 10000 + round);
        }
    }
}

// The access epochs of two windows end in the order in which they did not begin: without a window
// that is a mistake. A post on one window starts no epoch of the other one.
TEST(Windows, WindowsAreIndependent) {
    const Window first(SHMEM_TEAM_WORLD, inbox, sizeof inbox);
    const Window second(SHMEM_TEAM_WORLD, other_inbox, sizeof other_inbox);
    const int origin = left();
    const int target = right();
    for (long round = 1; round <= scaled(100); ++round) {
        shmemx_epoch_t exposures[2];
        shmemx_epoch_t accesses[2];
        shmemx_window_start(first, &target, 1, 0, &accesses[0]);
        pshmemx_window_start(second, &target, 1, 0, &accesses[1]);
        pshmemx_window_post(second, &origin, 1, 0, &exposures[1]);
        const long value = round * 100 + me();
        shmemx_epoch_put(accesses[1], &other_inbox[me()], &value, sizeof value, target);
        shmemx_epoch_complete(&accesses[1]);
        shmemx_epoch_wait(&exposures[1]);
        ASSERT_EQ(other_inbox[origin], round * 100 + origin);
        inbox[0] = -round;
        shmemx_window_post(first, &origin, 1, 0, &exposures[0]);
        long seen = 0;
        shmemx_epoch_get(accesses[0], &seen, &inbox[0], sizeof seen, target);
        shmemx_epoch_complete(&accesses[0]);
        shmemx_epoch_wait(&exposures[0]);
        ASSERT_EQ(seen, -round) << "the epoch began before its post";
    }
}

// Parts of another size and place on each PE, in local memory and in a registered segment.
TEST(Windows, MembersGiveDifferentParts) {
    const auto mine = static_cast<std::size_t>(me());
    auto* padding = static_cast<long*>(shmemx_local_malloc(64 * (mine + 1)));
    auto* block = static_cast<long*>(shmemx_local_calloc(mine + 1, sizeof(long)));
    ASSERT_NE(block, nullptr);
    const Part part(SHMEM_TEAM_WORLD, 8 * (mine + 2), 8 * (mine % 3));
    for (int kind = 0; kind < 2; ++kind) {
        long* base = kind == 0 ? block : reinterpret_cast<long*>(part.name(me()));
        const std::size_t count = kind == 0 ? mine + 1 : mine + 2;
        const Window window(SHMEM_TEAM_WORLD, base, count * sizeof(long));
        shmem_barrier_all();
        const auto pointer = static_cast<long>(shmemx_gptr_of(base, me()));
        for (int pe = 0; pe < npes(); ++pe) shmem_long_p(&gptrs[me()], pointer, pe);
        shmem_barrier_all();
        auto* last =
            static_cast<long*>(shmemx_gptr_addr(static_cast<shmemx_gptr_t>(gptrs[right()]))) +
            right() + kind;
        window.put(last, 1000 + me(), right(), left());
        long* here = kind == 0 ? block : reinterpret_cast<long*>(part.mine());
        EXPECT_EQ(here[count - 1], 1000 + left());
        shmem_barrier_all();
        shmemx_window_put(window, last, &pointer, sizeof pointer, right());
        shmemx_window_barrier(window, 0);
        EXPECT_EQ(here[count - 1], gptrs[left()]);
    }
    shmem_barrier_all();
    shmemx_local_free(block);
    shmemx_local_free(padding);
}

// Members of one team count nothing for the members of another one.
TEST(Windows, TeamsHaveTheirOwn) {
    shmem_team_t half;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, me() % 2, 2, (npes() + 1 - me() % 2) / 2, nullptr, 0,
                             &half);
    shmem_team_t both[2] = {half, SHMEM_TEAM_INVALID};
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes(), nullptr, 0, &both[1]);
    for (int round = 0; round < 3; ++round) {
        shmemx_window_t windows[2];
        for (int i = 0; i < 2; ++i) {
            long* base = i == 0 ? inbox : other_inbox;
            ASSERT_EQ(pshmemx_window_create(both[i], base, sizeof inbox, &windows[i]), 0);
        }
        const int members = shmem_team_n_pes(half);
        const int mine = shmem_team_my_pe(half);
        const int next = shmem_team_translate_pe(half, (mine + 1) % members, SHMEM_TEAM_WORLD);
        const int before =
            shmem_team_translate_pe(half, (mine + members - 1) % members, SHMEM_TEAM_WORLD);
        for (long value = 1; value <= 20; ++value) {
            shmemx_epoch_t exposure;
            shmemx_epoch_t access;
            shmemx_window_post(windows[0], &before, 1, 0, &exposure);
            shmemx_window_start(windows[0], &next, 1, 0, &access);
            shmemx_epoch_put(access, &inbox[me()], &value, sizeof value, next);
            shmemx_epoch_complete(&access);
            while (shmemx_epoch_test(&exposure) == 0) {
            }
            ASSERT_EQ(inbox[before], value);
        }
        pshmemx_window_destroy(&windows[0]);
        if (round < 2) shmemx_window_destroy(&windows[1]);
    }
    shmem_team_destroy(both[1]);  // Its window ends with it.
    shmem_team_destroy(half);
}

TEST(Windows, NumbersAreLimitedAndUsedAgain) {
    for (int round = 0; round < 3; ++round) {
        std::vector<shmemx_window_t> windows(kWindowsMax);
        for (shmemx_window_t& each : windows)
            ASSERT_EQ(shmemx_window_create(SHMEM_TEAM_WORLD, inbox, sizeof inbox, &each), 0);
        shmemx_window_t one_more;
        EXPECT_NE(shmemx_window_create(SHMEM_TEAM_WORLD, inbox, 8, &one_more), 0);
        EXPECT_EQ(one_more, SHMEMX_WINDOW_INVALID);
        for (std::size_t i = 0; i < windows.size(); i += 7) {
            const int target = right();
            const int origin = left();
            shmemx_epoch_t exposure;
            shmemx_epoch_t access;
            shmemx_window_post(windows[i], &origin, 1, 0, &exposure);
            shmemx_window_start(windows[i], &target, 1, 0, &access);
            const auto value = static_cast<long>(i) + round;
            shmemx_epoch_put(access, &inbox[me()], &value, sizeof value, target);
            shmemx_epoch_complete(&access);
            shmemx_epoch_wait(&exposure);
            ASSERT_EQ(inbox[origin], value);
        }
        for (shmemx_window_t& each : windows) shmemx_window_destroy(&each);
    }
}

// A PE loads behind the barrier what others have stored before it, everywhere in the part.
TEST(Windows, BarrierPublishesAndRefreshesThePart) {
    constexpr std::size_t kLongs = 20000;  // 160 kB: pages are looked at, not compared
    auto* big = static_cast<long*>(shmem_malloc(kLongs * sizeof(long)));
    const Window window(SHMEM_TEAM_WORLD, big + 100, (kLongs - 100) * sizeof(long));
    for (long round = 1; round <= scaled(20); ++round) {
        for (std::size_t i = 100; i < kLongs; i += 501) big[i] = round + me();
        pshmemx_window_barrier(window, SHMEMX_EPOCH_NOPUT);
        std::vector<long> seen(kLongs);
        shmemx_window_get(window, seen.data(), big + 100, (kLongs - 100) * sizeof(long), right());
        for (std::size_t i = 100; i < kLongs; i += 501) ASSERT_EQ(seen[i - 100], round + right());
        shmemx_window_barrier(window, SHMEMX_EPOCH_NOSTORE | SHMEMX_EPOCH_NOPUT);
        const long value = -round * 1000 - me();
        for (std::size_t i = 100; i < kLongs; i += 501)
            pshmemx_window_put(window, big + i, &value, sizeof value, right());
        shmemx_window_barrier(window, SHMEMX_EPOCH_NOSTORE);
        for (std::size_t i = 100; i < kLongs; i += 501) ASSERT_EQ(big[i], -round * 1000 - left());
    }
    shmem_barrier_all();
    shmem_free(big);
}

// By atomics alone, which publish and refresh nothing but their words.
TEST(Windows, PublishAndRefresh) {
    const Window window(SHMEM_TEAM_WORLD, inbox, sizeof inbox);
    static long flags[2];  // symmetric
    flags[0] = flags[1] = 0;
    shmem_barrier_all();
    for (long round = 1; round <= scaled(100); ++round) {
        inbox[me()] = round;
        shmemx_window_publish(window);
        shmem_long_atomic_inc(&flags[0], left());
        while (shmem_long_atomic_fetch(&flags[0], me()) < round) {
        }
        ASSERT_EQ(shmem_long_g(&inbox[right()], right()), round);
        shmem_long_p(&inbox[me()], -round, right());
        shmem_quiet();
        shmem_long_atomic_inc(&flags[1], right());
        while (shmem_long_atomic_fetch(&flags[1], me()) < round) {
        }
        pshmemx_window_refresh(window);
        ASSERT_EQ(inbox[left()], -round);
        shmem_barrier_all();
    }
}

TEST(Windows, EmptyPartsAndLists) {
    const Window window(SHMEM_TEAM_WORLD, me() == 0 ? nullptr : inbox, me() == 0 ? 0 : 8);
    shmemx_epoch_t exposure;
    shmemx_epoch_t access;
    shmemx_window_post(window, nullptr, 0, 0, &exposure);
    shmemx_window_start(window, nullptr, 0, SHMEMX_EPOCH_DEFERRED, &access);
    shmemx_epoch_complete(&access);
    EXPECT_EQ(shmemx_epoch_test(&exposure), 1);
    const std::vector<int> pes = all_pes();
    shmemx_window_post(window, pes.data(), pes.size(), 0, &exposure);
    shmemx_window_start(window, pes.data(), pes.size(), SHMEMX_EPOCH_IMMEDIATE, &access);
    shmemx_epoch_put(access, inbox, nullptr, 0, 0);
    shmemx_epoch_complete(&access);
    shmemx_epoch_wait(&exposure);
    shmemx_window_put(window, inbox, nullptr, 0, 0);
    shmemx_window_barrier(window, 0);
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)

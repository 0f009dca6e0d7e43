// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a promise of the program saves nothing where software keeps memory coherent: NOSTORE
// and NOPUT of epochs (Christgau 2017, 4.5), SHMEM_CTX_NOSTORE of contexts. The program breaks its
// promise, so without evictions it must see the old value, which shows that the
// duty was skipped; and after a barrier the new one. PEs work in pairs. A window is such a promise
// for all memory outside of it.
#include <shmem.h>
#include <shmemx.h>
#include <stdlib.h>

#include <string>

#include "noncoherent/emulation.hpp"
#include "support/pe_test.hpp"

namespace {

constexpr long kOld = 1;
constexpr long kNew = 2;
long word;  // Symmetric, these three.
long before_the_epoch;
long flag;

class Promise : public testing::Test {
  protected:
    void SetUp() override {
        if (partner_ >= shmem_n_pes()) return;
        *program_word() = kOld;
        flag = 0;
    }
    // A change or its absence is certain only where nothing else moves lines.
    static void expect_old(long seen) {
        const char* heap = getenv("SHMEM_HEAP");
        const char* seed = getenv("SHMEM_NONCOHERENT_SEED");
        if (heap == nullptr || !std::string(heap).starts_with("noncoherent")) return;
        if (seed != nullptr && std::string(seed) != "0") return;
        EXPECT_EQ(seen, kOld) << "the promise has saved nothing";
    }
    static volatile long* program_word() { return &word; }
    // By atomics alone, which move no other memory.
    void tell(long number = 1) const { shmem_long_atomic_set(&flag, number, partner_); }
    static void hear(long number = 1) {
        while (shmem_long_atomic_fetch(&flag, shmem_my_pe()) < number) {
        }
    }
    bool has_partner() const { return partner_ < shmem_n_pes(); }
    bool is_target() const { return shmem_my_pe() % 2 == 0; }

    const int partner_ = shmem_my_pe() ^ 1;
};

TEST_F(Promise, PostWithNoStorePublishesNothing) {
    shmem_barrier_all();
    shmemx_epoch_t epoch;
    if (has_partner() && is_target()) {
        *program_word() = kNew;
        shmemx_epoch_post(&partner_, 1, SHMEMX_EPOCH_NOSTORE, &epoch);
        shmemx_epoch_wait(&epoch);
    } else if (has_partner()) {
        shmemx_epoch_start(&partner_, 1, 0, &epoch);
        shmemx_epoch_ready(epoch, partner_);
        expect_old(shmem_long_g(&word, partner_));
        shmemx_epoch_complete(&epoch);
    }
    shmem_barrier_all();
    if (has_partner() && !is_target()) {
        EXPECT_EQ(shmem_long_g(&word, partner_), kNew);
    }
}

TEST_F(Promise, ExposureWithNoPutRefreshesNothing) {
    shmem_barrier_all();
    shmemx_epoch_t epoch;
    if (has_partner() && is_target()) {
        shmemx_epoch_post(&partner_, 1, SHMEMX_EPOCH_NOPUT, &epoch);
        shmemx_epoch_wait(&epoch);
        expect_old(*program_word());
    } else if (has_partner()) {
        shmemx_epoch_start(&partner_, 1, 0, &epoch);
        shmemx_epoch_put(epoch, &word, &kNew, sizeof kNew, partner_);
        shmemx_epoch_complete(&epoch);
    }
    shmem_barrier_all();
    if (has_partner() && is_target()) {
        EXPECT_EQ(*program_word(), kNew);
    }
}

TEST_F(Promise, AccessWithNoPutPublishesNothing) {
    before_the_epoch = 3;
    shmem_barrier_all();
    shmemx_epoch_t epoch;
    if (has_partner() && is_target()) {
        shmemx_epoch_post(&partner_, 1, 0, &epoch);
        shmemx_epoch_wait(&epoch);
        expect_old(shmem_long_g(&word, partner_));
        tell();
    } else if (has_partner()) {
        *program_word() = kNew;
        shmemx_epoch_start(&partner_, 1, SHMEMX_EPOCH_NOPUT, &epoch);
        long seen = 0;
        shmemx_epoch_get(epoch, &seen, &before_the_epoch, sizeof seen, partner_);
        shmemx_epoch_complete(&epoch);
        EXPECT_EQ(seen, 3);
        hear();
    }
    shmem_barrier_all();
    if (has_partner() && is_target()) {
        EXPECT_EQ(shmem_long_g(&word, partner_), kNew);
    }
}

TEST_F(Promise, EpochsOnAWindowSyncItsPartAlone) {
    static long outside;  // Symmetric, both.
    alignas(64) static long in_window[8];
    outside = in_window[0] = kOld;
    shmemx_window_t window = SHMEMX_WINDOW_INVALID;
    shmemx_window_create(SHMEM_TEAM_WORLD, in_window, sizeof in_window, &window);
    shmem_barrier_all();
    shmemx_epoch_t epoch;
    volatile long* mine = in_window;
    if (has_partner() && is_target()) {
        *program_word() = kNew;
        mine[0] = kNew;
        shmemx_window_post(window, &partner_, 1, 0, &epoch);
        shmemx_epoch_wait(&epoch);
        EXPECT_EQ(mine[1], kNew);
        expect_old(*static_cast<volatile long*>(&outside));
        tell();
    } else if (has_partner()) {
        shmemx_window_start(window, &partner_, 1, 0, &epoch);
        shmemx_epoch_ready(epoch, partner_);
        EXPECT_EQ(shmem_long_g(in_window, partner_), kNew);
        expect_old(shmem_long_g(&word, partner_));
        shmem_long_p(&outside, kNew, partner_);
        shmemx_epoch_put(epoch, &in_window[1], &kNew, sizeof kNew, partner_);
        shmemx_epoch_complete(&epoch);
        hear();
        shmemx_window_put(window, &in_window[2], &kNew, sizeof kNew, partner_);
    }
    shmemx_window_barrier(window, 0);
    if (has_partner() && is_target()) {
        EXPECT_EQ(mine[2], kNew);
        expect_old(*static_cast<volatile long*>(&outside));
    }
    shmem_barrier_all();
    if (has_partner() && is_target()) {
        EXPECT_EQ(*static_cast<volatile long*>(&outside), kNew);
    }
    if (has_partner() && !is_target()) {
        EXPECT_EQ(shmem_long_g(&word, partner_), kNew);
    }
    shmemx_window_destroy(&window);
}

TEST_F(Promise, ContextWithNoStorePublishesNothing) {
    shmem_ctx_t ctx = SHMEM_CTX_INVALID;
    ASSERT_EQ(shmem_ctx_create(SHMEM_CTX_NOSTORE, &ctx), 0);
    shmem_barrier_all();
    if (has_partner() && is_target()) {
        *program_word() = kNew;
        shmem_ctx_long_put(ctx, &before_the_epoch, &kNew, 1, partner_);
        shmem_ctx_fence(ctx);
        shmem_ctx_quiet(ctx);
        tell();
        hear();
        shmem_quiet();
        tell(2);
    } else if (has_partner()) {
        hear();
        EXPECT_EQ(shmem_long_g(&before_the_epoch, shmem_my_pe()), kNew);
        expect_old(shmem_long_g(&word, partner_));
        tell();
        hear(2);
        EXPECT_EQ(shmem_long_g(&word, partner_), kNew);
    }
    shmem_barrier_all();
    shmem_ctx_destroy(ctx);
}

}  // namespace

int main(int argc, char** argv) { return tessera::test::run_on_emulation(argc, argv); }

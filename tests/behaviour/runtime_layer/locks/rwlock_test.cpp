// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a writer is not alone, when readers cannot be inside together, when a writer starves,
// or when the next holder does not see what the last writer wrote. The order of service:
// locks_random_test.cpp.
#include <pshmemx.h>

#include <cstring>
#include <random>

#include "support/pattern.hpp"
#include "support/pe_test.hpp"

namespace {

using tessera::test::Region;
using tessera::test::regions;
using tessera::test::scaled;

shmemx_rwlock_t initialized_lock = SHMEMX_RWLOCK_INITIALIZER;  // symmetric

// A lock, and two words on different PEs that writers keep equal.
struct Protected {
    explicit Protected(const Region& region)
        : lock(reinterpret_cast<shmemx_rwlock_t*>(region.data)),
          words(reinterpret_cast<long*>(lock + 1)) {
        shmem_barrier_all();
        std::memset(region.data, 0, sizeof *lock + 2 * sizeof(long));
        shmem_barrier_all();
    }
    long read(int word) const { return shmem_long_g(&words[word], word * (shmem_n_pes() - 1)); }
    void write(int word, long value) const {
        shmem_long_p(&words[word], value, word * (shmem_n_pes() - 1));
    }

    shmemx_rwlock_t* lock;
    long* words;
};

TEST(RwLock, WritersAreAloneAndReadersSeeWholeUpdates) {
    static long writes;  // symmetric; of all PEs, on PE 0
    std::mt19937 random(static_cast<unsigned>(shmem_my_pe()) + 17);
    for (const Region& region : regions()) {
        Protected data(region);
        writes = 0;
        shmem_barrier_all();
        const int home = shmem_n_pes() / 2;
        for (int i = 0; i < scaled(600); ++i) {
            const bool tries = random() % 4 == 0;
            if (random() % 3 == 0) {
                if (!tries) {
                    shmemx_rwlock_write_lock(data.lock, home);
                } else if (shmemx_rwlock_write_trylock(data.lock, home) == 0) {
                    continue;
                }
                const long seen = data.read(0);
                ASSERT_EQ(data.read(1), seen) << region.kind;
                data.write(1, seen + 1);
                data.write(0, seen + 1);
                shmem_long_atomic_inc(&writes, 0);
                shmemx_rwlock_write_unlock(data.lock, home);
            } else {
                if (!tries) {
                    shmemx_rwlock_read_lock(data.lock, home);
                } else if (shmemx_rwlock_read_trylock(data.lock, home) == 0) {
                    continue;
                }
                const long seen = data.read(0);
                ASSERT_EQ(data.read(1), seen) << region.kind;
                shmemx_rwlock_read_unlock(data.lock, home);
            }
        }
        shmem_barrier_all();
        ASSERT_EQ(data.read(0), shmem_long_g(&writes, 0)) << region.kind;
        shmem_barrier_all();
        ASSERT_EQ(shmem_uint64_g(&data.lock->shmem_internal_words[0], home), 0U);
    }
}

// With exclusive readers the barrier would never end.
TEST(RwLock, ReadersAreInsideTogether) {
    for (const Region& region : regions()) {
        Protected data(region);
        for (int round = 0; round < 3; ++round) {
            if (round < 2) {
                pshmemx_rwlock_read_lock(data.lock, 0);
            } else {
                while (pshmemx_rwlock_read_trylock(data.lock, 0) == 0) {
                }
            }
            shmem_barrier_all();
            ASSERT_EQ(shmemx_rwlock_write_trylock(data.lock, 0), 0) << "All PEs read.";
            shmem_barrier_all();
            pshmemx_rwlock_read_unlock(data.lock, 0);
            shmem_barrier_all();
        }
        if (shmem_my_pe() == 0) pshmemx_rwlock_write_lock(data.lock, 0);
        shmem_barrier_all();
        EXPECT_EQ(shmemx_rwlock_read_trylock(data.lock, 0), 0) << "PE 0 writes.";
        EXPECT_EQ(shmemx_rwlock_write_trylock(data.lock, 0), 0);
        shmem_barrier_all();
        if (shmem_my_pe() == 0) pshmemx_rwlock_write_unlock(data.lock, 0);
    }
}

// Readers that follow each other without a gap must let a writer in.
TEST(RwLock, WritersDoNotStarve) {
    static long is_written;  // symmetric
    Protected data(regions()[0]);
    is_written = 0;
    shmem_barrier_all();
    const int npes = shmem_n_pes();
    if (shmem_my_pe() == 0) {
        for (int i = 0; i < scaled(60); ++i) {
            shmemx_rwlock_write_lock(data.lock, 0);
            shmemx_rwlock_write_unlock(data.lock, 0);
        }
        for (int pe = 0; pe < npes; ++pe) shmem_long_atomic_set(&is_written, 1, pe);
    } else {
        while (shmem_long_atomic_fetch(&is_written, shmem_my_pe()) == 0) {
            shmemx_rwlock_read_lock(data.lock, 0);
            shmemx_rwlock_read_unlock(data.lock, 0);
        }
    }
    shmem_barrier_all();
    EXPECT_EQ(pshmemx_rwlock_write_trylock(&initialized_lock, shmem_my_pe()), 1);
    pshmemx_rwlock_write_unlock(&initialized_lock, shmem_my_pe());
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)

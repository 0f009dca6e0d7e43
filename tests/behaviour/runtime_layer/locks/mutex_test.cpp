// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when two PEs hold a mutex at once, when the next holder does not see what the last one
// wrote, when the instances of different PEs are not independent, or when trylock and owner answer
// wrongly. The order of service: locks_random_test.cpp.
#include <pshmemx.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "support/pattern.hpp"
#include "support/pe_test.hpp"

namespace {

using tessera::test::Region;
using tessera::test::regions;
using tessera::test::scaled;

constexpr int kMutexes = 4;

shmemx_mutex_t initialized_mutex = SHMEMX_MUTEX_INITIALIZER;  // symmetric

// Mutexes, and for each a counter that only its holder touches, by plain puts and gets.
struct Protected {
    explicit Protected(const Region& region)
        : mutexes(reinterpret_cast<shmemx_mutex_t*>(region.data)),
          counters(reinterpret_cast<long*>(mutexes + kMutexes)) {
        shmem_barrier_all();
        std::memset(region.data, 0, kMutexes * (sizeof(shmemx_mutex_t) + sizeof(long)));
        shmem_barrier_all();
    }
    // Adds one to the counter of mutex `i` of PE `pe`, which lies on the PE behind it.
    void visit(int i, int pe) {
        const int home = (pe + 1) % shmem_n_pes();
        long* counter = &counters[i];
        next = shmem_long_g(counter, home) + 1;
        if (next % 2 == 0) {
            shmem_long_p(counter, next, home);
        } else {
            shmem_long_put_nbi(counter, &next, 1, home);
        }
    }
    long count(int i, int pe) const { return shmem_long_g(&counters[i], (pe + 1) % shmem_n_pes()); }

    shmemx_mutex_t* mutexes;
    long* counters;
    long next = 0;
};

TEST(Mutex, OneHolderAtATime) {
    for (const Region& region : regions()) {
        Protected data(region);
        const int visits = scaled(600);
        for (int pe = 0; pe < shmem_n_pes(); pe += std::max(1, shmem_n_pes() - 1)) {
            for (int i = 0; i < visits; ++i) {
                shmemx_mutex_lock(&data.mutexes[0], pe);
                data.visit(0, pe);
                shmemx_mutex_unlock(&data.mutexes[0], pe);
            }
            shmem_barrier_all();
            ASSERT_EQ(data.count(0, pe), shmem_n_pes() * static_cast<long>(visits)) << region.kind;
        }
    }
}

TEST(Mutex, TrylockAlsoExcludes) {
    for (const Region& region : regions()) {
        Protected data(region);
        const int visits = scaled(300);
        for (int done = 0; done < visits;) {
            if (done % 3 == 0) {
                pshmemx_mutex_lock(&data.mutexes[1], 0);
            } else if (shmemx_mutex_trylock(&data.mutexes[1], 0) == 0) {
                continue;
            }
            data.visit(1, 0);
            pshmemx_mutex_unlock(&data.mutexes[1], 0);
            ++done;
        }
        shmem_barrier_all();
        ASSERT_EQ(data.count(1, 0), shmem_n_pes() * static_cast<long>(visits)) << region.kind;
    }
}

// Any two instances are different locks: of two PEs, and of two mutexes.
TEST(Mutex, InstancesAreIndependent) {
    std::mt19937 random(static_cast<unsigned>(shmem_my_pe()) + 3);
    static long visits[kMutexes];  // symmetric; of all PEs, on the PE of the instance
    for (const Region& region : regions()) {
        Protected data(region);
        std::fill(std::begin(visits), std::end(visits), 0);
        shmem_barrier_all();
        const int instances = kMutexes * shmem_n_pes();
        for (int round = 0; round < scaled(300); ++round) {
            int first = static_cast<int>(random() % static_cast<unsigned>(instances));
            int second = static_cast<int>(random() % static_cast<unsigned>(instances));
            if (second < first) std::swap(first, second);  // The same order on all PEs.
            std::vector<int> held{first};
            if (second != first) held.push_back(second);
            for (const int each : held)
                shmemx_mutex_lock(&data.mutexes[each % kMutexes], each / kMutexes);
            for (const int each : held) {
                data.visit(each % kMutexes, each / kMutexes);
                shmem_quiet();  // `next` is used again.
                shmem_long_atomic_inc(&visits[each % kMutexes], each / kMutexes);
            }
            for (const int each : held)
                shmemx_mutex_unlock(&data.mutexes[each % kMutexes], each / kMutexes);
        }
        shmem_barrier_all();
        for (int i = 0; i < instances; ++i) {
            ASSERT_EQ(data.count(i % kMutexes, i / kMutexes),
                      shmem_long_g(&visits[i % kMutexes], i / kMutexes))
                << region.kind << " mutex " << i % kMutexes << " of PE " << i / kMutexes;
        }
        shmem_barrier_all();
    }
}

TEST(Mutex, OwnerAndTrylockTellTheHolder) {
    const int npes = shmem_n_pes();
    for (const Region& region : regions()) {
        Protected data(region);
        for (int holder = 0; holder < npes; ++holder) {
            for (int pe = 0; pe < npes; ++pe)
                EXPECT_EQ(shmemx_mutex_owner(&data.mutexes[2], pe), -1);
            shmem_barrier_all();
            if (shmem_my_pe() == holder) {
                EXPECT_EQ(shmemx_mutex_trylock(&data.mutexes[2], npes - 1), 1) << "It was free.";
            }
            shmem_barrier_all();
            EXPECT_EQ(shmemx_mutex_trylock(&data.mutexes[2], npes - 1), 0);
            EXPECT_EQ(pshmemx_mutex_owner(&data.mutexes[2], npes - 1), holder);
            shmem_barrier_all();
            if (shmem_my_pe() == holder) shmemx_mutex_unlock(&data.mutexes[2], npes - 1);
            shmem_barrier_all();
        }
    }
}

// One holder is told of each abandoned mutex, whether it waits at that time or comes later.
TEST(Mutex, TheNextHolderInheritsAnAbandonedOne) {
    const int npes = shmem_n_pes();
    for (const Region& region : regions()) {
        Protected data(region);
        long* told = data.counters;  // on PE 0
        for (int round = 0; round < scaled(50); ++round) {
            const bool is_last = shmem_my_pe() == npes - 1;
            ASSERT_EQ(shmemx_mutex_owner(&data.mutexes[0], 0), -1);
            shmem_barrier_all();
            if (is_last) shmemx_mutex_lock(&data.mutexes[0], 0);
            if (is_last && round % 2 == 0) shmemx_mutex_abandon(&data.mutexes[0], 0);
            shmem_barrier_all();
            const int owner = shmemx_mutex_owner(&data.mutexes[0], 0);
            ASSERT_EQ(owner, round % 2 == 0 ? -1 : npes - 1) << region.kind;
            shmem_barrier_all();
            if (is_last && round % 2 != 0) pshmemx_mutex_abandon(&data.mutexes[0], 0);
            if (round % 3 == 0) {
                while (shmemx_mutex_trylock(&data.mutexes[0], 0) == 0) {
                }
            } else {
                shmemx_mutex_lock(&data.mutexes[0], 0);
            }
            EXPECT_EQ(shmemx_mutex_owner(&data.mutexes[0], 0), shmem_my_pe());
            shmem_long_atomic_add(told, shmemx_mutex_inherited(&data.mutexes[0], 0), 0);
            shmemx_mutex_unlock(&data.mutexes[0], 0);
            shmem_barrier_all();
            ASSERT_EQ(shmem_long_atomic_fetch(told, 0), round + 1) << region.kind;
            shmem_barrier_all();
        }
    }
}

// An owner is always a PE that held the mutex meanwhile, also while the queue moves.
TEST(Mutex, OwnerIsRightWhileTheQueueMoves) {
    Protected data(regions()[0]);
    shmem_barrier_all();
    const int npes = shmem_n_pes();
    const bool looks = shmem_my_pe() == npes - 1;
    for (int i = 0; i < scaled(400); ++i) {
        if (looks) {
            const int owner = shmemx_mutex_owner(&data.mutexes[0], 0);
            ASSERT_GE(owner, -1);
            ASSERT_LT(owner, std::max(1, npes - 1)) << "This PE never holds it.";
        } else {
            shmemx_mutex_lock(&data.mutexes[0], 0);
            ASSERT_EQ(shmemx_mutex_owner(&data.mutexes[0], 0), shmem_my_pe());
            shmemx_mutex_unlock(&data.mutexes[0], 0);
        }
    }
}

TEST(Mutex, InitializerMeansUnlocked) {
    EXPECT_EQ(shmemx_mutex_owner(&initialized_mutex, 0), -1);
    shmem_barrier_all();
    const int mine = shmem_my_pe();
    shmemx_mutex_lock(&initialized_mutex, mine);
    EXPECT_EQ(shmemx_mutex_owner(&initialized_mutex, mine), mine);
    shmem_barrier_all();
    EXPECT_EQ(shmemx_mutex_owner(&initialized_mutex, (mine + 1) % shmem_n_pes()),
              (mine + 1) % shmem_n_pes());
    shmem_barrier_all();
    shmemx_mutex_unlock(&initialized_mutex, mine);
}

// Where software keeps memory coherent, each lock and unlock compares all memory.
bool has_quick_locks() {
    const char* heap = std::getenv("SHMEM_HEAP");
    return heap == nullptr || std::strncmp(heap, "noncoherent", 11) != 0;
}

// Nodes come from a pool that grows, and are used again in any order.
TEST(Mutex, ManyHeldTogether) {
    const std::size_t held = shmem_n_pes() > 8 || !has_quick_locks() ? 500 : 20000;
    auto* mutexes = static_cast<shmemx_mutex_t*>(shmem_calloc(held, sizeof(shmemx_mutex_t)));
    ASSERT_NE(mutexes, nullptr);
    const int target = shmem_my_pe();  // A PE that another node reaches would take long.
    std::vector<std::size_t> order(held);
    for (std::size_t i = 0; i < held; ++i) order[i] = i;
    std::mt19937 random(11);
    for (int round = 0; round < 2; ++round) {
        std::shuffle(order.begin(), order.end(), random);
        for (const std::size_t i : order) shmemx_mutex_lock(&mutexes[i], target);
        std::shuffle(order.begin(), order.end(), random);
        for (const std::size_t i : order) {
            ASSERT_EQ(shmemx_mutex_owner(&mutexes[i], target), target);
            shmemx_mutex_unlock(&mutexes[i], target);
        }
    }
    for (std::size_t i = 0; i < held; ++i) ASSERT_EQ(mutexes[i].shmem_internal_word, 0U);
    shmem_barrier_all();
    shmem_free(mutexes);
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)

// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when two PEs hold a lock at once, when the next holder does not see what the last one
// wrote, when waiting PEs are not served in order, or when test_lock answers wrongly.
#include <pshmem.h>
#include <sched.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "support/pattern.hpp"
#include "support/pe_test.hpp"

namespace {

using tessera::test::Region;
using tessera::test::regions;
using tessera::test::scaled;

struct Locks {
    const char* name;
    void (*set)(long* lock);
    int (*test)(long* lock);
    void (*clear)(long* lock);
};
const Locks kLocks[] = {{"shmem_", shmem_set_lock, shmem_test_lock, shmem_clear_lock},
                        {"pshmem_", pshmem_set_lock, pshmem_test_lock, pshmem_clear_lock}};

constexpr int kLockCount = 16;
constexpr int kWordsPerLock = 4;

// The data under the locks: words that only the holder touches, by plain puts and gets.
struct Protected {
    explicit Protected(const Region& region)
        : locks(reinterpret_cast<long*>(region.data)), words(locks + kLockCount) {
        shmem_barrier_all();
        std::memset(region.data, 0, kLockCount * (1 + kWordsPerLock) * sizeof(long));
        shmem_barrier_all();
    }
    // Adds one to the words of one lock, each on another PE. They must be equal before.
    void visit(int lock) {
        long seen[kWordsPerLock];
        for (int i = 0; i < kWordsPerLock; ++i) {
            seen[i] = shmem_long_g(word(lock, i), home(lock, i));
            ASSERT_EQ(seen[i], seen[0]) << "Another PE is inside lock " << lock;
        }
        // Without quiet: that is clear_lock's part. The lock's `next` must not change before.
        long& value = next[lock];
        value = seen[0] + 1;
        for (int i = 0; i < kWordsPerLock; ++i) {
            if (i % 2 == 0) {
                shmem_long_p(word(lock, i), value, home(lock, i));
            } else {
                shmem_long_put_nbi(word(lock, i), &value, 1, home(lock, i));
            }
        }
    }
    long* word(int lock, int i) const { return &words[lock * kWordsPerLock + i]; }
    static int home(int lock, int i) { return (lock + i) % shmem_n_pes(); }

    long* locks;
    long* words;
    long next[kLockCount] = {};
};

TEST(Locks, OneHolderAtATime) {
    for (const Region& region : regions()) {
        for (const Locks& routines : kLocks) {
            Protected data(region);
            for (int i = 0; i < scaled(4000); ++i) {
                routines.set(&data.locks[0]);
                data.visit(0);
                routines.clear(&data.locks[0]);
                ASSERT_FALSE(HasFatalFailure()) << routines.name << " " << region.kind;
            }
            shmem_barrier_all();
            ASSERT_EQ(shmem_long_g(data.word(0, 0), 0), shmem_n_pes() * scaled(4000));
        }
    }
}

TEST(Locks, TestLockAlsoExcludes) {
    for (const Region& region : regions()) {
        Protected data(region);
        const int visits = scaled(2000);
        for (int done = 0; done < visits;) {
            const Locks& routines = kLocks[done % 2];
            if (done % 3 == 0) {
                routines.set(&data.locks[1]);
            } else if (routines.test(&data.locks[1]) != 0) {
                continue;
            }
            data.visit(1);
            routines.clear(&data.locks[1]);
            ASSERT_FALSE(HasFatalFailure()) << region.kind;
            ++done;
        }
        shmem_barrier_all();
        ASSERT_EQ(shmem_long_g(data.word(1, 0), Protected::home(1, 0)), shmem_n_pes() * visits);
    }
}

TEST(Locks, ManyLocksHeldTogether) {
    std::mt19937 random(static_cast<unsigned>(shmem_my_pe()) + 5);
    for (const Region& region : regions()) {
        Protected data(region);
        static long visits[kLockCount];  // counts of all PEs, on PE 0
        std::fill(std::begin(visits), std::end(visits), 0);
        shmem_barrier_all();
        for (int i = 0; i < scaled(2000); ++i) {
            int first = static_cast<int>(random() % kLockCount);
            int second = static_cast<int>(random() % kLockCount);
            if (second < first) std::swap(first, second);  // The same order on all PEs.
            shmem_set_lock(&data.locks[first]);
            if (second != first) shmem_set_lock(&data.locks[second]);
            data.visit(first);
            if (second != first) data.visit(second);
            shmem_clear_lock(&data.locks[first]);
            if (second != first) shmem_clear_lock(&data.locks[second]);
            ASSERT_FALSE(HasFatalFailure()) << region.kind;
            shmem_long_atomic_inc(&visits[first], 0);
            if (second != first) shmem_long_atomic_inc(&visits[second], 0);
        }
        shmem_barrier_all();
        for (int lock = 0; lock < kLockCount; ++lock) {
            ASSERT_EQ(shmem_long_g(data.word(lock, 0), Protected::home(lock, 0)),
                      shmem_long_g(&visits[lock], 0))
                << "lock " << lock;
        }
        shmem_barrier_all();
    }
}

TEST(Locks, TestLockTellsWhoIsIn) {
    for (const Region& region : regions()) {
        Protected data(region);
        for (int holder = 0; holder < shmem_n_pes(); ++holder) {
            for (int lock = 0; lock < kLockCount; ++lock) {
                long* word = &data.locks[lock];
                if (shmem_my_pe() != holder) continue;
                ASSERT_EQ(shmem_test_lock(word), 0) << "It was free.";
            }
            shmem_barrier_all();
            for (int lock = 0; lock < kLockCount; ++lock)
                ASSERT_EQ(shmem_test_lock(&data.locks[lock]), 1) << "PE " << holder << " is in.";
            shmem_barrier_all();
            for (int lock = 0; lock < kLockCount; ++lock) {
                if (shmem_my_pe() == holder) shmem_clear_lock(&data.locks[lock]);
            }
            shmem_barrier_all();
        }
    }
}

// Whether PE `pe` stands in the queue: its number is then the tail, in the copy of some PE (the
// picture in locks/lock.hpp; nothing public tells).
bool is_last_in_queue(const long* lock, int pe) {
    for (int home = 0; home < shmem_n_pes(); ++home) {
        auto word = static_cast<unsigned long>(shmem_long_atomic_fetch(lock, home));
        if ((word & 0xffffffffU) == static_cast<unsigned>(pe) + 1) return true;
    }
    return false;
}

TEST(Locks, ServedInOrder) {
    static long go;     // number of PEs that PE 0 has sent into the queue
    static int served;  // on PE 0: how many have held the lock
    const int npes = shmem_n_pes();
    std::mt19937 random(7);  // The same order of PEs everywhere.
    for (int round = 0; round < scaled(40); ++round) {
        Protected data(regions()[static_cast<std::size_t>(round) % 2]);
        long* lock = &data.locks[round % kLockCount];
        std::vector<int> order(static_cast<std::size_t>(npes) - 1);
        std::iota(order.begin(), order.end(), 1);
        std::shuffle(order.begin(), order.end(), random);
        go = 0;
        served = 0;
        shmem_barrier_all();
        if (shmem_my_pe() == 0) {
            shmem_set_lock(lock);
            for (int pe : order) {
                shmem_long_atomic_set(&go, 1, pe);
                while (!is_last_in_queue(lock, pe)) ::sched_yield();
            }
            shmem_clear_lock(lock);
        } else {
            shmem_long_wait_until(&go, SHMEM_CMP_EQ, 1);
            shmem_set_lock(lock);
            int place = shmem_int_g(&served, 0);
            shmem_int_p(&served, place + 1, 0);
            shmem_clear_lock(lock);
            ASSERT_EQ(order[static_cast<std::size_t>(place)], shmem_my_pe()) << "out of turn";
        }
        shmem_barrier_all();
    }
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)

// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a random sequence of lock operations goes another way than the model says
// (locks_script.hpp): order of service, exclusion, answers of trylock and owner, and visibility of
// what the holders before have written. The first argument is the number of sequences.
//
// One PE after the other takes its step; the turn passes by a word on each PE. A PE whose step
// waits passes the turn on before, and the next one first looks whether it has joined the queue.
#include <pshmemx.h>
#include <sched.h>

#include <cstdlib>

#include "runtime_layer/locks/locks_script.hpp"
#include "support/pe_test.hpp"

namespace {

using tessera::test::Action;
using tessera::test::ScriptMaker;
using tessera::test::Step;
using tessera::test::Use;

constexpr std::size_t kLocks = 4;
constexpr std::size_t kSteps = 60;

// Symmetric.
shmemx_mutex_t mutexes[kLocks];
shmemx_rwlock_t rwlocks[kLocks];
long acquired[kLocks];  // so many times PEs have got the lock, there as well
long writes[kLocks];    // writes by holders of the lock, on the PE of its instance
long turn;              // number of the step whose turn it is on this PE
long granted_by;        // number of the unlocking step that gives this PE the lock it waits for

class Player {
  public:
    Player(std::vector<Step> script, unsigned long seed) : script_(std::move(script)) {
        for (std::size_t i = 0; i < kLocks; ++i)
            homes_[i] = static_cast<int>((seed >> (8 * i)) % static_cast<unsigned>(shmem_n_pes()));
    }
    void play() {
        turn = -1;
        granted_by = -1;
        shmem_barrier_all();
        if (shmem_my_pe() == 0) shmem_long_atomic_set(&turn, 0, script_[0].pe);
        for (std::size_t i = 0; i < script_.size(); ++i) {
            if (script_[i].pe != shmem_my_pe()) continue;
            shmem_long_wait_until(&turn, SHMEM_CMP_EQ, static_cast<long>(i));
            if (i > 0 && script_[i - 1].waits) wait_until_joined(script_[i - 1]);
            take_step(i);
        }
        shmem_barrier_all();
    }

  private:
    int home(const Step& step) const { return homes_[step.lock]; }

    void pass_turn(std::size_t i) const {
        if (i + 1 == script_.size()) return;
        shmem_long_atomic_set(&turn, static_cast<long>(i + 1), script_[i + 1].pe);
    }

    // The PE is then the last in the queue (the pictures in locks/queue_node.hpp, locks/rwlock.hpp;
    // nothing public tells).
    void wait_until_joined(const Step& step) const {
        const bool is_mutex = step.use == Use::kMutex;
        const uint64_t* word = is_mutex ? &mutexes[step.lock].shmem_internal_word
                                        : &rwlocks[step.lock].shmem_internal_words[0];
        while (shmem_uint64_atomic_fetch(word, home(step)) >> 44 !=
               static_cast<uint64_t>(step.pe)) {
            ::sched_yield();
        }
        // PE 0 looks like no PE, so ask for the node, too.
        while (shmem_uint64_atomic_fetch(word, home(step)) >> 26 == 0) ::sched_yield();
    }

    void take_step(std::size_t i) {
        const Step& step = script_[i];
        switch (step.action) {
            case Action::kOwner:
                ASSERT_EQ(shmemx_mutex_owner(&mutexes[step.lock], home(step)), step.answer)
                    << "step " << i;
                break;
            case Action::kTrylock:
                wait_until_all_are_inside(step);
                ASSERT_EQ(trylock(step), step.answer) << "step " << i;
                if (step.answer == 1) visit(step, i);
                break;
            case Action::kLock:
                if (step.waits) pass_turn(i);
                lock(step);
                if (step.waits) check_grant(i);
                visit(step, i);
                break;
            case Action::kUnlock:
                for (const int pe : step.next) shmem_long_p(&granted_by, static_cast<long>(i), pe);
                unlock(step);
                break;
        }
        if (!step.waits) pass_turn(i);
    }

    // A reader that had to wait passes the head of the queue on when it wakes up. Until then other
    // readers cannot enter without waiting, too.
    void wait_until_all_are_inside(const Step& step) const {
        if (step.use == Use::kMutex) return;
        while (shmem_long_atomic_fetch(&acquired[step.lock], home(step)) != step.acquired)
            ::sched_yield();
    }

    // Which step unlocks for step `i`.
    void check_grant(std::size_t i) const {
        std::size_t giver = i + 1;
        const auto gives = [&](const Step& step) {
            return step.action == Action::kUnlock && step.lock == script_[i].lock &&
                   std::ranges::count(step.next, script_[i].pe) != 0;
        };
        while (!gives(script_[giver])) ++giver;
        ASSERT_EQ(shmem_long_g(&granted_by, shmem_my_pe()), static_cast<long>(giver))
            << "step " << i << " got the lock too early";
    }

    void visit(const Step& step, std::size_t i) const {
        shmem_long_atomic_inc(&acquired[step.lock], home(step));
        long* count = &writes[step.lock];
        ASSERT_EQ(shmem_long_g(count, home(step)), step.writes) << "step " << i;
        if (step.use != Use::kRead) shmem_long_p(count, step.writes + 1, home(step));
        // The next step may look before this PE unlocks.
        shmem_quiet();
    }

    int trylock(const Step& step) const {
        switch (step.use) {
            case Use::kMutex: return shmemx_mutex_trylock(&mutexes[step.lock], home(step));
            case Use::kRead: return shmemx_rwlock_read_trylock(&rwlocks[step.lock], home(step));
            case Use::kWrite: return shmemx_rwlock_write_trylock(&rwlocks[step.lock], home(step));
        }
        return -1;
    }
    void lock(const Step& step) const {
        switch (step.use) {
            case Use::kMutex: return shmemx_mutex_lock(&mutexes[step.lock], home(step));
            case Use::kRead: return shmemx_rwlock_read_lock(&rwlocks[step.lock], home(step));
            case Use::kWrite: return shmemx_rwlock_write_lock(&rwlocks[step.lock], home(step));
        }
    }
    void unlock(const Step& step) const {
        switch (step.use) {
            case Use::kMutex: return shmemx_mutex_unlock(&mutexes[step.lock], home(step));
            case Use::kRead: return shmemx_rwlock_read_unlock(&rwlocks[step.lock], home(step));
            case Use::kWrite: return shmemx_rwlock_write_unlock(&rwlocks[step.lock], home(step));
        }
    }

    std::vector<Step> script_;
    int homes_[kLocks];
};

TEST(LocksRandom, SequencesFollowTheModel) {
    std::mt19937_64 seeds(tessera::test::shared_seed());
    for (int i = 0; i < tessera::test::repeats(20); ++i) {
        const unsigned long seed = seeds();
        for (long& count : writes) count = 0;
        for (long& count : acquired) count = 0;
        shmem_barrier_all();
        Player player(ScriptMaker(shmem_n_pes(), kLocks, seed).make(kSteps), seed);
        player.play();
        ASSERT_FALSE(HasFatalFailure()) << "sequence " << i << " with seed " << seed;
        for (std::size_t lock = 0; lock < kLocks; ++lock) {
            ASSERT_EQ(mutexes[lock].shmem_internal_word, 0U) << "sequence " << i;
            ASSERT_EQ(rwlocks[lock].shmem_internal_words[0], 0U) << "sequence " << i;
        }
    }
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The duties of transports/noncoherent/duties.hpp, of which check.py makes the macros kQuiet_PUBLISHES
 * and so on: 1 or 0. The memory is that of CXL0 (arXiv 2407.16300), but for caches that no hardware
 * keeps coherent: the owner's program stores to its private copy, its cache (LStore); other PEs
 * store to, and load from, the public one, the memory (MStore, Load). A line is written back, or
 * dropped, at any moment. The owner may crash at any step; its cache is lost then, and the memory is
 * not.
 *
 * Safety, for each point of the table: what one PE did before it told another one is seen behind the
 * point at which that one heard of it. (No word is both stored by the owner and put by another PE
 * here: harness copies.cpp.)
 */
mtype = { quiet, fence, sync_begin, tell_member, epoch_post,
          sync_end, hear_member, wait_end, lock_taken, epoch_end, own_get, own_atomic };

mtype point;
byte cached, public; /* a word of the owner, in its cache and in the memory */
bool is_cached, is_dirty;
bool told;
bool is_dead;

/* Steps of the cache. */
inline write_back() {
    if
    :: is_dirty -> public = cached; is_dirty = false
    :: else
    fi
}
inline drop() {
    write_back();
    is_cached = false
}
/* A load of the owner's program fills the cache. */
inline load(value) {
    if
    :: is_cached
    :: else -> cached = public; is_cached = true
    fi;
    value = cached
}
#define STORE(VALUE) cached = VALUE; is_cached = true; is_dirty = true
#define STEP(ACTION) atomic { !is_dead -> ACTION }
/* A point with these duties. */
#define POINT(PUBLISHES, REFRESHES) \
    STEP(if :: PUBLISHES -> write_back() :: else fi); \
    STEP(if :: REFRESHES -> drop() :: else fi)

proctype Owner() {
    byte value;
    STEP(load(value)); /* The cache has the word, perhaps, when it becomes stale. */
    if
    :: point == quiet -> STEP(STORE(1)); POINT(kQuiet_PUBLISHES, kQuiet_REFRESHES)
    :: point == fence -> STEP(STORE(1)); POINT(kFence_PUBLISHES, kFence_REFRESHES)
    :: point == sync_begin -> STEP(STORE(1)); POINT(kSyncBegin_PUBLISHES, kSyncBegin_REFRESHES)
    :: point == tell_member -> STEP(STORE(1)); POINT(kTellMember_PUBLISHES, kTellMember_REFRESHES)
    :: point == epoch_post -> STEP(STORE(1)); POINT(kEpochPost_PUBLISHES, kEpochPost_REFRESHES)
    :: point == own_atomic ->
        STEP(STORE(1));
        POINT(kAtomicBegin_PUBLISHES, kAtomicBegin_REFRESHES);
        STEP(public++); /* in the memory, under a lock */
        POINT(kAtomicEnd_PUBLISHES, kAtomicEnd_REFRESHES);
        STEP(load(value); assert(value == 2 && public == 2))
    :: else ->
        STEP(told -> skip);
        if
        :: point == sync_end -> POINT(kSyncEnd_PUBLISHES, kSyncEnd_REFRESHES)
        :: point == hear_member -> POINT(kHearMember_PUBLISHES, kHearMember_REFRESHES)
        :: point == wait_end -> POINT(kWaitEnd_PUBLISHES, kWaitEnd_REFRESHES)
        :: point == lock_taken -> POINT(kLockTaken_PUBLISHES, kLockTaken_REFRESHES)
        :: point == epoch_end -> POINT(kEpochEnd_PUBLISHES, kEpochEnd_REFRESHES)
        :: point == own_get -> POINT(kOwnGet_PUBLISHES, kOwnGet_REFRESHES)
        fi;
        STEP(load(value); assert(value == 1))
    fi;
    STEP(told = true)
}

proctype Other() {
    if
    :: point == sync_end || point == hear_member || point == wait_end || point == lock_taken ||
       point == epoch_end || point == own_get ->
#ifdef MUTANT_TOLD_BEFORE_THE_PUT
        told = true;
        public = 1
#else
        public = 1;
        told = true
#endif
    :: point != own_atomic && told -> assert(public == 1)
    fi
}

/* At any moment. */
proctype Cache() {
end:
    do
    :: atomic { is_dirty -> write_back() }
    :: atomic { is_cached -> drop() }
    od
}
proctype Crash() {
    if
    :: atomic {
           is_dead = true;
#ifdef MUTANT_A_CRASH_TAKES_THE_MEMORY
           public = 0;
#endif
           is_cached = false;
           is_dirty = false
       }
    :: skip
    fi
}

init {
    atomic {
        if
        :: point = quiet :: point = fence :: point = sync_begin :: point = tell_member
        :: point = epoch_post :: point = sync_end :: point = hear_member :: point = wait_end
        :: point = lock_taken :: point = epoch_end :: point = own_get :: point = own_atomic
        fi;
        run Owner(); run Other(); run Cache(); run Crash()
    }
}

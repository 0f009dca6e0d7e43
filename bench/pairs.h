// SPDX-License-Identifier: BSD-3-Clause
//
// Pairs of PEs for the programs of bench/micro: PE i of the first half works on PE i of the second
// half, all pairs at once; with an odd number the last PE only waits. A single PE is a pair with
// itself. Included once, behind measure.h; main calls find_pairs() behind begin(). All functions
// are for one thread of each PE.
#pragma once

static int pairs, active_pairs;  // all, and the working ones: the other pairs' PEs only wait
static int partner;
static double* pair_times;   // symmetric: when this PE began and ended
static int have_same_clock;  // all PEs run on one machine

enum ways { ONE_WAY, BOTH_WAYS, ALL_PES };  // origins work, or targets as well, or all PEs

static inline int is_origin(int pe) { return pe < active_pairs; }
static inline int is_target(int pe) {
    return npes < 2 ? pe == 0 : pe >= pairs && pe < pairs + active_pairs;
}
static inline int takes_part(int pe, enum ways ways) {
    return ways == ALL_PES || is_origin(pe) || (ways == BOTH_WAYS && is_target(pe));
}
static inline int count_taking_part(enum ways ways) {
    return ways == ALL_PES || npes < 2 ? npes : ways == BOTH_WAYS ? 2 * active_pairs : active_pairs;
}

// More PEs than cores: origins on all cores by turns, each target on another core than its origin.
// Left to the system, two origins share a core in some runs and not in others.
static inline void spread_pairs(void) {
    cpu_set_t usable, one;
    if (sched_getaffinity(0, sizeof usable, &usable) != 0 || CPU_COUNT(&usable) >= npes) return;
    int skip = (is_target(me) ? me - pairs + 1 : me) % CPU_COUNT(&usable);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (!CPU_ISSET(cpu, &usable) || skip-- > 0) continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        sched_setaffinity(0, sizeof one, &one);
        return;
    }
}

// Collective.
static inline void find_pairs(void) {
    pairs = active_pairs = npes < 2 ? 1 : npes / 2;
    partner = is_origin(me) ? (me + pairs) % npes : is_target(me) ? me - pairs : me;
    spread_pairs();
    pair_times = allocate(64, 64);
    char name[256] = "";
    unsigned hash = 5381;
    gethostname(name, sizeof name - 1);
    for (const char* at = name; *at; ++at) hash = hash * 33 + (unsigned char)*at;
    have_same_clock = fold_all(hash, MIN_OF_ALL) == fold_all(hash, MAX_OF_ALL);
}

// Nanoseconds for each of the `repeats`, from the begin of the first PE to the end of the last one:
// PEs that share a core begin one after the other. Collective. RETURNS: the time, on PE 0.
static inline double time_of_pairs(Body body, long repeats, size_t bytes, enum ways ways) {
    shmem_barrier_all();
    double begin_ns = now_ns();
    if (takes_part(me, ways)) body(repeats, bytes);
    double end_ns = now_ns();
    ((volatile double*)pair_times)[0] = begin_ns;
    ((volatile double*)pair_times)[1] = end_ns;
    shmem_barrier_all();
    if (me != 0) return 0;
    if (!have_same_clock) return (now_ns() - begin_ns) / (double)repeats;
    for (int pe = 1; pe < npes; ++pe) {
        if (!takes_part(pe, ways)) continue;
        double other_begin_ns = shmem_double_g(pair_times, pe);
        double other_end_ns = shmem_double_g(pair_times + 1, pe);
        if (other_begin_ns < begin_ns) begin_ns = other_begin_ns;
        if (other_end_ns > end_ns) end_ns = other_end_ns;
    }
    return (end_ns - begin_ns) / (double)repeats;
}

// As repeats_for(), measured by PE 0 and the same on all PEs. Collective.
static inline long repeats_of_pairs(Body body, size_t bytes, double sample_ns) {
    long repeats = me == 0 ? repeats_for(body, bytes, sample_ns) : 0;
    return (long)agree((double)repeats);
}

// Repeats so that all PEs together take about `sample_ns`, where a body needs its partner.
// Collective.
static inline long repeats_together(Body body, size_t bytes, enum ways ways, double sample_ns) {
    long repeats = 4;
    double taken_ns = agree(time_of_pairs(body, repeats, bytes, ways));
    while (taken_ns * (double)repeats < sample_ns / 4) {
        repeats *= 4;
        taken_ns = agree(time_of_pairs(body, repeats, bytes, ways));
    }
    return (long)(sample_ns / taken_ns) + 1;
}

// by_turns() for all pairs; `limit` may be NULL, on all PEs alike. The times are PE 0's.
static inline void pairs_by_turns(Body ours, Body limit, long repeats, size_t bytes, enum ways ways,
                                  int samples, double* ours_ns, double* limit_ns) {
    for (int i = -1; i < samples; ++i) {  // one to warm up
        int at = i < 0 ? 0 : i;
        ours_ns[at] = time_of_pairs(ours, repeats, bytes, ways);
        if (limit) limit_ns[at] = time_of_pairs(limit, repeats, bytes, ways);
    }
}

// by_turns() on PE 0, while all others wait in a barrier. Collective. RETURNS: the limit's median,
// 0 without.
static inline double alone_by_turns(Body ours, Body limit, size_t bytes, double sample_ns,
                                    int samples, double* ours_ns, double* limit_ns) {
    shmem_barrier_all();
    if (me == 0) {
        const long repeats = repeats_for(ours, bytes, sample_ns);
        by_turns(ours, limit, repeats, bytes, samples, ours_ns, limit_ns);
    }
    shmem_barrier_all();
    return me == 0 && limit ? median(limit_ns, samples) : 0;
}

// Whether shmem_ptr gives every PE its partner's memory. Collective.
static inline int have_pointers(const void* mapped) {
    return fold_all(mapped != NULL, MIN_OF_ALL) != 0;
}

// SPDX-License-Identifier: BSD-3-Clause
//
// How close are one-sided operations on one node to the processor's limits? A program in plain
// OpenSHMEM 1.4 (and a row of 1.5), for any library's oshcc. Each row measures the library's
// operation and, by turns in the same run and on the same memory, the physical limit: the program's
// own accesses through the pointer that shmem_ptr gives. Started with 2 PEs it
// measures everything, with any other number the barrier. bench/run-onnode builds it and runs it
// with 2, 4, 16 and 64 PEs, and with --inline once more with SHMEM_INLINE: --raw then holds single
// words against loops that call nothing.
#define _GNU_SOURCE
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { kWords = 256, kLineLongs = 16, kSamplesMax = 201 };
#define MIB ((size_t)1 << 20)

static struct {
    int is_csv;
    int is_quick;
    int is_raw;
    const char* only;
} options;

static int me, npes, peer;
static int pes_fit;         // one usable core for each PE
static size_t cache_bytes;  // last-level cache
static size_t block_bytes;  // of the three blocks below
static char* block;         // symmetric
static char* peer_block;    // the peer's block mapped here, or a stand-in in private memory
static char* local;         // private memory of this PE
static long* words;         // symmetric
static long static_words[256] __attribute__((aligned(4096)));  // symmetric, not of the heap
static long* peer_words;                                       // the peer's words, mapped here
static long* plan;  // symmetric: PE 0's decision for all PEs

// ---- Measuring: the median of many samples, the library and the limit by turns. ----

static double now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

typedef void (*Body)(long repeats, size_t bytes);

static double time_of(Body body, long repeats, size_t bytes) {
    double start = now_ns();
    body(repeats, bytes);
    return (now_ns() - start) / (double)repeats;
}

static int by_value(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static double median(double* values, int count) {
    qsort(values, (size_t)count, sizeof(double), by_value);
    return values[count / 2];
}

struct Result {
    double ours_ns, limit_ns, ratio;  // ratio: the median of ours/limit of neighbouring samples
};

// `limit` may be NULL. Collective operations need the same counts on all PEs: see agree().
static struct Result compare(Body ours, Body limit, size_t bytes, long repeats, int samples) {
    static double ours_ns[kSamplesMax], limit_ns[kSamplesMax], ratio[kSamplesMax];
    struct Result result = {0, 0, 0};
    for (int i = -2; i < samples; ++i) {  // two samples to warm up
        int at = i < 0 ? 0 : i;
        ours_ns[at] = time_of(ours, repeats, bytes);
        if (!limit) continue;
        limit_ns[at] = time_of(limit, repeats, bytes);
        ratio[at] = ours_ns[at] / limit_ns[at];
    }
    result.ours_ns = median(ours_ns, samples);
    if (!limit) return result;
    result.limit_ns = median(limit_ns, samples);
    result.ratio = median(ratio, samples);
    return result;
}

// Repeats so that one sample takes about `sample_ns`.
static long repeats_for(Body body, size_t bytes, double sample_ns) {
    long repeats = 1;
    double taken = time_of(body, 1, bytes);
    while (taken * (double)repeats < sample_ns && repeats < 1000000) {
        repeats *= 4;
        taken = time_of(body, repeats, bytes);
    }
    double wanted = sample_ns / taken;
    return wanted < 1 ? 1 : (long)wanted;
}

// ---- Printing ----

// Timer and code placement move results by this much: a ratio within it is as good as the aim.
static const double kNoise = 0.03;

static void print_head(int has_pointer) {
    if (options.is_csv) {
        puts("operation,bytes,npes,ours_ns,limit_ns,time_ratio,aim,verdict");
        return;
    }
    printf("%d PEs, last-level cache %zu KiB; times are medians, limit and operation by turns\n",
           npes, cache_bytes / 1024);
    if (!has_pointer) puts("shmem_ptr gives NULL: the limits are those of private memory");
    printf("%-12s %9s %12s %12s %8s %9s\n", "operation", "bytes", "ns", "limit ns", "time/lim",
           "aim");
}

// aim: time/limit at most this; 0: none.
static void print_row(const char* operation, size_t bytes, struct Result r, double aim) {
    const char* verdict = aim == 0 ? "" : r.ratio <= aim * (1 + kNoise) ? "ok" : "miss";
    if (options.is_csv) {
        printf("%s,%zu,%d,%.2f,%.2f,%.3f,%.3f,%s\n", operation, bytes, npes, r.ours_ns, r.limit_ns,
               r.ratio, aim, verdict);
    } else if (aim == 0) {
        printf("%-12s %9zu %12.1f %12.1f %8.2f\n", operation, bytes, r.ours_ns, r.limit_ns,
               r.ratio);
    } else {
        printf("%-12s %9zu %12.1f %12.1f %8.2f <= %5.2f %s\n", operation, bytes, r.ours_ns,
               r.limit_ns, r.ratio, aim, verdict);
    }
    fflush(stdout);
}

static int is_wanted(const char* operation) {
    return !options.only || strstr(operation, options.only);
}

#include "bench/onnode_loops.h"

struct WordRow {
    const char* operation;
    Body ours, limit;
    double aim;      // of the ratio; 0: none
    double more_ns;  // instead of aim: so much more than the limit
    size_t bytes;    // 0: of a long
};

// The atomics once more against the instruction itself, without a call. These rows have no aim;
// read them together with the rows above.
static const struct WordRow kWordRows[] = {
    {"p", p_ours, p_limit, 1.3, 0, 0},
    {"g", g_ours, g_limit, 1.3, 0, 0},
    {"fetch-add", fetch_add_ours, fetch_add_limit, 1.15, 0, 0},
    {"swap", swap_ours, swap_limit, 1.15, 0, 0},
    {"add-bare", fetch_add_ours, fetch_add_raw_limit, 0, 0, 0},
    {"swap-bare", swap_ours, swap_raw_limit, 0, 0, 0},
    {"p-static", p_static_ours, p_ours, 0, 2, 0},
    {"g-static", g_static_ours, g_ours, 0, 2, 0},
    {"add-static", fetch_add_static_ours, fetch_add_ours, 0, 2, 0},
    {"put-static", put_static_ours, put_static_limit, 0, 2, 0},
    {"put-signal", put_signal_ours, put_signal_limit, 1.2, 0, 64}};  // last: kHasSignals
static const struct WordRow kRawRows[] = {
    {"p", p_raw_ours, p_raw_limit, 1.2, 0, 0},
    {"g", g_raw_ours, g_raw_limit, 1.2, 0, 0},
    {"put-8", put_8_ours, put_8_limit, 1.5, 0, 0},
    {"get-8", get_8_ours, get_8_limit, 1.5, 0, 0},
    {"fetch-add", fetch_add_ours, fetch_add_raw_limit, 1.15, 0, 0},
    {"swap", swap_ours, swap_raw_limit, 1.15, 0, 0},
    {"p-static", p_static_ours, p_ours, 0, 0, 0},
    {"g-static", g_static_ours, g_ours, 0, 0, 0},
    {"add-static", fetch_add_static_ours, fetch_add_ours, 0, 0, 0}};

static void measure_words(void) {
    const struct WordRow* rows = options.is_raw ? kRawRows : kWordRows;
    size_t count =
        options.is_raw ? sizeof kRawRows / sizeof *kRawRows : sizeof kWordRows / sizeof *kWordRows;
    if (!options.is_raw && !kHasSignals) --count;
    for (size_t i = 0; i < count; ++i) {
        if (!is_wanted(rows[i].operation)) continue;
        size_t bytes = rows[i].bytes ? rows[i].bytes : sizeof(long);
        long repeats = repeats_for(rows[i].limit, bytes, 100e3);
        struct Result result = compare(rows[i].ours, rows[i].limit, bytes, repeats,
                                       options.is_quick ? 51 : kSamplesMax);
        double aim = rows[i].more_ns > 0 ? 1 + rows[i].more_ns / result.limit_ns : rows[i].aim;
        print_row(rows[i].operation, bytes, result, aim);
    }
}

// A table of wrong copies is worth nothing.
static void check_copies(size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) local[i] = (char)(i * 7 + i / 251 + bytes);
    shmem_putmem(block, local, bytes, peer);
    shmem_quiet();
    memset(local, 0, bytes);
    shmem_getmem(local, block, bytes, peer);
    for (size_t i = 0; i < bytes; ++i) {
        if (local[i] == (char)(i * 7 + i / 251 + bytes)) continue;
        fprintf(stderr, "onnode: put and get of %zu bytes changed byte %zu\n", bytes, i);
        shmem_global_exit(1);
    }
}

static void measure_copy(const char* operation, Body ours, Body limit, size_t bytes) {
    if (!is_wanted(operation)) return;
    int samples = bytes < MIB ? kSamplesMax : bytes < 16 * MIB ? 51 : 31;
    if (options.is_quick) samples = (samples + 3) / 4;
    long repeats = repeats_for(limit, bytes, 100e3);
    double aim = 2 * bytes > cache_bytes + MIB ? 1 / 1.15 : 1;
    print_row(operation, bytes, compare(ours, limit, bytes, repeats, samples), aim);
}

static void measure_copies(void) {
    static const size_t kSizes[] = {8,       64,      512,      4096,     32768,   262144,
                                    1 * MIB, 4 * MIB, 16 * MIB, 32 * MIB, 64 * MIB};
    for (size_t i = 0; i < sizeof kSizes / sizeof *kSizes; ++i) {
        if (kSizes[i] > block_bytes || (options.is_quick && i % 2 == 1)) continue;
        if (is_wanted("put") || is_wanted("get")) check_copies(kSizes[i]);
        measure_copy("put", put_ours, put_limit, kSizes[i]);
        measure_copy("get", get_ours, get_limit, kSizes[i]);
    }
}

// ---- barrier: the limit at 2 PEs is the exchange of two flags ----

static void barrier_ours(long repeats, size_t bytes) {
    (void)bytes;
    for (long i = 0; i < repeats; ++i) shmem_barrier_all();
}

static void flags_limit(long repeats, size_t bytes) {
    static long sequence;
    long* mine = words + kWords + kLineLongs;
    long* theirs = peer_words + kWords + kLineLongs;
    (void)bytes;
    for (long i = 0; i < repeats; ++i) {
        ++sequence;
        __atomic_store_n(theirs, sequence, __ATOMIC_RELEASE);
        // The short loop between two loads makes the exchange faster than loading all the time.
        while (__atomic_load_n(mine, __ATOMIC_ACQUIRE) < sequence) {
            for (int wait = 0; wait < 8; ++wait) __asm__ volatile("" ::: "memory");
        }
    }
}

// With more PEs than cores: the best of the simple barriers that we know. A central counter. A
// waiter pauses, yields, and then sleeps; the last PE makes a wake call only if a waiter sleeps.
static struct Hybrid {
    unsigned arrived, round, sleepers;
    char rest[64 - 3 * sizeof(unsigned)];
} * hybrid;  // PE 0's, mapped here

static void hybrid_limit(long repeats, size_t bytes) {
    (void)bytes;
    for (long i = 0; i < repeats; ++i) {
        unsigned round = __atomic_load_n(&hybrid->round, __ATOMIC_ACQUIRE);
        if (__atomic_add_fetch(&hybrid->arrived, 1, __ATOMIC_ACQ_REL) == (unsigned)npes) {
            __atomic_store_n(&hybrid->arrived, 0, __ATOMIC_RELAXED);
            __atomic_store_n(&hybrid->round, round + 1, __ATOMIC_SEQ_CST);
            if (__atomic_load_n(&hybrid->sleepers, __ATOMIC_SEQ_CST) != 0) {
                syscall(SYS_futex, &hybrid->round, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
            }
            continue;
        }
        for (int turn = 0; __atomic_load_n(&hybrid->round, __ATOMIC_ACQUIRE) == round; ++turn) {
            if (turn < 50) {
                for (int wait = 0; wait < 8; ++wait) __asm__ volatile("" ::: "memory");
            } else if (turn < 70) {
                sched_yield();
            } else {
                __atomic_add_fetch(&hybrid->sleepers, 1, __ATOMIC_SEQ_CST);
                syscall(SYS_futex, &hybrid->round, FUTEX_WAIT, round, NULL, NULL, 0);
                __atomic_sub_fetch(&hybrid->sleepers, 1, __ATOMIC_SEQ_CST);
            }
        }
    }
}

// PE 0's value, on all PEs.
static long agree(long value) {
    shmem_barrier_all();
    for (int pe = 0; me == 0 && pe < npes; ++pe) shmem_long_p(plan, value, pe);
    shmem_barrier_all();
    return __atomic_load_n(plan, __ATOMIC_ACQUIRE);
}

static void measure_barrier(int has_pointer) {
    if (!is_wanted("barrier")) return;
    barrier_ours(10, 0);
    double once_ns = time_of(barrier_ours, 20, 0);
    int samples = options.is_quick ? 9 : 25;
    long repeats = agree((long)(20e6 / once_ns) + 1);  // about 20 ms
    long repeats_max = options.is_quick ? 2000 : 20000;
    if (repeats > repeats_max) repeats = repeats_max;
    // PEs that share a core would spend whole time slices in the loop of flags_limit.
    Body limit = NULL;
    if (npes == 2 && has_pointer && pes_fit) limit = flags_limit;
    if (npes > 2 && !pes_fit && hybrid) limit = hybrid_limit;
    struct Result result = compare(barrier_ours, limit, 0, repeats, samples);
    double aim = !limit ? 0 : npes == 2 ? 1.15 : 1.2;
    if (me == 0) print_row("barrier", 0, result, aim);
}

// ---- Set-up ----

static void read_cache_size(void) {
    for (int index = 0; index < 8; ++index) {  // the highest index is the last level
        char path[80];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", index);
        FILE* file = fopen(path, "r");
        unsigned long kib = 0;
        if (!file) break;
        if (fscanf(file, "%luK", &kib) == 1) cache_bytes = (size_t)kib * 1024;
        fclose(file);
    }
    if (cache_bytes == 0) cache_bytes = 32 * MIB;
}

// One core for each PE if there are enough. If the launcher has bound the PEs, nothing changes.
static void pin(void) {
    cpu_set_t usable, one;
    pes_fit = sysconf(_SC_NPROCESSORS_ONLN) >= npes;
    if (sched_getaffinity(0, sizeof usable, &usable) != 0 || CPU_COUNT(&usable) < npes) return;
    for (int cpu = 0, skip = me; cpu < CPU_SETSIZE; ++cpu) {
        if (!CPU_ISSET(cpu, &usable) || skip-- > 0) continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        sched_setaffinity(0, sizeof one, &one);
        return;
    }
}

static void parse(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--csv") == 0) {
            options.is_csv = 1;
        } else if (strcmp(argv[i], "--quick") == 0) {
            options.is_quick = 1;
        } else if (strcmp(argv[i], "--raw") == 0) {
            options.is_raw = 1;
        } else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc) {
            options.only = argv[++i];
        } else {
            fprintf(stderr, "usage: onnode [--csv] [--quick] [--raw] [--only OPERATION]\n");
            exit(2);
        }
    }
}

// Returns whether the peer's memory is mapped.
static int allocate(void) {
    block_bytes = npes == 2 ? (options.is_quick ? 16 : 64) * MIB : 4096;
    block = shmem_align(4096, block_bytes);
    words = shmem_align(4096, 4096);
    plan = shmem_align(64, sizeof *plan);
    signal_word = shmem_align(64, sizeof *signal_word);
    local = aligned_alloc(4096, block_bytes + 4096);
    if (!block || !words || !plan || !signal_word || !local) {
        fprintf(stderr, "onnode: no memory: it needs %zu MiB of symmetric heap\n",
                block_bytes / MIB + 2);
        shmem_global_exit(1);
    }
    // Half a page from the block's place in its page: processors take a load for dependent on an
    // earlier store at the same place of another page.
    local += 2048;
    memset(block, 1, block_bytes);
    memset(local, 2, block_bytes);
    memset(words, 0, 4096);
    *signal_word = 0;
    peer_block = shmem_ptr(block, peer);
    peer_words = shmem_ptr(words, peer);
    hybrid = shmem_ptr((char*)words + 3072, 0);
    if (peer_block && peer_words) return 1;
    peer_block = mmap(NULL, block_bytes + 4096, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    peer_words = (long*)(void*)(peer_block + block_bytes);
    return 0;
}

int main(int argc, char** argv) {
    parse(argc, argv);
    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
    peer = (me + 1) % npes;
    read_cache_size();
    pin();
    int has_pointer = allocate();
    shmem_barrier_all();
    if (me == 0) print_head(has_pointer);
    if (npes == 2 && me == 0) {
        measure_words();
        if (!options.is_raw) measure_copies();
    }
    shmem_barrier_all();
    if (!options.is_raw) measure_barrier(has_pointer);
    shmem_finalize();
    return 0;
}

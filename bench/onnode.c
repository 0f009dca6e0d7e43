// SPDX-License-Identifier: BSD-3-Clause
//
// How close are one-sided operations on one node to the processor's limits? A program in plain
// OpenSHMEM 1.4 (and a row of 1.5), for any library's oshcc. Each row measures the library's
// operation and, by turns in the same run and on the same memory, the physical limit: the program's
// own accesses through the pointer that shmem_ptr gives. Started with 2 PEs it measures everything,
// with any other number the barrier. --raw, for a program that is compiled with SHMEM_INLINE:
// single words only, against loops that call nothing.
#define _GNU_SOURCE
#include <limits.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "bench/measure.h"

enum { kWords = 256, kLineLongs = 16, kSamplesMax = 201 };

static int is_raw;
static int peer;
static size_t cache_bytes;  // last-level cache
static size_t block_bytes;  // size of the three blocks below
static char* block;         // symmetric
static char* peer_block;    // the peer's block mapped here, or a stand-in in private memory
static char* local;         // private memory of this PE
static long* words;         // symmetric
static long static_words[256] __attribute__((aligned(4096)));  // symmetric, not of the heap
static long* peer_words;                                       // the peer's words, mapped here

// The library and the limit by turns; the limit's median is raised by `more_ns` and then multiplied
// by `factor`. `limit` may be NULL. The unit is ns for one operation.
struct Allowance {
    double more_ns, factor;
};
static void compare(const char* operation, Body ours, Body limit, size_t bytes, long repeats,
                    int samples, struct Allowance allowance) {
    static double ours_ns[kSamplesMax], limit_ns[kSamplesMax];
    by_turns(ours, limit, repeats, bytes, samples, ours_ns, limit_ns);
    const double limit_median =
        limit ? (median(limit_ns, samples) + allowance.more_ns) * allowance.factor : 0;
    report(operation, "bytes", (double)bytes, "ns", 1, ours_ns, samples, limit_median);
}

#include "bench/onnode_loops.h"

struct WordRow {
    const char* operation;
    Body ours, limit;
    double more_ns;  // allowed beside the limit
    size_t bytes;    // 0: of a long
};

// The atomics once more against the instruction itself, without a call: read these rows together
// with the rows above. Static data may take 2 ns more than the heap.
static const struct WordRow kWordRows[] = {
    {"onnode_p", p_ours, p_limit, 0, 0},
    {"onnode_g", g_ours, g_limit, 0, 0},
    {"onnode_fetch_add", fetch_add_ours, fetch_add_limit, 0, 0},
    {"onnode_swap", swap_ours, swap_limit, 0, 0},
    {"onnode_add_bare", fetch_add_ours, fetch_add_raw_limit, 0, 0},
    {"onnode_swap_bare", swap_ours, swap_raw_limit, 0, 0},
    {"onnode_p_static", p_static_ours, p_ours, 2, 0},
    {"onnode_g_static", g_static_ours, g_ours, 2, 0},
    {"onnode_add_static", fetch_add_static_ours, fetch_add_ours, 2, 0},
    {"onnode_put_static", put_static_ours, put_static_limit, 2, 0},
    {"onnode_put_signal", put_signal_ours, put_signal_limit, 0, 64}};  // last: kHasSignals
static const struct WordRow kRawRows[] = {
    {"onnode_p", p_raw_ours, p_raw_limit, 0, 0},
    {"onnode_g", g_raw_ours, g_raw_limit, 0, 0},
    {"onnode_put_8", put_8_ours, put_8_limit, 0, 0},
    {"onnode_get_8", get_8_ours, get_8_limit, 0, 0},
    {"onnode_fetch_add", fetch_add_ours, fetch_add_raw_limit, 0, 0},
    {"onnode_swap", swap_ours, swap_raw_limit, 0, 0},
    {"onnode_p_static", p_static_ours, p_ours, 0, 0},
    {"onnode_g_static", g_static_ours, g_ours, 0, 0},
    {"onnode_add_static", fetch_add_static_ours, fetch_add_ours, 0, 0}};

static void measure_words(void) {
    const struct WordRow* rows = is_raw ? kRawRows : kWordRows;
    size_t count = is_raw ? sizeof kRawRows / sizeof *kRawRows
                          : sizeof kWordRows / sizeof *kWordRows - !kHasSignals;
    for (size_t i = 0; i < count; ++i) {
        size_t bytes = rows[i].bytes ? rows[i].bytes : sizeof(long);
        long repeats = repeats_for(rows[i].limit, bytes, 100e3);
        const struct Allowance allowance = {rows[i].more_ns, 1};
        compare(rows[i].operation, rows[i].ours, rows[i].limit, bytes, repeats,
                by_level(5, 51, kSamplesMax), allowance);
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
        give_up("put and get of %zu bytes changed byte %zu", bytes, i);
    }
}

// Beyond the caches the library must be better than memcpy.
static void measure_copy(const char* operation, Body ours, Body limit, size_t bytes) {
    const int most = bytes < MIB ? kSamplesMax : bytes < 16 * MIB ? 51 : 31;
    const struct Allowance allowance = {0, 2 * bytes > cache_bytes + MIB ? 1 / 1.15 : 1};
    compare(operation, ours, limit, bytes, repeats_for(limit, bytes, 100e3),
            by_level(3, (most + 3) / 4, most), allowance);
}

static void measure_copies(void) {
    static const size_t kSizes[] = {8,       64,      512,      4096,     32768,   262144,
                                    1 * MIB, 4 * MIB, 16 * MIB, 32 * MIB, 64 * MIB};
    for (size_t i = 0; i < sizeof kSizes / sizeof *kSizes; ++i) {
        if (kSizes[i] > block_bytes || (level != FULL && i % 2 == 1)) continue;
        check_copies(kSizes[i]);
        measure_copy("onnode_put", put_ours, put_limit, kSizes[i]);
        measure_copy("onnode_get", get_ours, get_limit, kSizes[i]);
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
            if (__atomic_load_n(&hybrid->sleepers, __ATOMIC_SEQ_CST) != 0)
                syscall(SYS_futex, &hybrid->round, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
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

static void measure_barrier(int has_pointer) {
    barrier_ours(10, 0);
    double once_ns = time_of(barrier_ours, 20, 0);
    long repeats = (long)agree(20e6 / once_ns) + 1;  // about 20 ms
    long repeats_max = by_level(20, 2000, 20000);
    if (repeats > repeats_max) repeats = repeats_max;
    // PEs that share a core would spend whole time slices in the loop of flags_limit.
    Body limit = NULL;
    if (npes == 2 && has_pointer && pes_fit) limit = flags_limit;
    if (npes > 2 && !pes_fit && hybrid) limit = hybrid_limit;
    const struct Allowance allowance = {0, 1};
    compare("onnode_barrier", barrier_ours, limit, 0, repeats, by_level(3, 9, 25), allowance);
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

// Returns whether the peer's memory is mapped.
static int allocate_all(void) {
    block_bytes = npes == 2 ? (size_t)by_level(1, 16, 64) * MIB : 4096;
    block = allocate(4096, block_bytes);
    words = allocate(4096, 4096);
    signal_word = allocate(64, sizeof *signal_word);
    local = aligned_alloc(4096, block_bytes + 4096);
    if (!local) give_up("no memory");
    // Half a page from the block's place in its page: processors take a load for dependent on an
    // earlier store at the same place of another page.
    local += 2048;
    memset(block, 1, block_bytes);
    memset(local, 2, block_bytes);
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
    begin(argc, argv, SHMEM_THREAD_SINGLE);
    is_raw = has_option("--raw");
    options_end("[--raw]");
    peer = (me + 1) % npes;
    read_cache_size();
    int has_pointer = allocate_all();
    shmem_barrier_all();
    if (npes == 2 && me == 0) {
        measure_words();
        if (!is_raw) measure_copies();
    }
    if (!is_raw) measure_barrier(has_pointer);
    end();
    return 0;
}

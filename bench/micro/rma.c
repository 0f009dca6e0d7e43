// SPDX-License-Identifier: BSD-3-Clause
//
// How long do puts and gets take, and how much do 1 to n pairs of PEs move together? From 8 B to
// 64 MiB, between private memory of the origin and the symmetric heap of its partner:
//
//   put_latency, get_latency            PE 0 alone: putmem and quiet; getmem
//   put_latency_nostore                 the same put by a context with SHMEM_CTX_NOSTORE, where
//                                       memory is not mapped
//   p_latency, g_latency                the same of one long
//   put_bandwidth, get_bandwidth        all pairs: windows of 64 put_nbi or get_nbi, and quiet
//   put_bidirectional, get_bidirectional  the same, from both PEs of each pair
//   put_rate ... g_rate                 all pairs: messages of 8 B, a quiet behind each 64 of them
//
// The limits, by turns on the same memory where shmem_ptr gives it: memcpy, and for p and g a
// function called by pointer that stores or loads. Each kind of transfer is verified at each size.
#define _GNU_SOURCE
#include "bench/measure.h"
#include "bench/pairs.h"

enum { kSamplesMax = 64, kWindow = 64, kWords = 64 };

static char *remote, *local, *mapped;  // symmetric; private; the partner's `remote`, or NULL
static size_t bytes_max;

static inline void use_memory(void) { __asm__ volatile("" ::: "memory"); }  // each copy counts

static void put(long repeats, size_t bytes) {
    for (long i = 0; i < repeats; ++i) {
        shmem_putmem(remote, local, bytes, partner);
        shmem_quiet();
    }
}
static shmem_ctx_t nostore;
static void put_nostore(long repeats, size_t bytes) {
    for (long i = 0; i < repeats; ++i) {
        shmem_ctx_putmem(nostore, remote, local, bytes, partner);
        shmem_ctx_quiet(nostore);
    }
}
static void get(long repeats, size_t bytes) {
    for (long i = 0; i < repeats; ++i) shmem_getmem(local, remote, bytes, partner);
}
static void put_flood(long repeats, size_t bytes) {
    for (long i = 1; i <= repeats; ++i) {
        shmem_putmem(remote, local, bytes, partner);
        if (i % kWindow == 0) shmem_quiet();
    }
    shmem_quiet();
}
static void put_nbi_flood(long repeats, size_t bytes) {
    for (long i = 1; i <= repeats; ++i) {
        shmem_putmem_nbi(remote, local, bytes, partner);
        if (i % kWindow == 0) shmem_quiet();
    }
    shmem_quiet();
}
static void get_nbi_flood(long repeats, size_t bytes) {
    for (long i = 1; i <= repeats; ++i) {
        shmem_getmem_nbi(local, remote, bytes, partner);
        if (i % kWindow == 0) shmem_quiet();
    }
    shmem_quiet();
}
static void put_limit(long repeats, size_t bytes) {
    for (long i = 0; i < repeats; ++i) {
        memcpy(mapped, local, bytes);
        use_memory();
    }
}
static void get_limit(long repeats, size_t bytes) {
    for (long i = 0; i < repeats; ++i) {
        memcpy(local, mapped, bytes);
        use_memory();
    }
}

// ---- Single words ----

static void p(long repeats, size_t bytes) {
    long *to = (void*)remote, *from = (void*)local;
    (void)bytes;
    for (long i = 0; i < repeats; ++i) {
        shmem_long_p(to + i % kWords, from[i % kWords], partner);
        shmem_quiet();
    }
}
static void p_flood(long repeats, size_t bytes) {
    long *to = (void*)remote, *from = (void*)local;
    (void)bytes;
    for (long i = 1; i <= repeats; ++i) {
        shmem_long_p(to + i % kWords, from[i % kWords], partner);
        if (i % kWindow == 0) shmem_quiet();
    }
    shmem_quiet();
}
static void g(long repeats, size_t bytes) {
    long *to = (void*)local, *from = (void*)remote;
    (void)bytes;
    for (long i = 0; i < repeats; ++i) to[i % kWords] = shmem_long_g(from + i % kWords, partner);
}

static void store_word(long* to, long value) { *to = value; }
static long load_word(const long* from) { return *from; }
// volatile: the compiler must call them as it would call a shared library.
static void (*volatile store_call)(long*, long) = store_word;
static long (*volatile load_call)(const long*) = load_word;

static void p_limit(long repeats, size_t bytes) {
    long *to = (void*)mapped, *from = (void*)local;
    (void)bytes;
    for (long i = 0; i < repeats; ++i) store_call(to + i % kWords, from[i % kWords]);
}
static void g_limit(long repeats, size_t bytes) {
    long *to = (void*)local, *from = (void*)mapped;
    (void)bytes;
    for (long i = 0; i < repeats; ++i) to[i % kWords] = load_call(from + i % kWords);
}

struct row {
    const char* name;
    Body ours, limit;
    int is_put, is_word;
    enum ways ways;
};
static const struct row kLatencies[] = {{"put_latency", put, put_limit, 1, 0, ONE_WAY},
                                        {"get_latency", get, get_limit, 0, 0, ONE_WAY}};
static const struct row kNostore = {"put_latency_nostore", put_nostore, NULL, 1, 0, ONE_WAY};
static const struct row kWordLatencies[] = {{"p_latency", p, p_limit, 1, 1, ONE_WAY},
                                            {"g_latency", g, g_limit, 0, 1, ONE_WAY}};
static const struct row kBandwidths[] = {
    {"put_bandwidth", put_nbi_flood, put_limit, 1, 0, ONE_WAY},
    {"get_bandwidth", get_nbi_flood, get_limit, 0, 0, ONE_WAY},
    {"put_bidirectional", put_nbi_flood, put_limit, 1, 0, BOTH_WAYS},
    {"get_bidirectional", get_nbi_flood, get_limit, 0, 0, BOTH_WAYS}};
static const struct row kRates[] = {{"put_rate", put_flood, put_limit, 1, 0, ONE_WAY},
                                    {"get_rate", get, get_limit, 0, 0, ONE_WAY},
                                    {"put_nbi_rate", put_nbi_flood, put_limit, 1, 0, ONE_WAY},
                                    {"get_nbi_rate", get_nbi_flood, get_limit, 0, 0, ONE_WAY},
                                    {"p_rate", p_flood, p_limit, 1, 1, ONE_WAY},
                                    {"g_rate", g, g_limit, 0, 1, ONE_WAY}};
#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

// ---- Verification ----

static uint64_t pattern(int pe, size_t index, size_t bytes) {
    return ((uint64_t)(pe + 1) << 40) + index * 0x10001 + bytes;
}

static void check(const char* name, const char* memory, size_t bytes, size_t seed) {
    const uint64_t* words = (const void*)memory;
    for (size_t i = 0; i < bytes / 8; ++i) {
        if (words[i] == pattern(partner, i, seed)) continue;
        give_up("rma: %s of %zu bytes from PE %d to %d: word %zu: expected %llx, found %llx", name,
                seed, partner, me, i, (unsigned long long)pattern(partner, i, seed),
                (unsigned long long)words[i]);
    }
}

// Moves the origins' (of gets: the targets') patterns once. Collective.
static void verify(const struct row* row, size_t bytes) {
    const size_t checked = row->is_word ? kWords * sizeof(long) : bytes;
    uint64_t* filled = (void*)(row->is_put ? local : remote);
    for (size_t i = 0; i < checked / 8; ++i) filled[i] = pattern(me, i, bytes);
    memset(row->is_put ? remote : local, 0xff, checked);
    shmem_barrier_all();
    if (takes_part(me, row->ways)) row->ours(row->is_word ? kWords : 1, bytes);
    shmem_barrier_all();
    if (row->is_put && (is_target(me) || (row->ways == BOTH_WAYS && is_origin(me))))
        check(row->name, remote, checked, bytes);
    if (!row->is_put && takes_part(me, row->ways)) check(row->name, local, checked, bytes);
    shmem_barrier_all();
}

// ---- Measuring ----

static int samples_of(size_t bytes) {
    return bytes < MIB ? by_level(2, 11, 31) : by_level(2, 5, 11);
}

static void measure_alone(const struct row* row, size_t bytes) {
    static double ours_ns[kSamplesMax], limit_ns[kSamplesMax];
    const int samples = samples_of(bytes);
    verify(row, bytes);
    double limit = alone_by_turns(row->ours, mapped ? row->limit : NULL, bytes,
                                  by_level(20, 500, 1000) * 1e3, samples, ours_ns, limit_ns);
    report(row->name, "bytes", (double)bytes, "ns", 1, ours_ns, samples, limit);
}

// `factor` / nanoseconds for one message of each pair is reported.
static void measure_pairs(const struct row* row, size_t bytes, double factor, const char* unit) {
    static double ours[kSamplesMax], limit[kSamplesMax];
    const int samples = samples_of(bytes);
    verify(row, bytes);
    const long repeats = repeats_of_pairs(row->ours, bytes, by_level(20, 500, 2000) * 1e3);
    pairs_by_turns(row->ours, mapped ? row->limit : NULL, repeats, bytes, row->ways, samples, ours,
                   limit);
    factor *= count_taking_part(row->ways);
    for (int i = 0; i < samples; ++i) {
        ours[i] = factor / ours[i];
        limit[i] = factor / limit[i];
    }
    report(row->name, "bytes", (double)bytes, unit, 0, ours, samples,
           mapped ? median(limit, samples) : 0);
}

int main(int argc, char** argv) {
    begin(argc, argv, SHMEM_THREAD_SINGLE);
    bytes_max = (size_t)option("--max-bytes", by_level(4096, 4 << 20, 64 << 20));
    options_end("[--max-bytes N]");
    if (bytes_max < kWords * sizeof(long)) bytes_max = kWords * sizeof(long);
    find_pairs();
    remote = allocate(4096, bytes_max);
    local = (char*)aligned_alloc(4096, (bytes_max + 8191) / 4096 * 4096) + 2048;
    mapped = shmem_ptr(remote, partner);
    if (!have_pointers(mapped)) mapped = NULL;
    if (shmem_ctx_create(SHMEM_CTX_NOSTORE, &nostore) != 0) give_up("rma: there is no context");
    for (size_t i = 0; i < COUNT(kWordLatencies); ++i) measure_alone(&kWordLatencies[i], 8);
    for (size_t i = 0; i < COUNT(kRates); ++i) measure_pairs(&kRates[i], 8, 1e3, "Mops/s");
    for (size_t bytes = 8; bytes <= bytes_max; bytes *= bytes < 16 * MIB ? 8 : 4) {
        for (size_t i = 0; i < COUNT(kLatencies); ++i) measure_alone(&kLatencies[i], bytes);
        if (mapped == NULL) measure_alone(&kNostore, bytes);
        for (size_t i = 0; i < COUNT(kBandwidths); ++i)
            measure_pairs(&kBandwidths[i], bytes, (double)bytes * 1e3, "MB/s");
    }
    end();
    return 0;
}

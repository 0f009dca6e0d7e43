// SPDX-License-Identifier: BSD-3-Clause
//
// What do strided copies take? PE 0 on its partner's memory; its own elements lie side by side.
// Nanoseconds for one element:
//
//   strided_iput_4_by_stride ... strided_iget_8_by_stride  1024 elements of 4 and 8 B, each stride
//   strided_iput_4_by_count ... strided_iget_8_by_count    stride 8, each number of elements
//   strided_put_blocks, strided_get_blocks                 64 KiB in blocks with gaps of their
//                                                          size: a loop of putmem or getmem
//   strided_ibput, strided_ibget                           the same in one call (OpenSHMEM 1.6)
//
// The limit, by turns on the same memory, is a plain loop through shmem_ptr. The program verifies
// all elements, and that the gaps stay as they were.
#define _GNU_SOURCE
#include "bench/measure.h"
#include "bench/newer.h"
#include "bench/pairs.h"

enum { kSamplesMax = 64, kMemory = 2 << 20, kGap = 0x55 };

static char *remote, *local, *mapped;  // symmetric; private; the partner's `remote`, or NULL
static size_t count;                   // elements
static ptrdiff_t stride;               // stride of `remote`, in elements

static inline void use_memory(void) { __asm__ volatile("" ::: "memory"); }  // each copy counts

// ---- Elements of 4 and 8 B ----

#define DEFINE_BODIES(BITS)                                               \
    static void iput##BITS(long repeats, size_t bytes) {                  \
        (void)bytes;                                                      \
        for (long i = 0; i < repeats; ++i) {                              \
            shmem_iput##BITS(remote, local, stride, 1, count, partner);   \
        }                                                                 \
        shmem_quiet();                                                    \
    }                                                                     \
    static void iget##BITS(long repeats, size_t bytes) {                  \
        (void)bytes;                                                      \
        for (long i = 0; i < repeats; ++i) {                              \
            shmem_iget##BITS(local, remote, 1, stride, count, partner);   \
        }                                                                 \
    }                                                                     \
    static void put##BITS##_limit(long repeats, size_t bytes) {           \
        int##BITS##_t *to = (void*)mapped, *from = (void*)local;          \
        const size_t step = (size_t)stride, elements = count;             \
        (void)bytes;                                                      \
        for (long i = 0; i < repeats; ++i) {                              \
            for (size_t j = 0; j < elements; ++j) to[j * step] = from[j]; \
            use_memory();                                                 \
        }                                                                 \
    }                                                                     \
    static void get##BITS##_limit(long repeats, size_t bytes) {           \
        int##BITS##_t *to = (void*)local, *from = (void*)mapped;          \
        const size_t step = (size_t)stride, elements = count;             \
        (void)bytes;                                                      \
        for (long i = 0; i < repeats; ++i) {                              \
            for (size_t j = 0; j < elements; ++j) to[j] = from[j * step]; \
            use_memory();                                                 \
        }                                                                 \
    }
DEFINE_BODIES(32)
DEFINE_BODIES(64)
#undef DEFINE_BODIES

// ---- Blocks of `bytes` bytes, a multiple of 8 ----

static void put_blocks(long repeats, size_t bytes) {
    for (long i = 0; i < repeats; ++i) {
        for (size_t j = 0; j < count; ++j)
            shmem_putmem(remote + j * (size_t)stride * bytes, local + j * bytes, bytes, partner);
    }
    shmem_quiet();
}
static void get_blocks(long repeats, size_t bytes) {
    for (long i = 0; i < repeats; ++i) {
        for (size_t j = 0; j < count; ++j)
            shmem_getmem(local + j * bytes, remote + j * (size_t)stride * bytes, bytes, partner);
    }
}
static void ibput(long repeats, size_t bytes) {
    const ptrdiff_t words = (ptrdiff_t)bytes / 8;
    for (long i = 0; i < repeats; ++i)
        put_strided_blocks(remote, local, stride * words, (size_t)words, count, partner);
    shmem_quiet();
}
static void ibget(long repeats, size_t bytes) {
    const ptrdiff_t words = (ptrdiff_t)bytes / 8;
    for (long i = 0; i < repeats; ++i)
        get_strided_blocks(local, remote, stride * words, (size_t)words, count, partner);
}
static void put_blocks_limit(long repeats, size_t bytes) {
    for (long i = 0; i < repeats; ++i) {
        for (size_t j = 0; j < count; ++j)
            memcpy(mapped + j * (size_t)stride * bytes, local + j * bytes, bytes);
        use_memory();
    }
}
static void get_blocks_limit(long repeats, size_t bytes) {
    for (long i = 0; i < repeats; ++i) {
        for (size_t j = 0; j < count; ++j)
            memcpy(local + j * bytes, mapped + j * (size_t)stride * bytes, bytes);
        use_memory();
    }
}

struct row {
    const char* name;
    Body ours, limit;
    int is_put;
    size_t bytes;  // size of an element; 0: blocks
};
static const struct row kElements[] = {{"strided_iput_4", iput32, put32_limit, 1, 4},
                                       {"strided_iput_8", iput64, put64_limit, 1, 8},
                                       {"strided_iget_4", iget32, get32_limit, 0, 4},
                                       {"strided_iget_8", iget64, get64_limit, 0, 8}};
static const struct row kBlocks[] = {
    {"strided_put_blocks", put_blocks, put_blocks_limit, 1, 0},
    {"strided_get_blocks", get_blocks, get_blocks_limit, 0, 0},
    {"strided_ibput", ibput, put_blocks_limit, 1, 0},
    {"strided_ibget", ibget, get_blocks_limit, 0, 0},
};
#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

// ---- Verification ----

// Byte `at` of elements with `step`; the partner's differ from this PE's.
static char expected(int pe, size_t at, size_t step, size_t bytes) {
    const size_t element = at / (step * bytes), byte = at % (step * bytes);
    return byte < bytes ? (char)(element * 7 + byte + (size_t)pe * 3 + bytes + element / 251)
                        : (char)kGap;
}

static void check(const char* name, const char* memory, size_t step, size_t bytes) {
    for (size_t i = 0; i < count * step * bytes; ++i) {
        if (memory[i] == expected(partner, i, step, bytes)) continue;
        give_up("%s of %zu elements of %zu B, stride %td: byte %zu: expected %d, found %d", name,
                count, bytes, stride, i, expected(partner, i, step, bytes), memory[i]);
    }
}

static void verify(const struct row* row, size_t bytes) {
    const size_t step = (size_t)stride, all = count * step * bytes;
    for (size_t i = 0; i < all; ++i) {
        remote[i] = row->is_put ? (char)kGap : expected(me, i, step, bytes);
        if (i < count * bytes) local[i] = row->is_put ? expected(me, i, 1, bytes) : (char)kGap;
    }
    shmem_barrier_all();
    if (me == 0) row->ours(1, bytes);
    shmem_barrier_all();
    if (row->is_put && me == (npes < 2 ? 0 : pairs)) check(row->name, remote, step, bytes);
    if (!row->is_put && me == 0) check(row->name, local, 1, bytes);
    shmem_barrier_all();
}

// ---- Measuring ----

static void measure(const struct row* row, const char* ending, const char* xname, size_t x,
                    size_t bytes) {
    static double ours_ns[kSamplesMax], limit_ns[kSamplesMax];
    const int samples = by_level(2, 7, 31);
    char name[64];
    if (count * (size_t)stride * bytes > kMemory) return;
    verify(row, bytes);
    double limit = alone_by_turns(row->ours, mapped ? row->limit : NULL, bytes,
                                  by_level(10, 300, 1000) * 1e3, samples, ours_ns, limit_ns);
    for (int i = 0; i < samples; ++i) ours_ns[i] /= (double)count;
    snprintf(name, sizeof name, "%s%s", row->name, ending);
    report(name, xname, (double)x, "ns", 1, ours_ns, samples, limit / (double)count);
}

int main(int argc, char** argv) {
    static const ptrdiff_t kStrides[] = {1, 2, 3, 4, 8, 16, 64};
    begin(argc, argv, SHMEM_THREAD_SINGLE);
    options_end("");
    find_pairs();
    remote = allocate(4096, kMemory);
    local = aligned_alloc(4096, kMemory);
    mapped = shmem_ptr(remote, partner);
    for (size_t row = 0; row < COUNT(kElements); ++row) {
        for (size_t i = 0; i < COUNT(kStrides); ++i) {
            count = 1024;
            stride = kStrides[i];
            measure(&kElements[row], "_by_stride", "stride", (size_t)stride, kElements[row].bytes);
        }
        stride = 8;
        for (count = 1; count <= (level == TINY ? 256 : 16384); count *= 4)
            measure(&kElements[row], "_by_count", "elements", count, kElements[row].bytes);
    }
    for (size_t row = 0; row < (kHasBlocks ? COUNT(kBlocks) : 2); ++row) {
        stride = 2;
        for (size_t bytes = 8; bytes <= 32768; bytes *= level == TINY ? 64 : 8) {
            count = 65536 / bytes;
            measure(&kBlocks[row], "", "bytes", bytes, bytes);
        }
    }
    end();
    return 0;
}

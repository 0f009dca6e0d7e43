// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when registered memory has another name than its owner says, when a routine does not take
// a name or reaches other bytes, or when an atomic of another PE gets lost between those of the
// owner's processor.
#include <atomic>
#include <complex>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "part.hpp"
#include "support/pe_test.hpp"

namespace {

using tessera::test::Part;

int me() { return shmem_my_pe(); }
int npes() { return shmem_n_pes(); }
int right() { return (me() + 1) % npes(); }
int left() { return (me() + npes() - 1) % npes(); }
std::size_t index_of(int pe) { return static_cast<std::size_t>(pe); }
// Parts lie differently on each PE.
std::size_t shift() { return 8 * index_of(me() % 3); }

long shown;
long shown_by(int pe, long value) {
    shmem_barrier_all();
    shown = value;
    shmem_barrier_all();
    const long result = shmem_long_g(&shown, pe);
    shmem_barrier_all();
    return result;
}

TEST(Segments, PointersNameParts) {
    const Part part(SHMEM_TEAM_WORLD, 100 + index_of(me()), shift());
    ASSERT_EQ(part.result(), 0);
    for (int pe = 0; pe < npes(); ++pe) {
        const shmemx_gptr_t first = shmemx_segment_gptr(part.segment(), pe);
        EXPECT_EQ(shmemx_gptr_pe(first), pe);
        EXPECT_EQ(shmemx_segment_bytes(part.segment(), pe), 100 + index_of(pe));
        void* name = shmemx_gptr_addr(first);
        EXPECT_EQ(shmemx_gptr_of(name, pe), first);
        EXPECT_EQ(shmemx_gptr_diff(shmemx_gptr_add(first, 7), first), 7);
        EXPECT_EQ(shmem_addr_accessible(name, pe), 1);
        EXPECT_EQ(shmem_ptr(name, pe), pe == me() ? part.mine() : nullptr);
        EXPECT_EQ(shmemx_gptr_ptr(first), pe == me() ? part.mine() : nullptr);
        EXPECT_EQ(shmem_addr_accessible(part.name(pe, 100 + index_of(pe)), pe), 0) << "behind it";
    }
    const auto right_pointer = static_cast<long>(shmemx_segment_gptr(part.segment(), right()));
    EXPECT_EQ(shown_by(left(), right_pointer),
              static_cast<long>(shmemx_segment_gptr(part.segment(), me())));
    // As aligned as the memory itself.
    const auto address = reinterpret_cast<std::uintptr_t>(part.mine());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(part.name(me())) % 16, address % 16);
}

TEST(Segments, PartsMayBeEmpty) {
    const Part none(SHMEM_TEAM_WORLD, 0);
    EXPECT_EQ(none.result(), 0);
    const Part some(SHMEM_TEAM_WORLD, me() % 2 == 0 ? 8 : 0, 4);
    EXPECT_NE(none.segment(), some.segment());
    EXPECT_NE(none.pointer(0), SHMEMX_GPTR_NULL);
    shmem_long_put(none.name<long>(right()), &shown, 0, right());
    shmem_putmem(some.name(right(), 8), &shown, 0, right());
    shmem_barrier_all();
    const char letter = 'x';
    if (right() % 2 == 0) shmem_putmem(some.name(right(), 7), &letter, 1, right());
    shmem_barrier_all();
    if (me() % 2 == 0) {
        EXPECT_EQ(some.mine()[7], 'x');
    }
}

TEST(Segments, AnyMemory) {
    static long data[4];
    auto* heap = static_cast<long*>(shmem_calloc(4, sizeof(long)));
    for (long* memory : {data, heap}) {
        shmemx_segment_t segments[2];  // the same memory twice
        for (auto& segment : segments)
            ASSERT_EQ(shmemx_register(SHMEM_TEAM_WORLD, memory, sizeof data, &segment), 0);
        auto name = [&](int which) {
            return static_cast<long*>(
                shmemx_gptr_addr(shmemx_segment_gptr(segments[which], right())));
        };
        shmem_long_p(name(0) + 1, 5 + me(), right());
        shmem_barrier_all();
        EXPECT_EQ(memory[1], 5 + left());
        EXPECT_EQ(shmem_long_g(name(1) + 1, right()), 5 + me());
        shmemx_deregister(segments[0]);
        shmem_long_atomic_add(name(1) + 2, 3, right());
        shmem_barrier_all();
        EXPECT_EQ(memory[2], 3);
        shmemx_deregister(segments[1]);
    }
    shmem_free(heap);
}

// Each PE has an area in each part, which only it writes to.
constexpr std::size_t kAreaBytes = 200000;
std::size_t area_of(int pe) { return index_of(pe) * kAreaBytes; }
std::vector<unsigned char> bytes_of(std::size_t count, int salt) {
    std::vector<unsigned char> bytes(count);
    for (std::size_t i = 0; i < count; ++i)
        bytes[i] = static_cast<unsigned char>(i * 7 + i / 251 + static_cast<std::size_t>(salt));
    return bytes;
}

TEST(Segments, PutsAndGets) {
    const Part part(SHMEM_TEAM_WORLD, area_of(npes()), shift());
    for (const std::size_t count : {1UL, 2UL, 3UL, 8UL, 64UL, 65UL, 4097UL, 100000UL, 200000UL}) {
        for (const bool is_nbi : {false, true}) {
            for (int pe = 0; pe < npes(); ++pe) {
                const auto sent = bytes_of(count, me() + pe);
                std::vector<unsigned char> back(count);
                unsigned char* name = part.name(pe, area_of(me()) + kAreaBytes - count);
                if (is_nbi) {
                    shmem_putmem_nbi(name, sent.data(), count, pe);
                    shmem_quiet();
                    shmem_getmem_nbi(back.data(), name, count, pe);
                    shmem_quiet();
                } else {
                    shmem_putmem(name, sent.data(), count, pe);
                    shmem_getmem(back.data(), name, count, pe);
                }
                EXPECT_EQ(back, sent) << count << " bytes, PE " << pe;
            }
            shmem_barrier_all();
            for (int pe = 0; pe < npes(); ++pe) {
                const unsigned char* area = part.mine() + area_of(pe + 1) - count;
                EXPECT_EQ(std::vector(area, area + count), bytes_of(count, pe + me()));
            }
            shmem_barrier_all();
        }
    }
    for (int pe = 0; pe < npes(); ++pe) {
        double* name = part.name<double>(pe, area_of(me()) / sizeof(double));
        shmem_double_p(name, 1.5 * pe, pe);
        EXPECT_EQ(shmem_double_g(name, pe), 1.5 * pe);
    }
}

TEST(Segments, StridesAndLists) {
    constexpr std::size_t kSide = 40;
    constexpr std::size_t kCount = kSide * kSide;
    const Part part(SHMEM_TEAM_WORLD, index_of(npes()) * kCount * sizeof(int), shift());
    std::vector<int> sent(kCount);
    std::iota(sent.begin(), sent.end(), 1000 * me());
    for (int pe = 0; pe < npes(); ++pe) {
        int* name = part.name<int>(pe, index_of(me()) * kCount);
        shmem_int_iput(name, sent.data(), 3, 2, kSide, pe);
        std::vector<int> back(kCount);
        shmem_int_iget(back.data(), name, 1, 3, kSide, pe);
        for (std::size_t i = 0; i < kSide; ++i) EXPECT_EQ(back[i], sent[2 * i]);
        // The transpose there, and back.
        const std::size_t extents[] = {kSide, kSide};
        const std::ptrdiff_t rows[] = {kSide * sizeof(int), sizeof(int)};
        const std::ptrdiff_t columns[] = {sizeof(int), kSide * sizeof(int)};
        shmemx_put_strided(name, columns, sent.data(), rows, extents, 2, sizeof(int), pe);
        shmem_quiet();
        shmemx_get_strided(back.data(), rows, name, rows, extents, 2, sizeof(int), pe);
        for (std::size_t i = 0; i < kCount; ++i)
            EXPECT_EQ(back[i], sent[i % kSide * kSide + i / kSide]);
        // From the last element backwards, every third one.
        const std::size_t third[] = {kCount / 3};
        const std::ptrdiff_t backwards[] = {-3 * static_cast<std::ptrdiff_t>(sizeof(int))};
        const std::ptrdiff_t forwards[] = {sizeof(int)};
        shmemx_req_t req;
        shmemx_put_strided_req(name + kCount - 1, backwards, sent.data(), forwards, third, 1,
                               sizeof(int), pe, &req);
        shmemx_req_wait(&req, SHMEMX_REMOTE);
        shmemx_get_strided_req(back.data(), forwards, name + kCount - 1, backwards, third, 1,
                               sizeof(int), pe, &req);
        shmemx_req_wait(&req, SHMEMX_REMOTE);
        for (std::size_t i = 0; i < kCount / 3; ++i) EXPECT_EQ(back[i], sent[i]);
        const shmemx_block_t here[] = {{0, 40}, {2000, 1000}};
        const shmemx_block_t there[] = {{16, 700}, {4000, 340}};
        shmemx_put_indexed(name, there, 2, sent.data(), here, 2, pe);
        shmem_quiet();
        shmemx_get_indexed(back.data(), here, 2, name, there, 2, pe);
        EXPECT_EQ(back[9], sent[9]);
        EXPECT_EQ(back[749], sent[749]);
    }
}

TEST(Segments, AtomicsOfAllPes) {
    constexpr int kRounds = 50;
    const Part part(SHMEM_TEAM_WORLD, 8 * sizeof(long), shift());
    long* mine = part.mine<long>();
    for (int i = 0; i < kRounds; ++i) {
        for (int pe = 0; pe < npes(); ++pe) {
            shmem_long_atomic_add(part.name<long>(pe), 1, pe);
            shmem_long_atomic_fetch_inc(part.name<long>(pe, 1), pe);
            shmem_int_atomic_inc(part.name<int>(pe, 4), pe);
        }
        // The owner's processor at the same time.
        std::atomic_ref<long>(mine[0]).fetch_add(1);
    }
    shmem_barrier_all();
    EXPECT_EQ(mine[0], kRounds * (npes() + 1));
    EXPECT_EQ(mine[1], kRounds * npes());
    EXPECT_EQ(part.mine<int>()[4], kRounds * npes());
    shmem_barrier_all();
    // One PE after the other: the results are known.
    for (int turn = 0; turn < npes(); ++turn) {
        if (turn == me()) {
            auto* word = part.name<unsigned long>(right(), 3);
            shmem_ulong_atomic_set(word, 12, right());
            EXPECT_EQ(shmem_ulong_atomic_fetch(word, right()), 12UL);
            EXPECT_EQ(shmem_ulong_atomic_swap(word, 10, right()), 12UL);
            EXPECT_EQ(shmem_ulong_atomic_compare_swap(word, 11, 1, right()), 10UL);
            EXPECT_EQ(shmem_ulong_atomic_compare_swap(word, 10, 6, right()), 10UL);
            EXPECT_EQ(shmem_ulong_atomic_fetch_and(word, 3, right()), 6UL);
            EXPECT_EQ(shmem_ulong_atomic_fetch_or(word, 8, right()), 2UL);
            EXPECT_EQ(shmem_ulong_atomic_fetch_xor(word, 1, right()), 10UL);
            unsigned long later = 0;
            shmem_ulong_atomic_fetch_add_nbi(&later, word, 4, right());
            shmem_quiet();
            EXPECT_EQ(later, 11UL);
            EXPECT_EQ(shmem_ulong_g(word, right()), 15UL);
            auto* real = part.name<double>(right(), 4);
            shmem_double_atomic_set(real, 2.5, right());
            EXPECT_EQ(shmem_double_atomic_swap(real, -1, right()), 2.5);
        }
        shmem_barrier_all();
    }
}

TEST(Segments, SignalsAndWaits) {
    constexpr std::size_t kLongs = 1000;
    const Part part(SHMEM_TEAM_WORLD, (kLongs + 8) * sizeof(long), shift());
    auto* heap = static_cast<std::uint64_t*>(shmem_calloc(kLongs + 1, sizeof(std::uint64_t)));
    std::vector<long> sent(kLongs, 17 + me());
    auto* their_signal = part.name<std::uint64_t>(right(), kLongs);
    auto* my_signal = part.name<std::uint64_t>(me(), kLongs);
    shmem_long_put_signal(part.name<long>(right()), sent.data(), kLongs, their_signal, 3,
                          SHMEM_SIGNAL_SET, right());
    EXPECT_EQ(shmem_signal_wait_until(my_signal, SHMEM_CMP_EQ, 3), 3U);
    EXPECT_EQ(part.mine<long>()[kLongs - 1], 17 + left());
    shmem_barrier_all();
    // Data and signal in different memories, both ways.
    shmem_long_put_signal(reinterpret_cast<long*>(heap), sent.data(), kLongs, their_signal, 4,
                          SHMEM_SIGNAL_ADD, right());
    EXPECT_EQ(shmem_signal_wait_until(my_signal, SHMEM_CMP_GE, 7), 7U);
    EXPECT_EQ(heap[kLongs - 1], 17U + static_cast<unsigned>(left()));
    EXPECT_EQ(shmem_signal_fetch(my_signal), 7U);
    shmem_barrier_all();
    sent.assign(kLongs, 50 + me());
    shmem_long_put_signal_nbi(part.name<long>(right()), sent.data(), kLongs, heap + kLongs, 1,
                              SHMEM_SIGNAL_SET, right());
    shmem_signal_wait_until(heap + kLongs, SHMEM_CMP_EQ, 1);
    EXPECT_EQ(part.mine<long>()[0], 50 + left());
    // Words, one for each of two waits.
    long* words = part.name<long>(me(), kLongs + 2);
    EXPECT_EQ(shmem_long_test(words, SHMEM_CMP_EQ, 9), 0);
    shmem_barrier_all();
    shmem_long_p(part.name<long>(right(), kLongs + 2), 9, right());
    shmem_long_wait_until(words, SHMEM_CMP_EQ, 9);
    shmem_long_atomic_set(part.name<long>(right(), kLongs + 3), 9, right());
    shmem_long_wait_until_all(words, 2, nullptr, SHMEM_CMP_EQ, 9);
    EXPECT_LT(shmem_long_test_any(words, 2, nullptr, SHMEM_CMP_EQ, 9), 2U);
    shmem_barrier_all();
    shmem_free(heap);
}

TEST(Segments, Requests) {
    constexpr std::size_t kLongs = 5000;
    const Part part(SHMEM_TEAM_WORLD, (kLongs + 8) * sizeof(long), shift());
    std::vector<long> sent(kLongs);
    std::iota(sent.begin(), sent.end(), 100 * me());
    std::vector<long> back(kLongs);
    shmemx_req_t req;
    for (const std::size_t count : {1UL, 3UL, 100UL, kLongs}) {
        shmemx_long_put_req(part.name<long>(right()), sent.data(), count, right(), &req);
        shmemx_req_wait(&req, SHMEMX_LOCAL);
        shmemx_req_wait(&req, SHMEMX_REMOTE);
        shmemx_long_get_req(back.data(), part.name<long>(right()), count, right(), &req);
        shmemx_req_wait(&req, SHMEMX_REMOTE);
        EXPECT_EQ(std::vector(back.begin(), back.begin() + static_cast<std::ptrdiff_t>(count)),
                  std::vector(sent.begin(), sent.begin() + static_cast<std::ptrdiff_t>(count)));
    }
    long old = -1;
    shmemx_long_atomic_fetch_add_req(&old, part.name<long>(right(), kLongs + 1), 5, right(), &req);
    shmemx_req_wait(&req, SHMEMX_REMOTE);
    EXPECT_EQ(old, 0);
    shmemx_long_put_signal_req(part.name<long>(right()), sent.data(), 9,
                               part.name<std::uint64_t>(right(), kLongs), 1, SHMEM_SIGNAL_SET,
                               right(), &req);
    shmem_signal_wait_until(part.name<std::uint64_t>(me(), kLongs), SHMEM_CMP_EQ, 1);
    shmemx_req_wait(&req, SHMEMX_REMOTE);
    EXPECT_EQ(part.mine<long>()[8], 100 * left() + 8);
}

TEST(Segments, Accumulates) {
    constexpr std::size_t kCount = 9000;
    const Part part(SHMEM_TEAM_WORLD, kCount * sizeof(double) + 64, shift());
    const std::vector<double> ones(kCount, 1.0);
    for (int pe = 0; pe < npes(); ++pe) {
        shmemx_accumulate(part.name<double>(pe), ones.data(), kCount, SHMEMX_TYPE_DOUBLE,
                          SHMEMX_OP_SUM, pe);
    }
    shmem_barrier_all();
    for (std::size_t i = 0; i < kCount; ++i) ASSERT_EQ(part.mine<double>()[i], npes());
    shmem_barrier_all();
    std::memset(part.mine(), 0, 64);
    shmem_barrier_all();
    const signed char small = 3;
    signed char small_old = 0;
    shmemx_fetch_op(part.name(right(), 5), &small, &small_old, SHMEMX_TYPE_INT8, SHMEMX_OP_SUM,
                    right());
    EXPECT_EQ(small_old, 0);
    // Complex floats need the alignment of a float.
    const std::complex<float> step(1, 2);
    std::complex<float> old(9, 9);
    shmemx_fetch_op(part.name(right(), 12), &step, &old, SHMEMX_TYPE_COMPLEX_FLOAT, SHMEMX_OP_SUM,
                    right());
    EXPECT_EQ(old, std::complex<float>());
    shmemx_req_t req;
    shmemx_fetch_op_req(part.name(right(), 12), &step, &old, SHMEMX_TYPE_COMPLEX_FLOAT,
                        SHMEMX_OP_SUM, right(), &req);
    shmemx_req_wait(&req, SHMEMX_REMOTE);
    EXPECT_EQ(old, step);
    short is = 0;
    const short want = 0;
    const short put = 77;
    shmemx_compare_swap(part.name(right(), 30), &want, &put, &is, SHMEMX_TYPE_INT16, right());
    shmem_barrier_all();
    EXPECT_EQ(part.mine()[5], 3);
    EXPECT_EQ(part.mine<short>()[15], 77);
    std::complex<float> sum;
    std::memcpy(&sum, part.mine() + 12, sizeof sum);
    EXPECT_EQ(sum, 2.0F * step);
}

TEST(Segments, ContextsOfTeams) {
    shmem_team_t odd = SHMEM_TEAM_INVALID;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (npes() + 1) / 2, nullptr, 0, &odd);
    if (odd == SHMEM_TEAM_INVALID) return;
    const Part part(odd, 64 * sizeof(long), shift());
    const int index = shmem_team_my_pe(odd);
    const int next = (index + 1) % shmem_team_n_pes(odd);
    const int next_pe = shmem_team_translate_pe(odd, next, SHMEM_TEAM_WORLD);
    shmem_ctx_t ctx;
    ASSERT_EQ(shmem_team_create_ctx(odd, 0, &ctx), 0);
    shmem_ctx_long_p(ctx, part.name<long>(next_pe), index + 1, next);
    shmem_ctx_long_atomic_add(ctx, part.name<long>(next_pe, 1), index + 2, next);
    shmem_ctx_quiet(ctx);
    shmem_team_sync(odd);
    const int before = (index + shmem_team_n_pes(odd) - 1) % shmem_team_n_pes(odd);
    EXPECT_EQ(part.mine<long>()[0], before + 1);
    EXPECT_EQ(part.mine<long>()[1], before + 2);
    shmem_ctx_destroy(ctx);
}

TEST(Segments, Epochs) {
    const Part part(SHMEM_TEAM_WORLD, 64 * sizeof(long), shift());
    const long value = 40 + me();
    for (const long options : {0L, SHMEMX_EPOCH_DEFERRED}) {
        shmemx_epoch_t exposure;
        shmemx_epoch_t access;
        const int origin = left();
        const int target = right();
        shmemx_epoch_post(&origin, 1, 0, &exposure);
        shmemx_epoch_start(&target, 1, options, &access);
        shmemx_epoch_put(access, part.name<long>(target, 3), &value, sizeof value, target);
        shmemx_epoch_complete(&access);
        shmemx_epoch_wait(&exposure);
        EXPECT_EQ(part.mine<long>()[3], 40 + left());
        shmem_barrier_all();
        part.mine<long>()[3] = 0;
        shmem_barrier_all();
    }
}

TEST(Segments, DeregisterCompletesOperations) {
    tessera::test::Memory memory(64 * sizeof(long), 8);
    const auto* mine = reinterpret_cast<const long*>(memory.get());
    for (long round = 1; round <= 50; ++round) {
        shmemx_segment_t segment = SHMEMX_SEGMENT_INVALID;
        ASSERT_EQ(shmemx_register(SHMEM_TEAM_WORLD, memory.get(), 64 * sizeof(long), &segment), 0);
        auto* name = static_cast<long*>(shmemx_gptr_addr(shmemx_segment_gptr(segment, right())));
        shmem_long_p(name + 3, round, right());
        shmemx_deregister(segment);
        EXPECT_EQ(mine[3], round);
    }
}

TEST(Segments, ATeamsEndEndsItsSegments) {
    shmem_team_t team = SHMEM_TEAM_INVALID;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes(), nullptr, 0, &team);
    tessera::test::Memory memory(32, 0);
    shmemx_segment_t segment = SHMEMX_SEGMENT_INVALID;
    ASSERT_EQ(shmemx_register(team, memory.get(), 32, &segment), 0);
    void* name = shmemx_gptr_addr(shmemx_segment_gptr(segment, right()));
    EXPECT_EQ(shmem_addr_accessible(name, right()), 1);
    shmem_barrier_all();
    shmem_team_destroy(team);
    EXPECT_EQ(shmem_addr_accessible(name, right()), 0);
    shmemx_deregister(SHMEMX_SEGMENT_INVALID);
}

// Ten thousand at the same time; fewer between nodes, where each takes two round trips.
TEST(Segments, Many) {
    const bool has_nodes = shmem_team_n_pes(SHMEM_TEAM_SHARED) < npes();
    const std::size_t count = has_nodes ? 2000 : 10000;
    std::vector<unsigned char> memory(count * 7 + 16);
    std::vector<shmemx_segment_t> segments(count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t bytes = (i + index_of(me())) % 8;
        ASSERT_EQ(shmemx_register(SHMEM_TEAM_WORLD, memory.data() + 7 * i, bytes, &segments[i]), 0);
    }
    for (std::size_t i = 0; i < count; i += 1 + count / 300) {
        if (shmemx_segment_bytes(segments[i], right()) == 0) continue;
        const auto value = static_cast<unsigned char>(i * 31 + index_of(me()) + 1);
        void* name = shmemx_gptr_addr(shmemx_segment_gptr(segments[i], right()));
        shmem_putmem(name, &value, 1, right());
    }
    shmem_barrier_all();
    for (std::size_t i = 0; i < count; i += 1 + count / 300) {
        if ((i + index_of(me())) % 8 == 0) continue;
        EXPECT_EQ(memory[7 * i], static_cast<unsigned char>(i * 31 + index_of(left()) + 1));
    }
    // Every other one first.
    for (std::size_t start : {1UL, 0UL}) {
        for (std::size_t i = start; i < count; i += 2) shmemx_deregister(segments[i]);
    }
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)

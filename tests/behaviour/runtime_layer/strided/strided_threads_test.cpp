// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when threads of a PE that make strided and indexed transfers at the same time, on one
// context and on contexts of their own, disturb each other.
#include <thread>

#include "runtime_layer/strided/shapes.hpp"
#include "support/pattern.hpp"
#include "support/pe_test.hpp"

namespace {

using tessera::test::difference;
using tessera::test::fill;
using tessera::test::kGuard;
using tessera::test::Random;
using tessera::test::scaled;
using tessera::test::Shape;

constexpr std::size_t kThreads = 4;
constexpr std::size_t kBytes = 30000;
unsigned char rows[kThreads][kBytes];  // symmetric: one for each thread, of the PE to the left

void move(std::size_t thread, int round, shmem_ctx_t ctx) {
    Random random(static_cast<std::size_t>(round) * 64 + thread);
    const Shape shape = tessera::test::random_shape(random, kBytes / 2);
    const int right = (shmem_my_pe() + 1) % shmem_n_pes();
    tessera::test::Bytes source(kBytes);
    tessera::test::Bytes expected(kBytes, kGuard);
    tessera::test::Bytes seen(kBytes, 0);
    fill(source.data(), kBytes, shmem_my_pe(), right, random());
    shmem_ctx_putmem(ctx, rows[thread], expected.data(), kBytes, right);
    shmem_ctx_fence(ctx);
    shmemx_ctx_put_strided(ctx, rows[thread] + shape.dest.start, shape.dest.strides.data(),
                           source.data() + shape.source.start, shape.source.strides.data(),
                           shape.extents.data(), shape.ndims(), shape.element_bytes, right);
    shmem_ctx_quiet(ctx);
    model(expected.data(), source.data(), shape);
    // In two interleaved halves.
    std::vector<shmemx_block_t> blocks;
    for (std::size_t at = 0; at < kBytes; at += 50)
        blocks.push_back({static_cast<std::ptrdiff_t>(at), 50});
    std::shuffle(blocks.begin(), blocks.end(), random);
    shmemx_ctx_get_indexed(ctx, seen.data(), blocks.data(), blocks.size(), rows[thread],
                           blocks.data(), blocks.size(), right);
    ASSERT_EQ(difference(seen.data(), expected.data(), kBytes), "") << text_of(shape);
}

TEST(Strided, ThreadsTransferAtTheSameTime) {
    std::vector<std::thread> threads;
    for (std::size_t thread = 0; thread < kThreads; ++thread) {
        threads.emplace_back([thread] {
            shmem_ctx_t own = SHMEM_CTX_DEFAULT;
            if (thread % 2 == 1) shmem_ctx_create(SHMEM_CTX_PRIVATE, &own);
            for (int round = 0; round < scaled(60); ++round) move(thread, round, own);
            if (thread % 2 == 1) shmem_ctx_destroy(own);
        });
    }
    for (std::thread& thread : threads) thread.join();
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_MULTIPLE)

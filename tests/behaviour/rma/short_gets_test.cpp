// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when nonblocking gets of up to 32 KiB, which gather in lists and in reads of several
// pieces between nodes, bring wrong data, get lost, or wait for a quiet that the program has not
// called.
#include <shmem.h>

#include <array>
#include <atomic>
#include <random>
#include <vector>

#include "support/pe_test.hpp"
#include "support/thread_test.hpp"

namespace {

using tessera::test::run_threads;
using tessera::test::SymmetricArray;

constexpr std::size_t kBytes = 1 << 20;
// Some are too long for a list, some for a read of several pieces.
constexpr std::array<std::size_t, 4> kLengthsMax = {3000, 3000, 10000, 40000};
constexpr std::array<std::size_t, 8> kShort = {1, 2, 4, 7, 8, 24, 100, 512};

unsigned char byte_of(int pe, std::size_t offset) {
    return static_cast<unsigned char>(offset * 167 + offset / 251 + static_cast<std::size_t>(pe));
}

void fill(unsigned char* data) {
    for (std::size_t i = 0; i < kBytes; ++i) data[i] = byte_of(shmem_my_pe(), i);
    shmem_barrier_all();
}

// Pieces of other PEs' data, each in a place of its own.
class Pieces {
  public:
    Pieces(const unsigned char* data, unsigned long seed, std::size_t room)
        : data_(data), random_(seed), seen_(room) {}

    // RETURNS: false: there is no room for one more.
    bool start(shmem_ctx_t ctx, int pe) {
        const std::size_t bytes = random_() % 2 == 0
                                      ? kShort[random_() % kShort.size()]
                                      : random_() % kLengthsMax[random_() % kLengthsMax.size()];
        if (used_ + bytes > seen_.size()) return false;
        const std::size_t offset = random_() % (kBytes - bytes);
        shmem_ctx_getmem_nbi(ctx, seen_.data() + used_, data_ + offset, bytes, pe);
        pieces_.push_back({used_, offset, bytes, pe});
        used_ += bytes;
        return true;
    }
    int any_pe() { return static_cast<int>(random_() % static_cast<unsigned long>(shmem_n_pes())); }
    std::size_t any(std::size_t below) { return random_() % below; }

    // Behind a quiet.
    void check() {
        for (const Piece& piece : pieces_) {
            for (std::size_t i = 0; i < piece.bytes; ++i) {
                ASSERT_EQ(seen_[piece.place + i], byte_of(piece.pe, piece.offset + i))
                    << "byte " << i << " of " << piece.bytes << " from PE " << piece.pe;
            }
        }
        pieces_.clear();
        std::fill(seen_.begin(), seen_.end(), 0);
        used_ = 0;
    }

  private:
    struct Piece {
        std::size_t place, offset, bytes;
        int pe;
    };
    const unsigned char* data_;
    std::mt19937_64 random_;
    std::vector<unsigned char> seen_;
    std::vector<Piece> pieces_;
    std::size_t used_ = 0;
};

void get_in_rounds(shmem_ctx_t ctx, Pieces& pieces, int rounds) {
    for (int round = 0; round < rounds; ++round) {
        // Mostly of one PE, so that lists become full.
        const int usual = pieces.any_pe();
        const std::size_t count = pieces.any(round % 8 == 0 ? 2000 : 40);
        for (std::size_t i = 0; i < count; ++i) {
            if (!pieces.start(ctx, pieces.any(8) == 0 ? pieces.any_pe() : usual)) break;
        }
        shmem_ctx_quiet(ctx);
        pieces.check();
        if (testing::Test::HasFatalFailure()) return;
    }
}

TEST(ShortGets, BringTheData) {
    SymmetricArray<unsigned char> data(kBytes);
    fill(data.get());
    shmem_ctx_t own = SHMEM_CTX_INVALID;
    ASSERT_EQ(shmem_ctx_create(SHMEM_CTX_PRIVATE, &own), 0);
    const unsigned long seed =
        tessera::test::shared_seed() + static_cast<unsigned long>(shmem_my_pe());
    for (shmem_ctx_t ctx : {SHMEM_CTX_DEFAULT, own}) {
        Pieces pieces(data.get(), seed, kBytes);
        get_in_rounds(ctx, pieces, 50);
    }
    shmem_ctx_destroy(own);
}

TEST(ShortGets, OfSeveralThreadsOnOneContext) {
    SymmetricArray<unsigned char> data(kBytes);
    fill(data.get());
    const unsigned long seed = tessera::test::shared_seed();
    run_threads(4, [&](int thread) {
        Pieces pieces(data.get(), seed + static_cast<unsigned long>(4 * shmem_my_pe() + thread),
                      kBytes);
        get_in_rounds(SHMEM_CTX_DEFAULT, pieces, 30);
    });
    shmem_barrier_all();
}

// The last of them would wait for the program's quiet, if it waited for anything but the answers.
void get_without_quiet(std::size_t words) {
    constexpr std::size_t kGets = 63;
    SymmetricArray<long> data(kGets * words);
    for (std::size_t i = 0; i < kGets * words; ++i) data[i] = static_cast<long>(i) + 1;
    shmem_barrier_all();
    const int next = (shmem_my_pe() + 1) % shmem_n_pes();
    for (int round = 0; round < 50; ++round) {
        std::vector<long> seen(kGets * words);
        for (std::size_t i = 0; i < seen.size(); i += words)
            shmem_long_get_nbi(&seen[i], &data[i], words, next);
        // No call of the library.
        for (std::size_t i = words - 1; i < seen.size(); i += words) {
            while (std::atomic_ref(seen[i]).load() == 0) std::this_thread::yield();
            ASSERT_EQ(std::atomic_ref(seen[i]).load(), static_cast<long>(i) + 1);
        }
        shmem_quiet();
    }
}
TEST(ShortGets, ArriveWhileTheProgramComputes) { get_without_quiet(1); }
TEST(LongerGets, ArriveWhileTheProgramComputes) { get_without_quiet(512); }

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_MULTIPLE)

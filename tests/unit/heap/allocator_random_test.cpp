// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when heap::Allocator gives an answer that a plain list of intervals does not allow, or
// packs worse than it did, in long random runs. TESSERA_TEST_SEED=<number> repeats a run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "heap/allocator.hpp"

namespace tessera::heap {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

using Random = std::mt19937_64;

Random seeded_random() {
    const char* wanted = std::getenv("TESSERA_TEST_SEED");
    const std::uint64_t seed =
        wanted != nullptr ? std::strtoull(wanted, nullptr, 0) : std::random_device{}();
    std::printf("TESSERA_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
    return Random(seed);
}

std::size_t pick(Random& random, std::size_t least, std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(least, most)(random);
}

// Every order of magnitude up to 2^bits_max bytes equally often.
std::size_t pick_size(Random& random, std::size_t bits_max) {
    return pick(random, 1, std::size_t{1} << pick(random, 0, bits_max));
}

// A program that allocates and frees for hours must not need ever more heap for the same data.
TEST(AllocatorRandom, ChurnKeepsTheHeapPacked) {
    Random random = seeded_random();
    constexpr std::size_t kLiveBytes = 48 * kMiB;
    Allocator allocator(1024 * kMiB);
    std::vector<std::size_t> live;
    std::size_t top = 0;  // the first byte above everything ever handed out
    for (int step = 0; step < 200'000; ++step) {
        const std::size_t bytes = pick_size(random, 17);
        while (allocator.bytes_in_use() + bytes > kLiveBytes) {
            const std::size_t victim = pick(random, 0, live.size() - 1);
            ASSERT_TRUE(allocator.free(live[victim]));
            live[victim] = live.back();
            live.pop_back();
        }
        const auto offset = allocator.allocate(bytes);
        ASSERT_TRUE(offset);
        live.push_back(*offset);
        top = std::max(top, *offset + bytes);
    }
    EXPECT_TRUE(allocator.is_valid());
    EXPECT_LT(top, kLiveBytes + kLiveBytes / 3) << "waste over a third of the live data";
    std::printf("churn: %.1f %% above the live data\n",
                100.0 * (static_cast<double>(top) / static_cast<double>(kLiveBytes) - 1.0));
}

// The checks of a PE with one plain list of intervals.
class Model {
  public:
    struct Piece {
        std::size_t bytes;
        Sharing sharing;
    };
    explicit Model(std::size_t heap_bytes) : heap_bytes_(heap_bytes) {}

    const std::map<std::size_t, Piece>& pieces() const { return pieces_; }

    // False when the block would overlap another or leave the heap.
    bool insert(std::size_t offset, std::size_t bytes, Sharing sharing) {
        if (offset > heap_bytes_ || bytes > heap_bytes_ - offset) return false;
        const auto next = pieces_.lower_bound(offset);
        if (next != pieces_.end() && next->first < offset + bytes) return false;
        if (next != pieces_.begin() && end_of(std::prev(next)) > offset) return false;
        pieces_.emplace(offset, Piece{bytes, sharing});
        return true;
    }
    void erase(std::size_t offset) { pieces_.erase(offset); }

    // Whether a gap between the blocks has room for the request, by looking at all of them.
    bool has_room(std::size_t bytes, std::size_t alignment, Sharing sharing) const {
        const std::size_t step =
            sharing == Sharing::kCacheLineOwned ? kFalseSharingBytes : kMinAlignment;
        std::size_t gap = 0;
        for (auto piece = pieces_.begin();; ++piece) {
            const std::size_t gap_end = piece == pieces_.end() ? heap_bytes_ : piece->first;
            const std::size_t start = up(gap, std::max(alignment, step));
            if (start + up(bytes, step) <= gap_end) return true;
            if (piece == pieces_.end()) return false;
            gap = up(end_of(piece), rounding_of(piece->second));
        }
    }

  private:
    // The rounding of the end of a block. No other block has the bytes between.
    static std::size_t rounding_of(const Piece& piece) {
        if (piece.sharing == Sharing::kCacheLineOwned) return kFalseSharingBytes;
        return piece.bytes < kLineBlockBytesMin ? kMinAlignment : kCacheLineBytes;
    }
    static std::size_t up(std::size_t value, std::size_t step) {
        return (value + step - 1) / step * step;
    }
    static std::size_t end_of(std::map<std::size_t, Piece>::const_iterator piece) {
        return piece->first + piece->second.bytes;
    }

    std::size_t heap_bytes_;
    std::map<std::size_t, Piece> pieces_;
};

// Plays random calls on an allocator, on a second one that must agree, and on the model.
class ModelRun {
  public:
    ModelRun(std::size_t heap_bytes, Random& random)
        : random_(random), first_(heap_bytes), second_(heap_bytes), model_(heap_bytes) {}

    void step() {
        const std::size_t dice = pick(random_, 0, 99);
        // Waves: mostly allocations for a while, then mostly frees.
        const std::size_t allocations = (steps_++ / 20'000) % 2 == 0 ? 50 : 35;
        if (dice < allocations) return allocate();
        if (dice < 85) return free();
        return reallocate();
    }
    bool is_valid() const { return first_.is_valid() && second_.is_valid(); }
    std::size_t refusals() const { return refusals_; }
    std::size_t moves() const { return moves_; }

    void free_everything() {
        for (const std::size_t offset : offsets_) {
            ASSERT_TRUE(first_.free(offset));
            model_.erase(offset);
        }
        offsets_.clear();
        ASSERT_EQ(first_.largest_free(), first_.heap_bytes());
    }

  private:
    void allocate() {
        const std::size_t bytes = pick_size(random_, 14);
        const std::size_t alignment =
            pick(random_, 0, 3) > 0 ? kMinAlignment : std::size_t{1} << pick(random_, 0, 16);
        const Sharing sharing =
            pick(random_, 0, 7) > 0 ? Sharing::kPlain : Sharing::kCacheLineOwned;
        const auto offset = first_.allocate(bytes, alignment, sharing);
        ASSERT_EQ(offset, second_.allocate(bytes, alignment, sharing));
        if (!offset) {
            ++refusals_;
            ASSERT_FALSE(model_.has_room(bytes, alignment, sharing))
                << bytes << " bytes aligned to " << alignment;
            return;
        }
        ASSERT_EQ(*offset % alignment, 0u);
        ASSERT_TRUE(model_.insert(*offset, bytes, sharing)) << *offset << " + " << bytes;
        offsets_.push_back(*offset);
    }

    void free() {
        if (offsets_.empty()) return;
        const std::size_t victim = pick(random_, 0, offsets_.size() - 1);
        const std::size_t offset = std::exchange(offsets_[victim], offsets_.back());
        offsets_.pop_back();
        ASSERT_TRUE(first_.free(offset));
        ASSERT_TRUE(second_.free(offset));
        ASSERT_FALSE(first_.free(offset));
        model_.erase(offset);
    }

    void reallocate() {
        if (offsets_.empty()) return;
        const std::size_t index = pick(random_, 0, offsets_.size() - 1);
        const std::size_t offset = offsets_[index];
        const Model::Piece piece = model_.pieces().at(offset);
        ASSERT_EQ(first_.size_of(offset), piece.bytes);
        const std::size_t bytes = pick_size(random_, 14);
        const auto resized = first_.reallocate(offset, bytes);
        const auto again = second_.reallocate(offset, bytes);
        ASSERT_EQ(resized.has_value(), again.has_value());
        if (!resized) {
            ++refusals_;
            ASSERT_GT(bytes, piece.bytes);
            ASSERT_FALSE(model_.has_room(bytes, kMinAlignment, piece.sharing));
            return;
        }
        ASSERT_EQ(resized->offset, again->offset);
        ASSERT_EQ(resized->moved, again->moved);
        ASSERT_EQ(resized->moved, resized->offset != offset);
        if (resized->moved) {
            // The new block must be clear of the old one, which is live until freed.
            ASSERT_TRUE(model_.insert(resized->offset, bytes, piece.sharing));
            ASSERT_TRUE(first_.free(offset) && second_.free(offset));
            model_.erase(offset);
            ++moves_;
        } else {
            model_.erase(offset);
            ASSERT_TRUE(model_.insert(offset, bytes, piece.sharing));
        }
        ASSERT_EQ(first_.block_containing(resized->offset)->sharing, piece.sharing);
        offsets_[index] = resized->offset;
    }

    Random& random_;
    Allocator first_;
    Allocator second_;
    Model model_;
    std::vector<std::size_t> offsets_;
    std::size_t steps_ = 0;
    std::size_t refusals_ = 0;
    std::size_t moves_ = 0;
};

// Anything the rules above do not name: a million calls, each compared with the model, on a heap
// that is sometimes nearly empty and sometimes full.
TEST(AllocatorRandom, AgreesWithTheModel) {
    Random random = seeded_random();
    ModelRun run(kMiB, random);
    for (int step = 0; step < 1'000'000; ++step) {
        ASSERT_NO_FATAL_FAILURE(run.step()) << "step " << step;
        if (step % 4'000 == 0) {
            ASSERT_TRUE(run.is_valid()) << "step " << step;
        }
    }
    EXPECT_TRUE(run.is_valid());
    EXPECT_GT(run.refusals(), 100u) << "the heap was never full, so the run proves less";
    EXPECT_GT(run.moves(), 1000u);
    run.free_everything();
}

}  // namespace
}  // namespace tessera::heap

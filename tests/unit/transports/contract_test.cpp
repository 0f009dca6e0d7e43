// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a transport does not keep the contract of transports/transport.hpp. One suite, run
// for each transport of contract_worlds.hpp. contract_sections_test.cpp has strided transfers.
#include <algorithm>
#include <bit>
#include <cstring>
#include <thread>
#include <vector>

#include "shmemx/types.h"
#include "unit/transports/contract_worlds.hpp"

namespace tessera {
namespace {

constexpr std::size_t kLengths[] = {1, 2, 3, 8, 15, 16, 100, 4095, 4096, 4097, 200000};

TYPED_TEST(Contract, HasAName) { EXPECT_STRNE(this->transport().name(), ""); }

TYPED_TEST(Contract, PutArrivesAndLeavesTheRest) {
    for (std::size_t bytes : kLengths) {
        for (std::size_t offset : {std::size_t{16}, std::size_t{4093}}) {
            std::vector<unsigned char> source = pattern(bytes);
            std::vector<unsigned char> expected(bytes + 2, 0xA5);
            std::copy(source.begin(), source.end(), expected.begin() + 1);
            this->world_.owner_writes(
                offset - 1, std::vector<unsigned char>(bytes + 2, 0xA5).data(), bytes + 2);
            this->transport().put(this->context(), memory + offset, source.data(), bytes,
                                  this->world_.pe);
            std::fill(source.begin(), source.end(), 0);  // Reusable as soon as put returns.
            this->transport().quiet(this->context());
            ASSERT_EQ(this->owners_bytes(offset - 1, bytes + 2), expected) << bytes;
        }
    }
}

TYPED_TEST(Contract, GetBringsWhatTheOwnerHas) {
    for (std::size_t bytes : kLengths) {
        std::vector<unsigned char> source = pattern(bytes);
        this->world_.owner_writes(33, source.data(), bytes);
        std::vector<unsigned char> dest(bytes + 2, 1);
        this->transport().get(this->context(), dest.data() + 1, memory + 33, bytes,
                              this->world_.pe);
        ASSERT_EQ(dest.front(), 1);
        ASSERT_EQ(dest.back(), 1);
        ASSERT_EQ(std::vector<unsigned char>(dest.begin() + 1, dest.end() - 1), source) << bytes;
    }
}

TYPED_TEST(Contract, NonblockingOperationsAreCompleteAfterQuiet) {
    std::vector<unsigned char> source = pattern(50000);
    this->transport().put_nbi(this->context(), memory + 8, source.data(), source.size(),
                              this->world_.pe);
    this->transport().quiet(this->context());
    EXPECT_EQ(this->owners_bytes(8, source.size()), source);
    std::vector<unsigned char> dest(source.size());
    this->transport().get_nbi(this->context(), dest.data(), memory + 8, dest.size(),
                              this->world_.pe);
    this->transport().quiet(this->context());
    EXPECT_EQ(dest, source);
}

TYPED_TEST(Contract, FenceAndProgressMayBeCalledAnyTime) {
    this->transport().fence(this->context());
    this->transport().progress();
    std::uint64_t word = 3;
    this->transport().put(this->context(), memory, &word, 8, this->world_.pe);
    this->transport().fence(this->context());
    word = 4;
    this->transport().put(this->context(), memory, &word, 8, this->world_.pe);
    this->transport().quiet(this->context());
    EXPECT_EQ(this->owners_word(0), 4U);
}

// Puts of all the sizes that take different ways, over each other, with what orders them between.
TYPED_TEST(Contract, PutsBehindAFenceOverwriteThoseBefore) {
    constexpr std::size_t kArea = 24576, kPut = 6000;
    constexpr std::size_t kSizes[] = {3, 8, 24, 100, 600, 1500, 2020, 2021, 3000, 5000};
    std::vector<unsigned char> expected(kArea, 0);
    this->world_.owner_writes(4096, expected.data(), kArea);
    std::uint32_t random = 1;
    const auto next = [&random](std::size_t limit) {
        random = random * 1664525 + 1013904223;
        return (random >> 8) % limit;
    };
    // A source stays as it is until quiet.
    std::vector<std::vector<unsigned char>> sources;
    for (int i = 0; i < 600; ++i) {
        const std::size_t bytes = kSizes[next(std::size(kSizes))];
        const std::size_t offset = next((kArea - kPut) / 8) * 8;
        sources.emplace_back(bytes, static_cast<unsigned char>(i));
        std::copy(sources.back().begin(), sources.back().end(),
                  expected.begin() + static_cast<std::ptrdiff_t>(offset));
        unsigned char* dest = memory + 4096 + offset;
        if (next(3) == 0) {
            this->transport().put(this->context(), dest, sources.back().data(), bytes,
                                  this->world_.pe);
        } else {
            this->transport().put_nbi(this->context(), dest, sources.back().data(), bytes,
                                      this->world_.pe);
        }
        if (next(40) == 0) {
            std::vector<unsigned char> got(next(kPut) + 1);
            this->transport().quiet(this->context());
            this->transport().get(this->context(), got.data(), memory + 4096 + offset, got.size(),
                                  this->world_.pe);
            ASSERT_TRUE(std::equal(got.begin(), got.end(),
                                   expected.begin() + static_cast<std::ptrdiff_t>(offset)));
        }
        this->transport().fence(this->context());
    }
    this->transport().quiet(this->context());
    EXPECT_EQ(this->owners_bytes(4096, kArea), expected);
}

// Streams without any order between the puts, and gets that see them.
TYPED_TEST(Contract, ShortPutsOfAStreamAllArrive) {
    for (std::size_t bytes : {5U, 8U, 40U, 200U, 900U, 2020U}) {
        const std::size_t count = std::min<std::size_t>(100, 100000 / bytes);
        const std::vector<unsigned char> source = pattern(bytes * count);
        this->world_.owner_writes(0, std::vector<unsigned char>(source.size(), 0xA5).data(),
                                  source.size());
        for (std::size_t i = 0; i < count; ++i) {
            const unsigned char* from = source.data() + i * bytes;
            unsigned char* dest = memory + i * bytes;
            if (i % 7 == 6) {
                this->transport().put(this->context(), dest, from, bytes, this->world_.pe);
                std::vector<unsigned char> got(bytes);
                this->transport().get(this->context(), got.data(), dest, bytes, this->world_.pe);
                ASSERT_TRUE(std::equal(got.begin(), got.end(), from)) << bytes;
            } else {
                this->transport().put_nbi(this->context(), dest, from, bytes, this->world_.pe);
            }
        }
        this->transport().quiet(this->context());
        ASSERT_EQ(this->owners_bytes(0, source.size()), source) << bytes;
    }
}

// The signal is behind the data, whatever way the data takes.
TYPED_TEST(Contract, SignalsComeBehindTheirData) {
    for (std::size_t bytes : kLengths) {
        const std::vector<unsigned char> source = pattern(bytes);
        const std::uint64_t zero = 0;
        this->world_.owner_writes(8, &zero, 8);
        const AtomicRequest signal{.dest = memory + 8, .op = AtomicOp::kSet, .operand = bytes};
        this->transport().put_signal(this->context(), memory + 16, source.data(), bytes, signal,
                                     this->world_.pe);
        while (this->owners_word(8) != bytes) this->transport().progress();
        ASSERT_EQ(this->owners_bytes(16, bytes), source) << bytes;
        this->transport().quiet(this->context());
    }
}

struct AtomicCase {
    AtomicOp op;
    std::uint64_t before;
    std::uint64_t operand;
    std::uint64_t condition;
    std::uint64_t after;
};
const AtomicCase kWide[] = {
    {AtomicOp::kFetch, 0x8000000000000001, 7, 0, 0x8000000000000001},
    {AtomicOp::kSet, 5, 0xfedcba9876543210, 0, 0xfedcba9876543210},
    {AtomicOp::kSwap, 0xffffffffffffffff, 0, 0, 0},
    {AtomicOp::kCompareSwap, 9, 77, 9, 77},
    {AtomicOp::kCompareSwap, 9, 77, 8, 9},
    {AtomicOp::kCompareSwap, 0x100000009, 77, 9, 0x100000009},
    {AtomicOp::kAdd, 0xffffffffffffffff, 2, 0, 1},
    {AtomicOp::kAdd, 0xffffffff, 1, 0, 0x100000000},
    {AtomicOp::kAnd, 0xff00ff00ff00ff00, 0x0ff00ff00ff00ff0, 0, 0x0f000f000f000f00},
    {AtomicOp::kOr, 0xff00ff00ff00ff00, 0x0ff00ff00ff00ff0, 0, 0xfff0fff0fff0fff0},
    {AtomicOp::kXor, 0xff00ff00ff00ff00, 0x0ff00ff00ff00ff0, 0, 0xf0f0f0f0f0f0f0f0},
};
const AtomicCase kNarrow[] = {
    {AtomicOp::kFetch, 0x80000001, 7, 0, 0x80000001},
    {AtomicOp::kSet, 5, 0xfedcba98, 0, 0xfedcba98},
    {AtomicOp::kSwap, 0xffffffff, 0, 0, 0},
    {AtomicOp::kCompareSwap, 0xffffffff, 77, 0xffffffff, 77},
    {AtomicOp::kCompareSwap, 9, 77, 8, 9},
    {AtomicOp::kAdd, 0xffffffff, 2, 0, 1},
    {AtomicOp::kAnd, 0xff00ff00, 0x0ff00ff0, 0, 0x0f000f00},
    {AtomicOp::kOr, 0xff00ff00, 0x0ff00ff0, 0, 0xfff0fff0},
    {AtomicOp::kXor, 0xff00ff00, 0x0ff00ff0, 0, 0xf0f0f0f0},
};

TYPED_TEST(Contract, AtomicsOfEightBytes) {
    for (const AtomicCase& atomic : kWide) {
        this->world_.owner_writes(64, &atomic.before, 8);
        AtomicRequest request{memory + 64, 8, atomic.op, atomic.operand, atomic.condition};
        EXPECT_EQ(atomic_result(request, atomic.before), atomic.after);
        ASSERT_EQ(this->transport().atomic(this->context(), request, this->world_.pe),
                  atomic.before);
        ASSERT_EQ(this->owners_word(64), atomic.after) << static_cast<int>(atomic.op);
        ASSERT_EQ(this->owners_word(56), 0xA5A5A5A5A5A5A5A5U);
        ASSERT_EQ(this->owners_word(72), 0xA5A5A5A5A5A5A5A5U);
    }
}

TYPED_TEST(Contract, AtomicsOfFourBytesLeaveTheirNeighbours) {
    for (const AtomicCase& atomic : kNarrow) {
        for (std::size_t offset : {std::size_t{64}, std::size_t{68}}) {
            const std::uint64_t guard = 0xA5A5A5A5A5A5A5A5;
            this->world_.owner_writes(64, &guard, 8);
            this->world_.owner_writes(offset, &atomic.before, 4);
            AtomicRequest request{memory + offset, 4, atomic.op, atomic.operand, atomic.condition};
            EXPECT_EQ(atomic_result(request, atomic.before), atomic.after);
            ASSERT_EQ(this->transport().atomic(this->context(), request, this->world_.pe),
                      atomic.before);
            ASSERT_EQ(this->owners_word(offset, 4), atomic.after) << static_cast<int>(atomic.op);
            ASSERT_EQ(this->owners_word(offset ^ 4U, 4), 0xA5A5A5A5U);
        }
    }
}

// A complex float needs the alignment of a float.
TYPED_TEST(Contract, ElementsOfLessAlignment) {
    const Element sum{.type = SHMEMX_TYPE_COMPLEX_FLOAT, .op = SHMEMX_OP_SUM};
    const float before[] = {1, 2};
    const float operand[] = {10, 20};
    for (std::size_t offset : {std::size_t{64}, std::size_t{68}}) {
        this->world_.owner_writes(offset, before, sizeof before);
        AtomicRequest request{.dest = memory + offset, .op = AtomicOp::kElement, .element = sum};
        std::memcpy(&request.operand, operand, sizeof operand);
        const std::uint64_t old =
            this->transport().atomic(this->context(), request, this->world_.pe);
        EXPECT_EQ(std::memcmp(&old, before, sizeof before), 0) << offset;
        float after[2] = {};
        this->world_.owner_reads(offset, after, sizeof after);
        EXPECT_EQ(after[0], 11) << offset;
        EXPECT_EQ(after[1], 22) << offset;
    }
}

// The owner's waits fetch words that others put to without any lock; to write them back would
// undo the put.
TYPED_TEST(Contract, FetchWritesNothing) {
    const std::uint64_t word = 0x1122334455667788;
    this->world_.owner_writes(64, &word, 8);
    this->world_.owner_protects_first_page();
    AtomicRequest request{.dest = memory + 64, .op = AtomicOp::kFetch};
    EXPECT_EQ(this->transport().atomic(this->context(), request, this->world_.pe), word);
    request.bytes = 4;
    EXPECT_EQ(this->transport().atomic(this->context(), request, this->world_.pe),
              word & 0xffffffff);
}

TYPED_TEST(Contract, FloatsTravelAsBits) {
    const auto not_a_number =
        std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN());
    AtomicRequest request{.dest = memory + 8, .op = AtomicOp::kSet, .operand = not_a_number};
    this->transport().atomic(this->context(), request, this->world_.pe);
    request.op = AtomicOp::kFetch;
    EXPECT_EQ(this->transport().atomic(this->context(), request, this->world_.pe), not_a_number);
    EXPECT_EQ(this->owners_word(8), not_a_number);
}

// One word, one path: the owner's atomics and ours, at the same time.
TYPED_TEST(Contract, OwnerAndOthersLoseNoUpdate) {
    constexpr int kOwners = 20000;
    const int adds = this->world_.adds;
    const std::uint64_t zero = 0;
    this->world_.owner_writes(128, &zero, 8);
    this->world_.owner_adds(128, kOwners, [this, adds] {
        std::thread second([this, adds] {
            add(this->transport(), this->context(), memory + 128, adds, this->world_.pe);
        });
        add(this->transport(), this->context(), memory + 128, adds, this->world_.pe);
        second.join();
    });
    EXPECT_EQ(this->owners_word(128), static_cast<std::uint64_t>(kOwners + 2 * adds));
}

TEST(CmaTransport, GoneOwnerIsTold) {
    CmaWorld world;
    world.end_owner();
    const long value = 1;
    EXPECT_EXIT(world.transport->put(*world.context, memory, &value, sizeof value, 1),
                testing::ExitedWithCode(1),
                "cannot copy 8 bytes of static data of PE 1 \\(pid [0-9]+\\): No such process; ");
}

TEST(CmaTransport, UnmappedMemoryIsTold) {
    CmaWorld world;
    long value = 1;
    // In the owner, its page 1, where nothing is.
    auto* nowhere = reinterpret_cast<unsigned char*>(std::uintptr_t{4096} - kShift);
    EXPECT_EXIT(world.transport->get(*world.context, &value, nowhere, sizeof value, 1),
                testing::ExitedWithCode(1),
                "cannot copy 8 bytes of static data of PE 1 \\(pid [0-9]+\\): Bad address; ");
}

}  // namespace
}  // namespace tessera

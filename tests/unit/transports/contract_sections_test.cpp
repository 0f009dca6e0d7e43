// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a transport does not keep the part of the contract of transports/transport.hpp that
// is about sections and lists of pieces.
#include <algorithm>

#include "unit/transports/contract_worlds.hpp"

namespace tessera {
namespace {

// Words, odd sizes, more than a message holds, and runs that are operations of their own.
const std::size_t kRuns[] = {1, 3, 8, 60, 1000, 5000, 70000};

// Backwards on the local side: the first run is the highest there.
Section section_of(std::size_t run_bytes) {
    const std::size_t extents[] = {2, 90000 / run_bytes > 500 ? 500 : 90000 / run_bytes};
    const auto run = static_cast<std::ptrdiff_t>(run_bytes);
    const auto columns = static_cast<std::ptrdiff_t>(extents[1]);
    const std::ptrdiff_t remote[] = {(columns + 1) * run + 5, run + 1};
    const std::ptrdiff_t local[] = {-columns * run, run};
    return make_section({.extents = extents,
                         .remote_strides = remote,
                         .local_strides = local,
                         .ndims = 2,
                         .element_bytes = run_bytes});
}

TYPED_TEST(Contract, SectionsArriveAndComeBack) {
    for (std::size_t run : kRuns) {
        for (Returns returns : {Returns::kComplete, Returns::kAtOnce}) {
            const Section section = section_of(run);
            const std::size_t bytes = section.remote_span();
            const std::vector<unsigned char> guard(bytes + 1, 0xA5);
            this->world_.owner_writes(64, guard.data(), bytes + 1);
            std::vector<unsigned char> source = pattern(200000);
            const std::ptrdiff_t start = 95000;
            auto* local = reinterpret_cast<char*>(source.data()) + start;
            auto* remote = reinterpret_cast<char*>(memory + 64);
            const std::vector<unsigned char> before = source;
            this->transport().put_section(this->context(), remote, local, section, returns,
                                          this->world_.pe);
            if (returns == Returns::kComplete) std::fill(source.begin(), source.end(), 0);
            this->transport().quiet(this->context());
            std::vector<unsigned char> expected = guard;
            for_each_index(section, 0, [&](std::ptrdiff_t there, std::ptrdiff_t here) {
                std::copy_n(before.begin() + start + here, section.run_bytes,
                            expected.begin() + there);
            });
            ASSERT_EQ(this->owners_bytes(64, bytes + 1), expected) << run;
            std::fill(source.begin(), source.end(), 0);
            this->transport().get_section(this->context(), remote, local, section, returns,
                                          this->world_.pe);
            if (returns == Returns::kAtOnce) this->transport().quiet(this->context());
            std::vector<unsigned char> came(source.size(), 0);
            for_each_index(section, 0, [&](std::ptrdiff_t there, std::ptrdiff_t here) {
                std::copy_n(expected.begin() + there, section.run_bytes,
                            came.begin() + start + here);
            });
            ASSERT_EQ(source, came) << run;
        }
    }
}

// Calls of the same context need no quiet.
TYPED_TEST(Contract, GetsOfSectionsSeeEarlierPutsAndAtomics) {
    for (std::uint64_t round = 1; round < 100; ++round) {
        const Section section = make_section(8, 300, 16, 8);
        std::vector<std::uint64_t> source(600, round);
        auto* remote = reinterpret_cast<char*>(memory);
        this->transport().put(this->context(), remote, source.data(), 4800, this->world_.pe);
        const AtomicRequest add{.dest = memory + 16, .op = AtomicOp::kAdd, .operand = 5};
        this->transport().atomic_nbi(this->context(), add, nullptr, this->world_.pe);
        std::vector<std::uint64_t> dest(300);
        this->transport().get_section(this->context(), remote, reinterpret_cast<char*>(dest.data()),
                                      section, Returns::kComplete, this->world_.pe);
        std::vector<std::uint64_t> expected(300, round);
        expected[1] += 5;
        ASSERT_EQ(dest, expected);
        this->transport().quiet(this->context());
    }
}

TYPED_TEST(Contract, PiecesArriveAndComeBack) {
    // Pieces have 1 to 1000 bytes. The two lists cut them differently.
    std::vector<Block> remote;
    std::vector<Block> local;
    std::ptrdiff_t there = 0;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < 400; ++i) {
        const std::size_t size = i % 23 == 0 ? 1000 : i % 41;
        remote.push_back({there - 500, size});
        there += static_cast<std::ptrdiff_t>(size + i % 5);
        bytes += size;
    }
    for (std::size_t at = 0; at < bytes; at += 77)
        local.push_back({static_cast<std::ptrdiff_t>(at), std::min(bytes - at, std::size_t{77})});
    std::reverse(local.begin(), local.end());
    auto* base = reinterpret_cast<char*>(memory + 500);
    for (Returns returns : {Returns::kComplete, Returns::kAtOnce}) {
        std::vector<unsigned char> source = pattern(bytes);
        const auto span = static_cast<std::size_t>(there);
        std::vector<unsigned char> expected(span, 0xA5);
        this->world_.owner_writes(0, expected.data(), span);
        for (BlockPairs pairs(remote, local); !pairs.is_at_end(); pairs.advance()) {
            const auto piece = pairs.piece();
            std::copy_n(source.begin() + piece.local, piece.bytes,
                        expected.begin() + piece.remote + 500);
        }
        const std::vector<unsigned char> before = source;
        this->transport().put_pieces(this->context(), base, reinterpret_cast<char*>(source.data()),
                                     BlockPairs(remote, local), returns, this->world_.pe);
        if (returns == Returns::kComplete) std::fill(source.begin(), source.end(), 0);
        this->transport().quiet(this->context());
        ASSERT_EQ(this->owners_bytes(0, span), expected);
        std::fill(source.begin(), source.end(), 0);
        this->transport().get_pieces(this->context(), base, reinterpret_cast<char*>(source.data()),
                                     BlockPairs(remote, local), returns, this->world_.pe);
        if (returns == Returns::kAtOnce) this->transport().quiet(this->context());
        ASSERT_EQ(source, before);
    }
}

}  // namespace
}  // namespace tessera

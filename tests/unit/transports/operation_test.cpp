// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a transport does not keep the contract of transports/transport.hpp for operations
// that complete one by one, and for accumulate and atomics on elements of any type.
#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <functional>
#include <vector>

#include "unit/transports/contract_worlds.hpp"

namespace tessera {
namespace {

// Drives progress until the operation has come so far.
template <class AnyWorld>
class Tracked : public Contract<AnyWorld> {
  protected:
    void wait_local(const Operation& operation) {
        while (!operation.is_local()) this->transport().progress();
    }
    void wait_remote(const Operation& operation) {
        while (!operation.is_remote()) this->transport().progress();
    }
    static AtomicRequest element(std::size_t offset, std::size_t bytes, ElementType type,
                                 ElementOp op, std::uint64_t operand) {
        AtomicRequest request{memory + offset, bytes, AtomicOp::kElement, operand, 0};
        request.element = {static_cast<std::uint8_t>(type), static_cast<std::uint8_t>(op)};
        return request;
    }
};
TYPED_TEST_SUITE(Tracked, Worlds);

TYPED_TEST(Tracked, PutsArriveAndTheirSourcesAreReusable) {
    for (std::size_t bytes : {1UL, 8UL, 100UL, 4096UL, 200000UL}) {
        const std::vector<unsigned char> text = pattern(bytes);
        std::vector<unsigned char> source = text;
        Operation operation;
        this->transport().put_tracked(this->context(), memory + 16, source.data(), bytes,
                                      this->world_.pe, operation);
        this->wait_local(operation);
        std::fill(source.begin(), source.end(), 0);
        this->wait_remote(operation);
        ASSERT_EQ(this->owners_bytes(16, bytes), text) << bytes;
    }
}

TYPED_TEST(Tracked, SeveralPartsAreOneOperation) {
    const std::vector<unsigned char> source = pattern(40000);
    std::vector<unsigned char> dest(source.size());
    Operation put;
    for (std::size_t at = 0; at < source.size(); at += 10000) {
        this->transport().put_tracked(this->context(), memory + at, source.data() + at, 10000,
                                      this->world_.pe, put);
    }
    this->wait_remote(put);
    EXPECT_EQ(this->owners_bytes(0, source.size()), source);
    Operation get;
    for (std::size_t at = 0; at < source.size(); at += 10000) {
        this->transport().get_tracked(this->context(), dest.data() + at, memory + at, 10000,
                                      this->world_.pe, get);
    }
    this->wait_local(get);
    EXPECT_EQ(dest, source);
    EXPECT_TRUE(get.is_remote());
}

TYPED_TEST(Tracked, AtomicsBringTheOldValueOrNone) {
    std::uint64_t before = 40;
    this->world_.owner_writes(64, &before, 8);
    AtomicRequest request{.dest = memory + 64, .op = AtomicOp::kAdd, .operand = 2};
    std::uint64_t old = 0;
    Operation first;
    this->transport().atomic_tracked(this->context(), request, &old, this->world_.pe, first);
    this->wait_local(first);
    EXPECT_EQ(old, 40U);
    Operation second;
    this->transport().atomic_tracked(this->context(), request, nullptr, this->world_.pe, second);
    EXPECT_TRUE(second.is_local());
    this->wait_remote(second);
    EXPECT_EQ(this->owners_word(64), 44U);
}

TYPED_TEST(Tracked, SignalsFollowTheirData) {
    for (std::size_t bytes : {8UL, 100UL, 100000UL}) {
        const std::vector<unsigned char> source = pattern(bytes);
        const std::uint64_t zero = 0;
        this->world_.owner_writes(0, &zero, 8);
        Operation operation;
        this->transport().put_signal_tracked(this->context(), memory + 64, source.data(), bytes,
                                             {.dest = memory, .op = AtomicOp::kSet, .operand = 77},
                                             this->world_.pe, operation);
        this->wait_remote(operation);
        EXPECT_EQ(this->owners_word(0), 77U);
        EXPECT_EQ(this->owners_bytes(64, bytes), source) << bytes;
    }
}

// Words, blocks and writes that the context has issued, of any kind, then the operation.
TYPED_TEST(Tracked, WhatWasIssuedIsDelivered) {
    const std::vector<unsigned char> source = pattern(3000);
    std::uint64_t word = 0x1234567890;
    this->transport().put_nbi(this->context(), memory + 4096, source.data(), source.size(),
                              this->world_.pe);
    for (std::size_t i = 0; i < 30; ++i)
        this->transport().put(this->context(), memory + 8 * i, &word, 8, this->world_.pe);
    this->transport().fence(this->context());
    this->transport().put(this->context(), memory + 8192, source.data(), 300, this->world_.pe);
    Operation operation;
    this->transport().track_issued(this->context(), this->world_.pe, operation);
    this->wait_remote(operation);
    EXPECT_EQ(this->owners_bytes(4096, source.size()), source);
    EXPECT_EQ(this->owners_word(8 * 29), word);
    EXPECT_EQ(this->owners_bytes(8192, 300),
              std::vector<unsigned char>(source.begin(), source.begin() + 300));
}

TYPED_TEST(Tracked, AccumulateCombinesElements) {
    const auto check = [this]<class T>(T, ElementType type, std::size_t offset) {
        std::vector<T> before(1000);
        std::vector<T> source(1000);
        for (std::size_t i = 0; i < before.size(); ++i) {
            before[i] = static_cast<T>(static_cast<int>(i % 50));
            source[i] = static_cast<T>(3);
        }
        this->world_.owner_writes(offset, before.data(), 1000 * sizeof(T));
        const Accumulation what{
            memory + offset,
            source.data(),
            before.size(),
            {static_cast<std::uint8_t>(type), static_cast<std::uint8_t>(ElementOp::kSum)}};
        this->transport().accumulate(this->context(), what, this->world_.pe);
        std::fill(source.begin(), source.end(), T{});  // Reusable.
        this->transport().quiet(this->context());
        std::vector<T> after(before.size());
        this->world_.owner_reads(offset, after.data(), after.size() * sizeof(T));
        for (std::size_t i = 0; i < after.size(); ++i)
            ASSERT_EQ(after[i], static_cast<T>(before[i] + static_cast<T>(3))) << i;
        EXPECT_EQ(this->owners_bytes(offset - 1, 1)[0], 0xA5);
        EXPECT_EQ(this->owners_bytes(offset + 1000 * sizeof(T), 1)[0], 0xA5);
    };
    check(std::int8_t{}, ElementType::kInt8, 4001);
    check(double{}, ElementType::kDouble, 8200);
    check(static_cast<long double>(0), ElementType::kLongDouble, 32768);
    check(std::complex<double>{}, ElementType::kComplexDouble, 65544);
}

TYPED_TEST(Tracked, ElementsOfAnySizeAreFetched) {
    const std::uint64_t guard = 0xA5A5A5A5A5A5A5A5;
    this->world_.owner_writes(64, &guard, 8);
    auto word = this->element(65, 1, ElementType::kInt8, ElementOp::kMax, 0x7F);
    EXPECT_EQ(this->transport().atomic(this->context(), word, this->world_.pe), 0xA5U);
    EXPECT_EQ(this->owners_word(64), 0xA5A5A5A5A5A57FA5U);
    word = this->element(66, 2, ElementType::kUint16, ElementOp::kSum, 0xFFFF);
    EXPECT_EQ(this->transport().atomic(this->context(), word, this->world_.pe), 0xA5A5U);
    EXPECT_EQ(this->owners_word(64), 0xA5A5A5A5A5A47FA5U);
    const AtomicRequest swap{memory + 67, 1, AtomicOp::kCompareSwap, 0x11, 0xA5};
    EXPECT_EQ(this->transport().atomic(this->context(), swap, this->world_.pe), 0xA5U);
    EXPECT_EQ(this->transport().atomic(this->context(), swap, this->world_.pe), 0x11U);
    EXPECT_EQ(this->owners_word(64), 0xA5A5A5A511A47FA5U);
    std::uint64_t old = 0;
    Operation operation;
    word = this->element(70, 2, ElementType::kUint16, ElementOp::kReplace, 0);
    this->transport().atomic_tracked(this->context(), word, &old, this->world_.pe, operation);
    this->wait_local(operation);
    EXPECT_EQ(old, 0xA5A5U);
    EXPECT_EQ(this->owners_word(64), 0x0000A5A511A47FA5U);
}

}  // namespace
}  // namespace tessera

// SPDX-License-Identifier: BSD-3-Clause
//
// Results of derived types (struct_result.hpp). Which registers hold a result of up to 16 bytes is
// found out by calls with marks in all four registers: the elements are at other addresses in the
// second call, exchanged in the third, and `a` has one word of `b` in two more.
//
//   the registers of the result differ from the marks and agree between the first two calls
//   they agree with the third call, too, because the operation of co_reduce is commutative
//   the first word often depends on the first words of the arguments only, the second on the second
//   where the bits of both classes are the same, the class does not matter
//
// Likeness to the same words of the arguments (signs and exponents) decides the rest. The findings
// about a function count for its later calls, too.

#include "core/struct_result.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/processor.hpp"
#include "core/runtime.hpp"
#include "core/section.hpp"

namespace tessera::caf {
namespace {

// The result comes through a pointer in front of the arguments.
void call_with_pointer(UserFunction& user, std::byte* a, std::byte* b) {
    Scratch result(user.bytes);
    call_with_result(user.function, result.data(), a, b);
    std::memcpy(a, result.data(), user.bytes);
}

constexpr std::uint64_t kMarks[] = {0x7ff5a5a53c3c9669, 0xfff2c3d2b4a59687};

// The pairs of registers that can hold a result; results of one word use the first of a pair.
struct Pair {
    std::uint64_t Registers::*word[2];
};
constexpr std::size_t kFloats = 0;
constexpr std::size_t kIntegers = 1;
constexpr std::size_t kPairCount = 4;
constexpr Pair kPairs[kPairCount] = {
    {{&Registers::xmm0, &Registers::xmm1}},
    {{&Registers::rax, &Registers::rdx}},
    {{&Registers::rax, &Registers::xmm0}},
    {{&Registers::xmm0, &Registers::rax}},
};

std::uint64_t mask_of(std::size_t bytes) {
    return bytes >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * bytes)) - 1;
}

// How well a word of a result goes with the same word of an argument: leading bits in common, in
// both halves.
int likeness(std::uint64_t result, std::uint64_t argument) {
    const auto leading = [](std::uint32_t difference) {
        return difference == 0 ? 32 : __builtin_clz(difference);
    };
    const std::uint64_t difference = result ^ argument;
    return leading(static_cast<std::uint32_t>(difference >> 32)) +
           leading(static_cast<std::uint32_t>(difference));
}

constexpr std::size_t kFirstWordChanged = 3;
constexpr std::size_t kSecondWordChanged = 4;

struct Trial {
    Registers calls[5];
    std::uint64_t arguments[2][2] = {};  // a and b, two words each
    std::size_t bytes;
};

// How likely a pair holds the result, or -1 if it cannot.
int score(const Pair& pair, const Trial& trial) {
    constexpr int kCommutes = 100;
    constexpr int kSelects = 300;  // The result is one of the arguments, or words of both.
    int sum = 0;
    bool selects = true;
    for (std::size_t word = 0; word * 8 < trial.bytes; ++word) {
        const std::uint64_t mask = mask_of(trial.bytes - word * 8);
        const std::uint64_t value = trial.calls[0].*pair.word[word];
        const std::uint64_t again = trial.calls[1].*pair.word[word];
        const std::uint64_t exchanged = trial.calls[2].*pair.word[word];
        if (value == kMarks[0] || again == kMarks[1] || ((value ^ again) & mask) != 0) {
            return -1;
        }
        const bool commutes = ((value ^ exchanged) & mask) == 0;
        sum += commutes ? kCommutes : 0;
        const int like = std::max(likeness(value & mask, trial.arguments[0][word] & mask),
                                  likeness(value & mask, trial.arguments[1][word] & mask));
        selects = selects && commutes && like == 64;
        sum += like;
    }
    return sum + (selects ? kSelects : 0);
}

// How much the words of a pair change with the same words of an argument, and only with these.
int score_changes(const Pair& pair, const Trial& trial) {
    constexpr int kFollows = 100;
    constexpr int kStays = 50;
    int sum = 0;
    for (std::size_t word = 0; word < 2; ++word) {
        const std::uint64_t mask = mask_of(trial.bytes - word * 8);
        const std::uint64_t value = trial.calls[0].*pair.word[word];
        for (std::size_t changed = 0; changed < 2; ++changed) {
            if (trial.arguments[0][changed] == trial.arguments[1][changed]) {
                continue;
            }
            const std::uint64_t other = trial.calls[kFirstWordChanged + changed].*pair.word[word];
            const bool has_changed = ((value ^ other) & mask) != 0;
            if (has_changed == (word == changed)) {
                sum += has_changed ? kFollows : kStays;
            }
        }
    }
    return sum;
}

// One word: the low bytes of xmm0 are often a component of a result in rax that has been put
// together there.
bool is_part_of(std::uint64_t part, std::uint64_t whole) {
    const auto low = static_cast<std::uint32_t>(part);
    return part >> 32 == 0 && low != 0 &&
           (low == static_cast<std::uint32_t>(whole) || low == whole >> 32);
}

// Adds what a trial shows to the scores of the pairs.
void judge(const Trial& trial, std::int64_t* scores) {
    constexpr int kAgree = 100;
    for (std::size_t i = 0; i < kPairCount; ++i) {
        int of_pair = score(kPairs[i], trial);
        if (of_pair >= 0 && trial.bytes > 8) {
            of_pair += score_changes(kPairs[i], trial);
        }
        scores[i] = of_pair < 0 || scores[i] < 0 ? -1 : scores[i] + of_pair;
    }
    const Registers& r = trial.calls[0];
    if (trial.bytes > 8 && r.rax == r.xmm0) {
        // One of them is a copy, so the other word is not in it.
        const bool has_second_copy = r.rdx == r.xmm1;
        scores[kFloats] += scores[kFloats] >= 0 && has_second_copy ? kAgree : 0;
        scores[kFloats] += scores[kFloats] < 0 ? 0 : kAgree;
        scores[kIntegers] += scores[kIntegers] < 0 ? 0 : kAgree;
    }
    if (trial.bytes == 8 && scores[kIntegers] >= 0 && is_part_of(r.xmm0, r.rax)) {
        scores[kIntegers] += kAgree;
    }
}

const Pair& find_pair(std::size_t bytes, const std::int64_t* scores) {
    const std::size_t pairs = bytes <= 8 ? 2 : kPairCount;
    const auto best = static_cast<std::size_t>(std::max_element(scores, scores + pairs) - scores);
    if (scores[best] < 0) {
        stop_with_error("co_reduce",
                        "the function's result of %zu bytes is not the same in two "
                        "calls with the same arguments; it must be a pure function",
                        bytes);
    }
    return kPairs[best];
}

void call_in_registers(UserFunction& user, std::byte* a, std::byte* b) {
    constexpr std::size_t kCalls = 5;
    alignas(16) std::byte copies[kCalls][2][16] = {};
    Trial trial{.calls = {}, .bytes = user.bytes};
    for (std::size_t i = 0; i < kCalls; ++i) {
        std::memcpy(copies[i][0], i == 2 ? b : a, user.bytes);
        std::memcpy(copies[i][1], i == 2 ? a : b, user.bytes);
    }
    std::memcpy(trial.arguments, copies[0], sizeof trial.arguments);
    std::memcpy(copies[kFirstWordChanged][0], &trial.arguments[1][0], 8);
    std::memcpy(copies[kSecondWordChanged][0] + 8, &trial.arguments[1][1], 8);
    for (std::size_t i = 0; i < kCalls; ++i) {
        trial.calls[i] = call_marked(user.function, copies[i][0], copies[i][1], kMarks[i % 2]);
    }
    judge(trial, user.scores);
    const Pair& pair = find_pair(user.bytes, user.scores);
    const std::uint64_t words[2] = {trial.calls[0].*pair.word[0], trial.calls[0].*pair.word[1]};
    std::memcpy(a, words, user.bytes);
}

}  // namespace

void (*find_struct_caller(const UserFunction& user))(UserFunction&, std::byte*, std::byte*) {
    if (!knows_result_registers() || user.takes_values) {
        return nullptr;
    }
    return user.bytes > 16 ? call_with_pointer : call_in_registers;
}

}  // namespace tessera::caf

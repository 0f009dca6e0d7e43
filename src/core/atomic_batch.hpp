// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: atomics without a result on mapped memory that a session holds back (OpenSHMEM 1.6,
// 9.9). A processor does hardly anything else while a locked instruction waits for its cache line.
// When atomics are held back, many cache lines are under way at the same time: random updates of a
// table that is larger than the caches become twice as fast (bench/apps/gups.c). The order is first
// in, first out. Performing all at once, when there are enough, was up to a quarter slower.
//
// Unordered until the context's next fence or quiet, which perform them. THREADS: one at a time, as
// the context.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/platform.hpp"
#include "base/wait.hpp"
#include "transports/transport.hpp"

namespace tessera {

class AtomicBatch {
  public:
    // Measured: 8 and 16 are slower. A core fetches 16 lines and more at a time.
    static constexpr std::size_t kHeldMax = 32;

    static constexpr bool takes(AtomicOp op) {
        return op == AtomicOp::kAdd || op == AtomicOp::kAnd || op == AtomicOp::kOr ||
               op == AtomicOp::kXor;
    }

    // The number of operations that will follow: the last one performs all. SIZE_MAX: unknown.
    void expect(std::size_t total) { remaining_ = total; }

    // `word`, of `bytes` bytes (4 or 8), is mapped and belongs to the PE of `sleeper`.
    // RETURNS when: noted, and the oldest one performed if there were kHeldMax.
    // COST: a prefetch, five stores, a locked instruction. REQUIRES: takes(op).
    TESSERA_INLINE void add(AtomicOp op, void* word, std::size_t bytes, std::uint64_t operand,
                            Sleeper* sleeper) {
        prefetch_to_write(word);
        Held& held = held_[next_++ % kHeldMax];
        if (held.word != nullptr) perform(held);
        held = {.word = word,
                .sleeper = sleeper,
                .operand = operand,
                .op = op,
                .is_wide = bytes == sizeof(std::uint64_t)};
        if (--remaining_ == 0) [[unlikely]]
            perform();
    }

    // RETURNS when: nothing is held back; PEs that waited for one of the words have been woken.
    void perform();

  private:
    struct Held {
        void* word = nullptr;  // nullptr: nothing is held
        Sleeper* sleeper = nullptr;
        std::uint64_t operand = 0;
        AtomicOp op = AtomicOp::kAdd;
        bool is_wide = false;
    };

    template <class T>
    TESSERA_INLINE static void apply(const Held& held) {
        std::atomic_ref<T> word(*static_cast<T*>(held.word));
        const auto operand = static_cast<T>(held.operand);
        // seq_cst, so that the check for a sleeper sees every waiter. Pairs with
        // base/wait.cpp:sleep_unless.
        switch (held.op) {
            case AtomicOp::kAdd: word.fetch_add(operand); break;
            case AtomicOp::kAnd: word.fetch_and(operand); break;
            case AtomicOp::kOr: word.fetch_or(operand); break;
            default: word.fetch_xor(operand); break;
        }
    }
    TESSERA_INLINE static void perform(const Held& held) {
        if (held.is_wide) {
            apply<std::uint64_t>(held);
        } else {
            apply<std::uint32_t>(held);
        }
        if (held.sleeper->is_sleeping()) [[unlikely]]
            held.sleeper->wake();
    }

    std::size_t next_ = 0;  // the place of the next one, and of the oldest if all are taken
    std::size_t remaining_ = SIZE_MAX;
    std::array<Held, kHeldMax> held_;
};

}  // namespace tessera

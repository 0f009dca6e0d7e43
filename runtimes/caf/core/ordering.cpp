// SPDX-License-Identifier: BSD-3-Clause
//
// The marks of targets of puts that have left the node. Puts have numbers, and a thread says which
// ones are complete only behind its quiet: threads complete at the same time, and a mark that one
// took away first would hide the others' puts from them.
#include "core/ordering.hpp"

#include <shmem.h>

#include <cstddef>

namespace tessera::caf {

namespace {

std::atomic<std::uint64_t> started{0};
std::atomic<std::uint64_t> completed{0};  // number of these puts that are complete, the first ones

// Keeps the highest value that any thread passes. Pairs with core/ordering.cpp:is_marked.
void raise(std::atomic<std::uint64_t>& number, std::uint64_t value) {
    std::uint64_t seen = number.load(std::memory_order_relaxed);
    while (seen < value && !number.compare_exchange_weak(seen, value, std::memory_order_release,
                                                         std::memory_order_relaxed)) {
    }
}

std::atomic<std::uint64_t>* marks() {
    // Another thread may have made them. Pairs with core/ordering.cpp:marks and
    // core/ordering.hpp:order_puts.
    auto* all = detail::targets.load(std::memory_order_acquire);
    if (all == nullptr) {
        auto* made = new std::atomic<std::uint64_t>[static_cast<std::size_t>(shmem_n_pes())]();
        if (detail::targets.compare_exchange_strong(all, made)) return made;
        delete[] made;
    }
    return all;
}

// Whether a put of this thread to the PE may be under way.
bool is_marked(int pe) {
    // Behind another thread's quiet. Pairs with core/ordering.cpp:raise.
    return completed.load(std::memory_order_acquire) < marks()[pe].load(std::memory_order_relaxed);
}

void complete_started() {
    // The quiet completes the puts of these numbers. Pairs with core/ordering.cpp:note_put.
    const std::uint64_t last = started.load(std::memory_order_acquire);
    shmem_quiet();
    raise(completed, last);
}

}  // namespace

void note_put(int pe) {
    // Pairs with core/ordering.cpp:complete_started.
    raise(marks()[pe], started.fetch_add(1, std::memory_order_release) + 1);
}

void detail::fence_marked(int pe) {
    if (is_marked(pe)) shmem_fence();
}

void detail::complete_marked(int pe) {
    if (is_marked(pe)) complete_started();
}

void complete_all() {
    begin_control();
    complete_started();
}

}  // namespace tessera::caf

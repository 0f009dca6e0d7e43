// SPDX-License-Identifier: BSD-3-Clause
//
// The marks of targets of puts that have left the node.
#include "core/ordering.hpp"

#include <shmem.h>

#include <cstddef>

namespace tessera::caf {

namespace {

std::atomic<bool> is_any_marked{false};

std::atomic<unsigned char>* marks() {
    auto* all = detail::targets.load(std::memory_order_acquire);
    if (all == nullptr) {
        auto* made = new std::atomic<unsigned char>[static_cast<std::size_t>(shmem_n_pes())]();
        if (detail::targets.compare_exchange_strong(all, made)) {
            return made;
        }
        delete[] made;
    }
    return all;
}

}  // namespace

void note_put(int pe) {
    marks()[pe].store(1, std::memory_order_relaxed);
    is_any_marked.store(true, std::memory_order_relaxed);
}

void detail::fence_marked(int pe) {
    if (marks()[pe].load(std::memory_order_relaxed) != 0) {
        shmem_fence();
    }
}

void detail::complete_marked(int pe) {
    std::atomic<unsigned char>& mark = marks()[pe];
    if (mark.load(std::memory_order_relaxed) != 0) {
        mark.store(0, std::memory_order_relaxed);
        shmem_quiet();
    }
}

void complete_all() {
    begin_control();
    if (is_any_marked.load(std::memory_order_relaxed) &&
        is_any_marked.exchange(false, std::memory_order_relaxed)) {
        std::atomic<unsigned char>* all = marks();
        for (int pe = 0; pe < shmem_n_pes(); ++pe) {
            all[pe].store(0, std::memory_order_relaxed);
        }
    }
    shmem_quiet();
}

}  // namespace tessera::caf

// SPDX-License-Identifier: BSD-3-Clause
//
// See atomic_batch.hpp.
#include "core/atomic_batch.hpp"

namespace tessera {

void AtomicBatch::perform() {
    for (std::size_t i = 0; i < kHeldMax; ++i) {
        Held& held = held_[next_++ % kHeldMax];
        if (held.word == nullptr) continue;
        perform(held);
        held.word = nullptr;
    }
}

}  // namespace tessera

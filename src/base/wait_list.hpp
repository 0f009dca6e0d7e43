// SPDX-License-Identifier: BSD-3-Clause
//
// The subject of a wait on several words, for osh_hang: their values, and those that count. The
// waiter keeps it on its stack while it waits. A WaitSubject (wait_subject.hpp) leads to it by its
// address, and has no word_bytes then.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera {

struct WaitList {
    const void* words;
    const void* values;      // values of the words' type
    std::size_t value_step;  // 0: one value for all words
    const int* status;       // nullptr: all words count; else those with 0
    std::size_t count;
    std::uint32_t word_bytes;
};

}  // namespace tessera

// SPDX-License-Identifier: BSD-3-Clause
//
// Waits for words, and the calls that end them. The PEs of a host share a file that says which
// words they wait for now. So a call that changes such a word is timed and on record, though calls
// as short as it are only counted. The report draws an arrow from the call to the wait it ended.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "format.hpp"
#include "tools/interpose/call.hpp"

namespace tessera::trace {

//   since_ns | first | end | word_bytes
// One thread of a PE at a time writes it.
struct alignas(64) WaitingPe {
    std::atomic<std::uint64_t> since_ns;  // 0: the PE does not wait
    std::atomic<std::uint64_t> first;     // global pointers to the words
    std::atomic<std::uint64_t> end;
    std::atomic<std::uint64_t> word_bytes;
};
static_assert(sizeof(WaitingPe) == 64 && std::atomic<std::uint64_t>::is_always_lock_free);

// Opens the file in `directory`. Without it no PE is seen to wait.
void open_waiting(const std::string& directory, int pe, int npes);

// RETURNS: the place of a PE; that of no PE if `pe` is none.
const WaitingPe* waiting_pe(int pe);

// The words of a wait, as in Record.
struct Words {
    std::uint64_t first = 0;
    std::uint64_t bytes = 0;
    std::uint64_t value = 0;
    std::uint16_t comparison = 0;
};

// Before and after a wait for words.
void begin_wait(const interpose::Call& call);
Words end_wait(const interpose::Call& call);

// Fills `release` before a call, but for the call's own times. RETURNS: false if the call changes
// no word for which its PE waits.
bool find_release(const interpose::Call& call, Release& release);

}  // namespace tessera::trace

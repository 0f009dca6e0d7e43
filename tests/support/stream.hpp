// SPDX-License-Identifier: BSD-3-Clause
//
// Message passing between neighbours: every PE sends a stream of messages to the PE on its right
// and checks each one from its left as soon as the flag says that it is there. A flag that
// overtakes its message shows as an old word. Used by the tests of signals and of ordering.
#pragma once

#include <shmem.h>

#include <cstdint>
#include <string>

#include "support/pattern.hpp"

namespace tessera::test {

inline constexpr std::size_t kMessageWords = 48;
inline constexpr std::size_t kMessageSlots = 8;

// All symmetric. `slots` has kMessageSlots * kMessageWords words, the flag counts the messages that
// have arrived here, `consumed` those that the PE on the right has checked.
struct Stream {
    std::uint64_t* slots;
    std::uint64_t* flag;
    std::uint64_t* consumed;
};

// Data in one region, flags in the other. Collective: all PEs have cleared theirs on return.
inline Stream make_stream(const Region& data, const Region& flags) {
    Stream stream{reinterpret_cast<std::uint64_t*>(data.data),
                  reinterpret_cast<std::uint64_t*>(flags.data + kRegionBytes / 2),
                  reinterpret_cast<std::uint64_t*>(flags.data + kRegionBytes / 2 + 128)};
    shmem_barrier_all();
    *stream.flag = 0;
    *stream.consumed = 0;
    std::memset(stream.slots, 0, kMessageSlots * kMessageWords * sizeof(std::uint64_t));
    shmem_barrier_all();
    return stream;
}

inline std::uint64_t message_word(std::uint64_t number, std::size_t i, int from) {
    return number * 0x9E3779B97F4A7C15ULL + i * 131 + static_cast<unsigned>(from);
}

// send(dest, source, nelems, number, pe) moves the words to `dest` on `pe` and then raises
// stream.flag there from number - 1 to number. wait(number) returns when my flag is at least
// `number`. RETURNS: "", or what the first wrong word was.
template <class Send, class Wait>
std::string run_stream(const Stream& stream, int messages, Send send, Wait wait) {
    const int npes = shmem_n_pes();
    const int me = shmem_my_pe();
    const int right = (me + 1) % npes;
    const int left = (me + npes - 1) % npes;
    std::uint64_t message[kMessageWords];
    for (std::uint64_t number = 1; number <= static_cast<std::uint64_t>(messages); ++number) {
        std::uint64_t* slot = stream.slots + number % kMessageSlots * kMessageWords;
        const std::size_t words = 1 + number * 7 % kMessageWords;
        if (number > kMessageSlots)
            shmem_uint64_wait_until(stream.consumed, SHMEM_CMP_GE, number - kMessageSlots);
        for (std::size_t i = 0; i < words; ++i) message[i] = message_word(number, i, me);
        send(slot, message, words, number, right);
        shmem_quiet();  // The message is reused.
        wait(number);
        for (std::size_t i = 0; i < words; ++i) {
            if (slot[i] == message_word(number, i, left)) continue;
            return "word " + std::to_string(i) + " of " + std::to_string(words) + " of message " +
                   std::to_string(number) + " was not there yet";
        }
        shmem_quiet();  // We have read the slot before the left one may write it again.
        shmem_uint64_atomic_set(stream.consumed, number, left);
    }
    return "";
}

}  // namespace tessera::test

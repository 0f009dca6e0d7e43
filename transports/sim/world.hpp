// SPDX-License-Identifier: BSD-3-Clause
//
// The calls of transports/sim to the simulator (tests/sim), which loads the program that this
// transport lies in. For the simulator each call is one step: no other PE runs meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

// Sends the letter to `pe`; the receiver owns it then. It arrives after `not_before`.
// RETURNS: when it arrives, in virtual nanoseconds; 0: this PE has too many letters under way, and
// keeps it. Answers always go.
std::uint64_t tessera_sim_send(int pe, void* letter, std::size_t bytes, std::uint64_t not_before,
                               bool is_answer);

// The next letter that has arrived for the calling PE, or nullptr.
void* tessera_sim_receive();

// RETURNS when: a letter has arrived, or the time is over; in the PE's network thread also when
// tessera_sim_wake() was called.
void tessera_sim_wait(std::uint64_t nanoseconds);
void tessera_sim_wait_in_thread(std::uint64_t nanoseconds);
void tessera_sim_wake();

// A random number below `bound`.
std::uint64_t tessera_sim_random(std::uint64_t bound);
}

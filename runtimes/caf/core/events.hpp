// SPDX-License-Identifier: BSD-3-Clause
//
// Events: each element of an event coarray is a count of 64 bits on each image.

#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::caf {

struct Coarray;

// The count of an element of an event coarray. ERRORS: an index beyond it ends the program.
std::uint64_t* event_count(const Coarray& event, std::size_t index, const char* routine);

// event post: increments the count on `pe`, behind all earlier puts of this image.
void post_event(std::uint64_t* count, int pe);

// event wait(e, until_count): RETURNS when: the count of this image was at least
// max(1, until_count), by which it is now less: kOk; or the count is too small: kStoppedImage: all
// other images have stopped; kFailedImage: some have failed instead, or the process of one has died
// since the last event wait (image_state.hpp: await_count).
int wait_for_event(std::uint64_t* count, std::int64_t until_count);

// The same without the end of a segment, and for several threads at once, whose waits may be for
// one count: notify wait.
int wait_for_notify(std::uint64_t* count, std::int64_t until_count);

// event_query: the count on `pe`, which does not change.
std::int64_t query_event(const std::uint64_t* count, int pe);

}  // namespace tessera::caf

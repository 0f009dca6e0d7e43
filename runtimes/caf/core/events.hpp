// SPDX-License-Identifier: BSD-3-Clause
//
// Events: each element of an event coarray is a count of 64 bits on each image.

#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::caf {

struct Coarray;

// event post(e(index)[..]): increments the count on `pe`, behind all earlier puts of this image.
void post_event(const Coarray& event, std::size_t index, int pe);

// event wait(e(index), until_count): RETURNS when: the count of this image was at least
// max(1, until_count), by which it is now less: kOk; or the count is too small: kStoppedImage: all
// other images have stopped; kFailedImage: some have failed instead, or the process of one has died
// since the last event wait (image_state.hpp: await_count).
int wait_for_event(const Coarray& event, std::size_t index, int until_count);

// event_query: the count on `pe`, which does not change.
std::int64_t query_event(const Coarray& event, std::size_t index, int pe);

}  // namespace tessera::caf

// SPDX-License-Identifier: BSD-3-Clause
//
// Functions that front ends have called at events of the core; NULL: none.

#pragma once

namespace tessera::caf {
struct Team;
}

namespace tessera::caf::detail {

// When the images start, collectively.
inline void (*at_start)() = nullptr;

// Before an image control statement.
inline void (*at_image_control)() = nullptr;

// When this image has given memory to a component of a coarray.
inline void (*at_component)() = nullptr;

// In end team, when its images have met or have failed, before the coarrays of the team are freed.
inline void (*at_end_team)(Team& team) = nullptr;

// Before this image ends all images with an error: writes out what the program has printed. Called
// in another thread, which waits where this one holds the lock of a unit.
inline void (*at_error)() = nullptr;

// When all images have stopped or failed, before OpenSHMEM is finalized.
inline void (*at_finalize)() = nullptr;

}  // namespace tessera::caf::detail

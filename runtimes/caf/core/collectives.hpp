// SPDX-License-Identifier: BSD-3-Clause
//
// Collective subroutines (co_sum and the others) on contiguous data of the current team. Each
// checks first that all images take part: then no image can stop before it is done.
//
// RETURNS, for all: the status: kOk; kStoppedImage or kFailedImage, with data as it was or, if a
// process died during the call, undefined.

#pragma once

#include <shmemx.h>

#include <cstddef>
#include <cstdint>

#include "core/exposed.hpp"
#include "core/image_state.hpp"
#include "core/team.hpp"

namespace tessera::caf {

// A member's process may die during the call. With more data than kExposedBytes, or larger teams,
// this ends the program or is a status, as all images wish. The status takes a barrier for each
// kExposedBytes; only teams have it whose images reach each other's memory without a network.
enum class Death { kEndsProgram, kIsStatus };

// How elements are combined: an operation, and its codes of shmemx if it has some.
struct Reduction {
    int type = 0;  // SHMEMX_TYPE_..., 0: none
    int op = 0;    // SHMEMX_OP_...
    shmemx_op_t operation{};
};

// The data of source_image, from 1, comes to all images.
// ERRORS: a shape that is not that of the source ends the program.
int broadcast(void* data, const BroadcastShape& shape, int source_image, Death death);

// Combines data of all images, in the order of the images: on result_image, or on all if it is 0.
// The other images' data becomes undefined.
int reduce(void* data, std::size_t elements, const Reduction& reduction, int result_image,
           Death death);

// This image takes part in broadcasts of the team no more, and the others learn it. `state`:
// kStopped or kFailed. Called once, behind TeamBarrier::leave().
void leave_broadcasts(Team& team, ImageState state);

}  // namespace tessera::caf

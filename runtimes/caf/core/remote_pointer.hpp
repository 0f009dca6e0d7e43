// SPDX-License-Identifier: BSD-3-Clause
//
// Pointers of other images. A component of a coarray holds an address of the image that has
// allocated it. All images have the same layout of symmetric, team and local memory, so the
// distance to a block that every image knows by its own address translates it.
//
// THREADS: any.

#pragma once

#include <cstdint>

namespace tessera::caf {

/// Makes the block that other images translate by. Collective over all images; `initialize` calls
/// it before the first coarray.
void start_remote_pointers();

/// Tells the other images where the components of this image lie.
void publish_components(std::uintptr_t low, std::uintptr_t high);

/// The symmetric address, for accesses to pe, of an address of that image. NULL: it is private
/// memory of that image, which no other image can reach.
void* translate(const void* address_on_pe, int pe);

}  // namespace tessera::caf

// SPDX-License-Identifier: BSD-3-Clause
//
// The maps of programs that were compiled with SHMEM_INLINE (include/shmem/inline.h): each has what
// its inline bodies need of address_map. Programs attach them before main(), shared libraries when
// they are loaded; an empty map makes them call.
#pragma once

namespace tessera {

// Fills all maps from address_map, or empties them when that is empty. To be called whenever
// address_map changes. THREADS: any.
void publish_inline_maps();

// The same in a child of fork(), where no other thread is and nobody can wait for a lock.
void empty_inline_maps_in_child();

}  // namespace tessera

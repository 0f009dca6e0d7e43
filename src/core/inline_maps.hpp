// SPDX-License-Identifier: BSD-3-Clause
//
// The maps of programs that were compiled with SHMEM_INLINE (include/shmem/inline.h): each has what
// its inline bodies need of address_map. Programs attach them before main(), shared libraries when
// they are loaded. A map is written once, because compilers take it for a constant; whether it may
// be used is in the inline limits, which are mapped between open and close, and zeros at other
// times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tessera {

// Fills the maps from address_map and maps the inline limits of `local_pes` (ascending), which lie
// in `node_file` from `inline_limits_offset` on. Not with SHMEM_DEBUG, nor when an earlier open
// found other addresses: then everything is called. THREADS: any.
void open_inline_maps(int node_file, std::uint64_t inline_limits_offset,
                      std::span<const int> local_pes);

// Everything is called from now on. Takes no lock: a child of fork() calls it as well.
void close_inline_maps();

}  // namespace tessera

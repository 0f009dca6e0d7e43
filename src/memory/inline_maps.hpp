// SPDX-License-Identifier: BSD-3-Clause
//
// The maps of programs that were compiled with SHMEM_INLINE (include/shmem/inline.h). A map has the
// parts of address_map that the inline bodies need. Programs attach their map before main(), shared
// libraries when they are loaded. A map is written once, because compilers treat it as a constant.
// The inline limits decide whether it may be used: they are mapped between open and close, and
// zeros at other times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tessera {

// Fills the maps from address_map and maps the inline limits of `local_pes` (ascending), which lie
// in `node_file` from `inline_limits_offset` on. Not with SHMEM_DEBUG, nor where calls serve other
// nodes, nor when an earlier open found other addresses: then every operation calls the library.
// THREADS: any.
void open_inline_maps(int node_file, std::uint64_t inline_limits_offset,
                      std::span<const int> local_pes);

// From now on every operation calls the library. Takes no lock: a child of fork() calls it as well.
void close_inline_maps();

}  // namespace tessera

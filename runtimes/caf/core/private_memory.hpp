// SPDX-License-Identifier: BSD-3-Clause
//
// Memory of other images that no routine of OpenSHMEM reaches: the target of a pointer component
// may be any variable. On a node the kernel copies, where it lets a process read another one. Else
// the owner's thread does it (service.hpp), for pieces that the caller lists.
//
// THREADS: start_private_memory: the thread that starts the images; the others any.

#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "core/section.hpp"

namespace tessera::caf {

// Prepares the accesses. Collective over all images. may_happen: whether the program has any; only
// then the owner's thread may be started. The same on all images.
void start_private_memory(bool may_happen);

// As get_section() and put_section(), which call them (transfer.hpp): the base of `remote` is an
// address of the image on pe. RETURNS when: the transfer is complete on both sides.
void get_private(const Section& local, const Section& remote, int pe);
void put_private(const Section& remote, const Section& local, int pe);

// Copies from the memory of a process by the kernel, which refuses addresses without memory.
// RETURNS: the bytes that it has copied, or -1.
ssize_t read_process(std::int64_t process, void* data, std::uint64_t address, std::size_t bytes);

}  // namespace tessera::caf

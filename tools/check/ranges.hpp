// SPDX-License-Identifier: BSD-3-Clause
//
// The memory that a call reads and writes, as ranges of addresses of the calling PE.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/interpose/call.hpp"

namespace tessera::check {

struct Range {
    const char* name;  // of the argument: "dest"
    std::uintptr_t begin;
    std::size_t bytes;  // from the first to the last byte
    bool is_written;
    bool is_dense;   // no gaps between elements
    bool is_remote;  // the object of `pe` at this address, not the calling PE's
    std::uintptr_t end() const { return begin + bytes; }
};

// Empty ranges are left out. Of shmemx.h's shapes and lists only the first byte is known.
std::vector<Range> ranges_of(const interpose::Call& call);

// "PE 3", or -1 where the call has no target. Counts in the world, other than `call.pe`.
int target_of(const interpose::Call& call);

}  // namespace tessera::check

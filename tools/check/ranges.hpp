// SPDX-License-Identifier: BSD-3-Clause
//
// The memory that a call reads and writes, as ranges of addresses of the calling PE.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tools/interpose/call.hpp"

namespace tessera::check {

struct Range {
    const char* name;  // name of the argument: "dest"
    std::uintptr_t begin;
    std::size_t bytes;  // from the first to the last byte
    bool is_written;
    bool is_dense;   // no gaps between elements
    bool is_remote;  // the object of `pe` at this address, not the calling PE's
    std::uintptr_t end() const { return begin + bytes; }
};

// The sides of a range.
struct Side {
    bool is_written = false;
    bool is_remote = false;
    bool is_dense = true;
};

class RangeList {
  public:
    // Leaves out what is empty.
    void add(const char* name, const void* address, std::size_t bytes, const Side& side) {
        if (address == nullptr || bytes == 0) return;
        ranges_.push_back({name, reinterpret_cast<std::uintptr_t>(address), bytes, side.is_written,
                           side.is_dense, side.is_remote});
    }
    std::vector<Range> take() { return std::move(ranges_); }

  private:
    std::vector<Range> ranges_;
};

// A range for each argument; of shapes that are lists, one for each block.
std::vector<Range> ranges_of(const interpose::Call& call);

// The ranges of a collective (collective_ranges.cpp).
void add_collective(const interpose::Call& call, RangeList& ranges);

// "PE 3", or -1 where the call has no target. Counts in the world, other than `call.pe`.
int target_of(const interpose::Call& call);

}  // namespace tessera::check

// SPDX-License-Identifier: BSD-3-Clause
//
// A job without a launcher: the program gives each PE its number and the group's unique id
// (launch/group.hpp). For src/api, which knows the id as plain bytes.
#pragma once

#include <array>
#include <cstddef>

namespace tessera {

inline constexpr int kGroupPesMax = 1 << 20;
using UniqueIdBytes = std::array<unsigned char, 128>;

// Opens the meeting point of a new group in this process. Errors end the process.
UniqueIdBytes make_unique_id(const char* where);

// Whether the bytes are an id at all.
bool is_unique_id(const UniqueIdBytes& bytes);

// The next initialize() joins the group. Nothing where this process has its numbers already, from
// an earlier initialize() or from oshrun; other numbers than these end the job.
// REQUIRES: is_unique_id().
void choose_group(const UniqueIdBytes& id, int pe, int npes, const char* where);

// Whether choose_group() would have to be called before initialize().
bool needs_group(int pe, int npes, const char* where);

// Whether this PE got its number from the program.
bool is_in_group();

}  // namespace tessera

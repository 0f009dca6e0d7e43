// SPDX-License-Identifier: BSD-3-Clause
//
// Mistakes about symmetric memory, team memory and local memory: use of freed memory and of memory
// in no block, overruns, double frees, overlap of arguments, blocks that are never freed.
#pragma once

#include <string>

#include "tools/interpose/call.hpp"

namespace tessera::check {

// Collective over all PEs.
void begin_memory();

// The bytes of the live block that the call, a kFree, frees; 0: none.
std::size_t freed_bytes(const interpose::Call& call);

// Before the call: adds the red zones to what is allocated, finds the block that is freed.
void before_memory(interpose::Call& call);
void after_memory(interpose::Call& call);

// All arguments of a call lie in live objects, and do not overlap where the routine forbids it.
void check_arguments(const interpose::Call& call);

// A load or store of the program, `access.size` bytes at `access.dest` of `access.pe`, lies in a
// live block or in none.
void check_block(const interpose::Call& access, bool is_written);

// At barriers: the red zones are whole, but for those of local memory, which may have very many
// blocks. At finalization: all.
void check_zones(const interpose::Call& call);

// The end of a team frees its blocks.
void end_team_memory(const interpose::Call& call);

// At the last finalize: tells the blocks that were not freed, and forgets all.
void end_memory();

// "the block of ... + 8", "static variable x", or "0x..." for the object at an address of this PE,
// or of PE `pe`.
std::string object_at(const void* address);
std::string object_at(const void* address, int pe);

}  // namespace tessera::check

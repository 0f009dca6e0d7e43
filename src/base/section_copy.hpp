// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: copies of sections (section.hpp) within mapped memory, and to and from packed buffers.
// Elements of 1, 2, 4, 8 and 16 bytes are one load and one store each; programs may wait for words
// that a strided put writes (base/copy.hpp). Stores are ordered by what follows, as those of
// copy.hpp. THREADS: any.
#pragma once

#include "base/section.hpp"

namespace tessera {

enum class Direction : std::uint8_t { kPut, kGet };  // local to remote, remote to local

// `remote` and `local`: the addresses of the first run.
// REQUIRES: the sides do not overlap.
void copy_section(char* remote, char* local, const Section& section, Direction direction);

// The runs [first, first + count) of one side, at `base`, to or from count * run_bytes bytes.
void pack(char* packed, const char* base, const Runs& runs, std::size_t first, std::size_t count);
void unpack(char* base, const char* packed, const Runs& runs, std::size_t first, std::size_t count);

}  // namespace tessera

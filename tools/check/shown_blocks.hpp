// SPDX-License-Identifier: BSD-3-Clause
//
// The blocks of team memory and local memory of each PE, where other PEs read them: members of
// other teams, and PEs that got a global pointer, put to blocks that they have not allocated. The
// list lies in team memory, at the same place on all PEs, and holds places relative to itself.
//
// THREADS: one at a time writes; other PEs read meanwhile. An entry's `begin` is written last, and
// is 0 while the entry is free.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tools/check/blocks.hpp"

namespace tessera::check {

class ShownBlocks {
  public:
    // Collective over all PEs. Without team memory for the list nothing is known of other PEs.
    void open();
    void close() { list_ = nullptr; }

    // This PE's own. Blocks beyond the length of the list make it incomplete.
    void add(const Block& block);
    void remove(const Block& block);

    enum class Answer : std::uint8_t { kUnknown, kNone, kBlock };
    struct Found {
        Answer answer = Answer::kUnknown;
        std::uintptr_t begin = 0;  // start of the block, as an address of this PE
        std::size_t bytes = 0;
    };
    // The live block of PE `pe` that the byte lies in. `address` is one of this PE.
    // COST: two gets, the second one as long as the list of that PE.
    Found find(std::uintptr_t address, int pe) const;

  private:
    struct List;
    List* list_ = nullptr;
};

}  // namespace tessera::check

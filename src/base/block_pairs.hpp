// SPDX-License-Identifier: BSD-3-Clause
//
// Two lists of blocks that hold the same bytes in the same order, and cut them differently: the
// shape of an indexed transfer. BlockPairs goes through the pieces that are contiguous on both
// sides. Used by core, and by transports. THREADS: each object one at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace tessera {

// Layout of shmemx_block_t (include/shmemx/strided.h); core checks that they are the same.
struct Block {
    std::ptrdiff_t offset;
    std::size_t bytes;
};

class BlockPairs {
  public:
    struct Piece {
        std::ptrdiff_t remote;
        std::ptrdiff_t local;
        std::size_t bytes;
    };

    // REQUIRES: both lists have the same number of bytes, and outlive the object.
    BlockPairs(std::span<const Block> remote, std::span<const Block> local)
        : remote_{remote}, local_{local} {
        skip();
    }

    bool is_at_end() const { return remote_.rest.empty(); }
    // REQUIRES of both: not at the end.
    Piece piece() const {
        return {remote_.at(), local_.at(), std::min(remote_.bytes(), local_.bytes())};
    }
    void advance() {
        const std::size_t bytes = piece().bytes;
        remote_.used += bytes;
        local_.used += bytes;
        skip();
    }

  private:
    struct Side {
        std::span<const Block> rest;
        std::size_t used = 0;  // bytes of its first block

        std::ptrdiff_t at() const {
            return rest.front().offset + static_cast<std::ptrdiff_t>(used);
        }
        std::size_t bytes() const { return rest.front().bytes - used; }
        void skip() {
            while (!rest.empty() && bytes() == 0) {
                rest = rest.subspan(1);
                used = 0;
            }
        }
    };
    void skip() {
        remote_.skip();
        local_.skip();
    }
    Side remote_;
    Side local_;
};

}  // namespace tessera

// SPDX-License-Identifier: BSD-3-Clause
//
// A copy between two PEs of a node, or two places of one, in pieces that any process of the node
// can do: the job of the rings of heap/offload_board.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/section.hpp"

namespace tessera::heap {

// `pid` 0: an offset in the heap file; else an address in the memory of that process.
struct ProcessAddress {
    std::uint64_t address = 0;
    std::int32_t pid = 0;
};

// Runs of bytes in up to two dimensions, and the update of a signal behind them. With ndims 0 the
// copy is one run; else strides are those of the normal form (base/section.hpp).
struct NodeCopy {
    enum class Signal : std::uint32_t { kNone, kSet, kAdd };
    static constexpr int kDimensionsMax = 2;

    std::uint64_t from = 0;  // offset of a ProcessAddress
    std::uint64_t to = 0;
    std::int32_t from_pid = 0;
    std::int32_t to_pid = 0;
    std::uint64_t run_bytes = 0;  // > 0
    std::uint64_t extents[kDimensionsMax] = {};
    std::int64_t from_strides[kDimensionsMax] = {};
    std::int64_t to_strides[kDimensionsMax] = {};
    std::uint64_t signal_word = 0;  // offset in the heap file
    std::uint64_t signal_value = 0;
    std::uint64_t sleeper = 0;  // offset in the node file of the Sleeper of the signal's PE
    Signal signal = Signal::kNone;
    std::int32_t ndims = 0;

    // The units of which pieces consist: bytes of the one run, or rows, the indices of the outer
    // dimension.
    std::uint64_t units() const { return ndims == 0 ? run_bytes : extents[ndims - 1]; }
    std::uint64_t bytes() const {
        std::uint64_t product = run_bytes;
        for (int i = 0; i < ndims; ++i) product *= extents[i];
        return product;
    }
};

// The cut of a copy into at most `pieces_max` pieces. A PE that comes to wait copies what is left,
// and waits for the piece in a helper's hands: for 3 us (64 KiB) to 100 us (1 MiB).
class Pieces {
  public:
    static constexpr int kShiftMin = 16;
    static constexpr int kShiftMax = 20;

    Pieces(const NodeCopy& copy, std::uint64_t pieces_max) : units_(copy.units()) {
        const std::uint64_t unit_bytes = copy.ndims == 0 ? 1 : copy.bytes() / units_;
        // Four to eight pieces, unless these are too short or too long.
        const int shift =
            std::clamp(static_cast<int>(std::bit_width(copy.bytes())) - 3, kShiftMin, kShiftMax);
        const std::uint64_t usual = (std::uint64_t{1} << shift) / unit_bytes;
        of_piece_ = std::max({std::uint64_t{1}, usual, (units_ + pieces_max - 1) / pieces_max});
    }
    std::uint64_t count() const { return (units_ + of_piece_ - 1) / of_piece_; }
    std::uint64_t first_unit(std::uint64_t piece) const { return piece * of_piece_; }
    std::uint64_t units(std::uint64_t piece) const {
        return std::min(of_piece_, units_ - first_unit(piece));
    }

  private:
    std::uint64_t units_;
    std::uint64_t of_piece_ = 0;
};

// The files of the node as this process maps them.
struct NodeMaps {
    char* node = nullptr;
    char* heaps = nullptr;
};

// Copies a piece between the two places as this process maps them. `pieces_max`: of the ring.
void copy_piece_between(char* to, const char* from, const NodeCopy& copy, std::uint64_t piece,
                        std::uint64_t pieces_max);

// The same by a process that maps the heap file, through the kernel where memory is private.
// REQUIRES: ndims is 0 where a side is private. A process that is gone needs nothing.
// RETURNS: error 0, or the errno of the kernel's refusal, and what it refused.
struct Refusal {
    int error = 0;
    bool is_read = false;
    ProcessAddress place{};
    std::uint64_t bytes = 0;
};
Refusal copy_piece_of_node(const NodeCopy& copy, std::uint64_t piece, std::uint64_t pieces_max,
                           const NodeMaps& maps);

// Behind all pieces. Seq_cst: the target sees the word, or this process sees that it sleeps. Pairs
// with base/wait.cpp:sleep_on.
void send_signal(const NodeCopy& copy, const NodeMaps& maps);

// Whether this process can read memory of another one: the number that it has there.
bool can_read(const ProcessAddress& place, std::uint64_t number);

}  // namespace tessera::heap

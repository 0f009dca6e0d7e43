// SPDX-License-Identifier: BSD-3-Clause
//
// Which way a section takes between nodes: packed into messages that the owner's CPU unpacks (for a
// get: packs), or by operations of the provider, several runs to each. The cheaper one by a model
// of both. The times are nanoseconds, measured with tcp;ofi_rxm and net; the choice depends on
// their ratios only (docs/measurements/runtime-layer.md). THREADS: any.
#pragma once

#include <algorithm>
#include <cstddef>

#include "transports/ofi/message_runs.hpp"

namespace tessera::ofi {

// A message of a packet: to hand it to the provider, to receive it, and to acknowledge it.
inline constexpr double kPacketNs = 5000;
// Each byte of it is packed and unpacked.
inline constexpr double kPackedByteNs = 0.5;
// An operation of the provider, with several pieces, and its completion.
inline constexpr double kOperationNs = 4500;
// Longer runs are operations of their own.
inline constexpr std::size_t kVectorRunBytesMax = std::size_t{64} << 10;

struct SectionWork {
    std::size_t runs;
    std::size_t run_bytes;
    int ndims;
    std::size_t packet_bytes;
};

inline double packed_ns(const SectionWork& work) {
    const std::size_t at_once = runs_per_message(work.run_bytes, work.ndims, work.packet_bytes);
    const auto packets = static_cast<double>((work.runs + at_once - 1) / at_once);
    const auto bytes = static_cast<double>(work.runs) * static_cast<double>(work.run_bytes);
    return packets * kPacketNs + bytes * kPackedByteNs;
}

// `pieces`: runs to an operation.
inline double operations_ns(const SectionWork& work, std::size_t pieces) {
    return static_cast<double>((work.runs + pieces - 1) / pieces) * kOperationNs;
}

inline bool goes_packed(const SectionWork& work, std::size_t pieces) {
    if (work.run_bytes > kScatterBytesMax ||
        runs_per_message(work.run_bytes, work.ndims, work.packet_bytes) == 0) {
        return false;
    }
    return packed_ns(work) <= operations_ns(work, pieces);
}

}  // namespace tessera::ofi

// SPDX-License-Identifier: BSD-3-Clause
//
// The description of strided memory in messages: written by the PE that transfers, read by the
// owner of the memory, which takes nothing in it for granted. Used by sections.cpp and
// message_sections.cpp.
#pragma once

#include <optional>

#include "base/section.hpp"
#include "transports/fabric_segments.hpp"
#include "transports/ofi/packet_pool.hpp"

namespace tessera::ofi {

// How many runs a message of `packet_bytes` holds besides their description, with their data. 0:
// not even one.
constexpr std::size_t runs_per_message(std::size_t run_bytes, int ndims, std::size_t packet_bytes) {
    const std::size_t described = sizeof(Header) + sizeof(RunsBody) +
                                  static_cast<std::size_t>(ndims) * 2 * sizeof(std::uint64_t);
    return (packet_bytes - described) / run_bytes;
}
static_assert(runs_per_message(1, kDimensionsMax, kPacketBytesMax) < UINT16_MAX);

// Appends the description. `position`: of run 0. REQUIRES: there is room.
void append_runs(Packet& packet, const SegmentOffset& position, const Runs& runs, std::size_t first,
                 std::size_t count);

// The runs that a message names.
struct NamedRuns {
    char* base;  // where run 0 begins
    Runs runs;   // points into the message
    std::size_t first;
    std::size_t count;
    const char* data;  // behind the description
    std::size_t data_bytes;

    std::size_t bytes() const { return count * runs.run_bytes; }
};
// nullopt: the message is nonsense, or names memory outside of the segments. `bytes`: of all of it.
std::optional<NamedRuns> named_runs(const Header& header, std::size_t bytes,
                                    const FabricSegments& segments);

}  // namespace tessera::ofi

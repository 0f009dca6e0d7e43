// SPDX-License-Identifier: BSD-3-Clause
//
// For harnesses whose threads are PEs: an internal segment of a few words.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/sleeper.hpp"
#include "locks/queue_node.hpp"

namespace tessera {

inline constexpr std::uint32_t kNodesOfHarness = 3;  // The first one is not used.

struct InternalSegment {
    QueueNode nodes[kNodesOfHarness];
    InlineLimit inline_limit;
    Sleeper sleeper;
};
inline InternalSegment& segment_of(Sleeper* sleeper) {
    return *reinterpret_cast<InternalSegment*>(reinterpret_cast<char*>(sleeper) -
                                               offsetof(InternalSegment, sleeper));
}
inline QueueNode* queue_node_of(InternalSegment& segment, std::uint32_t index) {
    return &segment.nodes[index];
}

}  // namespace tessera

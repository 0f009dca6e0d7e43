// SPDX-License-Identifier: BSD-3-Clause
//
// How much of a node's shared file each PE of the job gets for its EndpointInfo, which says how to
// reach it from another node: heap/node_file.cpp lays the table out, a fabric transport fills it.
#pragma once

#include <cstddef>

namespace tessera {

inline constexpr std::size_t kEndpointSlotBytes = 288;

}  // namespace tessera

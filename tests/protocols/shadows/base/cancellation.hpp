// SPDX-License-Identifier: BSD-3-Clause
//
// For GenMC: no thread is cancelled.
#pragma once

namespace tessera {

struct NoCancellationPoint {
    NoCancellationPoint() {}
};
struct NoCancellation {
    NoCancellation() {}
};
inline void cancellation_point() {}

}  // namespace tessera

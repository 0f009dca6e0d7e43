// SPDX-License-Identifier: BSD-3-Clause
//
// See cancellation.hpp.
#include "base/cancellation.hpp"

namespace tessera {

constinit bool may_be_cancelled = false;
constinit thread_local CancellationState cancellation_state;

}  // namespace tessera

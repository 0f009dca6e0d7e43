// SPDX-License-Identifier: BSD-3-Clause
//
// Which executable this process runs, as a number: PEs with equal numbers have their static data at
// the same offsets. Called by Node at init.
#pragma once

#include <cstdint>

namespace tessera {

// Layout and build id of the executable: the same wherever the system has loaded it.
std::uint64_t program_digest();

}  // namespace tessera

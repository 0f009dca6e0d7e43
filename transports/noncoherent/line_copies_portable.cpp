// SPDX-License-Identifier: BSD-3-Clause
//
// See line_copies.hpp: processors without stores of any bytes of a line. Copies change by words.
#include "transports/noncoherent/line_copies.hpp"

namespace tessera::noncoherent {

LineCopies line_copies(Access) { return {}; }

}  // namespace tessera::noncoherent

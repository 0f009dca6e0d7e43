// SPDX-License-Identifier: BSD-3-Clause
//
// The pSync arrays of collectives over active sets. Tessera does not use them; other libraries do,
// and a program that misuses them fails there.
#pragma once

#include "tools/interpose/call.hpp"

namespace tessera::check {

void check_sync_array(const interpose::Call& call);
// A call that orders this PE behind others ends the use of all arrays.
void note_synchronization(const interpose::Call& call);

}  // namespace tessera::check

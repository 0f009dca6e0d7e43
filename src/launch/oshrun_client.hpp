// SPDX-License-Identifier: BSD-3-Clause
//
// A PE's side of its two pipes to oshrun (base/inherited.hpp): the control pipe, which carries a
// PE's last words, and the life pipe, which ends this process when oshrun dies. Called by job.cpp.
#pragma once

#include "base/inherited.hpp"

namespace tessera::launch {

// The beginning of oshrun's PMIx namespace; it distinguishes oshrun's PMIx variables from others'.
inline constexpr const char* kOshrunNamespacePrefix = "tessera-oshrun-";

// Writes one ControlMessage. oshrun reads it before it looks at how this process ended.
// REQUIRES: inherited() is not nullptr. THREADS: any.
void tell_oshrun(ControlMessage::Kind kind, int code);

// From now on the kernel kills this process when oshrun is gone, however oshrun ended. Covers PEs
// below a wrapper (oshrun -n 2 sh -c './a.out'), which a parent-death signal does not reach.
// COST: five system calls, once; later calls do nothing.
void die_with_oshrun(const Inherited& job);

}  // namespace tessera::launch

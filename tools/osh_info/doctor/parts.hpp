// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of the doctor that run as programs of their own (osh_info --doctor-part PART), each
// because it may fail in a way that ends the process. See doctor.hpp.
#pragma once

namespace tessera::osh_info {

// First words of the lines that PE 0 of the self test of the hosts prints:
//   doctor-reached HOST ADDRESS             it has taken part
//   doctor-clock   HOST SECONDS             its clock is ahead of PE 0's
//   doctor-blocked FROM TO ADDRESS REASON   no connection in this direction
inline constexpr const char* kReachedWord = "doctor-reached";
inline constexpr const char* kClockWord = "doctor-clock";
inline constexpr const char* kBlockedWord = "doctor-blocked";

// One PE of the self test, which a launcher has started. RETURNS: the exit status.
int run_connections();

}  // namespace tessera::osh_info

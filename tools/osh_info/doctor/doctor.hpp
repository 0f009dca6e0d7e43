// SPDX-License-Identifier: BSD-3-Clause
//
// osh_info --doctor: looks for everything that makes starts fail, and says what to do about it.
// Called by main.cpp; docs/run/doctor.md explains the checks.
#pragma once

#include <string>

#include "settings/config.hpp"

namespace tessera::osh_info {

// `npes` 0: one for each usable core. RETURNS: the exit status, 1 if there is a problem.
int run_doctor(const Config& config, const std::string& hosts, int npes);

// The rest of the doctor's own jobs: osh_info --doctor-part PART runs as a child of the doctor.
// "pe": one PE; "fabric": the choice of the network; "connections": the self test of the hosts;
// "fabric-check=NAME": a check of fabric_check.hpp.
int run_doctor_part(const std::string& part);

}  // namespace tessera::osh_info

// SPDX-License-Identifier: BSD-3-Clause
//
// Which launcher would start the job that the doctor is asked about, by oshrun's own choice. Used
// by the checks of launchers, networks and trials.
#pragma once

#include <string>
#include <vector>

#include "tools/osh_info/doctor/finding.hpp"
#include "tools/oshrun/launcher_choice.hpp"

namespace tessera::osh_info {

// The hosts that the user names, or `error`: the complaint about the list.
std::vector<oshrun::Host> hosts_of(const Subject& subject, std::string& error);

// The launcher, or `error`: the complaint of oshrun.
oshrun::Launcher launcher_of(const Subject& subject, std::string& error);

// Hosts of the Slurm allocation that this process is in; 0: it is in none.
int hosts_of_allocation();

// Whether the user names hosts, or is in an allocation of several.
bool is_for_several_hosts(const Subject& subject);

// A finding that stops jobs on several hosts and no others: a problem if the user wants such a job,
// else a note.
Finding hosts_problem(const Subject& subject, std::string text, std::string remedy);

}  // namespace tessera::osh_info

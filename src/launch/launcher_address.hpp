// SPDX-License-Identifier: BSD-3-Clause
//
// The address of this host that leads to the launcher. Where a host has several networks, the
// network between the launcher and its processes certainly connects the hosts. Used by the fabric
// transport through core.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tessera::launch {

// This host's IPv4 address towards the launcher: "10.99.0.1"; "127.0.0.1" if the whole job is on
// this host; "" if nothing is known. COST: three system calls for each address of the launcher.
std::string launcher_address(bool is_one_host);

// The IPv4 addresses of the launcher, best first, from the variables that launchers set.
// `lookup` gives the value of a variable, or nullptr.
std::vector<std::string> launcher_addresses(
    const std::function<const char*(const char* name)>& lookup);

}  // namespace tessera::launch

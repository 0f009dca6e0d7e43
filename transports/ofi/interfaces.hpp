// SPDX-License-Identifier: BSD-3-Clause
//
// The address of this host, and the network card, that a PE uses. Providers list interfaces in an
// order of their own and bind the first one, so the PE chooses.
#pragma once

#include <sched.h>

#include <span>
#include <string>
#include <string_view>

namespace tessera::ofi {

// The IPv4 address of this host that `hint` names: an interface ("eth0"), a network ("10.1.0.0/16")
// or the address itself. Without a hint `otherwise`; without that the first address that is not
// the loopback's, or 127.0.0.1. Ends the job, with the list of interfaces, when there is no such.
std::string choose_address(const std::string& hint, const std::string& otherwise);

// True if `address` ("10.1.2.3") lies in `network` ("10.1.0.0/16"; without the slash: equals).
bool is_in_network(const std::string& address, std::string_view network);

// The number of processors of `usable` next to the PCI device "0000:3b:00.0". `devices` is the
// folder in which the kernel describes devices.
int local_processors(const std::string& pci_device, const cpu_set_t& usable,
                     const std::string& devices = "/sys/bus/pci/devices");

// How many of `usable` the list "0-3,8,10-11" names.
int count_listed(const std::string& list, const cpu_set_t& usable);

}  // namespace tessera::ofi

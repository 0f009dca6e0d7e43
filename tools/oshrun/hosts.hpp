// SPDX-License-Identifier: BSD-3-Clause
//
// The hosts that the user names with --host and --hostfile, in the notation of mpirun. Called by
// options.cpp. Errors come back as text.
#pragma once

#include <string>
#include <vector>

namespace tessera::oshrun {

struct Host {
    std::string name;
    int slots = 0;  // PEs that the user wants there; 0: not given
};

// Adds "a,b:2,c:4"; slots of a repeated name are added up. RETURNS: "" or the complaint.
std::string add_hosts(const std::string& list, std::vector<Host>& hosts);

// Adds the lines of a host file: "a", "b:2", "c slots=4"; "#" begins a comment. RETURNS: "" or the
// complaint.
std::string add_host_file(const std::string& path, std::vector<Host>& hosts);

// "a,b:2,c:4".
std::string host_list(const std::vector<Host>& hosts);

// The hosts of `npes` PEs, one after another: every host gets as many as it has slots (at least
// one); when all slots are taken, the list begins again with the first host. With `in_turn` each
// host gets one at a time. npes of 0: as many as there are slots.
std::vector<std::string> hosts_of_pes(const std::vector<Host>& hosts, int npes, bool in_turn);

}  // namespace tessera::oshrun

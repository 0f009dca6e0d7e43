// SPDX-License-Identifier: BSD-3-Clause
//
// The parameters of the cost model as a file: osh_tune writes it, the first collective of a team
// reads it. A line each: a name of model.hpp and its value in seconds or bytes; # begins a comment.
// Behind a line "fabric NAME" are those of that libfabric provider, up to the next such line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "collectives/model.hpp"

namespace tessera::collectives {

// Where osh_tune writes, and what is read first unless SHMEM_PROFILE names another:
// ~/.config/tessera/HOST.profile; "" without a home.
std::string own_profile_path();

// The machine of the profile that counts here, or the defaults, and where they come from.
struct Profile {
    MachineParameters machine;
    std::string origin;  // a path, or "no profile: defaults"
};
// `provider`: the job's; "": takes the first fabric of the file. A file that is named and cannot be
// read, or that has a line that is no parameter, ends the job.
Profile load_profile(std::size_t cache_bytes, std::string_view provider);

// RETURNS: "" or what is wrong with the text, as "line 3: ...". Names that are missing keep what
// `machine` has.
std::string parse_profile(const std::string& text, std::string_view provider,
                          MachineParameters& machine);

// The parameters between nodes of `machine` are those of `provider`.
struct FabricParameters {
    std::string provider;
    MachineParameters machine;
};
// Without the size of the cache, which the library asks the machine for.
std::string print_profile(const MachineParameters& machine,
                          const std::vector<FabricParameters>& fabrics);

}  // namespace tessera::collectives

// SPDX-License-Identifier: BSD-3-Clause
//
// The parameters of the cost model as a file: osh_tune writes it; the first collective of a team
// reads it, and init where there are helpers. Each line has a name of model.hpp and its value in
// seconds or bytes; # begins a comment. Behind a line "fabric NAME" are the values of that
// libfabric provider, up to the next such line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "collectives/model.hpp"

namespace tessera::collectives {

// The file that osh_tune writes, and that the library reads first unless SHMEM_PROFILE names
// another: ~/.config/tessera/HOST.profile; "" without a home.
std::string own_profile_path();

// The parameters of the profile that applies here, or the defaults, and their origin.
struct Profile {
    MachineParameters machine;
    std::string origin;  // a path, or "no profile: defaults"
};
// `provider`: the job's; "": takes the first fabric of the file. The job ends if a file that
// SHMEM_PROFILE names cannot be read, or has a line that is no parameter.
Profile load_profile(std::size_t cache_bytes, std::string_view provider);

// RETURNS: "" or the error in the text, as "line 3: ...". Parameters that the text does not name
// keep their values in `machine`.
std::string parse_profile(const std::string& text, std::string_view provider,
                          MachineParameters& machine);

// The parameters between nodes of `machine` are those of `provider`.
struct FabricParameters {
    std::string provider;
    MachineParameters machine;
};
// Without the size of the cache, which the library finds out itself, and the size for helpers where
// it was not measured.
std::string print_profile(const MachineParameters& machine,
                          const std::vector<FabricParameters>& fabrics);

}  // namespace tessera::collectives

// SPDX-License-Identifier: BSD-3-Clause
//
// The only access to the process environment. Users' settings (SHMEM_*) are read through the table
// in settings/config.cpp; these functions are for that table and for variables of launchers
// (PMIX_*, TESSERA_JOB).
#pragma once

namespace tessera {

// Value of an environment variable, or nullptr when it is not set. The pointer stays valid until
// the program changes its environment.
const char* environment(const char* name);

// All of it: "NAME=value" entries, ending with nullptr.
const char* const* environment_entries();

}  // namespace tessera

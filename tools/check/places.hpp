// SPDX-License-Identifier: BSD-3-Clause
//
// Names of places and objects of this process, by tools/call_sites.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace tessera::check {

// Whether the call that returns to `site` is one of a runtime of this project, DART or coarrays.
bool is_of_runtime_at(const void* site);

// A static variable that an address lies in.
struct Variable {
    std::string text;        // "flags+8"
    std::size_t offset = 0;  // of the address in it
    std::size_t bytes = 0;   // of the variable
};
std::optional<Variable> variable_at(const void* address);

}  // namespace tessera::check

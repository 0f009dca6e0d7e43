// SPDX-License-Identifier: BSD-3-Clause
//
// Names of places and objects of this process, by tools/call_sites.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "tools/interpose/call.hpp"

namespace tessera::check {

// "main (heat.c:40)": the line of the call that returns to `site`.
std::string place_of(const void* site);

// Sets `caller`. Of a call that a runtime makes, `site` becomes that of the program's statement,
// but for those calls that only ask.
// REQUIRES: the thread is in the call.
void find_caller(interpose::Call& call);

// A static variable that an address lies in.
struct Variable {
    std::string text;        // "flags+8"
    std::size_t offset = 0;  // place of the address in it
    std::size_t bytes = 0;   // size of the variable
};
std::optional<Variable> variable_at(const void* address);

}  // namespace tessera::check

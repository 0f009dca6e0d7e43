// SPDX-License-Identifier: BSD-3-Clause
//
// Sites of loads and stores as other PEs read them. A program has thousands, and a look into the
// debug information takes long, so a PE writes the place in the program's file; the PE that reports
// a race looks the line up.
#pragma once

#include <string>

#include "tools/interpose/call.hpp"

namespace tessera::check::race {

// For the table of sites (store.hpp).
std::string pack_site(const interpose::Call& call);

// "a store at main (heat.c:40)". Text that pack_site() has not made stays as it is.
std::string unpack_site(const std::string& text);

}  // namespace tessera::check::race

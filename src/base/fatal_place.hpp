// SPDX-License-Identifier: BSD-3-Clause
//
// Where the program's own code stands, for the messages of fatal() (fatal.hpp). The base knows no
// program; session/call_place.cpp does.
#pragma once

#include <cstddef>

namespace tessera {

// Writes "called by main (heat.c:12)" to `text`; "" where that is not known. fatal() and
// fatal_lost_peer() ask for it, and put it behind their message as a second line.
using FatalPlace = void (*)(char* text, std::size_t bytes);
void set_fatal_place(FatalPlace place);

}  // namespace tessera

// SPDX-License-Identifier: BSD-3-Clause
//
// The part of share_test that deals with children: those that fork() makes, and other programs.
#pragma once

#include "peers.hpp"

namespace static_test {

// How many children of check_forked_children() end with exit() and so run static destructors.
inline constexpr int kExitingChildren = 2;

// A child works on its own copy of the static data, the parent goes on sharing.
void check_forked_children(Peers& peers);

// system(), popen(), posix_spawn() and vfork() leave the data shared and pass on no descriptor.
void check_started_programs(const char* own_path);

// A program that a PE has started finds that it is not a PE.
[[noreturn]] void be_a_grandchild();

}  // namespace static_test

// SPDX-License-Identifier: BSD-3-Clause
//
// Makes hammers.cpp, built as a shared library, start its threads before any constructor of the
// main program. Used by early_test.cpp.
#include "hammers.hpp"

namespace {

[[gnu::constructor]] void start() { static_test::start_hammering(false); }

}  // namespace

// SPDX-License-Identifier: BSD-3-Clause
//
// The values of SHMEM_STATIC_DATA: how other PEs of the node reach static data of the program.
// Two readers look at the variable: a constructor of the library before main (static_data.cpp), and
// the table of settings (settings/config.cpp), which reports a bad value.
#pragma once

#include <cstdint>
#include <string_view>

namespace tessera {

enum class StaticDataMode : std::uint8_t { kShared, kCma };
inline constexpr std::string_view kStaticDataModeNames[] = {"shared", "cma"};

}  // namespace tessera

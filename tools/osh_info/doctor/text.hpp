// SPDX-License-Identifier: BSD-3-Clause
//
// Texts that several of the doctor's checks make.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace tessera::osh_info {

// "1.5 GiB", "64.0 KiB".
inline std::string size_text(std::uint64_t bytes) {
    constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB"};
    double value = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
    char text[32];
    std::snprintf(text, sizeof text, "%.1f %s", value, kUnits[unit]);
    return text;
}

// "1 PE", "4 PEs".
inline std::string pes_text(int npes) {
    return std::to_string(npes) + (npes == 1 ? " PE" : " PEs");
}

}  // namespace tessera::osh_info

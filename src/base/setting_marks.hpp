// SPDX-License-Identifier: BSD-3-Clause
//
// The settings that PEs compare, so that a message can name a difference: a byte for each variable
// that must agree, in the order of settings/config.cpp's table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tessera {

inline constexpr std::size_t kSettingMarks = 40;
using SettingMarks = std::array<std::uint8_t, kSettingMarks>;

}  // namespace tessera

// SPDX-License-Identifier: BSD-3-Clause
//
// The environment variables that one fabric alone reads. Each fabric's folder has its rows in
// settings.cpp; settings/config.cpp puts them into the one table that osh_info prints. A fabric
// asks for its values by FabricSetup::setting() and takes them apart itself. Linked into oshrun and
// osh_info without the fabrics.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace tessera {

struct FabricSetting {
    std::string_view name;
    bool is_switch = false;  // "on" or "off"; else any text
    std::string_view initial = {};
    bool must_agree = false;  // must have the same value on all PEs
    std::string_view default_text = {};
    std::string_view help;
};

inline constexpr std::size_t kFabricSettingsMax = 16;

// The rows of all fabrics, in the order of fabric_list.hpp; at most kFabricSettingsMax.
std::span<const FabricSetting> fabric_settings();

// The number of the row of this name. REQUIRES: there is one.
std::size_t fabric_setting_index(std::string_view name);

}  // namespace tessera

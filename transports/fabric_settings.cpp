// SPDX-License-Identifier: BSD-3-Clause
//
// See fabric_settings.hpp.
#include "transports/fabric_settings.hpp"

#include <algorithm>
#include <vector>

#include "base/fatal.hpp"
#include "transports/fabric_list.hpp"

namespace tessera {

// Each in the settings.cpp of its folder.
#define DECLARE_SETTINGS(NAME)                             \
    namespace NAME {                                       \
    extern const std::span<const FabricSetting> kSettings; \
    }
TESSERA_FABRICS(DECLARE_SETTINGS)
#undef DECLARE_SETTINGS

namespace {

std::vector<FabricSetting> collect() {
    std::vector<FabricSetting> rows;
    auto add = [&rows](std::span<const FabricSetting> more) {
        rows.insert(rows.end(), more.begin(), more.end());
    };
#define ADD_SETTINGS(NAME) add(NAME::kSettings);
    TESSERA_FABRICS(ADD_SETTINGS)
#undef ADD_SETTINGS
    if (rows.size() > kFabricSettingsMax) fatal("raise kFabricSettingsMax");
    return rows;
}

}  // namespace

std::span<const FabricSetting> fabric_settings() {
    static const std::vector<FabricSetting>& rows = *new std::vector(collect());
    return rows;
}

std::size_t fabric_setting_index(std::string_view name) {
    const std::span<const FabricSetting> rows = fabric_settings();
    const auto row = std::ranges::find(rows, name, &FabricSetting::name);
    if (row == rows.end()) fatal("%s is no setting of a fabric", name.data());
    return static_cast<std::size_t>(row - rows.begin());
}

}  // namespace tessera

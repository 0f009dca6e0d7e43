// SPDX-License-Identifier: BSD-3-Clause
//
// The environment variables of transports/sim, under both of its names: it has none
// (transports/fabric_settings.hpp).
#include "transports/fabric_settings.hpp"

namespace tessera::sim {
extern const std::span<const FabricSetting> kSettings;
const std::span<const FabricSetting> kSettings{};
}  // namespace tessera::sim
namespace tessera::loopback {
extern const std::span<const FabricSetting> kSettings;
const std::span<const FabricSetting> kSettings{};
}  // namespace tessera::loopback

// SPDX-License-Identifier: BSD-3-Clause
//
// See fabric_outlook.hpp.
#include "settings/fabric_outlook.hpp"

#include "launch/launcher_address.hpp"
#include "settings/config.hpp"

namespace tessera {

FabricOutlook fabric_outlook() {
    FabricSetup setup;
    setup.address = launch::launcher_address(false);
    setup.values = fabric_setting;
    return look_at_fabric(fabric_choice_name(), setup);
}

}  // namespace tessera

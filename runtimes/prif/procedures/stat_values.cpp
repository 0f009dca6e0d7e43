// SPDX-License-Identifier: BSD-3-Clause
//
// The constants of the compiler (stat_values.hpp).

#include "procedures/stat_values.hpp"

#include "core/report.hpp"

namespace tessera::prif {
namespace {

StatValues constants;

}  // namespace

void set_stat_values(const StatValues& values) { constants = values; }

int value_of(int code) {
    switch (code) {
        case caf::kFailedImage: return constants.failed;
        case caf::kStoppedImage: return constants.stopped;
        case caf::kLocked: return constants.locked;
        case caf::kLockedOtherImage: return constants.locked_other_image;
        case caf::kNotLocked: return constants.unlocked;
        case caf::kUnlockedFailedImage: return constants.unlocked_failed_image;
        case caf::kNoMemory: return constants.out_of_memory;
        case caf::kAlreadyStarted: return constants.already_init;
        default: return code;
    }
}

}  // namespace tessera::prif

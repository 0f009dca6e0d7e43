// SPDX-License-Identifier: BSD-3-Clause
//
// The values of SHMEM_PROGRESS, by which processes and threads move data while a PE computes
// (docs/run/progress.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tessera {

enum class Progress : std::uint8_t { kAuto, kThread, kHelpers, kNone };

struct ProgressMode {
    Progress kind = Progress::kAuto;
    std::uint32_t helpers = 0;  // helpers of each node; kHelpers: at least 1
    bool is_forced = false;     // also where PEs leave them no core
    bool operator==(const ProgressMode&) const = default;
};

inline constexpr std::uint32_t kHelpersMax = 64;
inline constexpr std::string_view kProgressText =
    "auto, thread, none, or helpers, helpers:N (N from 1 to 64, default 1), with ! at the end for "
    "helpers that may share cores with PEs";

std::optional<ProgressMode> parse_progress(std::string_view text);
std::string print_progress(const ProgressMode& mode);

}  // namespace tessera

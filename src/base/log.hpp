// SPDX-License-Identifier: BSD-3-Clause
//
// SHMEM_LOG: one line on stderr per event, for the subsystems that the user named. Silent by
// default. Lies in base so that every folder and every transport can use it; settings/config.cpp
// sets the choice when it has read the environment, before that nothing is logged. Not for hot
// paths: guard costly arguments with log_enabled().
#pragma once

#include <cstdint>
#include <string_view>

namespace tessera {

// A new subsystem is one enumerator and one name, in the same order.
enum class Subsystem : std::uint32_t { kSetup, kLaunch, kHeap, kFabric, kCollectives };
inline constexpr std::string_view kSubsystemNames[] = {"setup", "launch", "heap", "fabric",
                                                       "collectives"};

struct SubsystemSet {
    std::uint32_t bits = 0;

    constexpr bool has(Subsystem subsystem) const {
        return (bits >> static_cast<std::uint32_t>(subsystem) & 1U) != 0;
    }
    constexpr void add(Subsystem subsystem) { bits |= 1U << static_cast<std::uint32_t>(subsystem); }
    bool operator==(const SubsystemSet&) const = default;
};

// THREADS: written once, by the thread that loads the configuration.
extern SubsystemSet log_subsystems;

inline bool log_enabled(Subsystem subsystem) { return log_subsystems.has(subsystem); }

// Writes "[pe 3] heap: <message>\n" in one write if `subsystem` is enabled.
// THREADS: any.
void log(Subsystem subsystem, const char* format, ...) __attribute__((format(printf, 2, 3), cold));

}  // namespace tessera

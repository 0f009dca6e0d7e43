// SPDX-License-Identifier: BSD-3-Clause
//
// Coarray programs and programs of DART: the statement that an image is in, in the words of
// Fortran, and its current team.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/call_sites/call_sites.hpp"

namespace tessera::osh_hang {

inline constexpr int kImagesMax = 1 << 20;

// Facts from an image's process (runtimes/caf/core/hang_note.hpp).
struct Image {
    std::uint64_t arrived = 0;  // address of the words of sync images
    std::vector<int> team;      // PEs of the current team
};
std::optional<Image> read_image(call_sites::Process& process, pid_t pid);

// "sync all" for _gfortran_caf_sync_all; other names stay as they are.
std::string statement_of(const std::string& routine);
// Whether the routine is one of a runtime, and not of OpenSHMEM.
bool is_of_runtime(const std::string& routine);

// Whether the statement is collective over the images of a team.
bool is_collective(const std::string& statement);

}  // namespace tessera::osh_hang

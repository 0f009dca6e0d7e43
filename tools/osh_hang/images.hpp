// SPDX-License-Identifier: BSD-3-Clause
//
// Coarray programs and programs of DART: the statement that an image is in, in the words of
// Fortran, the images that it waits for, and the coarray at an address.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/call_sites/call_sites.hpp"

namespace tessera::osh_hang {

struct Snapshot;

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

// The PEs that an image waits for: the partner of sync images; for a statement that is collective
// over a team, its images that are in none.
std::vector<int> awaited_by(const Snapshot& image, const std::vector<Snapshot>& pes);

// "ev", "ev+8": the coarray that holds the byte of the symmetric heap; "": not known. The compiler
// keeps the address of a coarray in a static variable with the coarray's name.
std::string coarray_at(const Snapshot& pe, std::uint64_t address);

}  // namespace tessera::osh_hang

// SPDX-License-Identifier: BSD-3-Clause
//
// The facts about an image that a report on a hang needs beside its stack. osh_hang finds the
// object by its name in the image's memory. Includes nothing of the runtime.

#pragma once

#include <cstdint>

namespace tessera::caf {

struct HangNote {
    // The words that sync images waits at, one for each PE (image_state.cpp).
    const std::uint64_t* arrived;
    // The current team: its images are the PEs of the list or, without one, every `pe_stride`th PE
    // from `first_pe` on.
    const int* pes;
    std::int32_t images;
    std::int32_t first_pe;
    std::int32_t pe_stride;
};

}  // namespace tessera::caf

// In the name space of gfortran's library, as all that the library exports.
extern "C" __attribute__((visibility("default"))) tessera::caf::HangNote _gfortran_caf_hang_note;
#define TESSERA_CAF_HANG_NOTE "_gfortran_caf_hang_note"

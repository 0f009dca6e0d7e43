// SPDX-License-Identifier: BSD-3-Clause
//
// random_init of Fortran 2018, 16.9.155, over libgfortran's generator.

#pragma once

namespace tessera::caf {

// is_repeatable      the same sequence in each run of the program; else another one each time.
// is_image_distinct  another sequence on each image; else the same on all. Then, without
//                    is_repeatable, the call is collective over the current team.
void random_init(bool is_repeatable, bool is_image_distinct);

}  // namespace tessera::caf

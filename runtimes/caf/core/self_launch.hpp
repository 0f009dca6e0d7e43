// SPDX-License-Identifier: BSD-3-Clause
//
// A coarray program that is started as a command, without a launcher: SHMEM_NUM_IMAGES=4 ./a.out
// runs 4 images on this host.

#pragma once

namespace tessera::caf {

// If SHMEM_NUM_IMAGES is set and no launcher has started the process, replaces the process by
// `oshrun -n SHMEM_NUM_IMAGES` with the program and its arguments. RETURNS when: there is nothing
// to launch. ERRORS: a value that is no number of images, and a missing oshrun, end the process
// with a message and exit code 1.
void launch_images_if_wanted();

}  // namespace tessera::caf

// SPDX-License-Identifier: BSD-3-Clause
//
// The end of an image: normal termination (end program, stop), failure (fail image), and exit()
// without any of them. Error termination: report.hpp.

#pragma once

namespace tessera::caf {

// Called by initialize(): exit(0) without end program counts as normal termination. With another
// code the launcher ends all images.
void watch_exit();

// Initiates normal termination. RETURNS when: all images have stopped or failed, and OpenSHMEM is
// finalized. Does nothing the second time.
void terminate_normally();

// stop: terminate_normally(), then exit(code).
[[noreturn]] void stop_image(int code);

// fail image: this image takes no further part. The process serves its memory until the other
// images have ended, then ends with exit code 0.
[[noreturn]] void fail_image();

// Fortran 2018, 11.4: stop and error stop print which floating-point exceptions are signaling.
void report_exceptions();

}  // namespace tessera::caf

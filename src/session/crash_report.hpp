// SPDX-License-Identifier: BSD-3-Clause
//
// A PE that crashes (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) prints the calls that it was in, and
// then dies by the same signal, as it would have done (docs/run/reporting.md). Signals that the
// program, a sanitizer or the Fortran runtime handles stay as they are: init takes those alone that
// have no handler, and the program may take them later.
#pragma once

namespace tessera {

// Called at the start of init. SHMEM_BACKTRACE=0: does nothing. COST: ten system calls, and an
// alternate stack for the calling thread if it has none: a stack overflow is a crash, too.
void watch_for_crashes();

}  // namespace tessera

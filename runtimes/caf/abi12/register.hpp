// SPDX-License-Identifier: BSD-3-Clause
//
// The part of an allocatable coarray's descriptor that `register` keeps.

#pragma once

#include "core/coarray.hpp"

namespace tessera::caf {

// The bounds of an allocatable coarray. The compiler sets them behind `register`, so the first
// image control statement, or the first call here, reads them. NULL: a scalar, or a coarray that
// is not allocatable.
const Bounds* bounds_of(Coarray& coarray);

// The compiler executes sync all, without stat=, behind each allocation, even behind one that has
// told by stat= of an image that is gone. That sync all is to tell of nothing more.
void ignore_status_of_next_sync_all();

// gfortran 12 executes sync all behind the allocation of a scalar component of type class(...),
// too, which images need not do together: the next sync all without stat= does nothing.
// is_skipped false: takes that back, because the statement has allocated a coarray as well.
void skip_next_sync_all(bool is_skipped);

}  // namespace tessera::caf

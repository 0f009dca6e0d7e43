// SPDX-License-Identifier: BSD-3-Clause
//
// Places in the program (include/shmemx/places.h).
#include "shmemx/places.h"

#include "api/entry.hpp"
#include "session/call_place.hpp"

SHMEM_ENTRY(void, shmemx_call_place, char* text, size_t bytes) {
    tessera::find_call_place(text, bytes);
}

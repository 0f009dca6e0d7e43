// SPDX-License-Identifier: BSD-3-Clause
//
// <shmem.h> at its older place, deprecated since OpenSHMEM 1.1 and still required (Annex F).

#include "../shmem.h"

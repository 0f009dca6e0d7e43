// SPDX-License-Identifier: BSD-3-Clause
//
// <pshmem.h> at its older place, deprecated since OpenSHMEM 1.1 and still required (Annex F).

#include "../pshmem.h"

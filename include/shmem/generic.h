// SPDX-License-Identifier: BSD-3-Clause
//
// Type-generic interface. Part of <shmem.h>.

#ifndef SHMEM_INTERNAL_GENERIC_H
#define SHMEM_INTERNAL_GENERIC_H

#endif  // SHMEM_INTERNAL_GENERIC_H

// SPDX-License-Identifier: BSD-3-Clause
//
// Removes the type tables of shmem/types.h, so that a user's program sees only names it may see.
// Included last by <shmem.h> and <pshmem.h>, any number of times. A source that defines
// SHMEM_INTERNAL_TYPE_TABLES before its first OpenSHMEM header keeps the tables.

#ifndef SHMEM_INTERNAL_TYPE_TABLES
#undef SHMEM_INTERNAL_RMA_TYPES
#undef SHMEM_INTERNAL_AMO_STD_TYPES
#undef SHMEM_INTERNAL_AMO_EXT_TYPES
#undef SHMEM_INTERNAL_AMO_BIT_TYPES
#undef SHMEM_INTERNAL_RED_BIT_TYPES
#undef SHMEM_INTERNAL_RED_MM_TYPES
#undef SHMEM_INTERNAL_RED_SP_TYPES
#undef SHMEM_INTERNAL_SIZES
#undef SHMEM_INTERNAL_COLLECTIVE_SIZES
#undef SHMEM_INTERNAL_AS_BIT_TYPES
#undef SHMEM_INTERNAL_AS_MM_TYPES
#undef SHMEM_INTERNAL_AS_SP_TYPES
#undef SHMEM_INTERNAL_OLD_EXT_TYPES
#undef SHMEM_INTERNAL_OLD_STD_TYPES
#undef SHMEM_INTERNAL_WAIT_OLD_TYPES
#undef SHMEM_INTERNAL_P2P_SHORT_TYPES
#endif

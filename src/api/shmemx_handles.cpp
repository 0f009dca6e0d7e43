// SPDX-License-Identifier: BSD-3-Clause
//
// The predefined teams as data objects, for libraries that load this one with dlopen() and read
// them from there (docs/runtimes/shmemx.md). Programs never refer to them: for them the same names
// are macros with the same values. Therefore the objects get their names from the assembler, and
// this file includes no header of OpenSHMEM.
#include <cstdint>

#define DEFINE_HANDLE(OBJECT, NAME, VALUE)                                                       \
    extern "C" const std::uintptr_t OBJECT __asm__(NAME) __attribute__((visibility("default"))); \
    extern "C" const std::uintptr_t OBJECT = VALUE;
DEFINE_HANDLE(tessera_team_world, "SHMEM_TEAM_WORLD", 1)
DEFINE_HANDLE(tessera_team_shared, "SHMEM_TEAM_SHARED", 2)
DEFINE_HANDLE(tessera_team_node, "SHMEMX_TEAM_NODE", 3)
#undef DEFINE_HANDLE

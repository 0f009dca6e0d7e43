// SPDX-License-Identifier: BSD-3-Clause
//
// Shared by all conformance programs: the lists of routines that generate.py makes of
// spec_table.txt, the types that those lists name, and the note of each call. A program whose
// chapters have a routine that was never called fails (main.cpp).
//
// A list is a macro, EACH_put(X), that calls X(ID, NAME, T, CTX) for each routine of its family:
// all types, with and without a context, shmem_ and pshmem_. X makes a function of each one that
// notes the call; CTX() stands for the context argument, with its comma, where the routine has one.
#pragma once

#include <pshmem.h>

#include <cstddef>
#include <cstdint>
#include <spec_routines.hpp>

namespace tessera::conformance {

__extension__ typedef double _Complex complexd;
__extension__ typedef float _Complex complexf;

// An element of the sized routines.
template <std::size_t N>
struct alignas(N) Block {
    unsigned char bytes[N];
};

extern bool called_routines[];
inline void called(int id) { called_routines[id] = true; }
const char* name_of(int id);
// A routine of a chapter of spec_table.txt that this PE has not called, or nullptr.
const char* first_not_called(const char* chapter);

// The context that routines with a context are called with (views.hpp).
extern shmem_ctx_t current_ctx;

}  // namespace tessera::conformance

#define WITH_CTX() tessera::conformance::current_ctx,
#define WITHOUT_CTX()
#define IS_WITH_CTX true
#define IS_WITHOUT_CTX false

// One routine as a function that notes its call; becomes a pointer to any function type that fits.
#define ROUTINE(NAME)                            \
    [](auto... arguments) {                      \
        tessera::conformance::called(ID_##NAME); \
        return NAME(arguments...);               \
    }

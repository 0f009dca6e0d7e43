// SPDX-License-Identifier: BSD-3-Clause
//
// The contexts that every routine with a context is called with: the default one, one of the world,
// and two of teams, in which PEs have other numbers than in the world and some have none.
#pragma once

#include <shmem.h>

#include <span>
#include <vector>

namespace tessera::conformance {

struct View {
    const char* name;
    shmem_ctx_t ctx;
    // The world's number of each PE of the context's team; empty on PEs outside of the team.
    std::vector<int> pes;

    bool contains(int world_pe) const;
    // Makes it the context of the calls that follow.
    void use() const;
    // Completes what was issued on it.
    void quiet() const;
};

// Routines without a context know the first view only. The first call is collective.
std::span<const View> views(bool has_ctx);

// Destroys the private context; finalization destroys the others.
void end_views();

// The views that the routine `id` is called on. Between nodes every call waits for an answer, so
// a routine takes two of the four there, in turn by type, and a pshmem_ name, which is the same
// function, only the first.
std::span<const View> views_of(int id, bool has_ctx);

}  // namespace tessera::conformance

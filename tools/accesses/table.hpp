// SPDX-License-Identifier: BSD-3-Clause
//
// The table by which an instrumented program (oshcc --check) tells the checker its loads and
// stores.
// libtessera-accesses.so, which the program is linked with, has the table; the checker, which
// oshrun --check makes the PE preload, finds it by its name and fills it. Without the checker the
// table has no zones, and an access ends after one compare.
//
// THREADS: any load and store while the checker changes the table: an access that meets a change
// is taken for one before or behind it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tessera::accesses {

// An atomic of C or C++ is told to the checker before it writes, and after it has read; one that
// does both, twice.
enum class Kind : std::uint8_t {
    kLoad,
    kStore,
    kAtomicLoad,
    kAtomicStore,
    kUpdateBegin,
    kUpdateEnd,
};

struct Access {
    const void* address;
    std::size_t bytes;
    const void* site;  // behind the access in the program
    Kind kind;
};

// Memory whose accesses the checker wants to see. bytes 0: an unused row.
struct Zone {
    std::atomic<std::uintptr_t> begin;
    std::atomic<std::size_t> bytes;
};

struct Table {
    static constexpr std::uint32_t kVersion = 1;
    static constexpr std::uint32_t kZones = 12;
    static constexpr std::size_t kSeenRows = std::size_t{1} << 16;
    static constexpr std::uint32_t kEpochs = std::uint32_t{1} << 20;

    std::uint32_t version;  // kVersion of the program's library
    std::atomic<std::uint32_t> zone_count;
    Zone zones[kZones];
    // RETURNS: whether the checker has taken the access in, so that the same one need not be told
    // again in this epoch.
    std::atomic<bool (*)(const Access&)> tell;
    // Below kEpochs. The time between two calls of OpenSHMEM is one epoch; when the numbers wrap
    // around, the checker empties `seen`.
    std::atomic<std::uint32_t> epoch;
    // The accesses of this epoch that the checker knows: seen.hpp.
    std::atomic<std::uint64_t> seen[kSeenRows];
};

}  // namespace tessera::accesses

// Weak for the checker, whose program may not be instrumented.
extern "C" tessera::accesses::Table shmem_internal_accesses;

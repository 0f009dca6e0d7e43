// SPDX-License-Identifier: BSD-3-Clause
//
// The object behind a prif_coarray_handle describes a coarray with its cobounds, or an alias. An
// alias has cobounds and an address of its own, and shares the rest with its coarray.
//
// THREADS: aliases: any. Coarrays are made and destroyed by collectives.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/coarray.hpp"
#include "core/team.hpp"

namespace tessera::prif {

inline constexpr int kMaxCorank = 15;

struct Handle;
using Cleanup = void (*)(Handle* coarray_handle);

enum class HandleState : std::uint64_t {
    kLive = 0x7072'6966'6c69'7665,  // "priflive": random memory does not have it
    kGone = 0x7072'6966'676f'6e65,
};

struct Handle {
    HandleState state = HandleState::kLive;
    // The data, by its symmetric address, and the bytes from there to its end.
    std::byte* base = nullptr;
    std::size_t bytes = 0;
    caf::Team* team = nullptr;  // whose images have allocated it
    Handle* owner = nullptr;    // an alias has the coarray's own handle; others have themselves
    int corank = 0;
    std::int64_t lower[kMaxCorank];
    std::int64_t upper[kMaxCorank];  // the last one follows the current team
    // The rest is for owners.
    caf::Coarray* coarray = nullptr;
    std::size_t asked_bytes = 0;
    void* context = nullptr;
    Cleanup cleanup = nullptr;
    std::vector<Handle*> aliases;

    bool is_alias() const { return owner != this; }
};

// The cobounds that a caller passes: size(upper) is the corank, or one less.
struct Cobounds {
    const std::int64_t* lower;
    int lower_count;
    const std::int64_t* upper;
    int upper_count;
};

// RETURNS: the mistake in cobounds, or NULL.
const char* find_mistake(const Cobounds& cobounds);

// Handles live until destroy_handle(); memory of the last ones stays, so that later uses of such a
// handle are found.
Handle* make_handle(const Cobounds& cobounds);
void destroy_handle(Handle* handle);

// Makes a new handle an alias of a coarray, `distance` bytes behind the start of the source's data.
void make_alias(Handle* alias, const Handle& source, std::size_t distance);

// Handles of coarrays, not of aliases, that a team has allocated, the newest first.
std::vector<Handle*> handles_of(const caf::Team& team);

// ERRORS: a handle that names no coarray ends the program with a message.
[[noreturn]] void stop_for_handle(const Handle* handle, const char* argument, const char* routine);
inline Handle& checked(Handle* handle, const char* argument, const char* routine) {
    if (handle == nullptr || handle->state != HandleState::kLive) [[unlikely]]
        stop_for_handle(handle, argument, routine);
    return *handle;
}
inline Handle& checked(Handle* handle, const char* routine) {
    return checked(handle, "coarray_handle", routine);
}

}  // namespace tessera::prif

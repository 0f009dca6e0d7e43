// SPDX-License-Identifier: BSD-3-Clause
//
// The memory that an access, an atomic, an event or a lock names: bytes of a coarray on an image,
// or an address of that image.

#pragma once

#include <shmem.h>

#include <cstddef>
#include <cstdint>

#include "core/image_state.hpp"
#include "core/remote_pointer.hpp"
#include "procedures/entry.hpp"
#include "procedures/handle.hpp"

namespace tessera::prif {

// As a caller names it.
struct RemoteMemory {
    int image;            // its number in the initial team
    Handle* handle;       // NULL with an address
    std::uint64_t where;  // bytes from the start of the coarray's data, or the address
    bool is_address;
};

struct Target {
    int pe = -1;
    std::byte* address = nullptr;  // for accesses to pe
};

namespace detail {
int fail_for_range(int* stat, const char* routine, const RemoteMemory& place, std::size_t bytes);
int fail_for_address(int* stat, const char* routine, const RemoteMemory& place, std::size_t bytes);
int fail_for_team(int* stat, const char* routine, const RemoteMemory& place);
}  // namespace detail

// Whether the image has a part of the coarray.
inline bool has_part(const Handle& handle, int pe) {
    return handle.team->is_initial() || handle.team->image_of(pe) != 0;
}

// Finds `bytes` bytes at a place. RETURNS: kOk, or the code of an error that it has reported.
//
// Hot path.
inline int find_memory(const RemoteMemory& place, std::size_t bytes, const char* routine, int* stat,
                       Target& target) {
    check_running(routine);
    target.pe = pe_of_image(place.image);
    if (target.pe < 0) [[unlikely]]
        return fail_for_image(stat, routine, place.image);
    if (place.is_address) {
        target.address = static_cast<std::byte*>(
            caf::translate(reinterpret_cast<const void*>(place.where), target.pe, bytes));
        if (target.address == nullptr) [[unlikely]]
            return detail::fail_for_address(stat, routine, place, bytes);
    } else {
        const Handle& handle = checked(place.handle, routine);
        if (place.where > handle.bytes || bytes > handle.bytes - place.where) [[unlikely]]
            return detail::fail_for_range(stat, routine, place, bytes);
        if (!has_part(handle, target.pe)) [[unlikely]]
            return detail::fail_for_team(stat, routine, place);
        target.address = handle.base + place.where;
    }
    return kOk;
}

// An image that has failed is an error where the caller has asked for stat.
inline int fail_if_failed(const RemoteMemory& place, const char* routine, int* stat,
                          const Target& target) {
    if (stat == nullptr) return kOk;
    if (caf::status_of_pe(target.pe) == caf::kFailedImage) [[unlikely]]
        return fail(stat, caf::kFailedImage, routine, "image %d has failed", place.image);
    return succeed(stat);
}
inline int find_target(const RemoteMemory& place, std::size_t bytes, const char* routine, int* stat,
                       Target& target) {
    const int code = find_memory(place, bytes, routine, stat, target);
    return code == kOk ? fail_if_failed(place, routine, stat, target) : code;
}

// The same for a word of 8 bytes that is changed by atomic operations.
inline int find_memory_of_word(const RemoteMemory& place, const char* routine, int* stat,
                               Target& target) {
    const int code = find_memory(place, sizeof(std::uint64_t), routine, stat, target);
    if (code == kOk && reinterpret_cast<std::uintptr_t>(target.address) % 8 != 0) [[unlikely]] {
        return fail(stat, caf::kMisuse, routine,
                    "the variable at %llu on image %d is not aligned to 8 bytes",
                    static_cast<unsigned long long>(place.where), place.image);
    }
    return code;
}
inline int find_word(const RemoteMemory& place, const char* routine, int* stat, Target& target) {
    const int code = find_memory_of_word(place, routine, stat, target);
    return code == kOk ? fail_if_failed(place, routine, stat, target) : code;
}
inline std::uint64_t* word_at(const Target& target) {
    return reinterpret_cast<std::uint64_t*>(target.address);
}

}  // namespace tessera::prif

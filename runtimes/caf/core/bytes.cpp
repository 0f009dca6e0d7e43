// SPDX-License-Identifier: BSD-3-Clause
//
// Bytes of memory that is not mapped (bytes.hpp).

#include "core/bytes.hpp"

#include "core/ordering.hpp"
#include "core/section.hpp"

namespace tessera::caf {

namespace {

bool overlaps_own(const void* local, const void* remote, std::size_t bytes, int pe) {
    const auto* first = static_cast<const std::byte*>(local);
    const auto* other = static_cast<const std::byte*>(remote);
    return pe == shmem_my_pe() && first < other + bytes && other < first + bytes;
}

}  // namespace

void get_unmapped(void* dest, const void* source, std::size_t bytes, int pe) {
    complete(pe);
    if (overlaps_own(dest, source, bytes, pe)) {
        Scratch scratch(bytes);
        shmem_getmem(scratch.data(), source, bytes, pe);
        std::memcpy(dest, scratch.data(), bytes);
    } else {
        shmem_getmem(dest, source, bytes, pe);
    }
}

void put_unmapped(void* dest, const void* source, std::size_t bytes, int pe) {
    order_puts(pe);
    if (overlaps_own(dest, source, bytes, pe)) {
        Scratch scratch(bytes);
        std::memcpy(scratch.data(), source, bytes);
        shmem_putmem(dest, scratch.data(), bytes, pe);
    } else {
        shmem_putmem(dest, source, bytes, pe);
    }
    note_put(pe);
}

}  // namespace tessera::caf

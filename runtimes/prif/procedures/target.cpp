// SPDX-License-Identifier: BSD-3-Clause
//
// Places that name no memory (target.hpp).

#include "procedures/target.hpp"

namespace tessera::prif {

int detail::fail_for_range(int* stat, const char* routine, const RemoteMemory& place,
                           std::size_t bytes) {
    return fail(stat, caf::kMisuse, routine,
                "%zu bytes at the offset %lld on image %d lie beyond the coarray, which has %zu "
                "bytes",
                bytes, static_cast<long long>(place.where), place.image, place.handle->bytes);
}

int detail::fail_for_address(int* stat, const char* routine, const RemoteMemory& place,
                             std::size_t bytes) {
    return fail(stat, caf::kMisuse, routine,
                "%zu bytes at the address 0x%llx on image %d lie in no memory of "
                "prif_allocate_coarray or prif_allocate of that image",
                bytes, static_cast<unsigned long long>(place.where), place.image);
}

int detail::fail_for_team(int* stat, const char* routine, const RemoteMemory& place) {
    return fail(stat, caf::kMisuse, routine,
                "image %d has no part of the coarray, which team %lld has allocated without it",
                place.image, static_cast<long long>(place.handle->team->number));
}

}  // namespace tessera::prif

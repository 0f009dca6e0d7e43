// SPDX-License-Identifier: BSD-3-Clause
//
// See fd.hpp. Alignment comes from reserving more address space than needed and trimming it.
#include "base/fd.hpp"

#include <cstdint>

namespace tessera {

Mapping Mapping::share(int fd, std::uint64_t offset, std::size_t bytes, std::size_t aligned_to,
                       char* wanted) {
    const int reserve = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    std::size_t reserved = bytes + aligned_to;
    void* space = MAP_FAILED;
    if (wanted != nullptr) {
        space = ::mmap(wanted, bytes, PROT_NONE, reserve | MAP_FIXED_NOREPLACE, -1, 0);
        if (space != MAP_FAILED && space != wanted) {  // Kernels before 4.17 take it for a hint.
            ::munmap(space, bytes);
            space = MAP_FAILED;
        }
    }
    if (space == MAP_FAILED) {
        space = ::mmap(nullptr, reserved, PROT_NONE, reserve, -1, 0);
    } else {
        reserved = bytes;
    }
    if (space == MAP_FAILED) return {};
    char* start = static_cast<char*>(space);
    std::size_t skipped = 0;
    if (aligned_to > 0) {
        skipped = (aligned_to - reinterpret_cast<std::uintptr_t>(start) % aligned_to) % aligned_to;
    }
    void* address = ::mmap(start + skipped, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                           fd, static_cast<off_t>(offset));
    if (address == MAP_FAILED) {
        ::munmap(start, reserved);
        return {};
    }
    if (skipped > 0) ::munmap(start, skipped);
    std::size_t tail = reserved - skipped - bytes;
    if (tail > 0) ::munmap(start + skipped + bytes, tail);
    return Mapping(static_cast<char*>(address), bytes);
}

}  // namespace tessera

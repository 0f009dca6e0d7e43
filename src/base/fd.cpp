// SPDX-License-Identifier: BSD-3-Clause
//
// See fd.hpp. Alignment comes from reserving more address space than needed and trimming it.
#include "base/fd.hpp"

#include <cstdint>

namespace tessera {

namespace {

// The bytes from `start` to the first address that suits `target`.
std::size_t distance_to(const char* start, const MappingAddress& target) {
    if (target.aligned_to == 0) return 0;
    const std::uintptr_t aligned = reinterpret_cast<std::uintptr_t>(start) + target.aligned_at;
    return (target.aligned_to - aligned % target.aligned_to) % target.aligned_to;
}

constexpr unsigned kNoExecSeal = 0x8;  // MFD_NOEXEC_SEAL of Linux 6.3; some sites demand it

}  // namespace

Fd make_memory_file(const char* name) {
    Fd file(::memfd_create(name, MFD_CLOEXEC | kNoExecSeal));
    if (!file) file = Fd(::memfd_create(name, MFD_CLOEXEC));
    return file;
}

std::uintptr_t page_bytes() {
    static const auto bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    return bytes;
}

Mapping Mapping::share(int fd, std::uint64_t offset, std::size_t bytes,
                       const MappingAddress& target) {
    return map(MAP_SHARED, fd, offset, bytes, target);
}

Mapping Mapping::private_memory(std::size_t bytes, const MappingAddress& target) {
    return map(MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0, bytes, target);
}

Mapping Mapping::map(int flags, int fd, std::uint64_t offset, std::size_t bytes,
                     const MappingAddress& target) {
    const int reserve = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    std::size_t reserved = bytes + target.aligned_to;
    void* space = MAP_FAILED;
    if (target.wanted != nullptr && distance_to(target.wanted, target) == 0) {
        // A hint, which the kernel follows if nothing is there. MAP_FIXED_NOREPLACE would say the
        // same, but the thread sanitizer replaces addresses beyond its ranges by 0 and keeps the
        // flag, so that root gets memory at address 0.
        space = ::mmap(target.wanted, bytes, PROT_NONE, reserve, -1, 0);
        if (space != MAP_FAILED && space != target.wanted) {
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
    const std::size_t skipped = distance_to(start, target);
    void* address = ::mmap(start + skipped, bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED, fd,
                           static_cast<off_t>(offset));
    if (address == MAP_FAILED) {
        ::munmap(start, reserved);
        return {};
    }
    if (skipped > 0) ::munmap(start, skipped);
    std::size_t tail = reserved - skipped - bytes;
    if (tail > 0) ::munmap(start + skipped + bytes, tail);
    // Core files have what the owner asks for (memory/core_files.hpp): other processes have a
    // shared mapping, too, and a dump fills the holes of its file with pages.
    ::madvise(address, bytes, MADV_DONTDUMP);
    return Mapping(static_cast<char*>(address), bytes);
}

}  // namespace tessera

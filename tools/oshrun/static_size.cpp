// SPDX-License-Identifier: BSD-3-Clause
//
// See static_size.hpp.
#include "static_size.hpp"

#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "base/fd.hpp"

namespace tessera::oshrun {

std::uint64_t static_data_bytes(const std::string& path) {
    const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    ElfW(Ehdr) header{};
    if (!file ||
        ::pread(file.get(), &header, sizeof header, 0) != static_cast<ssize_t>(sizeof header)) {
        return 0;
    }
    constexpr unsigned char kClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != kClass)
        return 0;
    std::uint64_t bytes = 0;
    for (unsigned i = 0; i < header.e_phnum; ++i) {
        ElfW(Phdr) segment{};
        const auto offset = static_cast<off_t>(header.e_phoff + i * sizeof segment);
        if (::pread(file.get(), &segment, sizeof segment, offset) !=
            static_cast<ssize_t>(sizeof segment)) {
            return 0;
        }
        if (segment.p_type == PT_LOAD && (segment.p_flags & PF_W) != 0) bytes += segment.p_memsz;
    }
    return bytes;
}

bool system_grants(std::uint64_t bytes) {
    void* trial =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (trial == MAP_FAILED) return false;
    ::munmap(trial, bytes);
    return true;
}

}  // namespace tessera::oshrun

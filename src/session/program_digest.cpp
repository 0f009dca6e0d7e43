// SPDX-License-Identifier: BSD-3-Clause
//
// See program_digest.hpp.
#include "session/program_digest.hpp"

#include <link.h>

#include <algorithm>
#include <cstring>

#include "base/bits.hpp"

namespace tessera {
namespace {

void add_to_digest(std::uint64_t& digest, const void* bytes, std::size_t count) {
    for (std::size_t i = 0; i < count; i += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, static_cast<const char*>(bytes) + i, std::min(sizeof word, count - i));
        digest = mix_bits(digest ^ word) + 1;
    }
}

// For dl_iterate_phdr, which reports the main program first; returning 1 stops there.
int add_main_program(dl_phdr_info* program, std::size_t, void* digest) {
    auto& sum = *static_cast<std::uint64_t*>(digest);
    for (int i = 0; i < program->dlpi_phnum; ++i) {
        const ElfW(Phdr) header = program->dlpi_phdr[i];
        add_to_digest(sum, &header, sizeof header);
        if (header.p_type != PT_NOTE) continue;  // The build id is a note.
        add_to_digest(sum, reinterpret_cast<const void*>(program->dlpi_addr + header.p_vaddr),
                      header.p_filesz);
    }
    return 1;
}

}  // namespace

std::uint64_t program_digest() {
    std::uint64_t digest = 0;
    ::dl_iterate_phdr(add_main_program, &digest);
    return digest;
}

}  // namespace tessera

// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers that the kernel tells in files.
#pragma once

#include <cstdint>
#include <cstdio>

namespace tessera {

// The number, in decimal, that a file in /proc or /sys starts with; 0: there is none.
inline std::uint64_t number_in_file(const char* path) {
    std::FILE* file = std::fopen(path, "re");
    if (file == nullptr) return 0;
    unsigned long long value = 0;
    if (std::fscanf(file, "%llu", &value) != 1) value = 0;
    std::fclose(file);
    return value;
}

}  // namespace tessera

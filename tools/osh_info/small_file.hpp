// SPDX-License-Identifier: BSD-3-Clause
//
// Reads small files of the kernel.
#pragma once

#include <cstdio>
#include <string>

namespace tessera::osh_info {

// The first line of a small file; "": it cannot be read.
inline std::string first_line(const std::string& path) {
    std::FILE* file = std::fopen(path.c_str(), "re");
    if (file == nullptr) return "";
    char text[256] = "";
    if (std::fgets(text, sizeof text, file) == nullptr) text[0] = '\0';
    std::fclose(file);
    std::string line = text;
    while (!line.empty() && line.back() == '\n') line.pop_back();
    return line;
}

}  // namespace tessera::osh_info

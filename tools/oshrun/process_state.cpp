// SPDX-License-Identifier: BSD-3-Clause
//
// See process_state.hpp.
#include "process_state.hpp"

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

namespace tessera::oshrun {

char process_state(pid_t pid) {
    std::string path = "/proc/" + std::to_string(pid) + "/stat";
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"),
                                                         std::fclose);
    char text[256] = "";
    if (file == nullptr || std::fgets(text, sizeof text, file.get()) == nullptr) return '?';
    const char* after_name = std::strrchr(text, ')');
    return after_name != nullptr && after_name[1] != '\0' ? after_name[2] : '?';
}

}  // namespace tessera::oshrun

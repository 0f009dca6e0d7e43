// SPDX-License-Identifier: BSD-3-Clause
//
// See installation.hpp.
#include "installation.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

#include "base/environment.hpp"
#include "base/fatal.hpp"

namespace tessera::oshrun {

std::filesystem::path own_folder() {
    std::error_code error;
    return std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
}

namespace {

// Behind the user's own: of preloaded libraries a sanitizer's has to be first.
void append(Options& options, const char* variable, const std::string& entry) {
    const char* before = environment(variable);
    const bool is_alone = before == nullptr || *before == '\0';
    export_variable(options, variable, is_alone ? entry : before + (":" + entry));
}

}  // namespace

void preload(Options& options, const char* library, const char* option) {
    const std::filesystem::path folder = own_folder() / TESSERA_LIBRARIES_FROM_COMMANDS "/tessera";
    const std::string path = folder / library;
    if (::access(path.c_str(), R_OK) != 0)
        fatal("%s needs %s: %s", option, path.c_str(), std::strerror(errno));
    if (path.find_first_of(":;") != path.npos) {
        fatal("%s cannot make PEs load %s: LD_PRELOAD takes no path with ':' or ';'", option,
              path.c_str());
    }
    if (path.find(' ') == path.npos) {
        append(options, "LD_PRELOAD", path);
        return;
    }
    // A space ends a path in LD_PRELOAD, but not in LD_LIBRARY_PATH.
    append(options, "LD_LIBRARY_PATH", folder);
    append(options, "LD_PRELOAD", library);
}

// Other launchers pass on what is in `exports`.
void export_variable(Options& options, const char* name, const std::string& value) {
    ::setenv(name, value.c_str(), 1);
    options.exports.emplace_back(name, value);
}

}  // namespace tessera::oshrun

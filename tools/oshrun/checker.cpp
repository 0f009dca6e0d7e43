// SPDX-License-Identifier: BSD-3-Clause
//
// See checker.hpp.
#include "checker.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/environment.hpp"
#include "base/fatal.hpp"
#include "core/config_parse.hpp"

namespace tessera::oshrun {
namespace {

constexpr const char* kLibrary = "libtessera-check.so";

// As installed, and as built; from the folder of oshrun.
constexpr std::string_view kFolders[] = {TESSERA_LIBRARIES_FROM_COMMANDS, "../lib"};

std::string path_of_checker() {
    std::error_code error;
    const auto commands = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    for (std::string_view folder : kFolders) {
        auto path = std::filesystem::canonical(commands / folder / kLibrary, error);
        if (!error) return path.string();
    }
    fatal("--check needs %s, which is not installed beside oshrun (%s/%s)", kLibrary,
          commands.c_str(), std::string(kFolders[0]).c_str());
}

bool is_asked_for(const Options& options) {
    if (options.check) return true;
    const char* value = environment("SHMEM_CHECK");
    return value != nullptr &&
           (std::string_view(value) == "warn" || parse_bool(value).value_or(false));
}

}  // namespace

void preload_checker(const Options& options) {
    if (!is_asked_for(options)) return;
    // --check keeps the user's "warn".
    if (options.check) ::setenv("SHMEM_CHECK", "1", 0);
    std::string list = path_of_checker();
    const char* others = environment("LD_PRELOAD");
    // Behind the others: a sanitizer's library has to be first.
    if (others != nullptr && *others != '\0') list = std::string(others) + ":" + list;
    ::setenv("LD_PRELOAD", list.c_str(), 1);
}

}  // namespace tessera::oshrun

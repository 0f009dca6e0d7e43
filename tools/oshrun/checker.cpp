// SPDX-License-Identifier: BSD-3-Clause
//
// See checker.hpp.
#include "checker.hpp"

#include <string_view>

#include "base/environment.hpp"
#include "installation.hpp"
#include "settings/config_parse.hpp"

namespace tessera::oshrun {
bool is_checked(const Options& options) {
    if (options.check) return true;
    const char* value = environment("SHMEM_CHECK");
    return value != nullptr &&
           (std::string_view(value) == "warn" || parse_bool(value).value_or(false));
}

void preload_checker(Options& options) {
    if (!is_checked(options)) return;
    // --check keeps the user's "warn".
    if (options.check && environment("SHMEM_CHECK") == nullptr)
        export_variable(options, "SHMEM_CHECK", "1");
    preload(options, "libtessera-check.so", "--check");
}

}  // namespace tessera::oshrun

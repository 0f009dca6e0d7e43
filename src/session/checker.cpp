// SPDX-License-Identifier: BSD-3-Clause
//
// See checker.hpp.
#include "session/checker.hpp"

#include "base/fatal.hpp"
#include "core/address_map.hpp"
#include "settings/config.hpp"
#include "settings/config_parse.hpp"

// Weak: defined by libtessera-check.so where that is loaded.
extern "C" __attribute__((weak)) void shmem_internal_checker();

// For the checker: the part of this PE's memory that holds the address.
extern "C" const char* shmem_internal_part_of(const void* address) {
    return tessera::address_map.part_of(address).name;
}

namespace tessera {

void require_checker(const char* where) {
    const std::string& value = config().check;
    const bool is_on = value == "warn" || parse_bool(value).value_or(false);
    if (!is_on && !value.empty() && !parse_bool(value))
        fatal("%s: SHMEM_CHECK=%s is none of 1, warn and 0", where, value.c_str());
    if (!is_on || shmem_internal_checker != nullptr) return;
    fatal(
        "%s: SHMEM_CHECK=%s, but this PE has not loaded the checker: start the program by oshrun "
        "--check, or set LD_PRELOAD to libtessera-check.so for the PEs (srun "
        "--export=ALL,LD_PRELOAD=..., mpirun -x LD_PRELOAD=...). A statically linked program "
        "cannot load it: link it with libtessera.so",
        where, value.c_str());
}

}  // namespace tessera

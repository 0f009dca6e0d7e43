// SPDX-License-Identifier: BSD-3-Clause
//
// For GenMC: the functions of the process that protocols call, or that could end them.
#include "base/fatal.hpp"
#include "protocol.hpp"

extern "C" long sysconf(int /*name*/) noexcept { return 1; }
void operator delete(void* /*memory*/) noexcept {}

namespace tessera {

void fatal(const char* /*format*/, ...) { protocols::fail(__builtin_LINE()); }

}  // namespace tessera

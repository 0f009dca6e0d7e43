// SPDX-License-Identifier: BSD-3-Clause
//
// See interrupted_call.hpp. The call has pushed the address.
#include <ucontext.h>

#include "base/interrupted_call.hpp"

namespace tessera {

std::uint64_t return_address_of_bad_call(const void* context, const void* fault) {
    const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
    const bool is_call = registers[REG_RIP] == reinterpret_cast<greg_t>(fault);
    return is_call ? *reinterpret_cast<const std::uint64_t*>(registers[REG_RSP]) : 0;
}

}  // namespace tessera

// SPDX-License-Identifier: BSD-3-Clause
//
// A call of an address without code, as through a null pointer to a function: no unwinder gets past
// it. One file for the processor.
#pragma once

#include <cstdint>

namespace tessera {

// `context` is that of a handler of SIGSEGV, `fault` the address that could not be accessed.
// RETURNS: the address to which the call would have returned; 0: it was another kind of fault, or
// this is not known.
std::uint64_t return_address_of_bad_call(const void* context, const void* fault);

}  // namespace tessera

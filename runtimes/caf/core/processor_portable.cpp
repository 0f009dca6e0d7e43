// SPDX-License-Identifier: BSD-3-Clause
//
// Any processor (processor.hpp): co_reduce has no derived types, because the places of their
// results are not known.

#include "core/processor.hpp"

namespace tessera::caf {

bool knows_result_registers() { return false; }

Registers call_marked(void (*)(), void*, void*, std::uint64_t) { return {}; }

void call_with_result(void (*)(), void*, void*, void*) {}

void pause_processor() {}

}  // namespace tessera::caf

// SPDX-License-Identifier: BSD-3-Clause
//
// Any processor (processor.hpp): co_reduce has no derived types, because the places of their
// results are not known.

#include "core/processor.hpp"

namespace tessera::caf {

bool has_results_of_x86_64() { return false; }

void call_with_result(void (*)(), void*, void*, void*) {}

std::uintptr_t jump_target(std::uintptr_t) { return 0; }

void pause_processor() {}

}  // namespace tessera::caf

// SPDX-License-Identifier: BSD-3-Clause
//
// The codes of types and operations (include/shmemx/types.h) as functions of reductions.
#pragma once

#include <cstddef>
#include <optional>

#include "collectives/streams/reduce_function.hpp"

namespace tessera::collectives {

struct CodedFunction {
    ReduceFunction function;
    std::size_t element_bytes = 0;
};

// nullopt: `type` has no operation `op`, or one of them is no code.
std::optional<CodedFunction> function_of(int type, int op);

}  // namespace tessera::collectives

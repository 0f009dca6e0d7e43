// SPDX-License-Identifier: BSD-3-Clause
//
// The operation of a reduction of the runtime layer: a kernel of the library
// (collectives/kernels/kernel.hpp), or a function of the program. THREADS: all, as far as the
// program's function allows it.
#pragma once

#include <cstddef>
#include <cstring>

#include "collectives/kernels/kernel.hpp"
#include "shmemx/collectives.h"

namespace tessera::collectives {

struct ReduceFunction {
    const Kernel* kernel = nullptr;  // nullptr: `function`
    shmemx_op_fn_t function = nullptr;
    void* user_data = nullptr;
    bool is_commutative = true;
    bool is_of_program = false;  // Then only the program's threads may call it.
    OrderDependence dependence = OrderDependence::kNone;

    bool is_reduction() const { return kernel != nullptr || function != nullptr; }

    // left = left op right.
    void combine(void* left, const void* right, std::size_t nelems) const {
        if (kernel != nullptr) return kernel->combine(left, right, nelems);
        function(left, right, nelems, user_data);
    }
    // result = sources[0] op sources[1] ...; result may be sources[0], and overlaps no other one.
    void combine_many(void* result, const void* const* sources, std::size_t count,
                      std::size_t nelems, std::size_t element_bytes) const {
        if (kernel != nullptr) return kernel->combine_many(result, sources, count, nelems);
        if (result != sources[0]) std::memcpy(result, sources[0], nelems * element_bytes);
        for (std::size_t i = 1; i < count; ++i) function(result, sources[i], nelems, user_data);
    }
    // right = left op right. `copy` has room for the elements.
    void combine_before(const void* left, void* right, std::size_t nelems,
                        std::size_t element_bytes, void* copy) const {
        if (kernel != nullptr) return kernel->combine_two(right, left, right, nelems);
        std::memcpy(copy, left, nelems * element_bytes);
        function(copy, right, nelems, user_data);
        std::memcpy(right, copy, nelems * element_bytes);
    }
};

}  // namespace tessera::collectives

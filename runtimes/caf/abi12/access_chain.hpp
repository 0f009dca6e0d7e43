// SPDX-License-Identifier: BSD-3-Clause
//
// Chains of references, as in x(2)[i]%a(1:3)%n: where the last link lies in the memory of another
// image. Allocatable and pointer components are followed there, one small get for each.

#pragma once

#include "abi12/access_section.hpp"
#include "abi12/descriptor.hpp"
#include "core/coarray.hpp"

namespace tessera::caf {

// The place that a chain names.
struct Target {
    // The elements, of the last link's size; its base is a symmetric address, or private.
    Section section;
    OffsetLists lists;
    // False: a component in the chain is not allocated.
    bool is_allocated = true;
    // The allocatable component that the chain passed last: symmetric addresses of its descriptor
    // (of a scalar: its pointer) and of its token; NULL: none.
    std::byte* component = nullptr;
    std::byte* component_token = nullptr;
    // Whether the component is an array, and the last allocatable one is the chain's end.
    bool is_array_component = false;
    bool ends_at_component = false;
};

// Follows a chain into the memory of a PE. Stops at the first component that is not allocated.
Target follow(Coarray& coarray, const Reference* chain, int pe, const char* routine);

// Whether all components of a chain are allocated. Does not mind private memory at its end.
bool is_chain_allocated(Coarray& coarray, const Reference* chain, int pe, const char* routine);

}  // namespace tessera::caf

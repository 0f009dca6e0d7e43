// SPDX-License-Identifier: BSD-3-Clause
//
// Accumulate and fetch_op on elements of any basic type (base/elements.hpp). On mapped memory the
// calling PE's processor changes the elements, else the owner's (or a transport on this node).
#pragma once

#include "core/context.hpp"
#include "progress/request.hpp"

namespace tessera {

// `req` is nullptr, or receives a request. REQUIRES: the element has a kernel.
void accumulate(const Context& context, const Accumulation& what, int pe, shmemx_req_t* req,
                const char* where);

// kElement or kCompareSwap on one element of 1, 2, 4 or 8 bytes. RETURNS when: done, the old
// element; with a request, which also says when it is at `result`, 0.
std::uint64_t update_element(const Context& context, const AtomicRequest& request, int pe,
                             const char* where);
void update_element_req(const Context& context, const AtomicRequest& request, void* result, int pe,
                        shmemx_req_t* req, const char* where);

}  // namespace tessera

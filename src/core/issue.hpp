// SPDX-License-Identifier: BSD-3-Clause
//
// The slow path of transfers (context.cpp): by others, by this PE, or by a transport. Strided ones
// have the same forms (core/strided_transfer.hpp).
#pragma once

#include <cstddef>

#include "base/section_copy.hpp"
#include "shmemx/requests.h"
#include "transports/transport.hpp"

namespace tessera {

class Context;

// A transfer of contiguous bytes. `pe`: a number in the world, not yet checked.
struct Transfer {
    void* dest;
    const void* source;
    std::size_t bytes;
    int pe;
};
// How it goes and ends.
struct TransferForm {
    Direction direction;
    Returns returns;
    shmemx_req_t* request = nullptr;  // receives the request of the transfer; then kAtOnce

    bool is_put() const { return direction == Direction::kPut; }
};
// THE slow path of put and get, blocking, nonblocking and with a request: by others if they take
// it, else by this PE, if the memory is mapped, else by a transport.
void issue(const Context& context, const Transfer& transfer, const TransferForm& form,
           const char* where);

// Leaves a transfer of `bytes`, a section unless that is nullptr, to others. `remote`, `local`: the
// addresses of the first run; `mapped`: the remote one as this PE maps it, or nullptr.
// RETURNS: whether others have it; if not, nothing has happened.
struct Sides {
    void* remote;
    void* local;
    char* mapped;
};
bool leave_to_others(const Context& context, const Sides& sides, std::size_t bytes,
                     const Section* section, const TransferForm& form, int pe, const char* where);

}  // namespace tessera

// SPDX-License-Identifier: BSD-3-Clause
//
// The program's variables for requests: checked. Hot path.
#pragma once

#include "base/platform.hpp"
#include "shmemx/requests.h"

namespace tessera::api {

[[noreturn]] TESSERA_COLD void fail_request_variable(const char* where);

// COST: a test.
TESSERA_INLINE shmemx_req_t* checked_variable(shmemx_req_t* req, const char* where) {
    if (req == nullptr) [[unlikely]]
        fail_request_variable(where);
    return req;
}

}  // namespace tessera::api

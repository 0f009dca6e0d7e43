// SPDX-License-Identifier: BSD-3-Clause
//
// For tests that run with each policy of access to public copies.
#pragma once

#include <gtest/gtest.h>

#include "transports/noncoherent_transport.hpp"

namespace tessera::noncoherent {

inline auto all_policies() {
    return testing::Values(Access::kCoherent, Access::kPastCache, Access::kNoCache);
}

// For INSTANTIATE_TEST_SUITE_P.
inline const char* name_of(const testing::TestParamInfo<Access>& policy) {
    switch (policy.param) {
        case Access::kCoherent: return "Coherent";
        case Access::kPastCache: return "PastCache";
        case Access::kNoCache: return "NoCache";
    }
    return "";
}

}  // namespace tessera::noncoherent

// SPDX-License-Identifier: BSD-3-Clause
//
// The expectations of late_test and early_test on data that was replaced while threads ran.
#pragma once

#include <dlfcn.h>

#include <cstring>

#include "heap/static_data.hpp"
#include "meeting.hpp"

namespace static_test {

inline void check_refusal(const tessera::heap::StaticData& data, const char* reason) {
    if (data.shared || std::strstr(data.reason, reason) == nullptr)
        std::fprintf(stderr, "shared %d, reason \"%s\"\n", data.shared, data.reason);
    CHECK(!data.shared && std::strstr(data.reason, reason) != nullptr);
}

// Shared; except under TSan, which keeps a thread of its own that cannot be held back.
inline void check_outcome(const tessera::heap::StaticData& data) {
    if (dlsym(RTLD_DEFAULT, "__tsan_init") != nullptr) return check_refusal(data, "blocks SIGSEGV");
    if (!data.shared) std::fprintf(stderr, "reason \"%s\"\n", data.reason);
    CHECK(data.shared);
}

}  // namespace static_test

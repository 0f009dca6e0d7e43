// SPDX-License-Identifier: BSD-3-Clause
//
// For GenMC: every thread may wait.
#pragma once

namespace tessera {

inline void check_may_wait(const char* /*where*/) {}
inline void begin_no_wait(const char* /*what*/) {}
inline void end_no_wait() {}
struct NoWait {
    explicit NoWait(const char* /*what*/) {}
};

}  // namespace tessera

// SPDX-License-Identifier: BSD-3-Clause
//
// Whether the calling thread is one of the library's own, which must not call functions of the
// program.
#pragma once

namespace tessera {

// Set at the start of such a thread.
inline thread_local bool is_library_thread = false;

}  // namespace tessera

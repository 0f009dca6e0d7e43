// SPDX-License-Identifier: BSD-3-Clause
//
// For harnesses whose threads are PEs: the library's header, with a table for each thread.
#pragma once

#define pe_state pe_state_of_process
#include_next "core/pe_state.hpp"
#undef pe_state

#include "protocol.hpp"

namespace tessera::protocols {

inline constinit PeState pe_states[kThreadsMax]{};

}  // namespace tessera::protocols

#define pe_state ::tessera::protocols::pe_states[::tessera::protocols::my_thread]

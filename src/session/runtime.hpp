// SPDX-License-Identifier: BSD-3-Clause
//
// The life of this PE: init, finalize, exit. The data path does not come here: it reads address_map
// (core/address_map.hpp), which init fills.
#pragma once

#include <span>

#include "core/phase.hpp"
#include "settings/config.hpp"

namespace tessera {

// Joins the job, maps the node's memory and fills address_map. Collective. Counts: the n-th init
// only raises the count (OpenSHMEM 1.6, 9.1). Errors end the job with a message.
// RETURNS when: every PE of the job has come here.
void initialize(int thread_level, const char* where);
// SHMEM_INFO and SHMEM_VERSION, on PE 0 at the first init; `outcomes` are choices of higher layers.
void print_startup_info(std::span<const Outcome> outcomes);
bool is_initialized();  // THREADS: any, any time.

// Lowers the count; true when this was the last one, and close_runtime() must follow.
bool finalize_is_last();
// Waits for all PEs, leaves the job, gives the memory back. Init may come again.
void close_runtime();

// shmem_global_exit: ends all PEs from any state, `code` reaches the environment.
[[noreturn]] void global_exit(int code);

}  // namespace tessera

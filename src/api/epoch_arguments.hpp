// SPDX-License-Identifier: BSD-3-Clause
//
// The arguments of epochs, on a window or not (shmemx_epochs.cpp, shmemx_windows.cpp). `where`
// names the public routine; a mistake ends the job.
#pragma once

#include <cstddef>
#include <span>

#include "progress/epochs.hpp"
#include "shmemx/epochs.h"

namespace tessera::api {

inline constexpr long kOptionsOfPost = SHMEMX_EPOCH_NOSTORE | SHMEMX_EPOCH_NOPUT;

Epochs::Options options_from(long options, long allowed, const char* where);

// A list that the program passes.
struct PeList {
    const int* pes;
    std::size_t npes;
};
void post(Window& window, PeList origins, long options, shmemx_epoch_t* epoch, const char* where);
void start(Window& window, PeList targets, long options, shmemx_epoch_t* epoch, const char* where);

// The bytes at `remote` on a member of the window's team have to lie in its part.
void check_part(const Window& window, const void* remote, std::size_t bytes, int pe,
                const char* where);

}  // namespace tessera::api

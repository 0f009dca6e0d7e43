// SPDX-License-Identifier: BSD-3-Clause
//
// Two images of a coarray program on a node with coherent memory, for harnesses of
// runtimes/caf/core/image_state.cpp. For GenMC alone: a process is one image there.
#pragma once

#include "runtimes/caf/core/failures.hpp"
#include "runtimes/caf/core/image_state.hpp"
#include "runtimes/caf/core/ordering.hpp"
#include "runtimes/caf/core/report.hpp"
#include "symmetric.hpp"

namespace tessera::protocols {

inline constexpr int kImages = 2;

struct Image {
    std::uint64_t event;
    std::uint64_t words[8];  // image_state.cpp
};

// Before the threads begin.
inline void start_images(Image* images) {
    symmetric = {
        .start = reinterpret_cast<char*>(images), .bytes_of_pe = sizeof(Image), .npes = kImages};
    for (my_thread = 0; my_thread < kImages; ++my_thread) caf::make_image_state(my_thread, kImages);
    my_thread = 0;
}

}  // namespace tessera::protocols

extern "C" {

// The words of image_state.cpp.
void* shmem_calloc(std::size_t /*count*/, std::size_t /*bytes*/) {
    namespace protocols = tessera::protocols;
    auto* const images = reinterpret_cast<protocols::Image*>(protocols::symmetric.start);
    return images[protocols::my_thread].words;
}
// Others of the runtime call it.
std::uint64_t shmem_signal_fetch(const std::uint64_t*) { return 0; }
void* shmemx_public_ptr(const void* name, int pe) { return shmem_ptr(name, pe); }
void shmemx_invalidate(const void*, std::size_t) {}

}  // extern "C"

namespace tessera::caf {

bool is_dead(int pe) { return count_deaths() > 0 && shmemx_failed_pe(0) == pe; }
void complete_all() { shmem_quiet(); }
void stop_with_error(const char* /*routine*/, const char* /*format*/, ...) {
    protocols::check(false);
    std::abort();
}

}  // namespace tessera::caf

// SPDX-License-Identifier: BSD-3-Clause
//
// The small extensions: time, node name, thread numbers (include/shmemx.h). They work at any time.
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <ctime>

#include "api/entry.hpp"
#include "api/thread_number.hpp"
#include "shmemx.h"

namespace tessera::api {
namespace {

constexpr std::size_t kNameBytes = 256;

// A name that is too long is cut off; a system without one has an empty name.
std::array<char, kNameBytes> read_node_name() {
    std::array<char, kNameBytes> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0) name[0] = '\0';
    return name;
}

char* node_name() {
    static std::array<char, kNameBytes> name = read_node_name();
    return name.data();
}

}  // namespace

constinit std::atomic<shmemx_gettid_t> registered_gettid{nullptr};
[[gnu::tls_model("initial-exec")]] constinit thread_local std::uint64_t system_number = 0;

std::uint64_t ask_thread_number() {
    const shmemx_gettid_t gettid_fn = registered_gettid.load(std::memory_order_relaxed);
    if (gettid_fn != nullptr) return gettid_fn();
    system_number = static_cast<std::uint64_t>(::syscall(SYS_gettid));
    return system_number;
}

}  // namespace tessera::api

namespace api = tessera::api;

SHMEM_ENTRY(double, shmemx_wtime, void) {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

SHMEM_ENTRY(char*, shmemx_nodename, void) { return api::node_name(); }

SHMEM_ENTRY(void, shmemx_register_gettid, shmemx_gettid_t gettid_fn) {
    api::registered_gettid.store(gettid_fn, std::memory_order_relaxed);
}

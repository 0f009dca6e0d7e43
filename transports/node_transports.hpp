// SPDX-License-Identifier: BSD-3-Clause
//
// The transports within a node: for static data that could not be mapped (session/node.cpp makes
// them), and for registered segments (memory/segment_transport.cpp).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "transports/segment_names.hpp"
#include "transports/transport.hpp"

namespace tessera {

// transports/self: this PE's own memory, when it cannot be a plain store because other PEs reach
// the same words through a transport. `lock` serialises atomics on them, in every PE.
std::unique_ptr<Transport> make_self_transport(std::atomic<std::uint32_t>& lock);

// transports/cma: another process of this node; the kernel copies (process_vm_readv,
// process_vm_writev), atomics are done under the owner's lock.
struct CmaTarget {
    int pid = 0;
    std::uintptr_t base = 0;                     // address of the memory in that process
    std::atomic<std::uint32_t>* lock = nullptr;  // in shared memory
};
// `targets` by world PE, from `first_pe` on (entries of PEs that are never addressed may be empty);
// `local_base` is where the same memory starts in this process.
std::unique_ptr<Transport> make_cma_transport(std::vector<CmaTarget> targets, int first_pe,
                                              std::uintptr_t local_base);

// transports/registered: segments of other PEs of this node. `helper` reaches these PEs by
// messages; `process_of` tells the facts that a PE has published.
struct NodeProcess {
    int pid = 0;
    std::uintptr_t proof = 0;         // where that process has its
    std::uint64_t random_number = 0;  // so that a copier knows the right process
};
std::unique_ptr<Transport> make_registered_transport(const SegmentNames& names, Transport& helper,
                                                     std::function<NodeProcess(int pe)> process_of,
                                                     int npes);

}  // namespace tessera

// SPDX-License-Identifier: BSD-3-Clause
//
// PEs for harnesses of the library's rooms: each thread is a PE of one node, and each PE maps the
// memory of all others. No PE has a transport.
#pragma once

#include <cstddef>

#include "base/fatal.hpp"
#include "base/wait_environment.hpp"
#include "core/context.hpp"
#include "core/internal_segment.hpp"
#include "core/pe_state.hpp"
#include "protocol.hpp"

namespace tessera {

constinit AddressPage address_page{};
constinit Context collective_context{};
constinit TransportContext* Context::default_transport_context = nullptr;
std::uint64_t Context::atomic_slow_path(const AtomicRequest& /*request*/, int /*pe*/,
                                        const char* /*where*/, OldValue /*old_value*/,
                                        void* /*later*/) const {
    fatal("a word is not mapped");
}
// No segment is registered.
alignas(Segments) inline constinit char no_segments[sizeof(Segments)]{};
Segments& internal::the_segments = reinterpret_cast<Segments&>(no_segments);
std::uintptr_t AddressMap::segment_base(const void* /*address*/, std::size_t /*bytes*/) const {
    return heap_base;
}
bool AddressMap::in_external_heap(const void* /*address*/, std::size_t /*bytes*/) const {
    return false;
}
void Context::quiet_slow_path(TransportContext& /*context*/) { fatal("a transport is used"); }

namespace protocols {

inline constexpr std::size_t kHeapBytes = 128;

template <int kPes>
struct Pes {
    struct Pe {
        InternalSegment internal;
        alignas(kCacheLineBytes) char heap[kHeapBytes];
    };
    Pe pes[kPes];
    Peer peers[kPes];

    // Before the threads begin.
    void start() {
        address_page.map.npes = kPes;
        for (int i = 0; i < kPes; ++i) {
            peers[i] = {.heap_inline_limit = inline_limit_of(kHeapBytes),
                        .heap = pes[i].heap,
                        .sleeper = &pes[i].internal.sleeper};
            AddressMap& map = address_maps[i];
            map.npes = kPes;
            map.direct_npes = kPes;
            map.heap_base = reinterpret_cast<std::uintptr_t>(pes[i].heap);
            map.heap_bytes = kHeapBytes;
            map.peers = peers;
            map.my_pe = i;
        }
    }
    // The thread of a PE begins. (As a program, PEs wake up from their waits by time.)
    void begin() {
        if constexpr (!kIsExhaustive) return;
        InternalSegment& mine = pes[my_thread].internal;
        mine.inline_limit.bytes.store(kHeapBytes, std::memory_order_relaxed);
        set_wait_environment({.sleeper = &mine.sleeper,
                              .inline_limit = &mine.inline_limit,
                              .inline_limit_bytes = kHeapBytes});
    }
    QueueNode* my_nodes() { return pes[my_thread].internal.nodes; }
    // The symmetric address of the words of the heap.
    std::uint64_t* names() { return reinterpret_cast<std::uint64_t*>(pes[my_thread].heap); }
};

}  // namespace protocols
}  // namespace tessera

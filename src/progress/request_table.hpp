// SPDX-License-Identifier: BSD-3-Clause
//
// The slots of requests (progress/request.hpp). Hot path off node. Free slots are a stack that
// threads change by compare-and-swap; its head has a tag, which makes a head that comes back look
// new. The table is address space, reserved at the first use and never given back; pages become
// memory as slots are used, 512 at a time. THREADS: any; a request has one user at a time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/mutexes.hpp"
#include "shmemx/requests.h"
#include "transports/operation.hpp"

namespace tessera {

struct Request {
    Operation operation;
    const char* where = nullptr;  // the routine that made it
    bool is_told = false;         // a wait for any or some has told about the local completion
};

class RequestTable {
  public:
    static constexpr std::uint32_t kSlots = std::uint32_t{1} << 20;

    // A request in a free slot; nullptr: all slots are taken, or there is no memory.
    Request* open();
    // Gives it a handle.
    shmemx_req_t publish(Request& request);
    // nullptr: no request has this handle.
    Request* find(shmemx_req_t handle) const;
    // Ends a complete request.
    void close(Request& request);
    // Ends it when it is complete.
    void detach(Request& request);

    // The bits of a PE's number in the handles of that PE.
    static int pe_bits(int pe) { return pe & ((1 << kPeBits) - 1); }
    // The bits in this handle; -1: it is no handle.
    int pe_of(shmemx_req_t handle) const;

    // Calls visit(request) for those that have a handle. THREADS: one.
    template <class Visit>
    void for_each_open(Visit visit) const {
        for (std::uint32_t i = 1; i < used_.load(std::memory_order_relaxed); ++i) {
            const Slot& slot = slots()[i];
            if (slot.handle.load(std::memory_order_relaxed) != 0) visit(slot.request);
        }
    }
    // Ends all. REQUIRES: all operations are complete. THREADS: one.
    void close_all();

  private:
    static constexpr unsigned kOffsetBits = 27;
    static constexpr unsigned kGenerationBits = 19;
    static constexpr unsigned kPeBits = 10;
    static constexpr std::uint64_t kKind = 0xE9;  // no address of a program begins like this
    static constexpr std::size_t kGrowBytes = std::size_t{64} << 10;

    struct Slot {
        std::atomic<std::uint64_t> handle;     // 0: the program has none
        std::atomic<std::uint32_t> next_free;  // a chain of slots; 0: the last one
        std::uint32_t generation;              // generation of the last handle
        Request request;
    };
    static constexpr std::size_t kSlotBytes = 128;
    static_assert(sizeof(Slot) <= kSlotBytes);
    static_assert(kSlotBytes * kSlots <= std::size_t{1} << kOffsetBits);
    struct PaddedSlot : Slot {
        std::byte unused[kSlotBytes - sizeof(Slot)];
    };
    static_assert(sizeof(PaddedSlot) == kSlotBytes);

    // A stack of free slots: number of changes (32 bits) | index of the first (32).
    class Stack {
      public:
        void push(PaddedSlot* slots, std::uint32_t index);
        std::uint32_t pop(PaddedSlot* slots);  // 0: it is empty
        std::uint32_t take_all();

      private:
        std::atomic<std::uint64_t> head_{0};
    };

    // Pairs with progress/request_table.cpp:reserve.
    PaddedSlot* slots() const { return slots_.load(std::memory_order_acquire); }
    std::uint32_t index_of(const Request& request) const;
    PaddedSlot& slot_of(const Request& request) const { return slots()[index_of(request)]; }
    bool grow();
    bool reserve();
    void sweep_detached();

    Stack free_;
    Stack detached_;  // whose operations may not be complete
    std::atomic<PaddedSlot*> slots_{nullptr};
    ShortMutex growing_;
    std::atomic<std::uint32_t> used_{1};  // slots that were ever used; slot 0 never is
    std::size_t backed_bytes_ = 0;
};

extern constinit RequestTable request_table;

}  // namespace tessera

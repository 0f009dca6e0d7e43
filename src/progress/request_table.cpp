// SPDX-License-Identifier: BSD-3-Clause
//
// See request_table.hpp.
#include "progress/request_table.hpp"

#include <sys/mman.h>

#include <new>

#include "core/address_map.hpp"

namespace tessera {

constinit RequestTable request_table;

namespace {

std::uint64_t bits_of(shmemx_req_t handle) { return reinterpret_cast<std::uint64_t>(handle); }

}  // namespace

void RequestTable::Stack::push(PaddedSlot* slots, std::uint32_t index) {
    std::uint64_t head = head_.load(std::memory_order_relaxed);
    std::uint64_t next = 0;
    do {
        slots[index].next_free.store(static_cast<std::uint32_t>(head), std::memory_order_relaxed);
        next = ((head >> 32) + 1) << 32 | index;
        // The slot is as its last user has left it. Pairs with progress/request_table.cpp:pop and
        // progress/request_table.cpp:take_all.
    } while (!head_.compare_exchange_weak(head, next, std::memory_order_release,
                                          std::memory_order_relaxed));
}

std::uint32_t RequestTable::Stack::pop(PaddedSlot* slots) {
    // Pairs with progress/request_table.cpp:push.
    std::uint64_t head = head_.load(std::memory_order_acquire);
    std::uint64_t next = 0;
    do {
        if (static_cast<std::uint32_t>(head) == 0) return 0;
        // Another thread may have popped the slot; then the tag differs, and this number is unused.
        const PaddedSlot& first = slots[static_cast<std::uint32_t>(head)];
        next = ((head >> 32) + 1) << 32 | first.next_free.load(std::memory_order_relaxed);
        // Pairs with progress/request_table.cpp:push.
    } while (!head_.compare_exchange_weak(head, next, std::memory_order_acquire));
    return static_cast<std::uint32_t>(head);
}

std::uint32_t RequestTable::Stack::take_all() {
    std::uint64_t head = head_.load(std::memory_order_relaxed);
    // Pairs with progress/request_table.cpp:push.
    while (
        !head_.compare_exchange_weak(head, ((head >> 32) + 1) << 32, std::memory_order_acquire)) {
    }
    return static_cast<std::uint32_t>(head);
}

std::uint32_t RequestTable::index_of(const Request& request) const {
    const auto offset =
        reinterpret_cast<const char*>(&request) - reinterpret_cast<const char*>(slots());
    return static_cast<std::uint32_t>(static_cast<std::size_t>(offset) / kSlotBytes);
}

bool RequestTable::reserve() {
    void* space = ::mmap(nullptr, kSlots * kSlotBytes, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED) return false;
    // Pairs with progress/request_table.hpp:slots.
    slots_.store(static_cast<PaddedSlot*>(space), std::memory_order_release);
    return true;
}

// RETURNS: whether there may be free slots now.
bool RequestTable::grow() {
    std::lock_guard guard(growing_);
    if (backed_bytes_ == kSlots * kSlotBytes || (slots() == nullptr && !reserve())) return false;
    char* end = reinterpret_cast<char*>(slots()) + backed_bytes_;
    if (::mprotect(end, kGrowBytes, PROT_READ | PROT_WRITE) != 0) return false;
    backed_bytes_ += kGrowBytes;
    const auto backed = static_cast<std::uint32_t>(backed_bytes_ / kSlotBytes);
    const std::uint32_t used = used_.load(std::memory_order_relaxed);
    for (std::uint32_t i = used; i < backed; ++i) new (&slots()[i]) PaddedSlot{};
    used_.store(backed, std::memory_order_relaxed);
    for (std::uint32_t i = backed; i > used; --i) free_.push(slots(), i - 1);
    return true;
}

Request* RequestTable::open() {
    std::uint32_t index = slots() != nullptr ? free_.pop(slots()) : 0;
    if (index == 0) [[unlikely]] {
        sweep_detached();
        while ((index = slots() != nullptr ? free_.pop(slots()) : 0) == 0) {
            if (!grow()) return nullptr;
        }
    }
    return new (&slots()[index].request) Request;
}

shmemx_req_t RequestTable::publish(Request& request) {
    constexpr std::uint32_t kGenerationMask = (1U << kGenerationBits) - 1;
    PaddedSlot& slot = slot_of(request);
    slot.generation = (slot.generation + 1) & kGenerationMask;
    const auto pe = static_cast<std::uint64_t>(pe_bits(address_map.my_pe));
    const std::uint64_t offset = std::uint64_t{index_of(request)} * kSlotBytes;
    const std::uint64_t handle = kKind << 56 | pe << (kGenerationBits + kOffsetBits) |
                                 std::uint64_t{slot.generation} << kOffsetBits | offset;
    slot.handle.store(handle, std::memory_order_relaxed);
    return reinterpret_cast<shmemx_req_t>(handle);
}

Request* RequestTable::find(shmemx_req_t handle) const {
    constexpr std::uint64_t kOffsets = (std::uint64_t{1} << kOffsetBits) - 1;
    PaddedSlot* const start = slots();
    const std::uint64_t index = (bits_of(handle) & kOffsets) / kSlotBytes;
    // Relaxed: a program that hands a handle to another thread orders that itself.
    if (start == nullptr || index >= used_.load(std::memory_order_relaxed)) return nullptr;
    PaddedSlot& slot = start[index];
    if (slot.handle.load(std::memory_order_relaxed) != bits_of(handle)) return nullptr;
    return &slot.request;
}

int RequestTable::pe_of(shmemx_req_t handle) const {
    if (bits_of(handle) >> 56 != kKind) return -1;
    return pe_bits(static_cast<int>(bits_of(handle) >> (kGenerationBits + kOffsetBits)));
}

void RequestTable::close(Request& request) {
    slot_of(request).handle.store(0, std::memory_order_relaxed);
    free_.push(slots(), index_of(request));
}

void RequestTable::detach(Request& request) {
    if (request.operation.is_remote()) return close(request);
    slot_of(request).handle.store(0, std::memory_order_relaxed);
    detached_.push(slots(), index_of(request));
}

// Where no slot is free: so a detached one costs a look once for each of those that are in use.
void RequestTable::sweep_detached() {
    std::uint32_t index = slots() != nullptr ? detached_.take_all() : 0;
    while (index != 0) {
        PaddedSlot& slot = slots()[index];
        const std::uint32_t next = slot.next_free.load(std::memory_order_relaxed);
        (slot.request.operation.is_remote() ? free_ : detached_).push(slots(), index);
        index = next;
    }
}

void RequestTable::close_all() {
    for (std::uint32_t i = 1; i < used_.load(std::memory_order_relaxed); ++i) {
        if (slots()[i].handle.load(std::memory_order_relaxed) != 0) close(slots()[i].request);
    }
    sweep_detached();
}

}  // namespace tessera

// SPDX-License-Identifier: BSD-3-Clause
//
// See handle_table.hpp. The table is reserved for reading only: a slot that was never used reads
// as zeros, takes no memory and counts towards no limit but that of addresses.
#include "base/handle_table.hpp"

#include <sys/mman.h>

#include <algorithm>

namespace tessera {
namespace {

constexpr std::uint32_t kLastGeneration = (std::uint32_t{1} << HandleSlots::kGenerationBits) - 1;
constexpr std::uint64_t kSlotOffsetMask = (std::uint64_t{1} << HandleSlots::kSlotOffsetBits) - 1;
constexpr std::size_t kGrowBytes = std::size_t{64} << 10;

std::uint32_t generation_of(std::uint64_t handle) {
    return static_cast<std::uint32_t>(handle >> HandleSlots::kSlotOffsetBits) & kLastGeneration;
}

}  // namespace

bool HandleSlots::reserve() {
    void* space = ::mmap(nullptr, kSlots * slot_bytes_, PROT_READ,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED) return false;
    auto* start = static_cast<Head*>(space);
    if (!grow(start)) {
        ::munmap(space, kSlots * slot_bytes_);
        return false;
    }
    // SHMEM_TEAM_INVALID and SHMEM_CTX_INVALID lead to slot 0, and must not equal its handle.
    start->handle.store(kNever, std::memory_order_relaxed);
    // Pairs with base/handle_table.hpp:find_head, whose address depends on the load.
    start_.store(start, std::memory_order_release);
    return true;
}

bool HandleSlots::grow(Head* start) {
    char* end = reinterpret_cast<char*>(start) + backed_bytes_;
    if (::mprotect(end, kGrowBytes, PROT_READ | PROT_WRITE) != 0) return false;
    backed_bytes_ += kGrowBytes;
    return true;
}

HandleSlots::Head* HandleSlots::claim() {
    if (first_free_ != 0) {
        Head* head = slot(first_free_);
        first_free_ = head->next_free;
        return head;
    }
    if (used_ == kSlots || (backed_bytes_ == 0 && !reserve())) return nullptr;
    if ((std::size_t{used_} + 1) * slot_bytes_ > backed_bytes_ && !grow(slot(0))) return nullptr;
    return slot(used_++);
}

std::uint64_t HandleSlots::publish(Head& head) {
    const auto slot_offset = static_cast<std::uint64_t>(reinterpret_cast<char*>(&head) -
                                                        reinterpret_cast<char*>(slot(0)));
    const std::uint64_t handle = std::uint64_t{kind_} << (kSlotOffsetBits + kGenerationBits) |
                                 std::uint64_t{++head.generation} << kSlotOffsetBits | slot_offset;
    head.handle.store(handle, std::memory_order_relaxed);
    return handle;
}

void HandleSlots::release(Head& head) {
    // A slot whose numbers are used up is never used again, so that no handle comes back.
    if (head.generation == kLastGeneration) return;
    head.next_free = first_free_;
    first_free_ =
        static_cast<std::uint32_t>(static_cast<std::size_t>(reinterpret_cast<char*>(&head) -
                                                            reinterpret_cast<char*>(slot(0))) /
                                   slot_bytes_);
}

bool HandleSlots::has_ended(std::uint64_t handle) const {
    std::lock_guard guard(lock_);
    const std::uint64_t slot_offset = handle & kSlotOffsetMask;
    const std::uint32_t generation = generation_of(handle);
    if (handle >> (kSlotOffsetBits + kGenerationBits) != kind_ || slot_offset % slot_bytes_ != 0)
        return false;
    const std::uint64_t index = slot_offset / slot_bytes_;
    if (index == 0 || index >= used_ || generation == 0) return false;
    const Head* head = slot(static_cast<std::uint32_t>(index));
    return generation <= head->generation && head->handle.load(std::memory_order_relaxed) != handle;
}

}  // namespace tessera

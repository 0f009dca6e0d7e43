// SPDX-License-Identifier: BSD-3-Clause
//
// The objects that programs name by handles: types, operations, groups, locks, allocators.
//
// A handle is a number that the table makes, not an address. So a lookup never touches memory that
// a program has made up, and one compare finds every value that is no handle: junk, the copy of a
// handle whose object has ended, a handle of another kind.
//
//    63..60  59..32      31..0
//    kind    generation  slot
//
// A slot that becomes free goes to the end of the line, and has a new generation when it is used
// again. Tables are never destroyed: static destructors of programs may end groups and locks.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>

namespace tessera::dart {

// 1 and up, so that no handle is NULL or a basic type or operation; below 8, so that none is
// negative.
enum class HandleKind : std::uint64_t { kType = 1, kOperation, kGroup, kLock, kAllocator };

// THREADS: any. One thread at a time uses an object and ends it, as the interface says.
template <class Object, HandleKind kKind>
class Handles {
  public:
    static Handles& all() {
        static Handles& table = *new Handles;
        return table;
    }

    std::uint64_t add(std::unique_ptr<Object> object) {
        const std::lock_guard guard(mutex_);
        std::uint32_t number = next_;
        if (!free_.empty()) {
            number = free_.front();
            free_.pop_front();
        } else {
            ++next_;
        }
        Slot& slot = make_slot(number);
        slot.object = std::move(object);
        const std::uint64_t handle =
            static_cast<std::uint64_t>(kKind) << 60 | slot.generation << 32 | number;
        // Pairs with core/handles.hpp:find_slot.
        slot.handle.store(handle, std::memory_order_release);
        return handle;
    }

    // RETURNS: nullptr: it is no handle of this kind, or its object has ended. COST: three loads.
    Object* find(std::uint64_t handle) const {
        Slot* slot = find_slot(handle);
        return slot != nullptr ? slot->object.get() : nullptr;
    }

    // RETURNS: the object; nullptr: as find(). Of several callers one receives it.
    std::unique_ptr<Object> remove(std::uint64_t handle) {
        const std::lock_guard guard(mutex_);
        Slot* slot = find_slot(handle);
        if (slot == nullptr) return nullptr;
        return take(*slot, static_cast<std::uint32_t>(handle));
    }

    // Calls a function with each object.
    template <class Function>
    void for_each(Function function) {
        const std::lock_guard guard(mutex_);
        for (std::uint32_t number = 0; number < next_; ++number) {
            if (Object* object = make_slot(number).object.get()) function(*object);
        }
    }

    // Ends all objects.
    void clear() {
        const std::lock_guard guard(mutex_);
        for (std::uint32_t number = 0; number < next_; ++number) {
            if (Slot& slot = make_slot(number); slot.object != nullptr) take(slot, number);
        }
    }

  private:
    static constexpr std::uint64_t kGenerations = std::uint64_t{1} << 28;
    static constexpr std::uint32_t kFirstSlots = 64;
    static constexpr int kChunks = 27;  // for all numbers of 32 bits

    struct Slot {
        std::atomic<std::uint64_t> handle{0};  // 0: free
        std::uint64_t generation = 0;
        std::unique_ptr<Object> object{};
    };

    // Chunk c has the kFirstSlots << c slots from (kFirstSlots << c) - kFirstSlots on.
    struct SlotPosition {
        int chunk;
        std::uint64_t index;
    };
    static SlotPosition position_of(std::uint32_t number) {
        const std::uint64_t position = std::uint64_t{number} + kFirstSlots;
        const int chunk = static_cast<int>(std::bit_width(position / kFirstSlots)) - 1;
        return {chunk, position - (std::uint64_t{kFirstSlots} << chunk)};
    }

    Slot* find_slot(std::uint64_t handle) const {
        if (handle >> 60 != static_cast<std::uint64_t>(kKind)) return nullptr;
        const auto [chunk, index] = position_of(static_cast<std::uint32_t>(handle));
        if (chunk >= kChunks) return nullptr;
        // Pairs with core/handles.hpp:make_slot and core/handles.hpp:add.
        Slot* slots = chunks_[chunk].load(std::memory_order_acquire);
        if (slots == nullptr || slots[index].handle.load(std::memory_order_acquire) != handle)
            return nullptr;
        return &slots[index];
    }

    // REQUIRES: mutex_.
    Slot& make_slot(std::uint32_t number) {
        const auto [chunk, index] = position_of(number);
        Slot* slots = chunks_[chunk].load(std::memory_order_relaxed);
        if (slots == nullptr) {
            slots = new Slot[std::size_t{kFirstSlots} << chunk];
            // Pairs with core/handles.hpp:find_slot.
            chunks_[chunk].store(slots, std::memory_order_release);
        }
        return slots[index];
    }

    // REQUIRES: mutex_.
    std::unique_ptr<Object> take(Slot& slot, std::uint32_t number) {
        slot.handle.store(0, std::memory_order_relaxed);
        slot.generation = (slot.generation + 1) % kGenerations;
        free_.push_back(number);
        return std::move(slot.object);
    }

    std::mutex mutex_{};
    std::atomic<Slot*> chunks_[kChunks] = {};
    std::uint32_t next_ = 0;            // the first number that was never used
    std::deque<std::uint32_t> free_{};  // the number that became free first comes first
};

}  // namespace tessera::dart

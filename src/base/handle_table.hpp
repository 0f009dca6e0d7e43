// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: objects that a program names by handles. The table tells a handle from any other number
// that a program may pass: an invented number, an address, a handle of another kind, or a handle
// whose object has ended, also when another object took its place.
//
//   handle   kind (8 bits) | generation (29) | offset of the slot in the table (27)
//   slot     head: its live handle, or 0; then the object
//
// A slot knows its one valid handle, so one compare of all bits decides, even if the rest of the
// handle points elsewhere: the offset is cut to the table's size. The table is address space,
// reserved when the library is loaded and never given back or moved; pages become memory as slots
// are used. Kinds are such that no address of a program begins with them. Nothing is destroyed when
// the process exits.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <utility>

#include "base/mutexes.hpp"
#include "base/platform.hpp"

namespace tessera {

// The part that all tables share: the slots' heads and their memory. handle_table.cpp.
class HandleSlots {
  public:
    static constexpr unsigned kSlotOffsetBits = 27;
    static constexpr unsigned kGenerationBits = 29;
    static constexpr std::uint32_t kSlots = std::uint32_t{1} << 20;

    struct Head {
        std::atomic<std::uint64_t> handle;  // handle of the object in this slot; 0: there is none
        std::uint32_t generation;           // generation of the last handle
        std::uint32_t next_free;            // a chain of slots; 0: the last one
    };

    constexpr HandleSlots(std::uint8_t kind, std::size_t slot_bytes)
        : kind_(kind), slot_bytes_(slot_bytes) {}

    // Makes the table: once, before the first find(), by a constructor of the library (a table is a
    // global variable and has none itself). Without memory add() tries again. COST: two system
    // calls and a page.
    bool reserve();

    // Whether the handle was one of this table, and its object has ended.
    bool has_ended(std::uint64_t handle) const;

  protected:
    // The head of the slot that holds `handle`, or nullptr. THREADS: any.
    // COST: five instructions; a load that depends on nothing, then the slot's line.
    template <std::size_t kSlotBytes>
    TESSERA_INLINE Head* find_head(std::uint64_t handle) const {
        constexpr std::uint64_t kSlotOffsets = (kSlots - 1) * kSlotBytes;
        Head* head = at(start_.load(std::memory_order_relaxed), handle & kSlotOffsets);
        if (head == nullptr) __builtin_unreachable();
        // Relaxed: a program that hands a handle to another thread orders that itself.
        return head->handle.load(std::memory_order_relaxed) == handle ? head : nullptr;
    }

    // A slot without object; nullptr: all are taken, or there is no memory. REQUIRES: lock_.
    Head* claim();
    // Gives the slot, with an object in it now, a handle that none had before.
    std::uint64_t publish(Head& head);
    // Takes the slot back; its object is gone. REQUIRES: lock_.
    void release(Head& head);

    // Slot `index`. REQUIRES: index < used_.
    Head* slot(std::uint32_t index) const {
        return at(start_.load(std::memory_order_relaxed), std::uint64_t{index} * slot_bytes_);
    }

    mutable ShortMutex lock_;  // find() never takes it
    std::uint32_t used_ = 1;   // slots that were ever used; slot 0 never is

  private:
    static constexpr std::uint64_t kNever = 0xFF5AD1C396E47B2F;  // no kind begins like this

    TESSERA_INLINE static Head* at(Head* start, std::uint64_t slot_offset) {
        return reinterpret_cast<Head*>(reinterpret_cast<char*>(start) + slot_offset);
    }
    bool grow(Head* start);

    // The slot of SHMEM_TEAM_INVALID and SHMEM_CTX_INVALID before there is a table.
    inline static constinit Head none_{kNever, 0, 0};

    const std::uint8_t kind_;
    const std::size_t slot_bytes_;
    std::atomic<Head*> start_{&none_};
    std::size_t backed_bytes_ = 0;  // from the start on: may be written
    std::uint32_t first_free_ = 0;  // 0: none
};

template <class T, std::uint8_t kKind>
class HandleTable : private HandleSlots {
    static_assert(kKind != 0 && kKind != 0xFF, "addresses begin with these");

    struct Slot {
        Head head;
        T object;
    };
    static constexpr std::size_t kSlotBytes = std::size_t{1}
                                              << (64 - __builtin_clzll(sizeof(Slot) - 1));
    static_assert(kSlotBytes * kSlots <= std::size_t{1} << kSlotOffsetBits);

  public:
    constexpr HandleTable() : HandleSlots(kKind, kSlotBytes) {}
    using HandleSlots::has_ended;
    using HandleSlots::reserve;

    // The object behind a handle, or nullptr. THREADS: any, also while others add and remove.
    TESSERA_INLINE T* find(std::uint64_t handle) const {
        Head* head = find_head<kSlotBytes>(handle);
        return head != nullptr ? object_of(head) : nullptr;
    }

    struct Added {
        T* object = nullptr;  // nullptr: no slot is left
        std::uint64_t handle = 0;
    };
    // Moves an object in. It stays where it is until it is removed. THREADS: any.
    Added add(T&& object) {
        std::lock_guard guard(lock_);
        Head* head = claim();
        if (head == nullptr) return {};
        T* placed = new (object_of(head)) T(std::move(object));
        return {placed, publish(*head)};
    }

    // From here on the handle names nothing, but the object is still there, for the caller to end
    // and give back by recycle(). nullptr: there is none, or another thread was first.
    T* detach(std::uint64_t handle) {
        std::lock_guard guard(lock_);  // for_each() looks at no object that is ending.
        Head* head = find_head<kSlotBytes>(handle);
        if (head == nullptr) return nullptr;
        head->handle.store(0, std::memory_order_relaxed);
        return object_of(head);
    }
    void recycle(T* object) {
        Head* head = reinterpret_cast<Head*>(object) - 1;
        object->~T();
        std::lock_guard guard(lock_);
        release(*head);
    }

    // Calls visit(handle, object) for all. REQUIRES: visit does not call back.
    template <class Visit>
    void for_each(Visit visit) const {
        std::lock_guard guard(lock_);
        for (std::uint32_t i = 1; i < used_; ++i) {
            Head* head = slot(i);
            const std::uint64_t handle = head->handle.load(std::memory_order_relaxed);
            if (handle != 0) visit(handle, *object_of(head));
        }
    }

  private:
    static_assert(sizeof(Head) % alignof(T) == 0, "object_of and recycle: T lies behind the head");
    TESSERA_INLINE static T* object_of(Head* head) { return reinterpret_cast<T*>(head + 1); }
};

}  // namespace tessera

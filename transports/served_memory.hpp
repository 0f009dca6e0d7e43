// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: this PE's memory as the messages of other nodes' PEs change it, for all fabrics. The
// messages may come from any process, so everything is checked here: one that names no memory of
// the segments, a word that is not aligned or an unknown element changes nothing. THREADS: any.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/gate.hpp"
#include "base/shared_lock.hpp"
#include "transports/apply_atomic.hpp"
#include "transports/fabric_transport.hpp"

namespace tessera {

class ServedMemory {
  public:
    // The first byte, as a message names it (fabric_segments.hpp).
    struct Target {
        std::size_t segment;
        std::uint64_t offset;
    };

    explicit ServedMemory(const FabricSetup& setup) : setup_(setup) {}

    // `what.dest` counts for nothing, as in accumulate(). RETURNS: the old value, or 0.
    std::uint64_t atomic(Target target, const AtomicRequest& what) const {
        const bool is_element = what.op == AtomicOp::kElement;
        const ElementKernel* kernel = is_element ? what.element.kernel() : nullptr;
        // Elements may need less alignment than words of their size: a complex float that of a
        // float.
        const std::size_t alignment = kernel != nullptr ? kernel->alignment : what.bytes;
        if (!std::has_single_bit(what.bytes) || what.bytes > sizeof what.operand) return 0;
        char* address = aligned_address(target, what.bytes, alignment);
        if (address == nullptr) return 0;
        const auto apply = [&] {
            if (!is_element)
                return apply_atomic(address, what.bytes, what.op, what.operand, what.condition);
            return apply_element(address, what.bytes, what.element, what.operand,
                                 *setup_.element_lock);
        };
        if (!needs_lock(target)) return apply();
        // Other PEs of this node read and write the word under this lock (transports/cma).
        SharedLock guard(*setup_.static_lock, "an atomic on static data");
        return apply();
    }

    // RETURNS: whether the message made sense. The elements at what.source are there: the caller
    // has checked it.
    bool accumulate(Target target, Accumulation what) const {
        const ElementKernel* kernel = what.element.kernel();
        if (kernel == nullptr) return false;
        what.dest = aligned_address(target, what.nelems * kernel->bytes, kernel->alignment);
        if (what.dest == nullptr) return false;
        apply_accumulate(what, *setup_.element_lock,
                         needs_lock(target) ? setup_.static_lock : nullptr);
        return true;
    }

    void post_gate(Target target, std::uint32_t number) const {
        auto* gate = reinterpret_cast<Gate*>(aligned_address(target, sizeof(Gate), alignof(Gate)));
        if (gate != nullptr && !gate->has_reached(number)) gate->post(number);
    }

    // Wakes the program if it waits for a word. REQUIRES: the last change was an atomic or is
    // followed by a seq_cst fence, so that it comes before the look whether the PE sleeps.
    void wake_program() const {
        if (setup_.sleeper->is_sleeping()) setup_.sleeper->wake();
    }

  private:
    char* aligned_address(Target target, std::uint64_t bytes, std::size_t alignment) const {
        char* address = setup_.segments.checked_address(target.segment, target.offset, bytes);
        return reinterpret_cast<std::uintptr_t>(address) % alignment == 0 ? address : nullptr;
    }
    bool needs_lock(Target target) const {
        return setup_.static_lock != nullptr &&
               target.segment == static_cast<std::size_t>(Segment::kStatics);
    }

    const FabricSetup& setup_;
};

}  // namespace tessera

// SPDX-License-Identifier: BSD-3-Clause
//
// See views.hpp.
#include "transports/noncoherent/views.hpp"

#include "base/bits.hpp"
#include "base/cache_lines.hpp"
#include "base/fatal.hpp"

namespace tessera::noncoherent {

Views::Views(const Copies& copies)
    : copies_(copies), view_bytes_(round_up(copies.segment().bytes + 1, page_bytes())) {
    if (!copies.policy().is_emulation()) return;
    views_.resize(copies.segment().publics.size());
    views_memory_ = Mapping::private_memory(views_.size() * view_bytes_);
}

char* Views::base_of(int pe) const {
    const auto index = static_cast<std::size_t>(pe);
    return views_.empty() ? copies_.segment().publics[index]
                          : views_memory_.data() + index * view_bytes_;
}

Copies* Views::view(int pe) const {
    std::lock_guard guard(lock_);
    return views_[static_cast<std::size_t>(pe)].get();
}

char* Views::pointer_to(const void* address, int pe) {
    const SegmentSetup& segment = copies_.segment();
    char* const base = base_of(pe);
    char* const pointer = base + (static_cast<const char*>(address) - segment.own);
    if (views_.empty()) return pointer;
    std::lock_guard guard(lock_);
    std::unique_ptr<Copies>& view = views_[static_cast<std::size_t>(pe)];
    if (view != nullptr) return pointer;
    view = std::make_unique<Copies>(SegmentSetup{.own = base,
                                                 .bytes = segment.bytes,
                                                 .pe = pe,
                                                 .publics = segment.publics,
                                                 .parts = segment.parts,
                                                 .marks = {},
                                                 .stamps = {},
                                                 .access = segment.access});
    if (!view->is_made()) {
        fatal(
            "shmemx_public_ptr: out of address space for a view of the memory of PE %d; lower "
            "SHMEM_SYMMETRIC_SIZE",
            pe);
    }
    // Pairs with transports/noncoherent/views.hpp:drop.
    has_views_.store(true, std::memory_order_release);
    return pointer;
}

Views::Found Views::find(const void* start) const {
    const SegmentSetup& segment = copies_.segment();
    for (int pe = 0; pe < static_cast<int>(segment.publics.size()); ++pe) {
        if (!copies_.has_pe(pe) || pe == segment.pe) continue;
        if (!views_.empty() && view(pe) == nullptr) continue;
        const auto offset = static_cast<std::size_t>(static_cast<const char*>(start) - base_of(pe));
        if (offset < segment.bytes) return {.pe = pe, .offset = offset};
    }
    return {};
}

std::size_t Views::bytes_at(const void* start) const {
    const Found found = find(start);
    return found.pe < 0 ? 0 : copies_.segment().bytes - found.offset;
}

void Views::write_back(const void* start, std::size_t bytes) {
    const Found found = find(start);
    if (views_.empty()) {
        copies_.policy().write_back(start, bytes);
    } else {
        view(found.pe)->publish_lines(start, bytes);
    }
    copies_.policy().finish();
    copies_.mark_changed(found.offset, bytes, found.pe);
}

void Views::invalidate(const void* start, std::size_t bytes) {
    if (views_.empty()) return copies_.policy().before_load(start, bytes);
    Copies& of = *view(find(start).pe);
    of.publish_lines(start, bytes);
    of.policy().finish();
    const LineRange lines = lines_of(reinterpret_cast<std::uintptr_t>(start), bytes);
    of.refresh(reinterpret_cast<void*>(lines.begin), lines.end - lines.begin);
}

void Views::drop_from_view(const void* address, std::size_t bytes, int pe) {
    if (view(pe) != nullptr) invalidate(pointer_to(address, pe), bytes);
}

void Views::evict(Dice& dice) {
    // Pairs with transports/noncoherent/views.cpp:pointer_to.
    if (!has_views_.load(std::memory_order_acquire)) return;
    Copies* const of = view(static_cast<int>(dice.below(views_.size())));
    if (of == nullptr) return;
    const std::span<char> line = of->random_line(dice);
    if (line.empty()) return;
    if (dice.below(2) == 0) return invalidate(line.data(), line.size());
    of->publish_lines(line.data(), line.size());
    of->policy().finish();
}

}  // namespace tessera::noncoherent

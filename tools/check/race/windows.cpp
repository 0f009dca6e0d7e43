// SPDX-License-Identifier: BSD-3-Clause
//
// See windows.hpp.
#include "tools/check/race/windows.hpp"

#include <link.h>

#include <algorithm>

#include "pshmem.h"

namespace tessera::check::race {

namespace {

constexpr std::uintptr_t kPage = 4096;
// Symmetric memory further apart than this is two parts: the heap and static data, for example.
constexpr std::uintptr_t kPartGap = std::uintptr_t{1} << 36;

void* pointer(std::uintptr_t address) { return reinterpret_cast<void*>(address); }

bool is_symmetric(std::uintptr_t address, int pe) {
    return pshmem_addr_accessible(pointer(address), pe) != 0;
}

struct Span {
    std::uintptr_t begin;
    std::uintptr_t end;
};

// The writable segments of the main program, which the loader tells first.
int take_main_program(dl_phdr_info* info, std::size_t, void* into) {
    auto& span = *static_cast<Span*>(into);
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const auto& header = info->dlpi_phdr[i];
        if (header.p_type != PT_LOAD || (header.p_flags & PF_W) == 0) continue;
        const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
        span.begin = std::min(span.begin, begin);
        span.end = std::max(span.end, begin + header.p_memsz);
    }
    return 1;
}

}  // namespace

void Windows::open(accesses::Table& table, int pe, int n_pes) {
    table_ = &table;
    pe_ = pe;
    n_pes_ = n_pes;
    add_static_data();
}

void Windows::close() {
    if (table_ == nullptr) return;
    table_->zone_count = 0;
    table_->tell = nullptr;
    table_ = nullptr;
    parts_.clear();
    windows_.clear();
    pending_.clear();
}

// Without the pages that the loader has made read-only.
void Windows::add_static_data() {
    Span span{UINTPTR_MAX, 0};
    dl_iterate_phdr(take_main_program, &span);
    while (span.begin < span.end && !is_symmetric(span.begin, pe_))
        span.begin = (span.begin / kPage + 1) * kPage;
    if (span.begin < span.end) add_symmetric(span.begin, span.end - span.begin);
}

void Windows::add_symmetric(std::uintptr_t begin, std::size_t bytes) {
    if (table_ == nullptr || bytes == 0) return;
    const std::uintptr_t end = begin + bytes;
    for (Part& part : parts_) {
        if (part.begin <= begin && end <= part.end) return;
        if (begin > part.end + kPartGap || end + kPartGap < part.begin) continue;
        part = {std::min(part.begin, begin), std::max(part.end, end)};
        map_parts();
        return;
    }
    parts_.push_back({begin, end});
    map_parts();
}

void Windows::map_parts() {
    windows_.clear();
    for (const Part& part : parts_) {
        for (int pe = 0; pe < n_pes_; ++pe) {
            const void* mapped =
                pe == pe_ ? pointer(part.begin) : pshmem_ptr(pointer(part.begin), pe);
            if (mapped == nullptr) continue;
            const auto begin = reinterpret_cast<std::uintptr_t>(mapped);
            windows_.push_back({begin, begin + (part.end - part.begin), part.begin, pe});
        }
    }
    std::ranges::sort(windows_, {}, &Window::begin);
    publish();
}

// Buffers in windows are seen already.
void Windows::set_pending(const PendingList& pending) {
    if (table_ == nullptr) return;
    std::vector<Part> outside;
    for (const Pending& entry : pending.entries()) {
        if (find(entry.begin) == nullptr)
            outside.push_back({entry.begin, entry.begin + entry.bytes});
    }
    if (outside.empty() && pending_.empty()) return;
    pending_ = std::move(outside);
    publish();
}

// The zones are the windows and buffers; those that lie closest together become one until they fit.
void Windows::publish() {
    std::vector<Span> spans;
    for (const Window& window : windows_) spans.push_back({window.begin, window.end});
    for (const Part& buffer : pending_) spans.push_back({buffer.begin, buffer.end});
    std::ranges::sort(spans, {}, &Span::begin);
    while (spans.size() > accesses::Table::kZones) {
        std::size_t closest = 1;
        const auto gap = [&](std::size_t i) {
            return static_cast<std::intptr_t>(spans[i].begin - spans[i - 1].end);
        };
        for (std::size_t i = 2; i < spans.size(); ++i) {
            if (gap(i) < gap(closest)) closest = i;
        }
        spans[closest - 1].end = std::max(spans[closest - 1].end, spans[closest].end);
        spans.erase(spans.begin() + static_cast<std::ptrdiff_t>(closest));
    }
    // Accesses of other threads may see the zones change: each is checked again in find().
    for (std::size_t i = 0; i < spans.size(); ++i) {
        table_->zones[i].begin.store(spans[i].begin, std::memory_order_relaxed);
        table_->zones[i].bytes.store(spans[i].end - spans[i].begin, std::memory_order_relaxed);
    }
    table_->zone_count.store(static_cast<std::uint32_t>(spans.size()), std::memory_order_relaxed);
}

void Windows::begin_epoch() {
    if (table_ == nullptr) return;
    epoch_ = (epoch_ + 1) % accesses::Table::kEpochs;
    if (epoch_ == 0) {
        for (auto& row : table_->seen) row.store(0, std::memory_order_relaxed);
    }
    table_->epoch.store(epoch_, std::memory_order_relaxed);
}

const Window* Windows::find(std::uintptr_t address) const {
    auto next = std::ranges::upper_bound(windows_, address, {}, &Window::begin);
    if (next == windows_.begin()) return nullptr;
    const Window& window = *std::prev(next);
    return address < window.end ? &window : nullptr;
}

bool Windows::is_pending(std::uintptr_t address) const {
    return std::ranges::any_of(pending_, [&](const Part& buffer) {
        return buffer.begin <= address && address < buffer.end;
    });
}

}  // namespace tessera::check::race

// SPDX-License-Identifier: BSD-3-Clause
//
// See segments.hpp.
#include "memory/segments.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/fatal.hpp"
#include "core/address_map.hpp"
#include "memory/global_pointer.hpp"

namespace tessera {
namespace {

// All that a global pointer can name, or less where the system has a limit (ulimit -v).
constexpr std::size_t kNamesMax = kSegmentNameBit;
constexpr std::size_t kNamesMin = std::size_t{1} << 24;
// So that the byte before a part has a name, too, and the message can say so.
constexpr std::size_t kFirstName = 4096;

// The last accesses of a thread, by the number of the PE, so that the next ones need no search.
struct RecentAccess {
    std::uint64_t change = 0;  // number of the last change that it has seen
    std::size_t first = 0;     // names
    std::size_t bytes = 0;
    int pe = -1;
    char* memory = nullptr;  // where the first name points
};
constexpr std::size_t kRecentAccesses = 8;
[[gnu::tls_model("initial-exec")]] constinit thread_local RecentAccess recent[kRecentAccesses];
// Grows when a segment ends, in any table.
std::atomic<std::uint64_t> last_change{1};

RecentAccess& recent_of(int pe) { return recent[static_cast<unsigned>(pe) % kRecentAccesses]; }

TESSERA_INLINE char* recent_memory(std::size_t offset, std::size_t bytes, int pe) {
    const RecentAccess& last = recent_of(pe);
    const std::size_t behind = offset - last.first;
    const bool is_there = last.pe == pe && behind < last.bytes && bytes <= last.bytes - behind &&
                          last.change == last_change.load(std::memory_order_relaxed);
    return is_there ? last.memory + behind : nullptr;
}

void before_fork() { segments().pages().before_fork(); }
void after_fork() { segments().pages().after_fork(); }
void in_child() { segments().pages().make_private_in_child(); }

bool maps_heap_of(int pe) { return address_map.peers[pe].heap != nullptr; }

}  // namespace

namespace internal {
Segments& the_segments = *new Segments;
}

std::size_t RegisteredSegment::first_name(int index) const {
    return begin + part(index).address % kPartAlignment;
}

// ---- Names ----

bool Segments::reserve() {
    if (bytes_.load(std::memory_order_relaxed) != 0) return true;
    for (std::size_t bytes = kNamesMax; bytes >= kNamesMin; bytes /= 2) {
        void* start =
            ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (start == MAP_FAILED) continue;
        start_.store(reinterpret_cast<std::uintptr_t>(start), std::memory_order_relaxed);
        // Other threads of the program learn names from this one, after that.
        bytes_.store(bytes, std::memory_order_relaxed);
        return true;
    }
    return false;
}

std::size_t Segments::first_free(std::size_t from, std::size_t bytes) const {
    from = std::max(from, kFirstName);
    auto next = by_begin_.upper_bound(from);
    if (next != by_begin_.begin()) from = std::max(from, std::prev(next)->second.end);
    for (; next != by_begin_.end() && next->first - from < bytes; ++next) from = next->second.end;
    const std::size_t limit = bytes_.load(std::memory_order_relaxed);
    return from <= limit && bytes <= limit - from ? from : kNone;
}

std::size_t Segments::propose(std::size_t from, std::size_t bytes) {
    std::unique_lock guard(lock_);
    if (!reserve()) return kNone;
    const bool is_behind = from == kBehindLast;
    const std::size_t place = first_free(is_behind ? next_ : from, bytes);
    if (is_behind && place != kNone) next_ = place + bytes;
    return place;
}

bool Segments::try_claim(RegisteredSegment&& segment) {
    std::unique_lock guard(lock_);
    if (first_free(segment.begin, segment.end - segment.begin) != segment.begin) return false;
    next_ = segment.end;
    by_begin_.emplace(segment.begin, std::move(segment));
    return true;
}

void Segments::complete(std::size_t begin, SegmentTable&& table) {
    std::unique_lock guard(lock_);
    by_begin_.at(begin).table = std::move(table);
}

std::optional<RegisteredSegment> Segments::try_take(std::size_t begin) {
    std::unique_lock guard(lock_);
    last_change.fetch_add(1, std::memory_order_relaxed);
    auto node = by_begin_.extract(begin);
    if (node.empty()) return std::nullopt;
    return std::move(node.mapped());
}

void Segments::forget_all_of(const Team* team) {
    std::unique_lock guard(lock_);
    last_change.fetch_add(1, std::memory_order_relaxed);
    for (auto next = by_begin_.begin(); next != by_begin_.end();) {
        if (next->second.team != team) {
            ++next;
            continue;
        }
        release(next->second);
        next = by_begin_.erase(next);
    }
}

// The fabric closes its regions itself.
void Segments::close() {
    close_transport();
    std::unique_lock guard(lock_);
    last_change.fetch_add(1, std::memory_order_relaxed);
    for (const auto& [begin, segment] : by_begin_) {
        const SegmentTable& table = segment.table;
        if (table.shared != nullptr) ::munmap(table.shared, table.count * sizeof(SegmentPart));
    }
    by_begin_.clear();
    peers_.clear();
    pages_.close();
    next_ = 0;
    const std::size_t bytes = bytes_.exchange(0, std::memory_order_relaxed);
    if (bytes > 0) ::munmap(address_of(0), bytes);
}

// ---- From names to memory ----

Segments::Found Segments::find(std::size_t offset, int pe) const {
    auto next = by_begin_.upper_bound(offset);
    if (next == by_begin_.begin()) return {};
    const RegisteredSegment& segment = std::prev(next)->second;
    if (offset >= segment.end) return {};
    // The team may be gone at the end of the job, when other PEs are still served.
    const int index = pe == address_map.my_pe ? segment.my_index : segment.team->index_of(pe);
    if (index < 0) return {.segment = &segment};
    return {.segment = &segment, .index = index, .offset = offset - segment.first_name(index)};
}

bool Segments::holds(const Found& found, std::size_t bytes) {
    if (found.segment == nullptr || found.index < 0) return false;
    const SegmentPart& part = found.segment->part(found.index);
    return bytes <= part.bytes && found.offset <= part.bytes - bytes;
}

Segments::Here Segments::mapped_part(const Found& found, int pe) const {
    const SegmentPart& part = found.segment->part(found.index);
    const std::size_t first_name = found.segment->first_name(found.index);
    if (pe == address_map.my_pe)
        return {first_name, part.bytes, reinterpret_cast<char*>(part.address)};
    if (part.pages.bytes() == 0 || !maps_heap_of(pe)) return {};
    std::lock_guard guard(views_lock_);
    auto [view, is_new] = found.segment->views.try_emplace(pe);
    if (is_new) view->second = peers_[pe].view_of(published_pages(pe), part.pages);
    if (view->second.start == nullptr) return {};
    const std::uintptr_t begin = std::max(part.address, part.pages.begin);
    const std::uintptr_t end = std::min(part.address + part.bytes, part.pages.end);
    return {first_name + (begin - part.address), end - begin,
            view->second.start + (begin - part.pages.begin)};
}

char* Segments::remote(const void* name, std::size_t bytes, int pe, const char* where) const {
    const std::size_t offset = offset_of(name);
    if (char* memory = recent_memory(offset, bytes, pe)) return memory;
    std::shared_lock guard(lock_);
    const Found found = find(offset, pe);
    if (!holds(found, bytes)) {
        guard.unlock();
        fail(name, bytes, pe, where);
    }
    const Here here = mapped_part(found, pe);
    const std::size_t behind = offset - here.first;
    if (behind >= here.bytes || bytes > here.bytes - behind) return nullptr;
    recent_of(pe) = {.change = last_change.load(std::memory_order_relaxed),
                     .first = here.first,
                     .bytes = here.bytes,
                     .pe = pe,
                     .memory = here.memory};
    return here.memory + behind;
}

SegmentNames::MappedBytes Segments::mapped_there(std::size_t offset, std::size_t bytes,
                                                 int pe) const {
    std::shared_lock guard(lock_);
    const Found found = find(offset, pe);
    if (found.index < 0) return {.first = bytes};  // find_there() tells.
    const Here here = mapped_part(found, pe);
    const std::size_t begin = std::max(offset, here.first);
    const std::size_t end = std::min(offset + bytes, here.first + here.bytes);
    if (begin >= end) return {.first = bytes};
    return {.first = begin - offset,
            .bytes = end - begin,
            .memory = here.memory + (begin - here.first)};
}

char* Segments::find(const void* name, int pe) const {
    if (char* memory = recent_memory(offset_of(name), 1, pe)) return memory;
    return has(name, pe) ? remote(name, 1, pe, "shmem_ptr") : nullptr;
}

char* Segments::find_here(const void* name, std::size_t bytes) const {
    std::shared_lock guard(lock_);
    const Found found = find(offset_of(name), address_map.my_pe);
    if (!holds(found, bytes)) return nullptr;
    const SegmentPart& part = found.segment->part(found.index);
    return reinterpret_cast<char*>(part.address) + found.offset;
}

void Segments::release(RegisteredSegment& segment) {
    close_region(segment.region);
    release_part(segment.mine);
    SegmentTable& table = segment.table;
    if (table.shared == nullptr) return;
    const std::size_t bytes = table.count * sizeof(SegmentPart);
    pages_.end(reinterpret_cast<std::uintptr_t>(table.shared), bytes);
    ::munmap(table.shared, bytes);
    table.shared = nullptr;
}

SegmentTable Segments::share_table(std::span<const SegmentPart> parts) {
    void* start = ::mmap(nullptr, parts.size_bytes(), PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) return {};
    std::ranges::copy(parts, static_cast<SegmentPart*>(start));
    const auto address = reinterpret_cast<std::uintptr_t>(start);
    const heap::PageSpan touched = heap::pages_touched_by(address, parts.size_bytes());
    if (pages_.share(touched.begin, touched.bytes(), 1).bytes() == 0) {
        pages_.end(touched.begin, touched.bytes());
        ::munmap(start, parts.size_bytes());
        return {};
    }
    publish_pages(pages_.offer());
    return {.shared = static_cast<SegmentPart*>(start), .count = parts.size()};
}

SegmentTable Segments::view_table(int pe, std::uintptr_t address, std::size_t count) {
    std::lock_guard guard(views_lock_);
    const heap::PageSpan pages = heap::pages_touched_by(address, count * sizeof(SegmentPart));
    return {.view = peers_[pe].view_of(published_pages(pe), pages), .count = count};
}

int Segments::owner_of_view(std::uintptr_t address) const {
    std::shared_lock guard(lock_);
    std::lock_guard views_guard(views_lock_);
    for (const auto& [begin, segment] : by_begin_) {
        for (const auto& [pe, view] : segment.views) {
            const int index = segment.team->index_of(pe);
            const auto start = reinterpret_cast<std::uintptr_t>(view.start);
            if (address - start < segment.part(index).pages.bytes()) return pe;
        }
    }
    return -1;
}

std::size_t Segments::position_of_memory(const void* address) const {
    return find_external_heap(address, 1)->name_of(address);
}

void Segments::share_part(SegmentPart& part, std::size_t pages_min) {
    part.pages = pages_.share(part.address, part.bytes, pages_min);
    if (part.pages.bytes() == 0) return;
    publish_pages(pages_.offer());
    static const int registered = ::pthread_atfork(before_fork, after_fork, in_child);
    static_cast<void>(registered);
}

void Segments::release_part(const SegmentPart& part) { pages_.end(part.address, part.bytes); }

bool Segments::has(const void* name, int pe) const {
    std::shared_lock guard(lock_);
    return holds(find(offset_of(name), pe), 1);
}

char* Segments::memory_here(std::size_t offset, std::size_t bytes) const {
    if (offset < bytes_.load(std::memory_order_relaxed)) {
        if (char* memory = find_here(address_of(offset), bytes)) return memory;
    }
    fatal(
        "another PE accesses %zu bytes of a registered segment at name %#zx, which this PE has not "
        "registered (any more); complete all operations before shmemx_deregister",
        bytes, offset);
}

SegmentNames::RemoteByte Segments::find_there(std::size_t offset, int pe) const {
    std::shared_lock guard(lock_);
    const Found found = find(offset, pe);
    if (found.index < 0) {
        fatal(
            "a segment of PE %d was deregistered while an operation used it; complete all "
            "operations before shmemx_deregister",
            pe);
    }
    const SegmentPart& part = found.segment->part(found.index);
    return {.address = part.address + found.offset,
            .fabric_address = part.fabric_address + found.offset,
            .key = part.key};
}

void Segments::fail(const void* name, std::size_t bytes, int pe, const char* where) const {
    std::shared_lock guard(lock_);
    const Found found = find(offset_of(name), pe);
    if (found.segment == nullptr) {
        fatal(
            "%s: %p is the name of memory that is not registered (any more); use a segment between "
            "shmemx_register and shmemx_deregister",
            where, name);
    }
    if (found.index < 0) {
        fatal(
            "%s: %p is the name of memory of a segment, and PE %d is not in the team that "
            "registered it; pass the PE that shmemx_gptr_pe gives",
            where, name, pe);
    }
    const SegmentPart& part = found.segment->part(found.index);
    fatal(
        "%s: %zu bytes at %p, byte %td of the part of PE %d of a segment, are not all in that "
        "part, which has %zu bytes; check the number of elements, and pass the PE that "
        "shmemx_gptr_pe gives",
        where, bytes, name, static_cast<std::ptrdiff_t>(found.offset), pe, part.bytes);
}

char* mapped_of(const ExternalHeap& heap, const void* address, int pe) {
    if (heap.device != nullptr) return nullptr;
    return segments().find(segments().address_of(heap.name_of(address)), pe);
}

bool is_registered_by(int pe, const ExternalHeap& heap, const void* address) {
    return heap.device == nullptr &&
           segments().has(segments().address_of(heap.name_of(address)), pe);
}

char* remote_of(const ExternalHeap& heap, const void* address, std::size_t count, int pe,
                const char* where) {
    if (heap.device != nullptr) {
        fatal(
            "%s: %p is memory of a device (%s), registered by shmemx_heap_create; no transport of "
            "this job reaches it, copy it through memory from shmem_malloc",
            where, address, heap.device);
    }
    return segments().remote(segments().address_of(heap.name_of(address)), count, pe, where);
}

}  // namespace tessera

// SPDX-License-Identifier: BSD-3-Clause
//
// Tells the owner of a segment which pages of its public copy other PEs have changed since it last
// looked, so that it need not compare the others. In coherent memory that all of them map, zeros at
// first:
//
//   byte                 is 1 when PEs have changed
//   0                    anything
//   64 + g               a page of group g: kPagesInGroup pages
//   64 + groups + p      page p
//
// A PE sets marks from the last row to the first one, behind its change and a seq_cst fence
// (Policy::finish). The owner takes them from the first row to the last one, and looks at the pages
// behind another such fence. All accesses are seq_cst. So a change that the owner overlooks still
// has its marks at the owner's next look. THREADS: any PE and thread sets; one thread of the owner
// takes.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/platform.hpp"

namespace tessera::noncoherent {

// Software coherence counts by these, whatever the system's pages are.
inline constexpr std::size_t kPageBytes = 4096;
inline constexpr std::size_t kPagesInGroup = 64;
constexpr std::size_t pages_of(std::size_t bytes) { return (bytes + kPageBytes - 1) / kPageBytes; }
constexpr std::size_t groups_of(std::size_t bytes) { return pages_of(bytes) / kPagesInGroup + 1; }

class PageMarks {
  public:
    static constexpr std::size_t bytes_for(std::size_t segment_bytes) {
        return kCacheLineBytes + groups_of(segment_bytes) + pages_of(segment_bytes);
    }
    // nullptr: there are none.
    PageMarks(char* memory, std::size_t segment_bytes)
        : any_(memory),
          groups_(memory + kCacheLineBytes),
          pages_(groups_ + groups_of(segment_bytes)) {}

    bool is_used() const { return any_ != nullptr; }

    // REQUIRES: bytes > 0. COST: three loads for a page whose marks are set.
    void set(std::size_t offset, std::size_t bytes) const {
        const std::size_t last = (offset + bytes - 1) / kPageBytes;
        for (std::size_t page = offset / kPageBytes; page <= last; ++page) {
            set(pages_ + page);
            if (page == last || (page + 1) % kPagesInGroup == 0)
                set(groups_ + page / kPagesInGroup);
        }
        set(any_);
        // A store that tells the owner of the change stays behind the marks. Pairs with
        // transports/noncoherent/page_marks.hpp:take_any.
        std::atomic_thread_fence(std::memory_order_release);
    }

    // RETURNS: whether take() may find something. The caller has to take all pages then.
    bool take_any() const {
        // The owner has been told. Pairs with transports/noncoherent/page_marks.hpp:set.
        std::atomic_thread_fence(std::memory_order_acquire);
        return take(any_);
    }
    // Calls visit(begin, end) for runs of marked pages that begin in [begin, end), two offsets.
    template <class Visit>
    void take(std::size_t begin, std::size_t end, Visit visit) const {
        const std::size_t pages_end = pages_of(end);
        std::size_t page = begin / kPageBytes;
        while (page < pages_end) {
            const std::size_t group = page / kPagesInGroup;
            const std::size_t group_end = std::min((group + 1) * kPagesInGroup, pages_end);
            // Other parts of the group keep its mark.
            if (load(groups_ + group)) {
                const bool is_whole =
                    page % kPagesInGroup == 0 && group_end == (group + 1) * kPagesInGroup;
                if (is_whole) take(groups_ + group);
                take_pages(page, group_end, visit);
            }
            page = group_end;
        }
    }

  private:
    static std::atomic_ref<char> at(char* mark) { return std::atomic_ref(*mark); }
    static bool load(char* mark) { return at(mark).load() != 0; }
    static void set(char* mark) {
        if (!load(mark)) at(mark).store(1);
    }
    static bool take(char* mark) { return load(mark) && at(mark).exchange(0) != 0; }

    template <class Visit>
    void take_pages(std::size_t page, std::size_t end, Visit visit) const {
        while (page < end) {
            const std::size_t first = page;
            while (page < end && take(pages_ + page)) ++page;
            if (page > first) {
                // A PE that finds a mark set, and leaves it, has changed the page before this
                // fence. Pairs with transports/noncoherent/policy.cpp:finish.
                std::atomic_thread_fence(std::memory_order_seq_cst);
                visit(first * kPageBytes, page * kPageBytes);
            }
            ++page;
        }
    }

    char* any_;
    char* groups_;
    char* pages_;
};

}  // namespace tessera::noncoherent

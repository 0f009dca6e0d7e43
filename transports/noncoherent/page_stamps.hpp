// SPDX-License-Identifier: BSD-3-Clause
//
// Tells the owner of a segment which pages of its public copy one PE of another node has changed,
// in memory that is not coherent and has no atomic instructions. There is a table for each owner
// and each such PE, which alone writes it; zeros at first:
//
//   byte                  number of the last change of
//   0                     anything (64 bits)
//   64 + 4 g              a page of group g: kPagesInGroup pages (32 bits)
//   64 + 4 (groups + p)   page p (32 bits)
//
// The PE counts its changes. It stores numbers to pages and groups behind the changes, and the last
// one to the first word behind these, before it tells the owner (Copies::finish_stamps). The owner
// remembers the number of its last look, and looks at pages with a later one. So a change that the
// owner overlooks has a number that the owner has not seen yet: the number of its next look is
// larger. Numbers of 32 bits are compared by their distance; an owner that is 2^31 changes behind
// looks at all pages. THREADS: one sets, one looks.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/bits.hpp"
#include "base/platform.hpp"
#include "transports/noncoherent/page_marks.hpp"
#include "transports/noncoherent/policy.hpp"

namespace tessera::noncoherent {

class PageStamps {
  public:
    // A look that is so many changes behind.
    static constexpr std::uint64_t kTooFar = std::uint64_t{1} << 31;

    static constexpr std::size_t bytes_for(std::size_t segment_bytes) {
        const std::size_t stamps = groups_of(segment_bytes) + pages_of(segment_bytes);
        return round_up(kCacheLineBytes + stamps * sizeof(Stamp), kCacheLineBytes);
    }
    // nullptr: there is no table.
    PageStamps(char* memory, std::size_t segment_bytes)
        : last_(memory), groups_(memory + kCacheLineBytes) {
        pages_ = groups_ + groups_of(segment_bytes) * sizeof(Stamp);
    }
    bool is_used() const { return last_ != nullptr; }

    // The number behind `number`: its low half is not 0, which stands for no change.
    static std::uint64_t next(std::uint64_t number) {
        return static_cast<Stamp>(number + 1) != 0 ? number + 1 : number + 2;
    }
    // For pages `first` to `last`. REQUIRES: the changes are visible; `number` is next() of the
    // last one. The caller finishes (Policy::finish()), and calls set_last() behind that.
    void set(const Policy& policy, std::size_t first, std::size_t last,
             std::uint64_t number) const {
        const auto stamp = static_cast<Stamp>(number);
        for (std::size_t page = first; page <= last; ++page) {
            policy.store(pages_ + page * sizeof stamp, &stamp, sizeof stamp);
            if (page == last || (page + 1) % kPagesInGroup == 0) {
                char* const group = groups_ + page / kPagesInGroup * sizeof stamp;
                policy.store(group, &stamp, sizeof stamp);
            }
        }
    }
    // The owner may find what was set with numbers up to this one. The caller finishes.
    void set_last(const Policy& policy, std::uint64_t number) const {
        policy.store(last_, &number, sizeof number);
    }

    // The number of the last change.
    std::uint64_t last(const Policy& policy) const {
        std::uint64_t number = 0;
        load(policy, last_, 1, &number);
        return number;
    }
    // Calls visit(begin, end) for runs of pages that begin in [begin, end), two offsets, and were
    // changed behind change number `since`. REQUIRES: last() was less than kTooFar beyond `since`.
    template <class Visit>
    void changed(const Policy& policy, std::size_t begin, std::size_t end, std::uint64_t since,
                 Visit visit) const {
        const std::size_t pages_end = pages_of(end);
        const auto seen = static_cast<Stamp>(since);
        Stamp stamps[kPagesInGroup];
        for (std::size_t page = begin / kPageBytes; page < pages_end;) {
            const std::size_t first_group = page / kPagesInGroup;
            const std::size_t groups =
                std::min((pages_end - 1) / kPagesInGroup + 1 - first_group, kPagesInGroup);
            load(policy, groups_ + first_group * sizeof(Stamp), groups, stamps);
            std::size_t at = page;
            for (std::size_t i = 0; i < groups; ++i) {
                const std::size_t group_end =
                    std::min((first_group + i + 1) * kPagesInGroup, pages_end);
                if (is_later(stamps[i], seen)) changed_pages(policy, at, group_end, seen, visit);
                at = group_end;
            }
            page = at;
        }
    }

  private:
    using Stamp = std::uint32_t;

    static bool is_later(Stamp stamp, Stamp seen) {
        return stamp != 0 && static_cast<std::int32_t>(stamp - seen) > 0;
    }
    template <class Number>
    static void load(const Policy& policy, char* from, std::size_t count, Number* to) {
        // Acquires the changes with numbers up to that of an earlier load. Pairs with
        // transports/noncoherent/policy.cpp:finish.
        policy.before_load(from, count * sizeof(Number));
        auto* const numbers = reinterpret_cast<Number*>(from);
        for (std::size_t i = 0; i < count; ++i)
            to[i] = std::atomic_ref(numbers[i]).load(std::memory_order_relaxed);
    }

    template <class Visit>
    void changed_pages(const Policy& policy, std::size_t page, std::size_t end, Stamp seen,
                       Visit visit) const {
        Stamp stamps[kPagesInGroup];
        load(policy, pages_ + page * sizeof(Stamp), end - page, stamps);
        const std::size_t begin = page;
        while (page < end) {
            const std::size_t first = page;
            while (page < end && is_later(stamps[page - begin], seen)) ++page;
            if (page > first) visit(first * kPageBytes, page * kPageBytes);
            ++page;
        }
    }

    char* last_;
    char* groups_;
    char* pages_;
};

}  // namespace tessera::noncoherent

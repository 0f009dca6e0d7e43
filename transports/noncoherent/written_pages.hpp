// SPDX-License-Identifier: BSD-3-Clause
//
// Asks the kernel which pages of a range of private memory the process has written, by
// asynchronous write protection (userfaultfd and PAGEMAP_SCAN, Linux 6.7): the first store to a
// page after each look costs a fault of about a microsecond, which the kernel resolves by itself,
// also for stores of system calls. Pages that a device writes by itself (asynchronous direct input)
// may be missed when the input is under way during a look. Older kernels cannot watch, and some
// containers forbid userfaultfd. THREADS: one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/fd.hpp"

namespace tessera::noncoherent {

class WrittenPages {
  public:
    WrittenPages() = default;
    // Watches [start, start + bytes), if it begins a page and the kernel lets it.
    WrittenPages(char* start, std::size_t bytes);

    bool is_watching() const { return is_watching_; }

    // Calls visit(from, to) for the runs of pages that were written since the last call for them,
    // or ever: those that [from, to) touches. REQUIRES: they are watched.
    // COST: a system call; 0.5 us for each MiB that has small pages.
    template <class Visit>
    void take(char* from, char* to, Visit visit) {
        std::array<Run, 64> runs;
        char* at = page_start(from);
        while (at < to) {
            for (const Run& run : look(at, to, runs)) visit(run.begin, run.end);
        }
    }

  private:
    // As the kernel writes it (struct page_region).
    struct Run {
        char* begin;
        char* end;
        std::uint64_t categories;
    };

    static char* page_start(char* address);
    // The kernel fills `runs` with the written pages of [at, to), and protects them again. `at`
    // moves to the end of the part that the kernel has looked at. Where the kernel fails, `runs`
    // has all pages.
    std::span<const Run> look(char*& at, char* to, std::span<Run> runs);

    Fd faults_;  // the userfaultfd
    Fd pagemap_;
    bool is_watching_ = false;
};

}  // namespace tessera::noncoherent

// SPDX-License-Identifier: BSD-3-Clause
//
// The shared pages of another process of the node (shared_pages.hpp) in this address space. A
// mapping holds much more than was asked for where addresses suffice, so that many small ranges
// take few mappings; the rest of the file consists of holes. THREADS: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/fd.hpp"
#include "heap/shared_pages.hpp"

namespace tessera::heap {

class PeerPages {
  public:
    // Keeps the memory mapped.
    struct View {
        char* start = nullptr;  // where the pages begin here; nullptr: they cannot be mapped
        std::shared_ptr<const void> mapping;
    };
    View view_of(const PagesOffer& offer, const PageSpan& pages);

  private:
    struct Window {
        PageSpan pages;
        Mapping mapping;
    };
    bool open(const PagesOffer& offer);
    std::shared_ptr<Window> map(const PageSpan& pages) const;

    Fd file_;
    bool was_opened_ = false;  // or could not be
    std::vector<std::weak_ptr<Window>> windows_;
};

}  // namespace tessera::heap

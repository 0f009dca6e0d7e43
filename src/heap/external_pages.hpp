// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that the program has allocated itself, made into memory that other PEs of the node can
// map: its pages are replaced by those of a file of the same contents, at the same address, as
// static_data.hpp does for static data. Each PE makes a file for its own memory; the others open it
// through /proc and map it. The file lives as long as a process maps it.
// Called by core/external_heap.cpp while a heap is created.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/fd.hpp"

namespace tessera::heap {

// The start of the memory lies at `offset` of the file, which is congruent to its address modulo
// the huge page size, so that the kernel can use huge pages for it.
struct ExternalPages {
    Fd file;  // empty: not shared, see `error`
    std::uint64_t offset = 0;
    std::string error;
};

// Replaces the pages of [base, base + bytes). The contents stay as they are, also on failure.
// REQUIRES: `base` and `bytes` are multiples of the page size, bytes > 0; during the call no
// other thread writes to the memory, and no device uses its pages.
// COST: copies the touched pages, 0.3 us a KiB; never holds more than kCopyBytes twice.
ExternalPages share_external_pages(void* base, std::size_t bytes);

inline constexpr std::size_t kCopyBytes = std::size_t{64} << 20;

// The facts that another process needs to map the pages.
struct PagesOffer {
    std::int32_t pid = 0;
    std::int32_t fd = -1;
    std::uint64_t inode = 0;
};
PagesOffer offer_of(const ExternalPages& pages);

// Another process's pages in this address space. REQUIRES: the owner has the file open still.
struct PeerPages {
    Mapping mapping;        // empty: see `error`
    char* start = nullptr;  // of the memory, within the mapping
    std::string error;
};
PeerPages map_external_pages(const PagesOffer& offer, std::size_t bytes);

}  // namespace tessera::heap

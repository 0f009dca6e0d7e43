// SPDX-License-Identifier: BSD-3-Clause
//
// Large blocks of memory. All lie in one mapping, because the system limits the number of mappings,
// and the C library would make one for each block.
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <vector>

#include "../real_calls.hpp"
#include "phases.hpp"
#include "scale.hpp"

namespace sim::scale {
namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kReservedBytes = std::size_t{1} << 43;

char* first_block = nullptr;
std::size_t used_bytes = 0;
std::map<const char*, std::size_t> blocks;              // by address
std::map<std::size_t, std::vector<char*>> free_blocks;  // by size

char* find_room(std::size_t bytes) {
    if (first_block == nullptr) {
        void* all = real_mmap(nullptr, kReservedBytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (all == MAP_FAILED) {
            std::fprintf(stderr, "scale: no room for large blocks: %s\n", std::strerror(errno));
            std::exit(2);
        }
        ::madvise(all, kReservedBytes, MADV_NOHUGEPAGE);
        first_block = static_cast<char*>(all);
    }
    std::vector<char*>& fitting = free_blocks[bytes];
    if (!fitting.empty()) {
        char* place = fitting.back();
        fitting.pop_back();
        return place;
    }
    char* place = first_block + used_bytes;
    used_bytes += bytes;
    return used_bytes <= kReservedBytes ? place : nullptr;
}

}  // namespace

double touched_large_bytes() {
    constexpr std::size_t kLooked = 512;
    const std::size_t step = std::max<std::size_t>(1, blocks.size() / kLooked);
    double pages = 0;
    std::size_t looked = 0;
    std::size_t number = 0;
    for (const auto& [block, bytes] : blocks) {
        if (number++ % step != 0) continue;
        ++looked;
        std::vector<unsigned char> is_there(bytes / kPageBytes);
        ::mincore(const_cast<char*>(block), bytes, is_there.data());
        pages += static_cast<double>(
            std::ranges::count_if(is_there, [](unsigned char each) { return (each & 1) != 0; }));
    }
    if (looked == 0) return 0;
    return pages * kPageBytes * static_cast<double>(blocks.size()) / static_cast<double>(looked);
}

}  // namespace sim::scale

using sim::scale::blocks;
using sim::scale::find_room;
using sim::scale::first_block;
using sim::scale::free_blocks;
using sim::scale::kPageBytes;
using sim::scale::used_bytes;

// NOLINTBEGIN: the names are those of phases.hpp.
#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED void* tessera_scale_make_large(unsigned long bytes) {
    const std::size_t rounded = (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
    char* block = find_room(rounded);
    if (block != nullptr) blocks[block] = rounded;
    return block;
}

EXPORTED unsigned long tessera_scale_large_bytes(const void* block) {
    const auto* at = static_cast<const char*>(block);
    if (at < first_block || at >= first_block + used_bytes) return 0;
    const auto& [begin, bytes] = *std::prev(blocks.upper_bound(at));
    return bytes - static_cast<std::size_t>(at - begin);
}

EXPORTED void tessera_scale_free_large(void* block) {
    const auto known = blocks.find(static_cast<char*>(block));
    ::madvise(block, known->second, MADV_DONTNEED);
    free_blocks[known->second].push_back(static_cast<char*>(block));
    blocks.erase(known);
}
// NOLINTEND

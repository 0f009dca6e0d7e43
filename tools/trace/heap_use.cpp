// SPDX-License-Identifier: BSD-3-Clause
//
// The bytes of the symmetric heap that the program has allocated, over time. The sizes are those
// that it asked for.
#include <mutex>
#include <unordered_map>

#include "session.hpp"

namespace tessera::trace {
namespace {

struct Blocks {
    std::mutex lock;
    std::unordered_map<const void*, std::size_t> bytes;
    std::uint64_t in_use = 0;
};
Blocks& blocks = *new Blocks;

// REQUIRES: blocks.lock is held, so that the times are in order.
void note_use() {
    if (Part* part = main_part(); part != nullptr)
        part->note_heap({.ns = now_ns(), .bytes = blocks.in_use});
}

}  // namespace

void note_allocation(const void* address, std::size_t bytes) {
    if (address == nullptr) return;
    const std::lock_guard guard(blocks.lock);
    blocks.bytes[address] = bytes;
    blocks.in_use += bytes;
    note_use();
}

void note_free(const void* address) {
    const std::lock_guard guard(blocks.lock);
    const auto found = blocks.bytes.find(address);
    if (found == blocks.bytes.end()) return;
    blocks.in_use -= found->second;
    blocks.bytes.erase(found);
    note_use();
}

}  // namespace tessera::trace

// SPDX-License-Identifier: BSD-3-Clause
//
// See shown_blocks.hpp.
#include "tools/check/shown_blocks.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

namespace tessera::check {

namespace {

constexpr std::uint64_t kEntries = 4096;

struct Entry {
    std::atomic<std::uint64_t> begin;  // behind the start of the list, modulo 2^64; 0: free
    std::atomic<std::uint64_t> bytes;

    std::uint64_t place() const { return begin.load(std::memory_order_relaxed); }
};

struct EntryCopy {
    std::uint64_t begin;
    std::uint64_t bytes;
};
static_assert(sizeof(Entry) == sizeof(EntryCopy));

struct Head {
    std::uint64_t used;         // entries from the first on that have ever been used
    std::uint64_t is_overfull;  // a block had no entry
};

bool is_shown(const Block& block) { return block.memory != interpose::Memory::kSymmetric; }

}  // namespace

struct ShownBlocks::List {
    std::atomic<std::uint64_t> used;
    std::atomic<std::uint64_t> is_overfull;
    Entry entries[kEntries];

    std::uint64_t place_of(std::uintptr_t address) const {
        return address - reinterpret_cast<std::uintptr_t>(this);
    }
};

void ShownBlocks::open() {
    list_ = static_cast<List*>(pshmemx_team_calloc(SHMEM_TEAM_WORLD, 1, sizeof(List)));
}

// Pairs with base/copy.hpp:copy_long_and_acquire in find().
void ShownBlocks::add(const Block& block) {
    if (list_ == nullptr || !is_shown(block)) return;
    auto* const entry = std::find_if(std::begin(list_->entries), std::end(list_->entries),
                                     [](const Entry& one) { return one.place() == 0; });
    if (entry == std::end(list_->entries)) {
        list_->is_overfull.store(1, std::memory_order_relaxed);
        return;
    }
    entry->bytes.store(block.bytes, std::memory_order_relaxed);
    // Pairs with base/copy.hpp:copy_long_and_acquire in find().
    entry->begin.store(list_->place_of(block.begin), std::memory_order_release);
    const auto used = static_cast<std::uint64_t>(entry - list_->entries) + 1;
    if (used > list_->used.load(std::memory_order_relaxed))
        list_->used.store(used, std::memory_order_release);
}

// Pairs with base/copy.hpp:copy_long_and_acquire in find().
void ShownBlocks::remove(const Block& block) {
    if (list_ == nullptr || !is_shown(block)) return;
    const std::uint64_t place = list_->place_of(block.begin);
    Entry* const end = list_->entries + list_->used.load(std::memory_order_relaxed);
    Entry* const entry =
        std::find_if(list_->entries, end, [=](const Entry& one) { return one.place() == place; });
    if (entry != end) entry->begin.store(0, std::memory_order_release);
}

ShownBlocks::Found ShownBlocks::find(std::uintptr_t address, int pe) const {
    if (list_ == nullptr) return {};
    Head head{};
    pshmem_getmem(&head, list_, sizeof head, pe);
    std::vector<EntryCopy> entries(head.used);
    pshmem_getmem(entries.data(), list_->entries, entries.size() * sizeof(EntryCopy), pe);
    const std::uint64_t place = list_->place_of(address);
    for (const EntryCopy& entry : entries) {
        if (entry.begin == 0 || place - entry.begin >= entry.bytes) continue;
        return {.answer = Answer::kBlock,
                .begin = address - (place - entry.begin),
                .bytes = entry.bytes};
    }
    return {.answer = head.is_overfull != 0 ? Answer::kUnknown : Answer::kNone};
}

}  // namespace tessera::check

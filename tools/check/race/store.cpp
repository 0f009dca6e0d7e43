// SPDX-License-Identifier: BSD-3-Clause
//
// The blocks of store.hpp, by loads and stores, or by pshmem_ routines.
#include "tools/check/race/store.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstring>

namespace tessera::check::race {

namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kSitesAt = kPage;  // behind the lock

constexpr std::size_t to_page(std::size_t offset) { return (offset + kPage - 1) & ~(kPage - 1); }

}  // namespace

bool Store::open(int pe, int n_pes) {
    pe_ = pe;
    n_pes_ = n_pes;
    deliveries_at_ = kSitesAt + kSites * kSiteBytes;
    records_at_ = to_page(deliveries_at_ + sizeof(Deliveries) * static_cast<std::size_t>(n_pes));
    cells_at_ = to_page(record_at(kForAll + 1));
    const std::size_t bytes = cells_at_ + kCells * sizeof(Cell);
    mapped_ = host_memory_.open(pe, n_pes, bytes);
    return !mapped_.empty() || open_team_memory(bytes);
}

bool Store::open_team_memory(std::size_t bytes) {
    // Memory that no PE has used since init: its bytes are 0.
    base_ = static_cast<char*>(pshmemx_team_align(SHMEM_TEAM_WORLD, kPage, bytes));
    if (base_ == nullptr) return false;
    if (pshmem_ctx_create(SHMEM_CTX_SERIALIZED, &context_) != 0) context_ = SHMEM_CTX_DEFAULT;
    for (int other = 0; other < n_pes_; ++other)
        mapped_.push_back(static_cast<char*>(pshmem_ptr(base_, other)));
    return true;
}

void Store::close() {
    if (base_ != nullptr) {
        if (context_ != SHMEM_CTX_DEFAULT) pshmem_ctx_destroy(context_);
        pshmemx_team_free(SHMEM_TEAM_WORLD, base_);
        base_ = nullptr;
    }
    mapped_.clear();
    host_memory_.close();
}

// ---- The lock: 0 while the block is free --------------------------------------------------------

void Store::lock(int pe) {
    if (locks_++ > 0) return;
    auto* word = reinterpret_cast<unsigned long*>(base_);
    if (base_ == nullptr) {
        std::atomic_ref lock(*reinterpret_cast<unsigned long*>(direct(pe, 0)));
        // Pairs with tools/check/race/store.cpp:unlock.
        while (lock.exchange(1, std::memory_order_acquire) != 0) sched_yield();
        return;
    }
    while (pshmem_ctx_ulong_atomic_compare_swap(context_, word, 0, 1, pe) != 0) sched_yield();
    // Loads of the block come behind the swap. Pairs with tools/check/race/store.cpp:unlock.
    std::atomic_thread_fence(std::memory_order_acquire);
}

void Store::unlock(int pe) {
    if (--locks_ > 0) return;
    if (base_ == nullptr) {
        std::atomic_ref lock(*reinterpret_cast<unsigned long*>(direct(pe, 0)));
        // Pairs with tools/check/race/store.cpp:lock.
        lock.store(0, std::memory_order_release);
        return;
    }
    complete_writes();
    // Pairs with tools/check/race/store.cpp:lock.
    std::atomic_thread_fence(std::memory_order_release);
    pshmem_ctx_ulong_atomic_set(context_, reinterpret_cast<unsigned long*>(base_), 0, pe);
}

// ---- Bytes of a block ---------------------------------------------------------------------------

char* Store::direct(int pe, std::size_t offset) const {
    char* block = mapped_[static_cast<std::size_t>(pe)];
    return block == nullptr ? nullptr : block + offset;
}

void Store::complete_writes() {
    if (written_end_ != 0) pshmem_ctx_quiet(context_);
    written_begin_ = written_end_ = 0;
}

void Store::read(int pe, std::size_t offset, void* into, std::size_t bytes) {
    if (const char* from = direct(pe, offset)) {
        std::memcpy(into, from, bytes);
    } else {
        if (offset < written_end_ && written_begin_ < offset + bytes) complete_writes();
        pshmem_ctx_getmem(context_, into, base_ + offset, bytes, pe);
    }
}

void Store::write(int pe, std::size_t offset, const void* from, std::size_t bytes) {
    if (char* into = direct(pe, offset)) {
        std::memcpy(into, from, bytes);
    } else {
        pshmem_ctx_putmem(context_, base_ + offset, from, bytes, pe);
        written_begin_ = written_end_ == 0 ? offset : std::min(written_begin_, offset);
        written_end_ = std::max(written_end_, offset + bytes);
    }
}

// ---- Cells --------------------------------------------------------------------------------------

std::span<Cell> Store::read_cells(int pe, std::uint64_t word, std::size_t count) {
    cells_offset_ = cells_at_ + word % kCells * sizeof(Cell);
    cells_pe_ = -1;
    if (char* cells = direct(pe, cells_offset_)) return {reinterpret_cast<Cell*>(cells), count};
    cells_.resize(count);
    cells_pe_ = pe;
    read(pe, cells_offset_, cells_.data(), count * sizeof(Cell));
    return cells_;
}

void Store::write_cells() {
    if (cells_pe_ < 0) return;
    write(cells_pe_, cells_offset_, cells_.data(), cells_.size() * sizeof(Cell));
}

// ---- What words carry ---------------------------------------------------------------------------

std::size_t Store::record_at(std::size_t record) const {
    return records_at_ + record * static_cast<std::size_t>(n_pes_) * sizeof(Released);
}

std::span<const Released> Store::read_record(int pe, std::size_t record) {
    auto pes = static_cast<std::size_t>(n_pes_);
    if (const char* from = direct(pe, record_at(record)))
        return {reinterpret_cast<const Released*>(from), pes};
    records_.resize(pes);
    read(pe, record_at(record), records_.data(), pes * sizeof(Released));
    return records_;
}

void Store::join_records(int pe, std::size_t record, std::size_t count, int from,
                         const Clock& clock, const Progress& delivered) {
    auto pes = static_cast<std::size_t>(n_pes_);
    auto* releases = reinterpret_cast<Released*>(direct(pe, record_at(record)));
    bool is_copy = releases == nullptr;
    if (is_copy) {
        records_.resize(pes * count);
        read(pe, record_at(record), records_.data(), records_.size() * sizeof(Released));
        releases = records_.data();
    }
    for (std::size_t i = 0; i < count; ++i) {
        Released* release = releases + i * pes;
        for (std::size_t other = 0; other < pes; ++other) release[other].done.join(clock[other]);
        release[from].delivered.join(delivered);
    }
    if (is_copy) write(pe, record_at(record), releases, pes * count * sizeof(Released));
}

Deliveries Store::read_deliveries(int target, int sender) {
    Deliveries deliveries;
    read(target, deliveries_at_ + static_cast<std::size_t>(sender) * sizeof deliveries, &deliveries,
         sizeof deliveries);
    return deliveries;
}

void Store::write_deliveries(int target, int sender, const Deliveries& deliveries) {
    write(target, deliveries_at_ + static_cast<std::size_t>(sender) * sizeof deliveries,
          &deliveries, sizeof deliveries);
}

// ---- Sites --------------------------------------------------------------------------------------

void Store::write_site(std::size_t site, const std::string& text) {
    char row[kSiteBytes] = {};
    text.copy(row, sizeof row - 1);
    write(pe_, kSitesAt + site * kSiteBytes, row, sizeof row);
}

std::string Store::read_site(int pe, std::size_t site) {
    char row[kSiteBytes];
    read(pe, kSitesAt + site * kSiteBytes, row, sizeof row);
    row[sizeof row - 1] = 0;
    return row;
}

}  // namespace tessera::check::race

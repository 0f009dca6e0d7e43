// SPDX-License-Identifier: BSD-3-Clause
//
// See local_memory.hpp. The mutex guards the allocator and the list of caches; a cache belongs to
// one thread at a time, and goes back to the list when that ends.
#include "memory/local_memory.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <optional>

#include "base/bits.hpp"
#include "base/fatal.hpp"
#include "base/mutexes.hpp"
#include "core/address_map.hpp"
#include "memory/core_files.hpp"
#include "memory/thread_cache.hpp"

namespace tessera {
namespace {

using heap::SizeClass;
using heap::Unit;
using heap::UnitState;

struct LocalMemory {
    char* base;
    std::size_t bytes;
    heap::LocalAllocator allocator;

    char* address(Unit unit) const { return base + unit * heap::kUnitBytes; }
};

ShortMutex mutex;
// Made by the first allocation after init.
std::atomic<LocalMemory*> memory{nullptr};
ThreadCache* caches = nullptr;
// initial-exec: one load instead of a call, and the library needs no more than this one pointer.
[[gnu::tls_model("initial-exec")]] constinit thread_local ThreadCache* my_cache = nullptr;

void set_sizes(ThreadCache& cache, std::size_t local_bytes) {
    for (SizeClass size_class = 1; size_class < kCachedClasses; ++size_class) {
        cache.bins[size_class].count = 0;
        cache.bins[size_class].most = blocks_to_keep(size_class, local_bytes);
    }
}

// Gives the first `count` blocks of a bin back. REQUIRES: the mutex.
void empty(CacheBin& bin, SizeClass size_class, std::uint32_t count, LocalMemory& local) {
    for (std::uint32_t i = 0; i < count; ++i) local.allocator.give_back(bin.blocks[i], size_class);
    std::copy(bin.blocks + count, bin.blocks + bin.count, bin.blocks);
    bin.count -= count;
}

// REQUIRES: the mutex.
void empty(ThreadCache& cache, LocalMemory& local) {
    for (SizeClass size_class = 1; size_class < kCachedClasses; ++size_class) {
        CacheBin& bin = cache.bins[size_class];
        empty(bin, size_class, bin.count, local);
    }
}

void leave_cache(void* cache) {
    std::lock_guard guard(mutex);
    auto* mine = static_cast<ThreadCache*>(cache);
    if (LocalMemory* local = memory.load(std::memory_order_relaxed)) empty(*mine, *local);
    mine->has_owner = false;
    my_cache = nullptr;
}

// When a thread ends, its cache is free for another one.
void watch_thread_end(ThreadCache* cache) {
    static const std::optional<pthread_key_t> key = []() -> std::optional<pthread_key_t> {
        pthread_key_t made;
        return ::pthread_key_create(&made, leave_cache) == 0 ? std::optional(made) : std::nullopt;
    }();
    if (key) ::pthread_setspecific(*key, cache);
}

ThreadCache* make_cache() {
    void* space = ::mmap(nullptr, sizeof(ThreadCache), PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (space == MAP_FAILED) return nullptr;
    auto* cache = static_cast<ThreadCache*>(space);  // Zeros are an empty cache.
    cache->next = caches;
    caches = cache;
    return cache;
}

// nullptr: the system has no memory; the thread goes without. REQUIRES: the mutex.
ThreadCache* join_caches(const LocalMemory& local) {
    ThreadCache* cache = caches;
    while (cache != nullptr && cache->has_owner) cache = cache->next;
    if (cache == nullptr) cache = make_cache();
    if (cache == nullptr) return nullptr;
    set_sizes(*cache, local.bytes);
    cache->has_owner = true;
    my_cache = cache;
    watch_thread_end(cache);
    return cache;
}

// nullptr: no address space for the bookkeeping. REQUIRES: the mutex.
LocalMemory* open() {
    if (LocalMemory* local = memory.load(std::memory_order_relaxed)) return local;
    const std::size_t bytes = address_map.heap_bytes - address_map.local_begin;
    auto* local = new (std::nothrow) LocalMemory{
        .base = reinterpret_cast<char*>(address_map.heap_base) + address_map.local_begin,
        .bytes = bytes,
        .allocator = heap::LocalAllocator(bytes)};
    if (local == nullptr || !local->allocator.is_open()) {
        delete local;
        return nullptr;
    }
    for (ThreadCache* cache = caches; cache != nullptr; cache = cache->next)
        set_sizes(*cache, bytes);
    // Pairs with memory/local_memory.cpp:opened.
    memory.store(local, std::memory_order_release);
    return local;
}

// Pairs with memory/local_memory.cpp:open.
LocalMemory* opened() { return memory.load(std::memory_order_acquire); }

// REQUIRES: the mutex; the class may be cached.
std::optional<Unit> refill_and_take(CacheBin& bin, SizeClass size_class, LocalMemory& local) {
    const std::size_t wanted = std::max<std::size_t>(bin.most / 2, 1);
    bin.count =
        static_cast<std::uint32_t>(local.allocator.take_cached(size_class, {bin.blocks, wanted}));
    if (bin.count == 0) return std::nullopt;
    const Unit unit = bin.blocks[--bin.count];
    local.allocator.state(unit) = size_class;
    return unit;
}

TESSERA_COLD void* allocate_slowly(std::size_t bytes, unsigned align_order) {
    if (bytes == 0 || bytes > heap::kBlockBytesMax) return nullptr;
    std::lock_guard guard(mutex);
    LocalMemory* local = open();
    if (local == nullptr) return nullptr;
    ThreadCache* cache = my_cache != nullptr ? my_cache : join_caches(*local);
    const SizeClass size_class = heap::class_of_bytes(bytes);
    std::optional<Unit> unit;
    if (align_order == 0 && cache != nullptr && size_class < kCachedClasses &&
        cache->bins[size_class].most != 0) {
        unit = refill_and_take(cache->bins[size_class], size_class, *local);
    } else {
        unit = local->allocator.try_take(size_class, align_order);
    }
    if (!unit && cache != nullptr) {
        // The blocks that this thread keeps may be the room that is missing.
        empty(*cache, *local);
        unit = local->allocator.try_take(size_class, align_order);
    }
    dump_up_to(UsedMemory::kLocal, local_memory_end());
    return unit ? local->address(*unit) : nullptr;
}

[[noreturn]] TESSERA_COLD void fail_block(const void* address, const char* where) {
    const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(address) - address_map.heap_base;
    if (offset < address_map.local_begin || offset >= address_map.heap_bytes) {
        if (!address_map.contains(address, 1)) fail_address(address, 1, where);
        const char* part = address_map.part_of(address).name;
        fatal(
            "%s: %p lies in %s, not in local memory; free it by the routine that belongs to "
            "the one that allocated it",
            where, address, part != nullptr ? part : "the program's own memory");
    }
    fatal("%s: %p is not the start of an allocated block of local memory (freed twice?)", where,
          address);
}

// The block that begins at the address; an address that is none ends the job.
struct Block {
    LocalMemory* local;
    Unit unit;
    SizeClass size_class;
};
TESSERA_INLINE Block block_at(const void* address, const char* where) {
    LocalMemory* local = opened();
    if (local == nullptr) fail_block(address, where);
    const auto offset = static_cast<std::size_t>(static_cast<const char*>(address) - local->base);
    if (offset >= local->bytes || offset % heap::kUnitBytes != 0) fail_block(address, where);
    const Unit unit = offset / heap::kUnitBytes;
    const UnitState state = local->allocator.state(unit);
    if (state == 0 || state >= heap::kFreeBlock) fail_block(address, where);
    return {local, unit, state};
}

TESSERA_COLD void free_slowly(const Block& block) {
    std::lock_guard guard(mutex);
    ThreadCache* cache = my_cache != nullptr ? my_cache : join_caches(*block.local);
    if (cache != nullptr && block.size_class < kCachedClasses) {
        CacheBin& bin = cache->bins[block.size_class];
        if (bin.count == bin.most) empty(bin, block.size_class, (bin.count + 1) / 2, *block.local);
        if (bin.count < bin.most) {
            block.local->allocator.state(block.unit) =
                static_cast<UnitState>(heap::kCachedBlock | block.size_class);
            bin.blocks[bin.count++] = block.unit;
            return;
        }
    }
    block.local->allocator.give_back(block.unit, block.size_class);
}

}  // namespace

void* allocate_local(std::size_t bytes) {
    ThreadCache* cache = my_cache;
    const LocalMemory* local = opened();
    if (bytes - 1 < kCachedBytesMax && cache != nullptr && local != nullptr) [[likely]] {
        const SizeClass size_class = heap::class_of_bytes(bytes);
        CacheBin& bin = cache->bins[size_class];
        if (bin.count != 0) [[likely]] {
            const Unit unit = bin.blocks[--bin.count];
            memory.load(std::memory_order_relaxed)->allocator.state(unit) = size_class;
            return local->address(unit);
        }
    }
    return allocate_slowly(bytes, 0);
}

void* allocate_local_aligned(std::size_t alignment, std::size_t bytes) {
    if (!is_power_of_two(alignment)) return nullptr;
    if (alignment <= heap::kUnitBytes) return allocate_local(bytes);
    const std::uintptr_t base = address_map.heap_base + address_map.local_begin;
    if (base % alignment != 0) return nullptr;
    return allocate_slowly(bytes, static_cast<unsigned>(__builtin_ctzll(alignment)) -
                                      static_cast<unsigned>(__builtin_ctzll(heap::kUnitBytes)));
}

void free_local(void* address, const char* where) {
    if (address == nullptr) return;
    const Block block = block_at(address, where);
    ThreadCache* cache = my_cache;
    if (block.size_class < kCachedClasses && cache != nullptr) [[likely]] {
        CacheBin& bin = cache->bins[block.size_class];
        if (bin.count < bin.most) [[likely]] {
            block.local->allocator.state(block.unit) =
                static_cast<UnitState>(heap::kCachedBlock | block.size_class);
            bin.blocks[bin.count++] = block.unit;
            return;
        }
    }
    free_slowly(block);
}

void* resize_local(void* address, std::size_t bytes, const char* where) {
    const Block block = block_at(address, where);
    if (bytes > heap::kBlockBytesMax) return nullptr;
    const SizeClass wanted = heap::class_of_bytes(bytes);
    if (wanted == block.size_class) return address;
    if (wanted < block.size_class) {
        std::lock_guard guard(mutex);
        block.local->allocator.shrink(block.unit, wanted);
        return address;
    }
    void* larger = allocate_local(bytes);
    if (larger == nullptr) return nullptr;
    std::memcpy(larger, address, heap::units_of_class(block.size_class) * heap::kUnitBytes);
    free_local(address, where);
    return larger;
}

std::size_t local_memory_end() {
    const LocalMemory* local = opened();
    return local != nullptr
               ? address_map.local_begin + local->allocator.highest_end() * heap::kUnitBytes
               : 0;
}

void report_local_leaks() {
    std::lock_guard guard(mutex);
    LocalMemory* local = memory.load(std::memory_order_relaxed);
    if (local == nullptr) return;
    std::size_t blocks = 0;
    std::size_t bytes = 0;
    local->allocator.for_each_live([&](const heap::LocalAllocator::LiveBlock& block) {
        const std::size_t block_bytes = heap::units_of_class(block.size_class) * heap::kUnitBytes;
        ++blocks;
        bytes += block_bytes;
        if (blocks <= 10) {
            warn("shmem_finalize: not freed: a block of %zu bytes at offset %zu of local memory",
                 block_bytes, static_cast<std::size_t>(block.unit) * heap::kUnitBytes);
        }
    });
    if (blocks > 0)
        warn("shmem_finalize: %zu blocks of local memory, %zu bytes, not freed", blocks, bytes);
}

// The caches' blocks are forgotten by the next open().
void close_local_memory() {
    std::lock_guard guard(mutex);
    delete memory.exchange(nullptr, std::memory_order_relaxed);
}

}  // namespace tessera

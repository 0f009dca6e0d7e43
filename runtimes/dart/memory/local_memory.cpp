// SPDX-License-Identifier: BSD-3-Clause
//
// Small blocks come from pools, each with a buddy allocator, so that blocks which are allocated one
// after the other ascend while nothing has been freed. A pool keeps freed blocks of each size for
// the next allocation, until there is no room otherwise. Large blocks are allocated one by one.
// Pools stay with the unit, also over dart_exit.
#include "memory/local_memory.hpp"

#include <dash/dart/if/dart_globmem.h>
#include <shmemx.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "allocators/buddies.hpp"
#include "core/entry.hpp"
#include "core/log.hpp"
#include "core/lookup.hpp"
#include "core/types.hpp"
#include "memory/local_pointer.hpp"

namespace tessera::dart {
namespace {

constexpr std::size_t kPoolBytes = std::size_t{16} << 20;
constexpr std::size_t kSmallestPoolBytes = std::size_t{64} << 10;
constexpr std::size_t kSmallestBlockBytes = 16;
constexpr std::size_t kAlignmentMax = std::size_t{2} << 20;  // on any unit

// The sizes of blocks are powers of two.
constexpr int kExponentMin = 4;
constexpr int kExponentMax = 22;
int exponent_of(std::size_t bytes) {
    return static_cast<int>(std::bit_width(std::max(bytes, kSmallestBlockBytes) - 1));
}

class Pool {
  public:
    Pool(char* base, std::size_t bytes) : base_(base), bytes_(bytes), blocks_(bytes) { clear(); }

    bool contains(const char* block) const { return block >= base_ && block < base_ + bytes_; }

    char* allocate(int exponent) {
        std::vector<std::uint32_t>& freed = freed_[exponent - kExponentMin];
        if (freed.empty() && !allocate_fresh(exponent)) return nullptr;
        const std::uint32_t place = freed.back();
        freed.pop_back();
        states_.get()[place] = static_cast<std::uint8_t>(kInUse | exponent);
        return base_ + place * kSmallestBlockBytes;
    }

    // RETURNS: false: it is not the start of a block in use.
    bool free(const char* block) {
        const auto offset = static_cast<std::size_t>(block - base_);
        const auto place = static_cast<std::uint32_t>(offset / kSmallestBlockBytes);
        std::uint8_t& state = states_.get()[place];
        if (offset % kSmallestBlockBytes != 0 || (state & kInUse) == 0) return false;
        state = static_cast<std::uint8_t>(state & ~kInUse);
        freed_[state - kExponentMin].push_back(place);
        return true;
    }

    // Joins the freed blocks, so that larger ones find room. RETURNS: false: there were none.
    bool join() {
        bool has_joined = false;
        for (std::vector<std::uint32_t>& freed : freed_) {
            has_joined = has_joined || !freed.empty();
            for (const std::uint32_t place : freed) blocks_.free(place * kSmallestBlockBytes);
            freed.clear();
        }
        return has_joined;
    }

    // Frees all blocks.
    void clear() {
        blocks_ = Buddies(bytes_);
        for (std::vector<std::uint32_t>& freed : freed_) freed.clear();
        // Pages that are never touched stay so.
        states_.reset(static_cast<std::uint8_t*>(std::calloc(bytes_ / kSmallestBlockBytes, 1)));
        if (states_ == nullptr)
            fatal("dart_memalloc", "no memory is left for the bookkeeping of %zu bytes", bytes_);
    }

  private:
    static constexpr std::uint8_t kInUse = 0x80;  // with the exponent below it

    // Puts a block among the freed ones.
    bool allocate_fresh(int exponent) {
        const auto offset = blocks_.allocate(std::uint64_t{1} << exponent);
        if (offset.has_value()) {
            freed_[exponent - kExponentMin].push_back(
                static_cast<std::uint32_t>(*offset / kSmallestBlockBytes));
        }
        return offset.has_value();
    }

    struct Free {
        void operator()(std::uint8_t* memory) const { std::free(memory); }
    };

    char* base_;
    std::size_t bytes_;
    Buddies blocks_;
    // By the place of a block's start, in blocks of the smallest size.
    std::unique_ptr<std::uint8_t, Free> states_{};
    std::vector<std::uint32_t> freed_[kExponentMax - kExponentMin + 1]{};
};

struct LocalMemory {
    std::mutex mutex{};
    std::vector<Pool> pools{};
    std::unordered_set<char*> large{};
};

// Never destroyed: static destructors of programs may free memory.
LocalMemory& local_memory() {
    static LocalMemory& memory = *new LocalMemory;
    return memory;
}

// As large as local memory has room for. RETURNS: nullptr: there is not even room for the block.
Pool* add_pool(std::vector<Pool>& pools, std::size_t block_bytes) {
    for (std::size_t bytes = kPoolBytes; bytes >= kSmallestPoolBytes && bytes >= block_bytes;
         bytes /= 2) {
        if (void* base = shmemx_local_align(std::min(bytes, kAlignmentMax), bytes))
            return &pools.emplace_back(static_cast<char*>(base), bytes);
    }
    return nullptr;
}

char* allocate_small(LocalMemory& memory, int exponent) {
    for (Pool& pool : memory.pools) {
        if (char* block = pool.allocate(exponent)) return block;
    }
    for (Pool& pool : memory.pools) {
        if (pool.join()) {
            if (char* block = pool.allocate(exponent)) return block;
        }
    }
    Pool* pool = add_pool(memory.pools, std::size_t{1} << exponent);
    return pool != nullptr ? pool->allocate(exponent) : nullptr;
}

char* allocate_large(LocalMemory& memory, std::size_t bytes) {
    auto* block = static_cast<char*>(shmemx_local_malloc(bytes));
    if (block != nullptr) memory.large.insert(block);
    return block;
}

}  // namespace

char* allocate_local(std::size_t bytes) {
    LocalMemory& memory = local_memory();
    const std::lock_guard lock(memory.mutex);
    return bytes <= kPoolBytes / 4 ? allocate_small(memory, exponent_of(bytes))
                                   : allocate_large(memory, bytes);
}

bool free_local(char* block) {
    LocalMemory& memory = local_memory();
    const std::lock_guard lock(memory.mutex);
    for (Pool& pool : memory.pools) {
        if (pool.contains(block)) return pool.free(block);
    }
    if (memory.large.erase(block) == 1) {
        shmemx_local_free(block);
        return true;
    }
    return false;
}

void end_local_memory() {
    LocalMemory& memory = local_memory();
    const std::lock_guard lock(memory.mutex);
    for (char* block : memory.large) shmemx_local_free(block);
    memory.large.clear();
    for (Pool& pool : memory.pools) pool.clear();
}

DART_ENTRY dart_ret_t dart_memalloc(size_t nelem, dart_datatype_t dtype, dart_gptr_t* gptr) {
    if (gptr == nullptr) return fail_null(__func__);
    *gptr = DART_GPTR_NULL;
    if (!is_running()) return fail_not_running(__func__);
    std::size_t bytes = 0;
    if (!is_basic(dtype) || __builtin_mul_overflow(nelem, bytes_of_basic(dtype), &bytes)) {
        return fail(DART_ERR_INVAL, __func__, "%zu elements of type %ld cannot be allocated", nelem,
                    static_cast<long>(dtype));
    }
    const char* block = allocate_local(bytes);
    if (block == nullptr) {
        return fail(DART_ERR_NOMEM, __func__,
                    "no memory is left for %zu bytes; make SHMEM_LOCAL_MEMORY_SIZE larger", bytes);
    }
    const int exponent = exponent_of(bytes);
    const bool is_aligned = std::size_t{1} << exponent <= kAlignmentMax;
    dart_gptr_setunit(gptr, DART_TEAM_UNIT_ID(my_unit()));
    gptr->segid = DART_SEGMENT_LOCAL;
    gptr->teamid = DART_TEAM_ALL;
    set_local_block(*gptr, block, is_aligned ? exponent : 0, bytes);
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_memfree(dart_gptr_t gptr) {
    if (!is_running()) return fail_not_running(__func__);
    const bool is_own = gptr.segid == DART_SEGMENT_LOCAL && gptr.teamid == DART_TEAM_ALL &&
                        gptr.unitid == my_unit();
    if (!is_own || !free_local(local_address(gptr))) {
        return fail(DART_ERR_INVAL, __func__,
                    "the pointer (unit %d, team %d, segment %d) is none that dart_memalloc has "
                    "given to this unit",
                    gptr.unitid, gptr.teamid, gptr.segid);
    }
    return DART_OK;
}

}  // namespace tessera::dart

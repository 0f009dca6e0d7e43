// SPDX-License-Identifier: BSD-3-Clause
//
// dart_allocator_*: equal blocks fill a pool exactly, freed blocks join again, other units reach
// the memory.
#include <random>

#include "together.hpp"

namespace {

bool is_null(const dart_gptr_t& gptr) { return DART_GPTR_ISNULL(gptr); }

void fill_pool(dart_allocator_t allocator, std::size_t blocks, std::size_t block_bytes) {
    std::vector<dart_gptr_t> pointers(blocks);
    for (dart_gptr_t& gptr : pointers) {
        OK(dart_allocator_alloc(block_bytes, DART_TYPE_BYTE, &gptr, allocator));
        CHECK(gptr.unitid == me());
        *address_of<char>(gptr) = 3;
    }
    dart_gptr_t more = pointers[0];
    CHECK(dart_allocator_alloc(1, DART_TYPE_BYTE, &more, allocator) == DART_ERR_NOMEM);
    CHECK(is_null(more));
    for (std::size_t i = 1; i < blocks; i += 2) {
        OK(dart_allocator_free(&pointers[i], allocator));
        CHECK(is_null(pointers[i]));
    }
    for (dart_gptr_t& gptr : pointers) {
        if (!is_null(gptr)) OK(dart_allocator_free(&gptr, allocator));
    }
}

// Random blocks never overlap, and are aligned to their size.
void allocate_at_random(dart_allocator_t allocator, std::size_t pool_bytes) {
    std::mt19937 random(static_cast<unsigned>(me()));
    std::vector<char> is_used(pool_bytes, 0);
    std::vector<std::pair<dart_gptr_t, std::size_t>> blocks;
    for (int step = 0; step < 2000; ++step) {
        const std::size_t bytes = 1 + random() % 40;
        dart_gptr_t gptr = DART_GPTR_NULL;
        if (random() % 2 == 0 &&
            dart_allocator_alloc(bytes, DART_TYPE_BYTE, &gptr, allocator) == DART_OK) {
            const std::uint64_t offset = gptr.addr_or_offs.offset;
            CHECK(offset % (bytes > 16 ? 32 : 1) == 0 && offset + bytes <= pool_bytes);
            for (std::size_t i = 0; i < bytes; ++i) CHECK(is_used[offset + i]++ == 0);
            blocks.emplace_back(gptr, bytes);
        } else if (!blocks.empty()) {
            std::swap(blocks[random() % blocks.size()], blocks.back());
            auto [freed, size] = blocks.back();
            blocks.pop_back();
            for (std::size_t i = 0; i < size; ++i) is_used[freed.addr_or_offs.offset + i] = 0;
            OK(dart_allocator_free(&freed, allocator));
        }
    }
    for (auto& [gptr, bytes] : blocks) OK(dart_allocator_free(&gptr, allocator));
}

void check_remote_access(dart_allocator_t allocator) {
    dart_gptr_t mine = DART_GPTR_NULL;
    OK(dart_allocator_alloc(4, DART_TYPE_LONG, &mine, allocator));
    const dart_gptr_t sent = mine;
    dart_gptr_t next = DART_GPTR_NULL;
    OK(dart_sendrecv(&sent, sizeof sent, DART_TYPE_BYTE, 1, previous_unit(), &next, sizeof next,
                     DART_TYPE_BYTE, 1, next_unit()));
    const long values[4] = {me(), 2, 3, 4};
    OK(dart_put_blocking(next, values, 4, DART_TYPE_LONG, DART_TYPE_LONG));
    check_meet();
    CHECK(address_of<long>(mine)[0] == previous_unit() && address_of<long>(mine)[3] == 4);
    OK(dart_allocator_free(&mine, allocator));
}

void check_errors(dart_allocator_t allocator) {
    dart_gptr_t gptr = DART_GPTR_NULL;
    INVALID(dart_allocator_free(&gptr, allocator));
    INVALID(dart_allocator_alloc(1, DART_TYPE_UNDEFINED, &gptr, allocator));
    CHECK(dart_allocator_alloc(SIZE_MAX / 2, DART_TYPE_LONG, &gptr, allocator) == DART_ERR_NOMEM);
    OK(dart_allocator_alloc(1, DART_TYPE_LONG, &gptr, allocator));
    dart_gptr_t copy = gptr;
    OK(dart_allocator_free(&gptr, allocator));
    INVALID(dart_allocator_free(&copy, allocator));
    INVALID(dart_allocator_alloc(1, DART_TYPE_LONG, &gptr, nullptr));
    dart_allocator_t none = nullptr;
    INVALID(dart_allocator_destroy(&none));
    INVALID(dart_allocator_new(64, 30000, &none));
}

}  // namespace

void test_allocators() {
    dart_allocator_t allocator = nullptr;
    OK(dart_allocator_new(1024, DART_TEAM_ALL, &allocator));
    for (const std::size_t blocks : {1, 2, 8, 1024}) fill_pool(allocator, blocks, 1024 / blocks);
    allocate_at_random(allocator, 1024);
    check_remote_access(allocator);
    check_errors(allocator);
    OK(dart_allocator_destroy(&allocator));
    CHECK(allocator == nullptr);
}

// SPDX-License-Identifier: BSD-3-Clause
//
// Global memory and global pointers (dart_globmem.h).
#include <cstring>

#include "onesided.hpp"

namespace {

void test_local() {
    dart_gptr_t first = DART_GPTR_NULL;
    dart_gptr_t second = DART_GPTR_NULL;
    OK(dart_memalloc(3, DART_TYPE_INT, &first));
    OK(dart_memalloc(1, DART_TYPE_INT, &second));
    CHECK(first.segid == DART_SEGMENT_LOCAL && first.teamid == DART_TEAM_ALL);
    CHECK(first.unitid == me());
    CHECK(address_of<char>(second) - address_of<char>(first) >= 16);
    *address_of<int>(second) = 4711;
    OK(dart_memfree(first));
    INVALID(dart_memfree(first));
    INVALID(dart_memfree(at(second, me(), 4)));
    INVALID(dart_memfree(DART_GPTR_NULL));
    CHECK(*address_of<int>(second) == 4711);
    OK(dart_memfree(second));
    // Larger than a pool has room for, and larger than there is memory.
    OK(dart_memalloc(std::size_t{20} << 20, DART_TYPE_BYTE, &first));
    std::memset(address_of<char>(first), 1, std::size_t{20} << 20);
    OK(dart_memfree(first));
    CHECK(dart_memalloc(std::size_t{1} << 45, DART_TYPE_BYTE, &first) == DART_ERR_NOMEM);
    CHECK(DART_GPTR_ISNULL(first));
    INVALID(dart_memalloc(SIZE_MAX / 2, DART_TYPE_LONG, &first));
    INVALID(dart_memalloc(1, DART_TYPE_UNDEFINED, &first));
    INVALID(dart_memalloc(1, DART_TYPE_LAST, &first));
    INVALID(dart_memalloc(1, DART_TYPE_INT, nullptr));
}

// Accesses beyond a block of another unit, or beyond all its memory: refused, and nothing changes.
void check_bounds(dart_gptr_t block, std::size_t elements) {
    std::vector<long> values(elements + 1);
    const auto bytes = static_cast<std::int64_t>(elements * sizeof(long));
    OK(dart_put_blocking(block, values.data(), elements, DART_TYPE_LONG, DART_TYPE_LONG));
    INVALID(dart_put_blocking(block, values.data(), elements + 1, DART_TYPE_LONG, DART_TYPE_LONG));
    INVALID(dart_get(values.data(), block, elements + 1, DART_TYPE_LONG, DART_TYPE_LONG));
    for (std::int64_t offset :
         {bytes, std::int64_t{-8}, std::int64_t{1} << 40, -(std::int64_t{1} << 40)}) {
        const dart_gptr_t beyond = at(block, block.unitid, offset);
        INVALID(dart_put_blocking(beyond, values.data(), 1, DART_TYPE_LONG, DART_TYPE_LONG));
        INVALID(dart_get_blocking(values.data(), beyond, 1, DART_TYPE_LONG, DART_TYPE_LONG));
        INVALID(dart_accumulate(beyond, values.data(), 1, DART_TYPE_LONG, DART_OP_SUM));
        // A pointer may leave the block in between.
        OK(dart_get_blocking(values.data(), at(beyond, block.unitid, -offset), 1, DART_TYPE_LONG,
                             DART_TYPE_LONG));
    }
}

void test_local_bounds() {
    for (const std::size_t elements :
         {std::size_t{1}, std::size_t{10}, std::size_t{8000}, std::size_t{16384}}) {
        dart_gptr_t mine = DART_GPTR_NULL;
        OK(dart_memalloc(elements, DART_TYPE_LONG, &mine));
        std::vector<dart_gptr_t> all(static_cast<std::size_t>(units()));
        OK(dart_allgather(&mine, all.data(), sizeof mine, DART_TYPE_BYTE, DART_TEAM_ALL));
        check_bounds(all[static_cast<std::size_t>(next_unit())], elements);
        dart_gptr_t other = mine;
        OK(dart_gptr_setaddr(&other, address_of<long>(mine) + elements));
        CHECK(address_of<long>(other) == address_of<long>(mine) + elements);
        check_meet();
        OK(dart_memfree(mine));
        INVALID(dart_memfree(mine));
    }
    // Flags of the program take the place of the block.
    dart_gptr_t mine = DART_GPTR_NULL;
    OK(dart_memalloc(10, DART_TYPE_LONG, &mine));
    OK(dart_gptr_setflags(&mine, 5));
    const long value = 1;
    OK(dart_put_blocking(at(mine, me(), 72), &value, 1, DART_TYPE_LONG, DART_TYPE_LONG));
    INVALID(dart_put_blocking(at(mine, me(), std::int64_t{1} << 40), &value, 1, DART_TYPE_LONG,
                              DART_TYPE_LONG));
    OK(dart_memfree(mine));
}

// Freed blocks are used again, and join for larger ones.
void test_local_reuse() {
    constexpr std::size_t kBlocks = 5000;
    std::vector<dart_gptr_t> blocks(kBlocks);
    std::vector<char*> places(kBlocks);
    for (std::size_t round = 0; round < 3; ++round) {
        for (std::size_t i = 0; i < kBlocks; ++i) {
            OK(dart_memalloc(1 + i % 300, DART_TYPE_LONG, &blocks[i]));
            places[i] = address_of<char>(blocks[i]);
            std::memset(places[i], static_cast<int>(i % 100), (1 + i % 300) * sizeof(long));
        }
        for (std::size_t i = 0; i < kBlocks; ++i) {
            CHECK(places[i][(1 + i % 300) * sizeof(long) - 1] == static_cast<char>(i % 100));
            OK(dart_memfree(blocks[i]));
        }
        for (std::size_t i = 0; i < 4; ++i)
            OK(dart_memalloc(std::size_t{4} << 20, DART_TYPE_BYTE, &blocks[i]));
        for (std::size_t i = 0; i < 4; ++i) OK(dart_memfree(blocks[i]));
    }
}

void test_allocated() {
    dart_gptr_t none = DART_GPTR_NULL;
    OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 0, DART_TYPE_INT, &none));
    CHECK(!DART_GPTR_ISNULL(none));
    dart_gptr_t gptr = DART_GPTR_NULL;
    OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 100, DART_TYPE_INT, &gptr));
    CHECK(gptr.unitid == 0 && gptr.addr_or_offs.offset == 0 && gptr.segid > 0);
    CHECK(gptr.segid != none.segid);
    int* mine = address_of<int>(at(gptr, me()));
    CHECK(mine != nullptr);
    for (int i = 0; i < 100; ++i) mine[i] = me() * 1000 + i;
    check_meet();
    for (int unit = 0; unit < units(); ++unit) {
        int value = 0;
        OK(dart_get_blocking(&value, at(gptr, unit, 99 * sizeof(int)), 1, DART_TYPE_INT,
                             DART_TYPE_INT));
        CHECK(value == unit * 1000 + 99);
        CHECK(unit == me() || address_of<int>(at(gptr, unit)) == nullptr);
    }
    check_meet();
    // The number that became free last is the next one.
    const dart_gptr_t old = gptr;
    OK(dart_team_memfree(gptr));
    INVALID(dart_team_memfree(old));
    OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 5, DART_TYPE_DOUBLE, &gptr));
    CHECK(gptr.segid == old.segid);
    OK(dart_team_memfree(at(gptr, me(), 8)));
    OK(dart_team_memfree(none));
    OK(dart_team_memfree(DART_GPTR_NULL));
    CHECK(dart_team_memalloc_aligned(DART_TEAM_ALL, std::size_t{1} << 44, DART_TYPE_BYTE, &gptr) ==
          DART_ERR_NOMEM);
    CHECK(DART_GPTR_ISNULL(gptr));
    INVALID(dart_team_memalloc_aligned(12345, 1, DART_TYPE_BYTE, &gptr));
    INVALID(dart_team_memalloc_aligned(DART_TEAM_ALL, 1, DART_TYPE_UNDEFINED, &gptr));
    INVALID(dart_team_memalloc_aligned(DART_TEAM_ALL, 1, DART_TYPE_BYTE, nullptr));
}

// The number that became free last is the first one to be used again.
void test_reuse() {
    dart_gptr_t gptrs[3];
    for (dart_gptr_t& gptr : gptrs)
        OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 8, DART_TYPE_BYTE, &gptr));
    for (int i : {0, 2, 1}) OK(dart_team_memfree(gptrs[i]));
    for (int i : {1, 2, 0}) {
        dart_gptr_t again = DART_GPTR_NULL;
        OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 8, DART_TYPE_BYTE, &again));
        CHECK(again.segid == gptrs[i].segid);
        gptrs[i] = again;
    }
    for (dart_gptr_t gptr : gptrs) OK(dart_team_memfree(gptr));
}

// A unit that is not in the team, although the number behind the last one would be its.
void test_alone() {
    dart_group_t group = group_of({0});
    dart_team_t team = DART_TEAM_NULL;
    OK(dart_team_create(DART_TEAM_ALL, group, &team));
    OK(dart_group_destroy(&group));
    if (me() == 0) {
        dart_gptr_t gptr = DART_GPTR_NULL;
        long value = 5;
        OK(dart_team_memalloc_aligned(team, 1, DART_TYPE_LONG, &gptr));
        INVALID(dart_put_blocking(at(gptr, 1), &value, 1, DART_TYPE_LONG, DART_TYPE_LONG));
        OK(dart_team_destroy(&team));
    }
}

// In a team, units of pointers count within the team.
void test_in_team() {
    std::vector<int> members;
    for (int unit = units() > 1 ? 1 : 0; unit < units(); ++unit) members.push_back(unit);
    dart_group_t group = group_of(members);
    dart_team_t team = DART_TEAM_NULL;
    OK(dart_team_create(DART_TEAM_ALL, group, &team));
    OK(dart_group_destroy(&group));
    if (team == DART_TEAM_NULL) return;
    dart_gptr_t gptr = DART_GPTR_NULL;
    OK(dart_team_memalloc_aligned(team, 4, DART_TYPE_LONG, &gptr));
    CHECK(gptr.teamid == team);
    dart_team_unit_t my_id = -1;
    OK(dart_team_myid(team, &my_id));
    const int size = static_cast<int>(members.size());
    const long value = 100 + my_id.id;
    OK(dart_put_blocking(at(gptr, (my_id.id + 1) % size, 8), &value, 1, DART_TYPE_LONG,
                         DART_TYPE_LONG));
    OK(dart_barrier(team));
    CHECK(address_of<long>(at(gptr, my_id.id))[1] == 100 + (my_id.id + size - 1) % size);
    // The team's end frees what it still has.
    OK(dart_team_destroy(&team));
    void* address = nullptr;
    INVALID(dart_gptr_getaddr(gptr, &address));
}

// Each unit registers another number of elements, unit 1 none.
void test_registered() {
    const auto count = [](int unit) { return unit == 1 ? 0 : 10 + 3 * unit; };
    std::vector<long> mine(static_cast<std::size_t>(count(me())), -1);
    dart_gptr_t gptr = DART_GPTR_NULL;
    OK(dart_team_memregister(DART_TEAM_ALL, mine.size(), DART_TYPE_LONG, mine.data(), &gptr));
    CHECK(gptr.segid < 0 && gptr.unitid == 0);
    CHECK(mine.empty() || address_of<long>(at(gptr, me())) == mine.data());
    check_meet();
    const int target = next_unit();
    if (count(target) > 0) {
        const long value = 1000 + me();
        const std::int64_t last = 8 * (count(target) - 1);
        OK(dart_put_blocking(at(gptr, target, last), &value, 1, DART_TYPE_LONG, DART_TYPE_LONG));
        long back = 0;
        OK(dart_get_blocking(&back, at(gptr, target, last), 1, DART_TYPE_LONG, DART_TYPE_LONG));
        CHECK(back == value);
        INVALID(dart_put_blocking(at(gptr, target, last + 8), &value, 1, DART_TYPE_LONG,
                                  DART_TYPE_LONG));
    }
    check_meet();
    CHECK(mine.empty() || mine.back() == 1000 + previous_unit());
    // The same memory again, and as a part of other memory.
    dart_gptr_t again = DART_GPTR_NULL;
    OK(dart_team_memregister_aligned(DART_TEAM_ALL, mine.empty() ? 0 : 1, DART_TYPE_LONG,
                                     mine.data(), &again));
    CHECK(again.segid < 0 && again.segid != gptr.segid);
    INVALID(dart_team_memfree(gptr));
    OK(dart_team_memderegister(gptr));
    INVALID(dart_team_memderegister(gptr));
    const dart_gptr_t old = gptr;
    OK(dart_team_memregister(DART_TEAM_ALL, mine.size(), DART_TYPE_LONG, mine.data(), &gptr));
    CHECK(gptr.segid == old.segid);
    OK(dart_team_memderegister(gptr));
    OK(dart_team_memderegister(again));
    OK(dart_team_memderegister(DART_GPTR_NULL));
}

void test_pointers() {
    Memory memory(Memory::kAllocated, 64);
    dart_gptr_t gptr = memory.of(me());
    char* base = memory.own<char>();
    OK(dart_gptr_setaddr(&gptr, base + 24));
    CHECK(gptr.addr_or_offs.offset == 24);
    OK(dart_gptr_incaddr(&gptr, -32));
    CHECK(address_of<char>(gptr) == base - 8);
    OK(dart_gptr_incaddr(&gptr, 8));
    CHECK(DART_GPTR_EQUAL(gptr, memory.of(me())));
    std::uint16_t flags = 7;
    OK(dart_gptr_getflags(gptr, &flags));
    CHECK(flags == 0);
    OK(dart_gptr_setflags(&gptr, 0x1234));
    CHECK(gptr.flags == 0x34);
    OK(dart_gptr_getflags(memory.of(next_unit()), &flags));
    CHECK(flags == 0x1234);
    void* address = &flags;
    dart_gptr_t null = DART_GPTR_NULL;
    INVALID(dart_gptr_getaddr(null, &address));
    CHECK(address == nullptr);
    INVALID(dart_gptr_setaddr(&null, base));
    INVALID(dart_gptr_getflags(null, &flags));
    INVALID(dart_gptr_setflags(&null, 1));
    INVALID(dart_gptr_getaddr(gptr, nullptr));
}

}  // namespace

void test_memory() {
    test_local();
    test_local_bounds();
    test_local_reuse();
    test_allocated();
    test_reuse();
    test_alone();
    test_in_team();
    check_meet();
    test_registered();
    test_pointers();
}

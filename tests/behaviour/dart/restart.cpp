// SPDX-License-Identifier: BSD-3-Clause
//
// Hundreds of starts and ends in one process, as DASH's tests do, and many teams and allocations
// without growth: neither numbers nor memory run out.
#include <malloc.h>

#include <cstdio>

#include "onesided.hpp"

namespace {

// How often things are done, and by how much memory may grow in between. Between nodes, where each
// team takes a millisecond, the network's own buffers come in bit by bit.
struct Amounts {
    int teams, allocations, restarts;
    std::size_t bytes;
};
constexpr std::size_t kBytes = 100000;
constexpr Amounts kOneUnit{33000, 100000, 400, kBytes};  // more teams than there are numbers
constexpr Amounts kNode{10000, 100000, 400, kBytes};
constexpr Amounts kSeveralNodes{500, 5000, 20, 5 * kBytes};

// Of this thread's malloc, with what it has mapped. A sanitizer has a malloc of its own, which
// keeps freed memory, and looks for leaks itself: the result does not change then.
std::size_t bytes_in_use() {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

// Leaves all kinds of memory behind; the next start begins with the same numbers.
void leave_things() {
    dart_gptr_t local = DART_GPTR_NULL;
    dart_gptr_t shared = DART_GPTR_NULL;
    dart_gptr_t registered = DART_GPTR_NULL;
    static long memory[100];
    OK(dart_memalloc(1000, DART_TYPE_BYTE, &local));
    OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 1000, DART_TYPE_BYTE, &shared));
    OK(dart_team_memregister(DART_TEAM_ALL, 100, DART_TYPE_LONG, memory, &registered));
    CHECK(shared.segid == 1 && registered.segid == -1);
    static const std::uint64_t first_offset = local.addr_or_offs.offset;
    CHECK(local.addr_or_offs.offset == first_offset);
    dart_team_t team = DART_TEAM_NULL;
    OK(dart_team_clone(DART_TEAM_ALL, &team));
    CHECK(team == 1);
    dart_gptr_t inner = DART_GPTR_NULL;
    OK(dart_team_memalloc_aligned(team, 1000, DART_TYPE_BYTE, &inner));
    CHECK(inner.segid == 1 && inner.teamid == team);
    *address_of<char>(at(inner, me())) = 1;
}

void test_restarts(const Amounts& amounts) {
    for (int i = 0; i < amounts.restarts; ++i) {
        CHECK(!dart_initialized());
        OK(dart_init(nullptr, nullptr));
        CHECK(dart_initialized());
        if (i % 20 == 0) {
            leave_things();
        }
        OK(dart_exit());
    }
    OK(dart_init(nullptr, nullptr));
    CHECK(dart_init(nullptr, nullptr) == DART_ERR_OTHER);
    OK(dart_exit());
}

void test_after_exit() {
    CHECK(dart_exit() == DART_ERR_OTHER);
    dart_global_unit_t unit = 5;
    std::size_t size = 5;
    dart_team_unit_t local = 5;
    dart_gptr_t gptr = DART_GPTR_NULL;
    CHECK(dart_myid(&unit) == DART_ERR_OTHER && unit.id == -1);
    CHECK(dart_size(&size) == DART_ERR_OTHER && size == 0);
    INVALID(dart_team_myid(DART_TEAM_ALL, &local));
    CHECK(dart_memalloc(1, DART_TYPE_INT, &gptr) == DART_ERR_OTHER);
    INVALID(dart_team_memalloc_aligned(DART_TEAM_ALL, 1, DART_TYPE_INT, &gptr));
    dart_team_t team = 1;
    OK(dart_team_destroy(&team));
    CHECK(team == DART_TEAM_NULL);
}

void test_many_teams(const Amounts& amounts) {
    const int teams = amounts.teams;
    dart_team_t kept = DART_TEAM_NULL;
    OK(dart_team_clone(DART_TEAM_ALL, &kept));
    std::size_t before = 0;
    for (int i = 0; i < teams; ++i) {
        dart_team_t team = DART_TEAM_NULL;
        OK(dart_team_clone(DART_TEAM_ALL, &team));
        CHECK(team > 0 && team != kept);
        OK(dart_team_destroy(&team));
        if (i == teams / 10) {
            before = bytes_in_use();
        }
    }
    // A leak of 16 bytes has 144,000 and more on a node.
    CHECK(bytes_in_use() < before + amounts.bytes);
    OK(dart_team_destroy(&kept));
}

void allocate(int count) {
    const bool is_local = units() > 1;
    for (int i = 0; i < count; ++i) {
        dart_gptr_t gptr = DART_GPTR_NULL;
        if (is_local && i % 20 != 0) {
            OK(dart_memalloc(static_cast<std::size_t>(i % 500), DART_TYPE_LONG, &gptr));
            OK(dart_memfree(gptr));
        } else {
            OK(dart_team_memalloc_aligned(DART_TEAM_ALL, static_cast<std::size_t>(i % 500),
                                          DART_TYPE_LONG, &gptr));
            CHECK(gptr.segid == 1);
            OK(dart_team_memfree(gptr));
        }
    }
}

void test_many_allocations(const Amounts& amounts) {
    allocate(amounts.allocations / 20);
    const std::size_t before = bytes_in_use();
    allocate(amounts.allocations);
    CHECK(bytes_in_use() < before + amounts.bytes);
}

// Destroys its things behind dart_exit, as objects of DASH do.
struct Late {
    dart_group_t group = nullptr;
    dart_team_t team = DART_TEAM_NULL;
    ~Late() {
        OK(dart_group_destroy(&group));
        OK(dart_team_destroy(&team));
        dart_team_unit_t unit = 0;
        INVALID(dart_team_myid(DART_TEAM_ALL, &unit));
    }
};
Late late;

}  // namespace

int main(int argc, char** argv) {
    OK(dart_init(&argc, &argv));
    const Amounts amounts = argc > 1 ? kSeveralNodes : units() == 1 ? kOneUnit : kNode;
    test_many_teams(amounts);
    test_many_allocations(amounts);
    OK(dart_exit());
    test_restarts(amounts);
    test_after_exit();
    OK(dart_init(&argc, &argv));
    late.group = group_of({0});
    OK(dart_team_clone(DART_TEAM_ALL, &late.team));
    OK(dart_exit());
    return 0;
}

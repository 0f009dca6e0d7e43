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

// Bytes of this thread's malloc, mapped ones included. A sanitizer has a malloc of its own, which
// keeps freed memory, and looks for leaks itself: then the result does not change.
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
        if (i % 20 == 0) leave_things();
        OK(dart_exit());
    }
    OK(dart_init(nullptr, nullptr));
    CHECK(dart_init(nullptr, nullptr) == DART_ERR_OTHER);
    OK(dart_exit());
}

#define NOT_RUNNING(CALL) CHECK((CALL) == DART_ERR_NOTINIT)

// Before the first start, and behind each end.
void test_not_running() {
    dart_global_unit_t unit = 5;
    std::size_t size = 5;
    dart_team_unit_t local = 5;
    dart_gptr_t gptr = DART_GPTR_NULL;
    dart_gptr_t pointer = DART_GPTR_NULL;
    pointer.unitid = 0;
    pointer.teamid = 0;
    long value = 0;
    long* const values = &value;
    std::int32_t result = 0;
    void* address = nullptr;
    dart_team_t team = DART_TEAM_NULL;
    dart_group_t group = nullptr;
    dart_lock_t lock = nullptr;
    dart_allocator_t allocator = nullptr;
    dart_unit_locality_t* place = nullptr;
    dart_domain_locality_t* domain = nullptr;
    NOT_RUNNING(dart_exit());
    NOT_RUNNING(dart_myid(&unit));
    NOT_RUNNING(dart_size(&size));
    CHECK(unit.id == -1 && size == 0);
    NOT_RUNNING(dart_team_myid(DART_TEAM_ALL, &local));
    NOT_RUNNING(dart_team_size(DART_TEAM_ALL, &size));
    NOT_RUNNING(dart_team_unit_l2g(DART_TEAM_ALL, 0, &unit));
    NOT_RUNNING(dart_team_unit_g2l(DART_TEAM_ALL, 0, &local));
    NOT_RUNNING(dart_team_get_group(DART_TEAM_ALL, &group));
    NOT_RUNNING(dart_team_clone(DART_TEAM_ALL, &team));
    NOT_RUNNING(dart_memalloc(1, DART_TYPE_LONG, &gptr));
    NOT_RUNNING(dart_memfree(pointer));
    NOT_RUNNING(dart_team_memalloc_aligned(DART_TEAM_ALL, 1, DART_TYPE_LONG, &gptr));
    NOT_RUNNING(dart_team_memregister(DART_TEAM_ALL, 1, DART_TYPE_LONG, values, &gptr));
    NOT_RUNNING(dart_team_memfree(pointer));
    NOT_RUNNING(dart_team_memderegister(pointer));
    NOT_RUNNING(dart_allocator_new(1, DART_TEAM_ALL, &allocator));
    NOT_RUNNING(dart_gptr_getaddr(pointer, &address));
    NOT_RUNNING(dart_put(pointer, values, 1, DART_TYPE_LONG, DART_TYPE_LONG));
    NOT_RUNNING(dart_get(values, pointer, 1, DART_TYPE_LONG, DART_TYPE_LONG));
    NOT_RUNNING(dart_accumulate(pointer, values, 1, DART_TYPE_LONG, DART_OP_SUM));
    NOT_RUNNING(dart_fetch_and_op(pointer, values, values, DART_TYPE_LONG, DART_OP_SUM));
    NOT_RUNNING(dart_compare_and_swap(pointer, values, values, values, DART_TYPE_LONG));
    for (auto flush : {dart_flush, dart_flush_all, dart_flush_local, dart_flush_local_all})
        NOT_RUNNING(flush(pointer));
    NOT_RUNNING(dart_send(values, 1, DART_TYPE_LONG, 0, 0));
    NOT_RUNNING(dart_recv(values, 1, DART_TYPE_LONG, 0, 0));
    NOT_RUNNING(dart_barrier(DART_TEAM_ALL));
    NOT_RUNNING(dart_bcast(values, 1, DART_TYPE_LONG, 0, DART_TEAM_ALL));
    NOT_RUNNING(dart_allreduce(values, values, 1, DART_TYPE_LONG, DART_OP_SUM, DART_TEAM_ALL));
    NOT_RUNNING(dart_team_lock_init(DART_TEAM_ALL, &lock));
    NOT_RUNNING(dart_team_locality_init(DART_TEAM_ALL));
    NOT_RUNNING(dart_unit_locality(DART_TEAM_ALL, 0, &place));
    NOT_RUNNING(dart_domain_team_locality(DART_TEAM_ALL, ".", &domain));
    // Routines that need no other unit work, as do the ends of things that are gone already.
    OK(dart_team_destroy(&(team = 1)));
    CHECK(team == DART_TEAM_NULL);
    OK(dart_team_lock_destroy(&lock));
    dart_handle_t handle = DART_HANDLE_NULL;
    OK(dart_wait(&handle));
    OK(dart_test(&handle, &result));
    group = group_of({0});
    OK(dart_group_destroy(&group));
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
        if (i % 10 == 0) {  // A tree of domains takes some kilobytes.
            dart_unit_locality_t* place = nullptr;
            OK(dart_team_locality_init(team));
            OK(dart_unit_locality(team, 0, &place));
        }
        OK(dart_team_destroy(&team));
        if (i == teams / 10) before = bytes_in_use();
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
            CHECK(gptr.segid >= 1);
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
        CHECK(dart_team_myid(DART_TEAM_ALL, &unit) == DART_ERR_NOTINIT);
    }
};
Late late;

}  // namespace

int main(int argc, char** argv) {
    test_not_running();
    OK(dart_init(&argc, &argv));
    const Amounts amounts = argc > 1 ? kSeveralNodes : units() == 1 ? kOneUnit : kNode;
    test_many_teams(amounts);
    test_many_allocations(amounts);
    OK(dart_exit());
    test_restarts(amounts);
    test_not_running();
    OK(dart_init(&argc, &argv));
    late.group = group_of({0});
    OK(dart_team_clone(DART_TEAM_ALL, &late.team));
    OK(dart_exit());
    return 0;
}

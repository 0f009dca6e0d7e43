// SPDX-License-Identifier: BSD-3-Clause
//
// Handles that are none: junk, copies whose object has ended, handles of another kind, pointers
// into allocations that have ended. Every routine has to refuse them, and none may read them.
#include <cstring>
#include <semaphore>
#include <thread>

#include "together.hpp"

namespace {

// Values that programs pass by mistake: numbers, addresses, handles with some bits changed.
std::vector<std::uintptr_t> junk(std::uintptr_t like) {
    static std::uint64_t memory[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    return {4095,
            4096,
            65536,
            reinterpret_cast<std::uintptr_t>(memory),
            reinterpret_cast<std::uintptr_t>(&memory[1]) + 1,
            static_cast<std::uintptr_t>(-1),
            std::uintptr_t{1} << 63,
            like + 1000,
            like ^ (std::uintptr_t{1} << 32),
            like ^ (std::uintptr_t{1} << 60),
            like >> 4};
}

template <class Handle>
Handle as(std::uintptr_t value) {
    Handle handle;
    static_assert(sizeof handle == sizeof value);
    std::memcpy(&handle, &value, sizeof handle);
    return handle;
}
template <class Handle>
std::uintptr_t number(Handle handle) {
    return as<std::uintptr_t>(reinterpret_cast<std::uintptr_t>(handle));
}

void check_no_type(dart_datatype_t type, dart_gptr_t gptr) {
    long value = 0;
    dart_datatype_t made = DART_TYPE_UNDEFINED;
    dart_operation_t op = DART_OP_UNDEFINED;
    INVALID(dart_put_blocking(gptr, &value, 1, type, type));
    INVALID(dart_get_blocking(&value, gptr, 1, DART_TYPE_LONG, type));
    INVALID(dart_bcast(&value, 1, type, 0, DART_TEAM_ALL));
    INVALID(dart_allreduce(&value, &value, 1, type, DART_OP_SUM, DART_TEAM_ALL));
    INVALID(dart_send(&value, 1, type, 0, me()));
    INVALID(dart_type_create_strided(type, 2, 1, &made));
    INVALID(
        dart_op_create([](const void*, void*, size_t, void*) {}, nullptr, true, type, false, &op));
    INVALID(dart_type_destroy(&type));
}

void test_type_handles(dart_gptr_t gptr) {
    dart_datatype_t type = DART_TYPE_UNDEFINED;
    OK(dart_type_create_custom(8, &type));
    dart_datatype_t copy = type;
    for (std::uintptr_t value : junk(static_cast<std::uintptr_t>(type)))
        check_no_type(static_cast<dart_datatype_t>(value), gptr);
    OK(dart_type_destroy(&type));
    check_no_type(copy, gptr);
    // A new type, which may have the place of the old one.
    OK(dart_type_create_custom(16, &type));
    CHECK(type != copy);
    check_no_type(copy, gptr);
    OK(dart_type_destroy(&type));
}

void check_no_operation(dart_operation_t op) {
    long value = 0;
    INVALID(dart_allreduce(&value, &value, 1, DART_TYPE_LONG, op, DART_TEAM_ALL));
    INVALID(dart_reduce(&value, &value, 1, DART_TYPE_LONG, op, 0, DART_TEAM_ALL));
    INVALID(dart_op_destroy(&op));
}

void test_operation_handles() {
    dart_operation_t op = DART_OP_UNDEFINED;
    const auto create = [&] {
        OK(dart_op_create([](const void*, void*, size_t, void*) {}, nullptr, true, DART_TYPE_LONG,
                          false, &op));
    };
    create();
    const dart_operation_t copy = op;
    for (std::uintptr_t value : junk(op)) check_no_operation(value);
    OK(dart_op_destroy(&op));
    check_no_operation(copy);
    create();
    CHECK(op != copy);
    check_no_operation(copy);
    OK(dart_op_destroy(&op));
}

void check_no_group(dart_group_t group) {
    dart_group_t other = group_of({0});
    dart_group_t made = nullptr;
    std::size_t size = 0;
    std::int32_t answer = 0;
    dart_global_unit_t units[8];
    dart_team_t team = DART_TEAM_NULL;
    dart_domain_locality_t* domain = nullptr;
    OK(dart_domain_team_locality(DART_TEAM_ALL, ".", &domain));
    INVALID(dart_group_addmember(group, 0));
    INVALID(dart_group_delmember(group, 0));
    INVALID(dart_group_ismember(group, 0, &answer));
    INVALID(dart_group_size(group, &size));
    INVALID(dart_group_getmembers(group, units));
    INVALID(dart_group_clone(group, &made));
    INVALID(dart_group_union(group, other, &made));
    INVALID(dart_group_intersect(other, group, &made));
    INVALID(dart_group_split(group, 1, &size, &made));
    INVALID(dart_group_locality_split(group, domain, DART_LOCALITY_SCOPE_GLOBAL, 1, &size, &made));
    INVALID(dart_team_create(DART_TEAM_ALL, group, &team));
    INVALID(dart_group_destroy(&group));
    OK(dart_group_destroy(&other));
}

void test_group_handles() {
    dart_group_t group = group_of({0});
    const dart_group_t copy = group;
    for (std::uintptr_t value : junk(number(group))) check_no_group(as<dart_group_t>(value));
    OK(dart_group_destroy(&group));
    check_no_group(copy);
    group = group_of({0});
    CHECK(group != copy);
    check_no_group(copy);
    OK(dart_group_destroy(&group));
}

void check_no_lock(dart_lock_t lock) {
    std::int32_t result = 5;
    CHECK(!dart_lock_initialized(lock));
    INVALID(dart_lock_acquire(lock));
    INVALID(dart_lock_try_acquire(lock, &result));
    CHECK(result == 0);
    INVALID(dart_lock_release(lock));
    INVALID(dart_team_lock_destroy(&lock));
}

void test_lock_handles() {
    dart_lock_t lock = DART_LOCK_NULL;
    OK(dart_team_lock_init(DART_TEAM_ALL, &lock));
    CHECK(dart_lock_initialized(lock));
    const dart_lock_t copy = lock;
    for (std::uintptr_t value : junk(number(lock))) check_no_lock(as<dart_lock_t>(value));
    OK(dart_team_lock_destroy(&lock));
    check_no_lock(copy);
    OK(dart_team_lock_init(DART_TEAM_ALL, &lock));
    check_no_lock(copy);
    dart_group_t group = group_of({0});
    check_no_lock(as<dart_lock_t>(number(group)));
    check_no_group(as<dart_group_t>(number(lock)));
    OK(dart_group_destroy(&group));
    OK(dart_team_lock_destroy(&lock));
}

void check_no_transfer(dart_handle_t handle) {
    std::int32_t result = 5;
    dart_handle_t handles[] = {DART_HANDLE_NULL, handle};
    for (auto wait : {dart_wait, dart_wait_local, dart_handle_free}) INVALID(wait(&handle));
    for (auto wait : {dart_waitall, dart_waitall_local}) INVALID(wait(handles, 2));
    for (auto test : {dart_test, dart_test_local}) {
        INVALID(test(&handle, &result));
        CHECK(result == 0);
    }
    for (auto test : {dart_testall, dart_testall_local}) {
        INVALID(test(handles, 2, &result));
        CHECK(result == 0);
    }
    CHECK(handles[1] == handle);
}

// Handles of transfers: NULL on a node.
void test_transfer_handles(dart_gptr_t gptr) {
    long value = 1;
    dart_handle_t handle = DART_HANDLE_NULL;
    OK(dart_put_handle(at(gptr, (me() + 1) % units()), &value, 1, DART_TYPE_LONG, DART_TYPE_LONG,
                       &handle));
    const dart_handle_t copy = handle;
    for (std::uintptr_t value_of_junk : junk(number(copy))) {
        if (value_of_junk != 0) check_no_transfer(as<dart_handle_t>(value_of_junk));
    }
    OK(dart_wait(&handle));
    CHECK(handle == DART_HANDLE_NULL);
    if (copy != DART_HANDLE_NULL) check_no_transfer(copy);
}

void check_no_allocator(dart_allocator_t allocator, dart_gptr_t block) {
    dart_gptr_t gptr = DART_GPTR_NULL;
    INVALID(dart_allocator_alloc(1, DART_TYPE_LONG, &gptr, allocator));
    INVALID(dart_allocator_free(&block, allocator));
    INVALID(dart_allocator_destroy(&allocator));
}

void test_allocator_handles() {
    dart_allocator_t allocator = nullptr;
    dart_gptr_t block = DART_GPTR_NULL;
    OK(dart_allocator_new(1024, DART_TEAM_ALL, &allocator));
    OK(dart_allocator_alloc(1, DART_TYPE_LONG, &block, allocator));
    const dart_allocator_t copy = allocator;
    for (std::uintptr_t value : junk(number(allocator)))
        check_no_allocator(as<dart_allocator_t>(value), block);
    OK(dart_allocator_destroy(&allocator));
    check_no_allocator(copy, block);
}

// Every routine that takes a pointer to elements.
void check_no_pointer(dart_gptr_t gptr) {
    long value = 0;
    void* address = nullptr;
    std::uint16_t flags = 0;
    dart_handle_t handle = DART_HANDLE_NULL;
    dart_gptr_t copy = gptr;
    INVALID(dart_put_blocking(gptr, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG));
    INVALID(dart_put(gptr, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG));
    INVALID(dart_put_handle(gptr, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG, &handle));
    INVALID(dart_get_blocking(&value, gptr, 1, DART_TYPE_LONG, DART_TYPE_LONG));
    INVALID(dart_get(&value, gptr, 1, DART_TYPE_LONG, DART_TYPE_LONG));
    INVALID(dart_get_handle(&value, gptr, 1, DART_TYPE_LONG, DART_TYPE_LONG, &handle));
    INVALID(dart_accumulate(gptr, &value, 1, DART_TYPE_LONG, DART_OP_SUM));
    INVALID(dart_fetch_and_op(gptr, &value, &value, DART_TYPE_LONG, DART_OP_SUM));
    INVALID(dart_compare_and_swap(gptr, &value, &value, &value, DART_TYPE_LONG));
    INVALID(dart_gptr_getaddr(gptr, &address));
    INVALID(dart_gptr_setaddr(&copy, &value));
    INVALID(dart_gptr_getflags(gptr, &flags));
    INVALID(dart_gptr_setflags(&copy, 1));
    for (auto flush : {dart_flush, dart_flush_all, dart_flush_local, dart_flush_local_all})
        INVALID(flush(gptr));
    INVALID(dart_team_memfree(gptr));
    INVALID(dart_team_memderegister(gptr));
}

// The next allocation has the number of the one before, but no pointer to that reaches it.
void test_old_pointers() {
    constexpr int kAllocations = 600;
    dart_gptr_t first = DART_GPTR_NULL;
    dart_gptr_t before = DART_GPTR_NULL;
    for (int i = 0; i < kAllocations; ++i) {
        dart_gptr_t gptr = DART_GPTR_NULL;
        OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 1, DART_TYPE_LONG, &gptr));
        long* const mine = address_of<long>(at(gptr, me()));
        *mine = i;
        if (i == 0) {
            first = gptr;
        } else if (i == 1 || i == kAllocations - 1) {
            check_no_pointer(at(first, me()));
            check_no_pointer(at(before, next_unit()));
        } else {
            long value = -1;
            INVALID(dart_put_blocking(at(i % 2 == 0 ? first : before, me()), &value, 1,
                                      DART_TYPE_LONG, DART_TYPE_LONG));
        }
        CHECK(*mine == i);
        before = gptr;
        OK(dart_team_memfree(gptr));
        check_meet();
    }
}

void check_use(dart_gptr_t gptr, dart_ret_t expected) {
    long value = 17;
    CHECK(dart_put_blocking(gptr, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG) == expected);
    CHECK(dart_get_blocking(&value, gptr, 1, DART_TYPE_LONG, DART_TYPE_LONG) == expected);
}

// Each thread notes where the pointers that it has used point to, until they end, alone or with
// their team.
void test_used_pointers() {
    for (const bool team_ends : {false, true}) {
        dart_team_t team = DART_TEAM_NULL;
        dart_gptr_t gptr = DART_GPTR_NULL;
        OK(dart_team_clone(DART_TEAM_ALL, &team));
        OK(dart_team_memalloc_aligned(team, 1, DART_TYPE_LONG, &gptr));
        const dart_gptr_t mine = at(gptr, me());
        std::binary_semaphore is_used{0}, is_over{0};
        std::thread other([&] {
            check_use(mine, DART_OK);
            is_used.release();
            is_over.acquire();
            check_use(mine, DART_ERR_INVAL);
        });
        check_use(mine, DART_OK);
        is_used.acquire();
        if (!team_ends) OK(dart_team_memfree(gptr));
        if (team_ends) OK(dart_team_destroy(&team));
        is_over.release();
        other.join();
        check_no_pointer(mine);
        if (!team_ends) OK(dart_team_destroy(&team));
    }
}

void test_old_registrations() {
    static long memory[2];
    dart_gptr_t first = DART_GPTR_NULL;
    dart_gptr_t second = DART_GPTR_NULL;
    OK(dart_team_memregister(DART_TEAM_ALL, 1, DART_TYPE_LONG, &memory[0], &first));
    OK(dart_team_memderegister(first));
    OK(dart_team_memregister(DART_TEAM_ALL, 1, DART_TYPE_LONG, &memory[1], &second));
    check_no_pointer(at(first, me()));
    OK(dart_team_memderegister(second));
}

// The program may put flags of its own into a pointer, or make a pointer out of numbers.
void test_flags(dart_gptr_t gptr) {
    dart_gptr_t flagged = at(gptr, me());
    OK(dart_gptr_setflags(&flagged, 0x1234));
    CHECK(flagged.flags == 0x34);
    dart_gptr_t plain = at(gptr, me());
    plain.flags = 0;
    long value = 17;
    for (dart_gptr_t pointer : {flagged, plain, at(gptr, me())}) {
        OK(dart_put_blocking(pointer, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG));
        OK(dart_get_blocking(&value, pointer, 1, DART_TYPE_LONG, DART_TYPE_LONG));
        CHECK(value == 17);
    }
}

}  // namespace

void test_handles() {
    dart_gptr_t gptr = DART_GPTR_NULL;
    OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 10, DART_TYPE_LONG, &gptr));
    test_type_handles(at(gptr, me()));
    test_operation_handles();
    test_group_handles();
    test_lock_handles();
    test_allocator_handles();
    test_transfer_handles(gptr);
    check_meet();
    test_flags(gptr);
    OK(dart_team_memfree(gptr));
    test_old_pointers();
    test_used_pointers();
    test_old_registrations();
}

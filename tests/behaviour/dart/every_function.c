// SPDX-License-Identifier: BSD-3-Clause
//
// Calls each function of the interface, and each extension, once or more, on any number of units.
// every_function_test.py compiles it with a plain C compiler, compares its calls with interface.txt
// and dart_tessera.h, and runs it.
#include <dash/dart/if/dart_tessera.h>
#include <string.h>

#include "check.h"

static int me;
static int units;

static void call_groups(void) {
    dart_group_t groups[4];
    dart_group_t both = DART_GROUP_NULL;
    dart_group_t copy = DART_GROUP_NULL;
    dart_group_t parts[2];
    dart_global_unit_t members[2];
    size_t size = 0;
    int32_t is_member = 0;
    OK(dart_group_create(&groups[0]));
    OK(dart_group_create(&groups[1]));
    OK(dart_group_addmember(groups[0], DART_GLOBAL_UNIT_ID(0)));
    OK(dart_group_addmember(groups[1], DART_GLOBAL_UNIT_ID(0)));
    OK(dart_group_union(groups[0], groups[1], &groups[2]));
    OK(dart_group_intersect(groups[0], groups[1], &groups[3]));
    OK(dart_group_ismember(groups[3], DART_GLOBAL_UNIT_ID(0), &is_member));
    OK(dart_group_size(groups[2], &size));
    OK(dart_group_getmembers(groups[2], members));
    CHECK(is_member == 1 && size == 1 && members[0].id == 0);
    OK(dart_group_delmember(groups[0], DART_GLOBAL_UNIT_ID(0)));
    OK(dart_group_clone(groups[1], &copy));
    OK(dart_group_split(copy, 2, &size, parts));
    CHECK(size == 1);
    OK(dart_team_get_group(DART_TEAM_ALL, &both));
    OK(dart_group_destroy(&both));
    OK(dart_group_destroy(&copy));
    for (int i = 0; i < 4; ++i) OK(dart_group_destroy(&groups[i]));
    OK(dart_group_destroy(&parts[0]));
    OK(dart_group_destroy(&parts[1]));
}

static void call_teams(void) {
    dart_group_t all = DART_GROUP_NULL;
    dart_team_t team = DART_TEAM_NULL;
    dart_team_t clone = DART_TEAM_NULL;
    dart_team_unit_t id;
    dart_global_unit_t global;
    size_t size = 0;
    OK(dart_team_get_group(DART_TEAM_ALL, &all));
    OK(dart_team_create(DART_TEAM_ALL, all, &team));
    OK(dart_team_clone(team, &clone));
    OK(dart_team_myid(clone, &id));
    OK(dart_team_size(clone, &size));
    CHECK(id.id == me && (int)size == units);
    OK(dart_team_unit_l2g(clone, id, &global));
    OK(dart_team_unit_g2l(team, global, &id));
    CHECK(global.id == me && id.id == me);
    OK(dart_team_locality_init(team));
    OK(dart_team_locality_finalize(team));
    OK(dart_team_destroy(&clone));
    OK(dart_team_destroy(&team));
    OK(dart_group_destroy(&all));
}

static void call_pointers(dart_gptr_t mine) {
    void* address = NULL;
    uint16_t flags = 0;
    OK(dart_gptr_getaddr(mine, &address));
    dart_gptr_t other = mine;
    OK(dart_gptr_setaddr(&other, (char*)address + 8));
    OK(dart_gptr_incaddr(&other, -8));
    CHECK(DART_GPTR_EQUAL(mine, other));
    OK(dart_gptr_setflags(&mine, 5));
    OK(dart_gptr_getflags(mine, &flags));
    CHECK(flags == 5);
}

static void call_memory(void) {
    static double memory[4];
    dart_gptr_t gptr = DART_GPTR_NULL;
    dart_allocator_t allocator = NULL;
    OK(dart_memalloc(4, DART_TYPE_DOUBLE, &gptr));
    call_pointers(gptr);
    OK(dart_memfree(gptr));
    OK(dart_team_memregister(DART_TEAM_ALL, 4, DART_TYPE_DOUBLE, memory, &gptr));
    OK(dart_team_memderegister(gptr));
    OK(dart_team_memregister_aligned(DART_TEAM_ALL, 4, DART_TYPE_DOUBLE, memory, &gptr));
    OK(dart_team_memderegister(gptr));
    OK(dart_allocator_new(64, DART_TEAM_ALL, &allocator));
    OK(dart_allocator_alloc(2, DART_TYPE_DOUBLE, &gptr, allocator));
    OK(dart_allocator_free(&gptr, allocator));
    OK(dart_allocator_destroy(&allocator));
}

static void call_transfers(dart_gptr_t mine) {
    const dart_datatype_t type = DART_TYPE_LONG;
    long values[4] = {1, 2, 3, 4};
    long got[4] = {0};
    int32_t is_finished = 0;
    dart_handle_t handles[4];
    OK(dart_put_blocking(mine, values, 4, type, type));
    OK(dart_get_blocking(got, mine, 4, type, type));
    CHECK(memcmp(values, got, sizeof got) == 0);
    OK(dart_put(mine, values, 4, type, type));
    OK(dart_flush(mine));
    OK(dart_flush_all(mine));
    OK(dart_get(got, mine, 4, type, type));
    OK(dart_flush_local(mine));
    OK(dart_flush_local_all(mine));
    for (int i = 0; i < 4; ++i) {
        OK(i % 2 != 0 ? dart_put_handle(mine, values, 4, type, type, &handles[i])
                      : dart_get_handle(got, mine, 4, type, type, &handles[i]));
    }
    OK(dart_test(&handles[0], &is_finished));
    OK(dart_test_local(&handles[1], &is_finished));
    OK(dart_testall(handles, 2, &is_finished));
    OK(dart_testall_local(handles, 2, &is_finished));
    OK(dart_wait(&handles[0]));
    OK(dart_wait_local(&handles[1]));
    OK(dart_handle_free(&handles[2]));
    OK(dart_waitall_local(handles, 4));
    OK(dart_waitall(handles, 4));
    OK(dart_flush(mine));
}

static void call_atomics(dart_gptr_t mine) {
    long value = 5;
    long result = 0;
    const long expected = 16;
    OK(dart_accumulate(mine, &value, 1, DART_TYPE_LONG, DART_OP_SUM));
    OK(dart_accumulate_blocking_local(mine, &value, 1, DART_TYPE_LONG, DART_OP_SUM));
    OK(dart_flush(mine));
    OK(dart_fetch_and_op(mine, &value, &result, DART_TYPE_LONG, DART_OP_SUM));
    OK(dart_flush_local(mine));
    CHECK(result == 11);
    OK(dart_compare_and_swap(mine, &value, &expected, &result, DART_TYPE_LONG));
    OK(dart_flush_local(mine));
    CHECK(result == 16);
}

static void call_one_sided(void) {
    dart_gptr_t mine = DART_GPTR_NULL;
    OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 4, DART_TYPE_LONG, &mine));
    OK(dart_gptr_setunit(&mine, DART_TEAM_UNIT_ID(me)));
    call_transfers(mine);
    call_atomics(mine);
    check_meet();
    OK(dart_gptr_setunit(&mine, DART_TEAM_UNIT_ID(0)));
    OK(dart_team_memfree(mine));
}

static void last_of(const void* in, void* inout, size_t nelems, void* user_data) {
    (void)in, (void)inout, (void)nelems, (void)user_data;
}

static void call_types(void) {
    const size_t lengths[2] = {1, 2};
    const size_t offsets[2] = {0, 4};
    dart_datatype_t types[3];
    dart_operation_t op = DART_OP_UNDEFINED;
    int value = me;
    OK(dart_type_create_strided(DART_TYPE_INT, 4, 2, &types[0]));
    OK(dart_type_create_indexed(DART_TYPE_INT, 2, lengths, offsets, &types[1]));
    OK(dart_type_create_custom(12, &types[2]));
    for (int i = 0; i < 3; ++i) OK(dart_type_destroy(&types[i]));
    OK(dart_op_create(last_of, NULL, false, DART_TYPE_INT, false, &op));
    OK(dart_allreduce(&value, &value, 1, DART_TYPE_INT, op, DART_TEAM_ALL));
    CHECK(value == units - 1);
    OK(dart_op_destroy(&op));
}

static void call_collectives(void) {
    int mine = me;
    int all[64] = {0};
    size_t counts[64];
    size_t places[64];
    const dart_team_unit_t root = DART_TEAM_UNIT_ID(0);
    const dart_team_t team = DART_TEAM_ALL;
    for (int i = 0; i < units; ++i) {
        counts[i] = 1;
        places[i] = (size_t)i;
    }
    OK(dart_gather(&mine, all, 1, DART_TYPE_INT, root, team));
    OK(dart_bcast(all, (size_t)units, DART_TYPE_INT, root, team));
    OK(dart_scatter(all, &mine, 1, DART_TYPE_INT, root, team));
    OK(dart_allgather(&mine, all, 1, DART_TYPE_INT, team));
    OK(dart_allgatherv(&mine, 1, DART_TYPE_INT, all, counts, places, team));
    OK(dart_alltoall(NULL, all, 1, DART_TYPE_INT, team));
    OK(dart_reduce(&mine, all, 1, DART_TYPE_INT, DART_OP_MAX, root, team));
    CHECK(mine == me && (me != 0 || all[0] == units - 1));
    const dart_global_unit_t next = DART_GLOBAL_UNIT_ID((me + 1) % units);
    const dart_global_unit_t previous = DART_GLOBAL_UNIT_ID((me + units - 1) % units);
    OK(dart_send(&mine, 1, DART_TYPE_INT, 1, next));
    OK(dart_recv(all, 1, DART_TYPE_INT, 1, previous));
    OK(dart_sendrecv(&mine, 1, DART_TYPE_INT, 2, next, all, 1, DART_TYPE_INT, 2, previous));
    CHECK(all[0] == previous.id);
}

static void call_extensions(void) {
    int mine = me;
    int all[64] = {0};
    int32_t is_there = 0;
    dart_handle_t handles[6];
    dart_gptr_t memory;
    void* address = NULL;
    const dart_team_unit_t root = DART_TEAM_UNIT_ID(0);
    const dart_team_t team = DART_TEAM_ALL;
    OK(dart_barrier_nb(team, &handles[0]));
    OK(dart_bcast_nb(&mine, 1, DART_TYPE_INT, root, team, &handles[1]));
    OK(dart_waitall(handles, 2));
    OK(dart_allgather_nb(&me, all, 1, DART_TYPE_INT, team, &handles[0]));
    OK(dart_waitall(handles, 1));
    OK(dart_alltoall_nb(NULL, all, 1, DART_TYPE_INT, team, &handles[0]));
    OK(dart_waitall(handles, 1));
    OK(dart_reduce_nb(&me, &mine, 1, DART_TYPE_INT, DART_OP_MAX, root, team, &handles[0]));
    OK(dart_allreduce_nb(&me, all, 1, DART_TYPE_INT, DART_OP_MAX, team, &handles[1]));
    OK(dart_waitall(handles, 2));
    CHECK(all[0] == units - 1);
    OK(dart_team_memalloc_aligned(team, 16, DART_TYPE_BYTE, &memory));
    OK(dart_gptr_setunit(&memory, DART_TEAM_UNIT_ID(me)));
    OK(dart_gptr_getaddr(memory, &address));
    memset(address, 0, 16);
    dart_gptr_t word = memory;
    OK(dart_gptr_incaddr(&word, 8));
    OK(dart_put_notify(memory, &me, 1, DART_TYPE_INT, DART_TYPE_INT, word, DART_NOTIFY_SET, 3));
    OK(dart_put_notify_handle(memory, &me, 1, DART_TYPE_INT, DART_TYPE_INT, word, DART_NOTIFY_ADD,
                              4, &handles[0]));
    OK(dart_wait(&handles[0]));
    OK(dart_notify_wait(word, 7, NULL));
    OK(dart_notify_test(word, 7, NULL, &is_there));
    CHECK(is_there == 1 && *(int*)address == me);
    OK(dart_team_memfree(memory));
}

static void call_locks(void) {
    dart_lock_t lock = DART_LOCK_NULL;
    int32_t is_locked = 0;
    OK(dart_team_lock_init(DART_TEAM_ALL, &lock));
    CHECK(dart_lock_initialized(lock));
    OK(dart_lock_acquire(lock));
    OK(dart_lock_release(lock));
    OK(dart_lock_try_acquire(lock, &is_locked));
    if (is_locked != 0) OK(dart_lock_release(lock));
    OK(dart_team_lock_destroy(&lock));
}

static void call_domains(void) {
    dart_domain_locality_t* tree = NULL;
    dart_domain_locality_t* copy = NULL;
    dart_domain_locality_t* part = NULL;
    dart_domain_locality_t** parts = NULL;
    dart_domain_locality_t split;
    dart_unit_locality_t* place = NULL;
    char** tags = NULL;
    char tag[DART_LOCALITY_DOMAIN_TAG_MAX_SIZE];
    const char* first = ".0";
    int count = 0;
    OK(dart_domain_team_locality(DART_TEAM_ALL, ".", &tree));
    OK(dart_unit_locality(DART_TEAM_ALL, DART_TEAM_UNIT_ID(me), &place));
    OK(dart_domain_clone(tree, &copy));
    OK(dart_domain_assign(copy, tree));
    OK(dart_domain_create(&part));
    OK(dart_domain_add_subdomain(copy, part, 0));
    OK(dart_domain_move_subdomain(part, copy, 0));
    OK(dart_domain_find(copy, first, &part));
    OK(dart_domain_group(copy, 1, &first, tag));
    const char* group = tag;
    OK(dart_domain_select(copy, 1, &group));
    OK(dart_domain_exclude(copy, 1, &group));
    OK(dart_domain_scope_tags(tree, DART_LOCALITY_SCOPE_GLOBAL, &count, &tags));
    free(tags[0]);
    free(tags);
    OK(dart_domain_scope_domains(tree, DART_LOCALITY_SCOPE_GLOBAL, &count, &parts));
    CHECK(count == 1 && parts[0] == tree);
    free(parts);
    OK(dart_domain_split_scope(tree, DART_LOCALITY_SCOPE_NODE, 1, &split));
    OK(dart_domain_assign(&split, copy));
    OK(dart_domain_destroy(copy));
}

static void call_locality_split(void) {
    dart_domain_locality_t* tree = NULL;
    dart_group_t all = DART_GROUP_NULL;
    dart_group_t part = DART_GROUP_NULL;
    size_t count = 0;
    OK(dart_domain_team_locality(DART_TEAM_ALL, ".", &tree));
    OK(dart_team_get_group(DART_TEAM_ALL, &all));
    OK(dart_group_locality_split(all, tree, DART_LOCALITY_SCOPE_NODE, 1, &count, &part));
    CHECK(count == 1);
    OK(dart_group_destroy(&part));
    OK(dart_group_destroy(&all));
}

int main(int argc, char** argv) {
    dart_config_t* config = NULL;
    dart_thread_support_level_t level = DART_THREAD_SINGLE;
    dart_global_unit_t unit;
    size_t size = 0;
    dart_config(&config);
    CHECK(config != NULL && !dart_initialized());
    config->log_enabled = 1;
    OK(dart_init(&argc, &argv));
    OK(dart_exit());
    OK(dart_init_thread(&argc, &argv, &level));
    OK(dart_myid(&unit));
    OK(dart_size(&size));
    me = unit.id;
    units = (int)size;
    void (*const parts[])(void) = {
        call_groups,      call_teams,      call_memory, call_one_sided, call_types,
        call_collectives, call_extensions, call_locks,  call_domains,   call_locality_split};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
        OK(dart_barrier(DART_TEAM_ALL));
        parts[i]();
    }
    OK(dart_exit());
    printf("passed\n");
    return 0;
}

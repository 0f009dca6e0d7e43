// SPDX-License-Identifier: BSD-3-Clause
//
// Nonblocking collectives: several under way at once, also beside blocking ones, on all units and
// on every second one; each way to complete them; operations of the program; wrong arguments.
#include <dash/dart/if/dart_tessera.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "together.hpp"

namespace {

// The operand of the lower unit.
void take_first(const void* invec, void* inoutvec, std::size_t n, void* userdata) {
    CHECK(*static_cast<int*>(userdata) == 17);
    std::memcpy(inoutvec, invec, n * sizeof(long));
}

enum Way { kWaitall, kTestall, kLocal, kOneByOne, kWays };

void complete(Way way, std::vector<dart_handle_t>& handles) {
    std::int32_t is_finished = 0;
    switch (way) {
        case kWaitall: OK(dart_waitall(handles.data(), handles.size())); break;
        case kTestall:
            while (is_finished == 0) OK(dart_testall(handles.data(), handles.size(), &is_finished));
            break;
        case kLocal: OK(dart_waitall_local(handles.data(), handles.size())); break;
        default:
            for (auto each = handles.rbegin(); each != handles.rend(); ++each)
                OK(dart_wait(&*each));
    }
    for (dart_handle_t handle : handles) CHECK(handle == DART_HANDLE_NULL);
}

// All collectives of a team at once, with a blocking one between their starts and their ends.
void test_all(dart_team_t team, std::size_t nelem, Way way) {
    const int me = id_in(team);
    const int size = size_of(team);
    const auto units = static_cast<std::size_t>(size);
    const int root = size - 1;
    std::vector<long> mine(nelem * units);
    std::iota(mine.begin(), mine.end(), 1000L * me);
    std::vector<long> sent(nelem, me == root ? 7 : 0);
    std::vector<long> gathered(nelem * units), exchanged(nelem * units), in_place(nelem * units);
    std::vector<long> sum(nelem), largest(nelem);
    const auto own = static_cast<std::ptrdiff_t>(nelem) * me;
    std::copy_n(mine.begin(), nelem, in_place.begin() + own);
    std::vector<dart_handle_t> handles(7);
    OK(dart_bcast_nb(sent.data(), nelem, DART_TYPE_LONG, {root}, team, &handles[0]));
    OK(dart_allgather_nb(mine.data(), gathered.data(), nelem, DART_TYPE_LONG, team, &handles[1]));
    OK(dart_allgather_nb(nullptr, in_place.data(), nelem, DART_TYPE_LONG, team, &handles[2]));
    OK(dart_alltoall_nb(mine.data(), exchanged.data(), nelem, DART_TYPE_LONG, team, &handles[3]));
    OK(dart_allreduce_nb(mine.data(), sum.data(), nelem, DART_TYPE_LONG, DART_OP_SUM, team,
                         &handles[4]));
    OK(dart_reduce_nb(mine.data(), largest.data(), nelem, DART_TYPE_LONG, DART_OP_MAX, {root}, team,
                      &handles[5]));
    OK(dart_barrier_nb(team, &handles[6]));
    long count = 1, total = 0;
    OK(dart_allreduce(&count, &total, 1, DART_TYPE_LONG, DART_OP_SUM, team));
    CHECK(total == size);
    complete(way, handles);
    for (std::size_t i = 0; i < nelem; ++i) {
        const long at = static_cast<long>(i);
        CHECK(sent[i] == 7);
        CHECK(sum[i] == 1000L * (size - 1) * size / 2 + at * size);
        CHECK(me != root || largest[i] == 1000L * (size - 1) + at);
        for (std::size_t from = 0; from < units; ++from) {
            const long first = 1000L * static_cast<long>(from);
            CHECK(gathered[from * nelem + i] == first + at);
            CHECK(in_place[from * nelem + i] == first + at);
            CHECK(exchanged[from * nelem + i] == first + static_cast<long>(nelem) * me + at);
        }
    }
}

// A barrier ends when all units have started theirs, and not before.
void test_barrier() {
    dart_handle_t handle = DART_HANDLE_NULL;
    std::int32_t is_finished = 0;
    Memory flags(Memory::kAllocated, sizeof(std::uint64_t));
    *flags.own<std::uint64_t>() = 0;
    check_meet();
    if (me() != 0) {
        OK(dart_barrier_nb(DART_TEAM_ALL, &handle));
        for (int i = 0; i < 100; ++i) {
            OK(dart_test(&handle, &is_finished));
            CHECK(is_finished == 0);
        }
        OK(dart_put_notify(flags.of(0), nullptr, 0, DART_TYPE_INT, DART_TYPE_INT, flags.of(0),
                           DART_NOTIFY_ADD, 1));
        OK(dart_flush(flags.of(0)));
    } else {
        OK(dart_notify_wait(flags.of(0), static_cast<std::uint64_t>(units() - 1), nullptr));
        OK(dart_barrier_nb(DART_TEAM_ALL, &handle));
    }
    OK(dart_wait(&handle));
}

// An operation for which the order of the units counts, and the pairs of DART_OP_MINMAX.
void test_operations() {
    int userdata = 17;
    dart_operation_t op = DART_OP_UNDEFINED;
    OK(dart_op_create(take_first, &userdata, false, DART_TYPE_LONG, false, &op));
    const std::vector<long> mine(300, me() + 1);
    std::vector<long> first(300);
    dart_handle_t handles[2] = {};
    OK(dart_allreduce_nb(mine.data(), first.data(), 300, DART_TYPE_LONG, op, DART_TEAM_ALL,
                         &handles[0]));
    const long pair[] = {me(), me()};
    long least_and_most[] = {-1, -1};
    OK(dart_allreduce_nb(pair, least_and_most, 2, DART_TYPE_LONG, DART_OP_MINMAX, DART_TEAM_ALL,
                         &handles[1]));
    OK(dart_waitall(handles, 2));
    CHECK(first == std::vector<long>(300, 1));
    CHECK(least_and_most[0] == 0 && least_and_most[1] == units() - 1);
    OK(dart_op_destroy(&op));
}

// An operation stays while a reduction uses it: here that of unit 0, which starts first.
void test_operation_in_use() {
    int userdata = 17;
    dart_operation_t op = DART_OP_UNDEFINED;
    OK(dart_op_create(take_first, &userdata, false, DART_TYPE_LONG, false, &op));
    Memory flags(Memory::kAllocated, sizeof(std::uint64_t));
    *flags.own<std::uint64_t>() = 0;
    check_meet();
    if (me() != 0) OK(dart_notify_wait(flags.of(me()), 1, nullptr));
    const long mine = me() + 1;
    long first = 0;
    dart_handle_t handle = DART_HANDLE_NULL;
    OK(dart_allreduce_nb(&mine, &first, 1, DART_TYPE_LONG, op, DART_TEAM_ALL, &handle));
    if (me() == 0 && units() > 1) INVALID(dart_op_destroy(&op));
    for (int unit = 1; me() == 0 && unit < units(); ++unit) {
        OK(dart_put_notify(flags.of(unit), nullptr, 0, DART_TYPE_INT, DART_TYPE_INT, flags.of(unit),
                           DART_NOTIFY_SET, 1));
        OK(dart_flush(flags.of(unit)));
    }
    OK(dart_wait(&handle));
    CHECK(first == 1);
    OK(dart_op_destroy(&op));
    CHECK(op == DART_OP_UNDEFINED);
}

// All units make the same mistake, so all get the error, and nothing is under way.
void test_wrong_calls() {
    long word = 0;
    dart_handle_t handle = DART_HANDLE_NULL;
    INVALID(dart_barrier_nb(DART_TEAM_ALL, nullptr));
    INVALID(dart_barrier_nb(DART_TEAM_NULL, &handle));
    INVALID(dart_bcast_nb(&word, 1, DART_TYPE_LONG, {units()}, DART_TEAM_ALL, &handle));
    INVALID(dart_bcast_nb(&word, 1, DART_TYPE_LONG, {0}, DART_TEAM_ALL, nullptr));
    INVALID(dart_allgather_nb(&word, nullptr, 1, DART_TYPE_LONG, DART_TEAM_ALL, &handle));
    INVALID(dart_alltoall_nb(&word, nullptr, 1, DART_TYPE_LONG, DART_TEAM_ALL, &handle));
    INVALID(
        dart_allreduce_nb(&word, nullptr, 1, DART_TYPE_LONG, DART_OP_SUM, DART_TEAM_ALL, &handle));
    INVALID(dart_reduce_nb(&word, &word, 1, DART_TYPE_LONG, DART_OP_REPLACE, {0}, DART_TEAM_ALL,
                           &handle));
    INVALID(
        dart_reduce_nb(&word, &word, 1, DART_TYPE_LONG, DART_OP_SUM, {-1}, DART_TEAM_ALL, &handle));
    CHECK(handle == DART_HANDLE_NULL);
}

}  // namespace

void test_nonblocking() {
    const dart_team_t half = team_of(0, 2);
    for (int way = 0; way < kWays; ++way) {
        for (std::size_t nelem : {std::size_t{1}, std::size_t{500}, std::size_t{20000}}) {
            test_all(DART_TEAM_ALL, nelem, static_cast<Way>(way));
            if (half != DART_TEAM_NULL) test_all(half, nelem, static_cast<Way>(way));
        }
    }
    test_barrier();
    test_operations();
    test_operation_in_use();
    test_wrong_calls();
    dart_team_t ended = half;
    if (ended != DART_TEAM_NULL) OK(dart_team_destroy(&ended));
}

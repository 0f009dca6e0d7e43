// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a collective that moves data, of any type or form, puts an element elsewhere, forgets
// one, touches what it should not, reads a source before its PE has called or after it has returned
// (OpenSHMEM 1.6, 9.10).
//
// One template for all: a routine is described by what dest must hold afterwards. Sources are
// written right before the call and overwritten right after it, with no synchronization in between.
#include <algorithm>
#include <span>
#include <vector>

#include "conformance/groups.hpp"
#include "conformance/routines.hpp"
#include "conformance/values.hpp"
#include "support/pattern.hpp"
#include "support/pe_test.hpp"

namespace tessera::conformance {
namespace {

using test::Bytes;
using test::kGuard;
using test::Region;

// The numbers of one call. alltoalls alone has strides other than 1, broadcast alone a root.
struct Shape {
    std::size_t nelems = 0;
    int root = 0;
    std::ptrdiff_t dst = 1;
    std::ptrdiff_t sst = 1;
};

struct Move {
    int id;
    std::size_t element_bytes;
    int (*call)(const Group& group, void* dest, const void* source, const Shape& shape);
};

// CALL uses dest and source as pointers to T, group, shape and, for active sets, psync.
#define MOVE(ID, T, CALL)                                                                \
    Move{ID, sizeof(T),                                                                  \
         [](const Group& group, void* to, const void* from, const Shape& shape) -> int { \
             T* dest = static_cast<T*>(to);                                              \
             const T* source = static_cast<const T*>(from);                              \
             called(ID);                                                                 \
             return CALL;                                                                \
         }},
#define ACTIVE_SET group.start, group.log_stride, group.size(), psync()
#define CONTIGUOUS(ID, NAME, T, CTX) MOVE(ID, T, NAME(group.team, dest, source, shape.nelems))
#define ACTIVE_SET_CONTIGUOUS(ID, NAME, T, CTX) \
    MOVE(ID, T, (NAME(dest, source, shape.nelems, ACTIVE_SET), kNoStatus))
#define BROADCAST(ID, NAME, T, CTX) \
    MOVE(ID, T, NAME(group.team, dest, source, shape.nelems, shape.root))
#define ACTIVE_SET_BROADCAST(ID, NAME, T, CTX) \
    MOVE(ID, T, (NAME(dest, source, shape.nelems, shape.root, ACTIVE_SET), kNoStatus))
#define STRIDED(ID, NAME, T, CTX) \
    MOVE(ID, T, NAME(group.team, dest, source, shape.dst, shape.sst, shape.nelems))
#define ACTIVE_SET_STRIDED(ID, NAME, T, CTX) \
    MOVE(ID, T, (NAME(dest, source, shape.dst, shape.sst, shape.nelems, ACTIVE_SET), kNoStatus))

const Move kBroadcasts[] = {EACH_broadcast(BROADCAST)};
const Move kCollects[] = {EACH_collect(CONTIGUOUS)};
const Move kFcollects[] = {EACH_fcollect(CONTIGUOUS)};
const Move kAlltoalls[] = {EACH_alltoall(CONTIGUOUS)};
const Move kStridedAlltoalls[] = {EACH_alltoalls(STRIDED)};
const Move kActiveSetBroadcasts[] = {EACH_active_set_broadcast(ACTIVE_SET_BROADCAST)};
const Move kActiveSetCollects[] = {EACH_active_set_collect(ACTIVE_SET_CONTIGUOUS)};
const Move kActiveSetFcollects[] = {EACH_active_set_fcollect(ACTIVE_SET_CONTIGUOUS)};
const Move kActiveSetAlltoalls[] = {EACH_active_set_alltoall(ACTIVE_SET_CONTIGUOUS)};
const Move kActiveSetStridedAlltoalls[] = {EACH_active_set_alltoalls(ACTIVE_SET_STRIDED)};

// One call: the data of each member, and the blocks that members give to each other.
class Call {
  public:
    Call(const Move& move, const Group& group, const Shape& shape, unsigned turn)
        : move_(move), group_(group), shape_(shape), turn_(turn) {}

    const Move& move() const { return move_; }
    const Group& group() const { return group_; }
    const Shape& shape() const { return shape_; }
    std::size_t element_bytes() const { return move_.element_bytes; }

    // Writes element `i` of member `from`'s source to `to`.
    void write(unsigned char* to, int from, std::size_t i) const {
        const int world_pe = group_.pes[static_cast<std::size_t>(from)];
        for (std::size_t byte = 0; byte < move_.element_bytes; ++byte)
            to[byte] = test::pattern(world_pe, 0, turn_, i * move_.element_bytes + byte);
    }

  private:
    const Move& move_;
    const Group& group_;
    const Shape& shape_;
    unsigned turn_;
};

// The effect of one kind of collective.
struct Kind {
    // Elements that a member contributes (its own argument nelems), and elements of its source.
    std::size_t (*nelems)(const Call& call, int member);
    std::size_t (*source_elements)(const Call& call);
    // Writes what dest must hold on this PE.
    void (*expect)(const Call& call, unsigned char* dest);
    bool works_in_place = false;
};

std::size_t same_nelems(const Call& call, int) { return call.shape().nelems; }
std::size_t one_block(const Call& call) { return call.shape().nelems; }
std::size_t block_for_each(const Call& call) {
    return call.shape().nelems * static_cast<std::size_t>(call.shape().sst * call.group().size());
}

void expect_from_root(const Call& call, unsigned char* dest) {
    for (std::size_t i = 0; i < call.shape().nelems; ++i)
        call.write(dest + i * call.element_bytes(), call.shape().root, i);
}

void expect_from_root_but_on_root(const Call& call, unsigned char* dest) {
    if (call.group().my_index != call.shape().root) expect_from_root(call, dest);
}

// 0 elements for some members, different numbers for their neighbours.
std::size_t different_nelems(const Call& call, int member) {
    auto count = static_cast<std::size_t>(member) * 2 + call.shape().nelems;
    return call.shape().nelems == 0 ? 0 : count % (call.shape().nelems + 1);
}

void expect_one_after_the_other(const Call& call, unsigned char* dest,
                                std::size_t (*nelems)(const Call& call, int member)) {
    for (int member = 0; member < call.group().size(); ++member) {
        for (std::size_t i = 0; i < nelems(call, member); ++i) {
            call.write(dest, member, i);
            dest += call.element_bytes();
        }
    }
}
void expect_collected(const Call& call, unsigned char* dest) {
    expect_one_after_the_other(call, dest, different_nelems);
}
void expect_fcollected(const Call& call, unsigned char* dest) {
    expect_one_after_the_other(call, dest, same_nelems);
}

// Element e of block b lies at stride * (b * nelems + e), for both strides.
void expect_exchanged(const Call& call, unsigned char* dest) {
    const std::size_t nelems = call.shape().nelems;
    const auto me = static_cast<std::size_t>(call.group().my_index);
    const auto dst = static_cast<std::size_t>(call.shape().dst);
    const auto sst = static_cast<std::size_t>(call.shape().sst);
    for (int member = 0; member < call.group().size(); ++member) {
        for (std::size_t e = 0; e < nelems; ++e) {
            const std::size_t to = dst * (static_cast<std::size_t>(member) * nelems + e);
            call.write(dest + to * call.element_bytes(), member, sst * (me * nelems + e));
        }
    }
}

const Kind kBroadcast{same_nelems, one_block, expect_from_root, true};
const Kind kActiveSetBroadcast{same_nelems, one_block, expect_from_root_but_on_root, true};
const Kind kCollect{different_nelems, one_block, expect_collected};
const Kind kFcollect{same_nelems, one_block, expect_fcollected};
const Kind kAlltoall{same_nelems, block_for_each, expect_exchanged};

// Room for dest, or source, and for guards.
std::size_t arena_bytes(const Call& call) {
    const Shape& shape = call.shape();
    const auto stride = static_cast<std::size_t>(std::max(shape.dst, shape.sst));
    const auto members = static_cast<std::size_t>(call.group().size());
    return (shape.nelems * stride * members + 16) * call.element_bytes();
}

// Calls it, with dest and source in different places or, in place, in the same.
void run(const Kind& kind, const Call& call, const Region& region, bool in_place) {
    const Group& group = call.group();
    const std::size_t bytes = call.element_bytes();
    unsigned char* dest = region.data + bytes;
    const std::size_t source_bytes = kind.source_elements(call) * bytes;
    Bytes expected(arena_bytes(call), kGuard);
    unsigned char* source = in_place ? dest : region.data + expected.size() + 2 * bytes;
    ASSERT_LE(2 * expected.size(), test::kRegionBytes);

    std::memset(region.data, kGuard, 2 * expected.size());
    change_psync();
    shmem_barrier_all();  // dest is ready on all PEs
    if (group.is_member()) {
        come_late_in_turn(static_cast<unsigned>(call.move().id));
        for (std::size_t i = 0; i < source_bytes / bytes; ++i)
            call.write(source + i * bytes, group.my_index, i);
        if (in_place) std::memcpy(expected.data() + bytes, source, source_bytes);
        Shape mine = call.shape();
        mine.nelems = kind.nelems(call, group.my_index);
        bool is_null = call.shape().nelems == 0;
        EXPECT_EQ(
            call.move().call(group, is_null ? nullptr : dest, is_null ? nullptr : source, mine), 0);
        if (!in_place) std::memset(source, 0, source_bytes);
        kind.expect(call, expected.data() + bytes);
    }
    EXPECT_EQ(test::difference(region.data, expected.data(), expected.size()), "")
        << name_of(call.move().id) << ", " << group.name << ", " << call.shape().nelems
        << " elements, root " << call.shape().root << ", dst " << call.shape().dst << ", sst "
        << call.shape().sst << ", " << region.kind << (in_place ? ", in place" : "");
}

// Every routine with all shapes, each on the first group and on another one.
void check(const Kind& kind, std::span<const Move> moves, std::span<const Group> groups,
           std::span<const Shape> shapes) {
    static unsigned turn = 0;
    std::size_t next_group = 0;
    for (const Move& move : moves) {
        for (Shape shape : shapes) {
            for (const Group* group : {&groups.front(), &groups[++next_group % groups.size()]}) {
                shape.root = static_cast<int>(turn) % group->size();
                Call call(move, *group, shape, ++turn);
                bool in_place = kind.works_in_place && group != &groups.front();
                run(kind, call, next_region(), in_place);
            }
        }
    }
    shmem_barrier_all();
    expect_psync_restored();
}

constexpr Shape kContiguous[] = {{.nelems = 1}, {.nelems = 0}, {.nelems = 3}, {.nelems = 50}};
constexpr Shape kStrided[] = {{3, 0, 1, 1}, {1, 0, 2, 3}, {4, 0, 3, 1},
                              {5, 0, 1, 2}, {0, 0, 1, 1}, {2, 0, 4, 4}};

TEST(Broadcast, teams) { check(kBroadcast, kBroadcasts, team_groups(), kContiguous); }
TEST(Collect, teams) { check(kCollect, kCollects, team_groups(), kContiguous); }
TEST(Fcollect, teams) { check(kFcollect, kFcollects, team_groups(), kContiguous); }
TEST(Alltoall, teams) { check(kAlltoall, kAlltoalls, team_groups(), kContiguous); }
TEST(Alltoalls, teams) { check(kAlltoall, kStridedAlltoalls, team_groups(), kStrided); }

TEST(Broadcast, active_sets) {
    check(kActiveSetBroadcast, kActiveSetBroadcasts, active_set_groups(), kContiguous);
}
TEST(Collect, active_sets) {
    check(kCollect, kActiveSetCollects, active_set_groups(), kContiguous);
}
TEST(Fcollect, active_sets) {
    check(kFcollect, kActiveSetFcollects, active_set_groups(), kContiguous);
}
TEST(Alltoall, active_sets) {
    check(kAlltoall, kActiveSetAlltoalls, active_set_groups(), kContiguous);
}
TEST(Alltoalls, active_sets) {
    check(kAlltoall, kActiveSetStridedAlltoalls, active_set_groups(), kStrided);
}

// Much data, for algorithms that cut it into pieces.
TEST(Broadcast, large) {
    constexpr Shape kLarge[] = {{.nelems = 8000}};
    check(kBroadcast, {&kBroadcasts[0], 1}, team_groups().first(3), kLarge);
}
TEST(Fcollect, large) {
    constexpr Shape kLarge[] = {{.nelems = 5000}};
    check(kFcollect, {&kFcollects[0], 1}, team_groups().first(3), kLarge);
    check(kCollect, {&kCollects[0], 1}, team_groups().first(3), kLarge);
    check(kAlltoall, {&kAlltoalls[0], 1}, team_groups().first(3), kLarge);
}

}  // namespace
}  // namespace tessera::conformance

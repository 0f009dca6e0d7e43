// SPDX-License-Identifier: BSD-3-Clause
//
// See collectives.hpp, which has the idea.
#include "tools/check/collectives.hpp"

#include <cstring>
#include <mutex>

#include "tools/check/record.hpp"
#include "tools/check/report.hpp"
#include "tools/check/teams.hpp"

namespace tessera::check {
namespace {

using interpose::Call;
using interpose::Kind;

constexpr std::size_t kGroups = 64;  // groups that share slots miss mistakes
constexpr std::size_t kDepth = 8;    // collectives that a PE may be ahead of another one

// `tag` is 0, or says whose record is in the slot: number, state, and bits of the group's key.
struct Slot {
    std::uint64_t tag;
    Record record;
};

// In the team memory of each PE: the slots of the groups whose first member it is, and the
// collective that the PE is in (`number` 0: in none).
struct Board {
    Slot slots[kGroups][kDepth];
    Record current;
};

constexpr std::uint64_t kWriting = 1;
constexpr std::uint64_t kReady = 2;

Board* board = nullptr;
shmem_ctx_t context = SHMEM_CTX_INVALID;  // not the program's: its operations stay as they are
bool has_threads = false;

std::uint64_t tag_of(const Record& record, std::uint64_t state) {
    return (record.key >> 32 << 32) | ((record.number & 0x3fffffff) << 2) | state;
}
bool is_of(std::uint64_t tag, const Record& record) { return tag >> 2 == tag_of(record, 0) >> 2; }
bool is_later(std::uint64_t tag, const Record& record) {
    return tag >> 32 == record.key >> 32 && (tag & 0xffffffff) > (tag_of(record, 3) & 0xffffffff);
}

// RETURNS: whether this PE is the first with this collective; its record is on the board then.
bool publish(const Record& record, Slot* slot, int judge) {
    std::uint64_t seen = pshmem_ctx_uint64_atomic_fetch(context, &slot->tag, judge);
    while (!is_of(seen, record) && !is_later(seen, record)) {
        const std::uint64_t found = pshmem_ctx_uint64_atomic_compare_swap(
            context, &slot->tag, seen, tag_of(record, kWriting), judge);
        if (found == seen) {
            pshmem_ctx_putmem(context, &slot->record, &record, sizeof record, judge);
            pshmem_ctx_quiet(context);
            pshmem_ctx_uint64_atomic_set(context, &slot->tag, tag_of(record, kReady), judge);
            pshmem_ctx_quiet(context);
            return true;
        }
        seen = found;
    }
    return false;
}

// The record of the first PE; false: the slot has moved on, so there is nothing to compare with.
bool read_first(const Record& mine, Slot* slot, int judge, Record& first) {
    for (;;) {
        const std::uint64_t tag = pshmem_ctx_uint64_atomic_fetch(context, &slot->tag, judge);
        if (!is_of(tag, mine)) return false;
        if ((tag & kReady) != 0) break;
    }
    pshmem_ctx_getmem(context, &first, &slot->record, sizeof first, judge);
    return pshmem_ctx_uint64_atomic_fetch(context, &slot->tag, judge) == tag_of(mine, kReady) &&
           first.key == mine.key;
}

std::string number_text(const Record& record, const Group& group) {
    return "as collective " + std::to_string(record.number) + " of " + group.name;
}

void compare_with_first(const Call& call, const Group& group, const Record& mine) {
    Slot* slot = &board->slots[mine.key % kGroups][mine.number % kDepth];
    if (publish(mine, slot, group.first)) return;
    Record first;
    if (!read_first(mine, slot, group.first, first)) return;
    const std::string differs = difference(mine, first);
    if (differs.empty()) return;
    report(call, "collective calls do not match: " + differs,
           {"PE " + std::to_string(mine.pe) + " calls " + text_of(mine) + ", " +
                number_text(mine, group),
            "PE " + std::to_string(first.pe) + " calls " + text_of(first) + ", " +
                number_text(first, group),
            "All PEs of a team make the same collective calls in the same order, with the same "
            "arguments."});
}

// The other PE waits in `other` for this PE, which is about to wait for it.
bool is_deadlock(const Record& mine, const Record& other) {
    if (other.number == 0 || !other.waits || other.key == mine.key) return false;
    const Group* its_group = group_with(other.key);
    return its_group != nullptr && its_group->count < other.number;
}

void look_for_deadlock(const Call& call, const Group& group, const Record& mine) {
    if (!mine.waits || has_threads) return;
    for (int member : group.members) {
        if (member == mine.pe || member < 0) continue;
        Record other;
        pshmem_ctx_getmem(context, &other, &board->current, sizeof other, member);
        if (!is_deadlock(mine, other)) continue;
        const Group* its_group = group_with(other.key);
        report(call, "collective calls of different teams have different orders",
               {"PE " + std::to_string(mine.pe) + " calls " + text_of(mine) + ", " +
                    number_text(mine, group),
                "PE " + std::to_string(member) + " is in " + text_of(other) + ", " +
                    number_text(other, *its_group) + ", of which this PE is a member, too",
                "Each waits for the other one; make the two calls in the same order on both."});
        return;
    }
}

void show_current(const Record& record) {
    pshmem_ctx_putmem(context, &board->current, &record, sizeof record, my_pe());
    pshmem_ctx_quiet(context);
}

}  // namespace

bool is_collective(const Call& call) {
    switch (call.kind) {
        case Kind::kBarrier:
        case Kind::kSync:
        case Kind::kCollective:
        case Kind::kFinalize:
        case Kind::kTeamDestroy: return true;
        case Kind::kTeamCreate: return call.pes == nullptr;
        case Kind::kAllocate: return call.size != 0 && call.memory != interpose::Memory::kLocal;
        case Kind::kReallocate:
            return call.memory != interpose::Memory::kLocal &&
                   (call.size != 0 || call.dest != nullptr);
        case Kind::kFree: return call.dest != nullptr && call.memory != interpose::Memory::kLocal;
        default: return false;
    }
}

void before_collective(Call& call) {
    if (board == nullptr) return;
    Group* group = group_of(call);
    if (group == nullptr) return;
    ++group->count;
    const Record mine = record_of(call, *group);
    if (mine.waits && !has_threads) show_current(mine);
    compare_with_first(call, *group, mine);
    look_for_deadlock(call, *group, mine);
}

void after_collective(const Call& call) {
    if (board == nullptr || has_threads || group_of(call) == nullptr) return;
    Record none;
    std::memset(&none, 0, sizeof none);
    show_current(none);
}

void begin_collectives() {
    int level = SHMEM_THREAD_SINGLE;
    pshmem_query_thread(&level);
    has_threads = level == SHMEM_THREAD_MULTIPLE;
    context = SHMEM_CTX_INVALID;
    if (pshmem_ctx_create(0, &context) != 0) return;
    board = static_cast<Board*>(pshmemx_team_calloc(SHMEM_TEAM_WORLD, 1, sizeof(Board)));
}

void end_collectives() {
    board = nullptr;
    context = SHMEM_CTX_INVALID;
}

}  // namespace tessera::check

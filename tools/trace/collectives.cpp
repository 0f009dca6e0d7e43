// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives in a trace: the number of each call within its team, by which the PEs' calls are
// compared, and the algorithm that the library took.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <string_view>
#include <tuple>
#include <vector>

#include "pshmemx.h"
#include "session.hpp"

namespace tessera::trace {
namespace {

constexpr std::uint32_t kNoTeam = ~0U;

// A list of members. Teams and active sets of the same members count together, so that the numbers
// agree on all PEs whatever the handles are.
struct Team {
    std::uint64_t key = 0;
    int npes = 0;
    std::uint32_t next_sequence = 0;
};

// The choices of one kind of call on teams of one size.
using ChoiceKey = std::tuple<std::string_view, int, std::uint32_t>;

struct Registry {
    std::mutex lock;
    std::deque<Team> teams;
    std::map<std::uint64_t, std::uint32_t> by_key;
    std::map<shmem_team_t, std::uint32_t> by_handle;
    std::map<std::tuple<int, int, int>, std::uint32_t> by_set;
    std::map<ChoiceKey, ChoiceEntry*> choices;
};
Registry& registry = *new Registry;

// Grows when a handle may mean another team. Release after the registry has forgotten the handles,
// acquire in is_for().
std::atomic<std::uint32_t> generation{1};

class Key {
  public:
    void add(int pe) {  // FNV-1a
        for (int shift = 0; shift < 32; shift += 8) {
            value_ ^= static_cast<std::uint32_t>(pe) >> shift & 0xFFU;
            value_ *= 0x100000001B3U;
        }
    }
    std::uint64_t value() const { return value_; }

  private:
    std::uint64_t value_ = 0xCBF29CE484222325U;
};

// REQUIRES for all below: registry.lock is held.

std::uint32_t number_of(std::uint64_t key, int npes, int my_index) {
    const auto [place, is_new] =
        registry.by_key.try_emplace(key, static_cast<std::uint32_t>(registry.teams.size()));
    if (is_new) {
        Part* part = main_part();
        const TeamEntry entry{.key = key, .npes = npes, .my_index = my_index};
        if (part == nullptr || !part->note_team(entry)) {
            place->second = kNoTeam;
        } else {
            registry.teams.push_back({.key = key, .npes = npes});
        }
    }
    return place->second;
}

std::uint32_t number_of_team(shmem_team_t team) {
    const auto found = registry.by_handle.find(team);
    if (found != registry.by_handle.end()) return found->second;
    const int npes = pshmem_team_n_pes(team);
    if (npes <= 0) return kNoTeam;
    Key key;
    for (int i = 0; i < npes; ++i) key.add(pshmem_team_translate_pe(team, i, SHMEM_TEAM_WORLD));
    const std::uint32_t number = number_of(key.value(), npes, pshmem_team_my_pe(team));
    registry.by_handle[team] = number;
    return number;
}

std::uint32_t number_of_set(const Members& set) {
    const auto found = registry.by_set.find({set.start, set.log_stride, set.size});
    if (found != registry.by_set.end()) return found->second;
    Key key;
    for (int i = 0; i < set.size; ++i) key.add(set.start + (i << set.log_stride));
    const std::uint32_t number =
        number_of(key.value(), set.size, (pshmem_my_pe() - set.start) >> set.log_stride);
    registry.by_set[{set.start, set.log_stride, set.size}] = number;
    return number;
}

std::uint32_t number_of(const Members& members) {
    return members.size > 0 ? number_of_set(members) : number_of_team(members.team);
}

// ---- Names ----

// In this order: a name that contains another one comes first.
constexpr struct {
    std::string_view part;
    Operation operation;
} kParts[] = {
    {"alltoalls", Operation::alltoalls}, {"alltoall", Operation::alltoall},
    {"fcollect", Operation::fcollect},   {"fcollectv", Operation::collect},
    {"collect", Operation::collect},     {"broadcast", Operation::broadcast},
    {"scan", Operation::scan},           {"gather", Operation::collect},
    {"scatter", Operation::broadcast},
};

Operation parse(std::string_view routine) {
    for (const auto& [part, operation] : kParts) {
        if (routine.find(part) != std::string_view::npos) return operation;
    }
    return Operation::reduce;
}

// Names are literals, so a program's few call sites have few pointers.
Operation operation_of(const char* routine) {
    struct Known {
        const char* routine;
        Operation operation;
    };
    constexpr std::size_t kKnown = 64;
    static thread_local Known known[kKnown];
    Known& entry = known[std::bit_cast<std::uintptr_t>(routine) / 8 % kKnown];
    if (entry.routine != routine) entry = {.routine = routine, .operation = parse(routine)};
    return entry.operation;
}

// ---- Algorithms ----

// The name with its type, in so far as the choice depends on it: double_sum_reduce, broadcast.
std::string_view kind_of_call(std::string_view routine, Operation operation) {
    if (operation != Operation::reduce && operation != Operation::scan)
        return traits_of(operation).name;
    routine.remove_prefix(std::min(routine.find('_') + 1, routine.size()));
    return routine;
}

// The entry in which calls like this one are counted; nullptr: there is none.
ChoiceEntry* choice_for(const char* routine, Operation operation, const Members& members, int npes,
                        std::uint64_t bytes, std::uint32_t size_class) {
    const shmem_team_t team = members.size > 0 ? SHMEM_TEAM_WORLD : members.team;
    if (members.size > 0 && npes != pshmem_n_pes()) return nullptr;  // Only all PEs are a team.
    const std::string_view kind = kind_of_call(routine, operation);
    const auto [place, is_new] =
        registry.choices.try_emplace(ChoiceKey{kind, npes, size_class}, nullptr);
    if (is_new) {
        const char* algorithm = pshmemx_collective_algorithm(team, routine, bytes);
        Part* part = main_part();
        if (algorithm == nullptr || part == nullptr) return nullptr;
        ChoiceEntry entry{};
        kind.copy(entry.collective, sizeof entry.collective - 1);
        std::string_view(algorithm).copy(entry.algorithm, sizeof entry.algorithm - 1);
        entry.npes = npes;
        entry.size_class = size_class;
        place->second = part->add_choice(entry);
    }
    return place->second;
}

// The world's number of `root`, which counts within the members.
int world_root(const Members& members, int root) {
    if (root < 0) return -1;
    if (members.size > 0) return members.start + (root << members.log_stride);
    return pshmem_team_translate_pe(members.team, root, SHMEM_TEAM_WORLD);
}

// Where the calls of one kind go. Programs repeat their calls, so each thread keeps its last one of
// each operation, and looks up nothing.
struct Target {
    Members members{SHMEM_TEAM_INVALID, 0, 0, 0};
    const char* routine = nullptr;
    std::uint32_t size_class = 0;
    std::uint32_t generation = 0;
    std::uint32_t number = kNoTeam;
    Team* team = nullptr;
    ChoiceEntry* choice = nullptr;
};

// Pairs with tools/trace/collectives.cpp:forget_teams.
bool is_for(const Target& target, const char* routine, const Members& members,
            std::uint32_t size_class) {
    return target.routine == routine && target.members.team == members.team &&
           target.members.start == members.start &&
           target.members.log_stride == members.log_stride && target.members.size == members.size &&
           target.size_class == size_class &&
           target.generation == generation.load(std::memory_order_acquire);
}

void find_target(Target& target, const char* routine, Operation operation, const Members& members,
                 std::uint64_t bytes, std::uint32_t size_class) {
    const std::lock_guard guard(registry.lock);
    target = {.members = members,
              .routine = routine,
              .size_class = size_class,
              .generation = generation.load(std::memory_order_relaxed),
              .number = number_of(members)};
    if (target.number == kNoTeam) return;
    target.team = &registry.teams[target.number];
    target.choice = choice_for(routine, operation, members, target.team->npes, bytes, size_class);
}

// `routine`: the name that stands for the call's.
void record(Operation operation, const char* routine, const interpose::Call& call,
            const Members& members, std::uint64_t bytes) {
    if (!is_recording() || call.note == 0) return;
    const std::uint64_t ns =
        count_timed({.operation = operation, .pe = -1, .bytes = bytes, .start_ns = call.note});
    static thread_local Target last[kOperationCount];
    Target& target = last[static_cast<std::size_t>(operation)];
    const auto size_class = bytes == 0 ? 0U : static_cast<std::uint32_t>(std::bit_width(bytes)) - 1;
    if (!is_for(target, routine, members, size_class))
        find_target(target, routine, operation, members, bytes, size_class);
    if (target.team == nullptr) return;
    // Teams of one size share an entry, and may be called by threads at the same time.
    if (target.choice != nullptr)
        std::atomic_ref(target.choice->calls).fetch_add(1, std::memory_order_relaxed);
    // The program calls the collectives of a team one after another, so the number needs no lock.
    recorder.part->note_collective({.start_ns = call.note,
                                    .duration_ns = ns,
                                    .bytes = bytes,
                                    .peer = world_root(members, call.root),
                                    .operation = static_cast<std::uint16_t>(operation),
                                    .flags = 0,
                                    .team = target.number,
                                    .sequence = target.team->next_sequence++,
                                    .site = reinterpret_cast<std::uintptr_t>(call.site),
                                    .word = 0,
                                    .value = 0});
}

}  // namespace

void end_collective(const interpose::Call& call, const Members& members, std::uint64_t bytes) {
    record(operation_of(call.routine), call.routine, call, members, bytes);
}

void end_barrier(Operation operation, const interpose::Call& call, const Members& members) {
    record(operation, "shmem_barrier_all", call, members, 0);
}

// Pairs with tools/trace/collectives.cpp:is_for.
void forget_teams() {
    const std::lock_guard guard(registry.lock);
    registry.by_handle.clear();
    generation.fetch_add(1, std::memory_order_release);
}

}  // namespace tessera::trace

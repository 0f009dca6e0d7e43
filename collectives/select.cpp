// SPDX-License-Identifier: BSD-3-Clause
//
// See select.hpp. The first data collective of a team agrees on a machine: the parameters and the
// cores that member 0 knows. From these every member fills the same table, one entry at the first
// call that needs it: for each kind of call and each class of sizes the cheapest algorithm. A later
// call costs a look into the table.
#include "collectives/select.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>

#include "collectives/profile.hpp"
#include "collectives/state.hpp"
#include "messaging/mailboxes.hpp"
#include "session/coherence.hpp"
#include "session/runtime.hpp"
#include "settings/config.hpp"

namespace tessera {

void DeleteCollectiveState::operator()(CollectiveState* state) const { delete state; }

}  // namespace tessera

namespace tessera::collectives {
namespace {

// The kinds of calls for which an algorithm is chosen. Alltoalls has fewer algorithms than
// alltoall, and a reduction or scan has the fewer, the more its result depends on the order: one
// kind for each OrderDependence.
enum class Choice : std::uint8_t {
    kBroadcast,
    kCollect,
    kFcollect,
    kAlltoall,
    kAlltoalls,
    kScan,
    kReduce = kScan + 3,
    kCount = kReduce + 3
};
static_assert(static_cast<std::size_t>(Choice::kCount) == CollectiveState::kChoices);

Choice choice_of(Choice first, OrderDependence dependence) {
    return static_cast<Choice>(static_cast<unsigned>(first) + static_cast<unsigned>(dependence));
}

// ---- Classes of sizes: two for each power of two ----

constexpr std::size_t kNominalCollectBytes = 1024;  // Members do not know each other's sizes.

// The largest size of a class is a power of two, or 1.5 times one.
std::size_t class_of(std::size_t bytes) {
    if (bytes <= 2) return 0;
    const std::size_t last = bytes - 1;
    const auto log = static_cast<std::size_t>(std::bit_width(last)) - 1;
    return std::min(2 * log + (last >> (log - 1) & 1), CollectiveState::kSizeClasses - 1);
}

// The model judges a class by its largest size, so that limits hold.
std::size_t largest_of(std::size_t size_class) {
    if (size_class < 2) return 2;
    const std::size_t half = std::size_t{1} << (size_class / 2 - 1);
    return size_class % 2 == 0 ? 3 * half : 4 * half;
}

// ---- The machine that a team agrees on ----

struct Agreed {
    MachineParameters machine;
    double cores_per_pe;
};
static_assert(sizeof(Agreed) <= kSlotBytesMin);

const Profile& profile() {
    static const Profile& once = *new Profile(load_profile(cache_bytes(), fabric_provider()));
    return once;
}

// Sends member 0's values down a binomial tree: member i receives from i - 2^k in round k, its
// highest bit. The sync behind it ends on no member before all have begun, as mailboxes require.
Agreed agree(Team& team, const char* where) {
    Agreed agreed{};
    if (team.my_index == 0) {
        agreed = {.machine = machine(), .cores_per_pe = cores_per_pe()};
    }
    const Mailboxes mailboxes(team, where);
    const auto me = static_cast<unsigned>(team.my_index);
    const int from = static_cast<int>(std::bit_width(me)) - 1;
    if (from >= 0) std::memcpy(&agreed, mailboxes.receive(from), sizeof agreed);
    for (int round = from + 1; (me | 1U << round) < static_cast<unsigned>(team.npes); ++round) {
        mailboxes.send(static_cast<int>(me | 1U << round), round, &agreed, sizeof agreed);
    }
    team.sync(team, where);
    return agreed;
}

TeamLayout layout_of(const Team& team, double cores_per_pe) {
    return {.npes = static_cast<double>(team.npes),
            .nodes = static_cast<double>(team.nodes),
            .largest_node = static_cast<double>(team.largest_node),
            .cores = std::max(0.01, std::min(1.0, cores_per_pe) * team.largest_node)};
}

Call call_of(const Team& team) {
    return {.npes = team.npes,
            .is_on_one_node = team.is_on_one_node,
            .has_mailboxes = team.has_mailboxes,
            .has_nodes_in_order = team.by_node.is_in_order,
            .is_reproducible = config().reduce_reproducible};
}

// The first call of a class of sizes. COST: a microsecond; the team's first call: a message down a
// tree, and a sync.
TESSERA_COLD std::uint8_t choose(Team& team, Collective collective, Call call,
                                 std::size_t size_class, const char* where) {
    CollectiveState& state = state_of(team);
    if (!state.has_machine) {
        const Agreed agreed = agree(team, where);
        state.machine = agreed.machine;
        state.cores_per_pe = agreed.cores_per_pe;
        state.has_machine = true;
    }
    call.bytes = largest_of(size_class);
    return static_cast<std::uint8_t>(
        cheapest(collective, call, layout_of(team, state.cores_per_pe), state.machine));
}

// ---- One call ----

template <class Kind>
const typename Kind::Run& pick(Choice choice, const Group& group, std::size_t bytes,
                               OrderDependence dependence = OrderDependence::kNone) {
    const AlgorithmList<Kind> all = algorithms<Kind>();
    const AlgorithmSetting setting = config().algorithm(Kind::kCollective);
    const bool has_mailboxes = group.is_team() && group.team().has_mailboxes;
    if (!setting.is_auto()) {
        const Algorithm<Kind>& named = *all[setting.index()];
        Call call = group.is_team() ? call_of(group.team()) : Call{.npes = group.npes()};
        call.has_mailboxes = has_mailboxes;
        call.is_strided = choice == Choice::kAlltoalls;
        call.dependence = dependence;
        call.bytes = bytes;
        if (is_possible(named.restriction, call)) return named.run;
    }
    if (!has_mailboxes || group.npes() == 1) return all[0]->run;
    Team& team = group.team();
    const std::size_t place =
        static_cast<std::size_t>(choice_of(choice, dependence)) * CollectiveState::kSizeClasses +
        class_of(bytes);
    std::uint8_t& chosen = state_of(team).algorithms[place];
    if (chosen == CollectiveState::kNotChosen) [[unlikely]] {
        Call call = call_of(team);
        call.is_strided = choice == Choice::kAlltoalls;
        call.dependence = dependence;
        chosen = choose(team, Kind::kCollective, call, class_of(bytes), group.where());
    }
    return all[chosen]->run;
}

Choice choice_of(Collective collective, const Call& call) {
    switch (collective) {
        case Collective::kBroadcast: return Choice::kBroadcast;
        case Collective::kCollect: return Choice::kCollect;
        case Collective::kFcollect: return Choice::kFcollect;
        case Collective::kAlltoall: return call.is_strided ? Choice::kAlltoalls : Choice::kAlltoall;
        case Collective::kScan: return choice_of(Choice::kScan, call.dependence);
        case Collective::kReduce: return choice_of(Choice::kReduce, call.dependence);
        case Collective::kBarrier: break;  // has no table
    }
    return Choice::kCount;
}

Access access_of(const Reduce::Run& function, std::size_t bytes) {
    switch (config().reduce_access) {
        case ReduceAccess::kDirect: return Access::kDirect;
        case ReduceAccess::kPutGet: return Access::kPutGet;
        case ReduceAccess::kAuto: break;
    }
    return bytes >= function.direct_from ? Access::kDirect : Access::kPutGet;
}

template <class Kind>
std::vector<const AlgorithmTraits*> traits() {
    const AlgorithmList<Kind> all = algorithms<Kind>();
    return {all.begin(), all.end()};
}

}  // namespace

const MachineParameters& machine() { return profile().machine; }

bool is_possible(const Restriction& restriction, const Call& call) {
    if (restriction.mailboxes && !call.has_mailboxes) return false;
    if (restriction.power_of_two && !std::has_single_bit(static_cast<unsigned>(call.npes))) {
        return false;
    }
    if (restriction.even && call.npes % 2 != 0) return false;
    if (restriction.one_node && !call.is_on_one_node) return false;
    if (restriction.several_nodes && call.is_on_one_node) return false;
    if (restriction.nodes_in_order && !call.has_nodes_in_order) return false;
    if (restriction.contiguous && call.is_strided) return false;
    if (restriction.any_order && call.dependence != OrderDependence::kNone) return false;
    if (!restriction.in_order && call.is_reproducible &&
        call.dependence == OrderDependence::kRounding) {
        return false;
    }
    if (restriction.npes_max != 0 && call.npes > restriction.npes_max) return false;
    if (call.bytes > restriction.bytes_max) return false;
    if (restriction.total_max == kNoLimit) return true;
    return call.bytes <= restriction.total_max / static_cast<std::size_t>(call.npes);
}

void broadcast(const Group& group, void* dest, const void* source, std::size_t bytes, int root,
               RootDest root_dest) {
    if (bytes == 0) return;
    pick<Broadcast>(Choice::kBroadcast, group, bytes)(group, dest, source, bytes, root, root_dest);
}

void collect(const Group& group, void* dest, const void* source, std::size_t bytes) {
    pick<Collect>(Choice::kCollect, group, kNominalCollectBytes)(group, dest, source, bytes);
}

void fcollect(const Group& group, void* dest, const void* source, std::size_t bytes) {
    if (bytes == 0) return;
    pick<Fcollect>(Choice::kFcollect, group, bytes)(group, dest, source, bytes);
}

void alltoall(const Group& group, void* dest, const void* source, std::size_t bytes) {
    if (bytes == 0) return;
    pick<Alltoall>(Choice::kAlltoall, group, bytes).contiguous(group, dest, source, bytes);
}

void alltoalls(const Group& group, void* dest, const void* source, const StridedBlocks& blocks) {
    const std::size_t bytes = blocks.block_elements * blocks.element_bytes;
    if (bytes == 0) return;
    pick<Alltoall>(Choice::kAlltoalls, group, bytes).strided(group, dest, source, blocks);
}

void scan(const Group& group, void* dest, const void* source, std::size_t nelems,
          const Operation& sum, OrderDependence dependence, ScanKind kind) {
    if (nelems == 0) return;
    pick<Scan>(Choice::kScan, group, nelems * sum.element_bytes, dependence)(group, dest, source,
                                                                             nelems, sum, kind);
}

void reduce(const Group& group, void* dest, const void* source, std::size_t nelems,
            const Kernel& kernel, OrderDependence dependence) {
    if (nelems == 0) return;
    Reduction call{.group = group,
                   .dest = static_cast<char*>(dest),
                   .source = static_cast<const char*>(source),
                   .nelems = nelems,
                   .kernel = kernel};
    const Reduce::Run& function = pick<Reduce>(Choice::kReduce, group, call.bytes(), dependence);
    call.access = access_of(function, call.bytes());
    function.run(call);
}

// Uses only facts that all members know without communication, and the parameters of an ordinary
// machine. The answer whether PEs share cores is the same on all members only if they are on one
// node.
const Algorithm<Barrier>& choose_barrier(const Team& team) {
    const AlgorithmList<Barrier> all = algorithms<Barrier>();
    const AlgorithmSetting setting = config().algorithm(Collective::kBarrier);
    if (!setting.is_auto() && is_possible(all[setting.index()]->restriction, call_of(team))) {
        return *all[setting.index()];
    }
    const bool is_oversubscribed = team.is_on_one_node && team.more_members_than_cores;
    const TeamLayout layout = layout_of(team, is_oversubscribed ? 0.5 : 1);
    return *all[cheapest(Collective::kBarrier, call_of(team), layout, MachineParameters{})];
}

std::string_view chosen_algorithm(Team& team, Collective collective, const Call& call) {
    if (collective == Collective::kBarrier) return choose_barrier(team).name;
    const std::span<const AlgorithmTraits* const> all = traits_of(collective);
    Call here = call_of(team);
    here.is_strided = call.is_strided;
    here.dependence = call.dependence;
    here.bytes = collective == Collective::kCollect ? kNominalCollectBytes : call.bytes;
    const AlgorithmSetting setting = config().algorithm(collective);
    if (!setting.is_auto()) {
        const AlgorithmTraits& named = *all[setting.index()];
        if (is_possible(named.restriction, here)) return named.name;
    }
    if (!team.has_mailboxes || team.npes == 1) return all[0]->name;
    const std::size_t row = static_cast<std::size_t>(choice_of(collective, here));
    const std::uint8_t chosen =
        state_of(team).algorithms[row * CollectiveState::kSizeClasses + class_of(here.bytes)];
    return chosen == CollectiveState::kNotChosen ? std::string_view{} : all[chosen]->name;
}

void prepare(Team& team) {
    find_partners(team);
    if (team.sync != nullptr) return;
    team.sync = choose_barrier(team).run;
    add_duties_to_sync(team);
}

std::span<const AlgorithmTraits* const> traits_of(Collective collective) {
    using Lists = std::array<std::vector<const AlgorithmTraits*>, kCollectives>;
    static const Lists& all =
        *new Lists{traits<Barrier>(),  traits<Broadcast>(), traits<Collect>(), traits<Fcollect>(),
                   traits<Alltoall>(), traits<Scan>(),      traits<Reduce>()};
    return all[static_cast<std::size_t>(collective)];
}

std::size_t cheapest(Collective collective, const Call& call, const TeamLayout& team,
                     const MachineParameters& machine) {
    const std::span<const AlgorithmTraits* const> all = traits_of(collective);
    const auto bytes = static_cast<double>(call.bytes);
    std::size_t best = 0;
    double least = HUGE_VAL;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!is_possible(all[i]->restriction, call)) continue;
        const double time = seconds(all[i]->cost(team, bytes), team, bytes, machine);
        if (time < least) {
            least = time;
            best = i;
        }
    }
    return best;
}

namespace {

// Calls visit(from, index) for the ranges of sizes that have the same cheapest algorithm.
template <class Visit>
void for_each_range(Collective collective, Call call, const TeamLayout& team,
                    const MachineParameters& machine, Visit visit) {
    constexpr std::size_t kSizesShown = std::size_t{1} << 26;
    std::size_t last = kNoLimit;
    for (call.bytes = 1; call.bytes <= kSizesShown; call.bytes *= 2) {
        const std::size_t index = cheapest(collective, call, team, machine);
        if (index != last) visit(call.bytes, index);
        last = index;
    }
}

}  // namespace

std::string choices_of(Collective collective, const Team& team) {
    if (collective == Collective::kBarrier) return std::string(choose_barrier(team).name);
    const std::span<const AlgorithmTraits* const> all = traits_of(collective);
    const AlgorithmSetting setting = config().algorithm(collective);
    if (!setting.is_auto()) return std::string(all[setting.index()]->name) + ", where it can";
    std::string text;
    for_each_range(collective, call_of(team), layout_of(team, cores_per_pe()), machine(),
                   [&](std::size_t from, std::size_t index) {
                       if (from > 1) text += ", from " + std::to_string(from) + " B ";
                       text += all[index]->name;
                   });
    return text;
}

std::string choices_text(Collective collective, const Call& call, const TeamLayout& team,
                         const MachineParameters& machine) {
    const std::span<const AlgorithmTraits* const> all = traits_of(collective);
    std::string text;
    for_each_range(collective, call, team, machine, [&](std::size_t from, std::size_t index) {
        const auto bytes = static_cast<double>(from);
        const Parts why = parts(all[index]->cost(team, bytes), team, bytes, machine);
        char line[200];
        std::snprintf(line, sizeof line,
                      "    from %9zu B  %-20s at %zu B: %.3g us (waiting %.3g, moving %.3g, "
                      "combining %.3g, between nodes %.3g)\n",
                      from, std::string(all[index]->name).c_str(), from, 1e6 * why.sum(),
                      1e6 * why.waiting, 1e6 * why.moving, 1e6 * why.combining, 1e6 * why.off_node);
        text += line;
    });
    return text;
}

}  // namespace tessera::collectives

namespace tessera {

AlgorithmNames algorithm_names(Collective collective) {
    struct Lists {
        std::vector<std::string_view> names = {"auto"};
        std::vector<std::string_view> aliases = {""};
        explicit Lists(std::span<const collectives::AlgorithmTraits* const> all) {
            for (const collectives::AlgorithmTraits* algorithm : all) {
                names.push_back(algorithm->name);
                aliases.push_back(algorithm->alias);
            }
        }
    };
    static const std::vector<Lists>& all = []() -> const std::vector<Lists>& {
        auto& made = *new std::vector<Lists>;
        for (std::size_t i = 0; i < kCollectives; ++i) {
            made.emplace_back(collectives::traits_of(static_cast<Collective>(i)));
        }
        return made;
    }();
    const Lists& lists = all[static_cast<std::size_t>(collective)];
    return {.names = lists.names, .aliases = lists.aliases};
}

}  // namespace tessera

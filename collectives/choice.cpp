// SPDX-License-Identifier: BSD-3-Clause
//
// See choice.hpp. The first data collective of a team agrees on a machine: the parameters and the
// cores that member 0 knows. From these every member fills the same table, one entry at the first
// call that needs it: for each kind of call and each class of sizes the cheapest algorithm. A later
// call costs a look into the table.
#include "collectives/choice.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <optional>
#include <vector>

#include "collectives/alltoall/alltoall.hpp"
#include "collectives/broadcast/broadcast.hpp"
#include "collectives/collect/collect.hpp"
#include "collectives/exchange/exchange.hpp"
#include "collectives/profile.hpp"
#include "collectives/reduce/reduce.hpp"
#include "collectives/reduce/to_owners.hpp"
#include "collectives/scan/scan.hpp"
#include "collectives/staging.hpp"
#include "collectives/state.hpp"
#include "core/pe_state.hpp"
#include "messaging/mailboxes.hpp"
#include "settings/config.hpp"

namespace tessera {

void DeleteCollectiveState::operator()(CollectiveState* state) const { delete state; }

}  // namespace tessera

namespace tessera::collectives {
namespace {

// ---- The row of the table: the collective, and what else decides ----

// Alltoalls has fewer algorithms than alltoall; a reduction or scan has the fewer, the more its
// result depends on the order. Private arrays need another algorithm, or staging.
std::size_t row_of(Collective collective, const Call& call) {
    const std::size_t order = call.is_strided ? 1 : static_cast<std::size_t>(call.dependence);
    std::size_t shape = order * 16;
    if (call.is_private) shape += 8;
    if (!call.can_stage) shape += 4;
    if (call.is_out_of_reach) shape += 2;
    if (call.is_nonblocking) shape += 1;
    return static_cast<std::size_t>(collective) * CollectiveState::kShapes + shape;
}
static_assert(CollectiveState::kShapes == 4 * 16, "an OrderDependence, and four answers");

// ---- Classes of sizes: two for each power of two ----

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
static_assert(sizeof(Agreed) <= kSlotBytes);

const Profile& profile() {
    static const Profile& once = *new Profile(load_profile(cache_bytes(), fabric_provider()));
    return once;
}

// Sends member 0's values down a binomial tree: member i receives from i - 2^k in round k, its
// highest bit. The sync behind it ends on no member before all have begun, as mailboxes require.
Agreed agree(Team& team, const char* where) {
    Agreed agreed{};
    if (team.my_index == 0) agreed = {.machine = machine(), .cores_per_pe = cores_per_pe()};
    const Mailboxes mailboxes(team, where);
    const auto me = static_cast<unsigned>(team.my_index);
    const int from = static_cast<int>(std::bit_width(me)) - 1;
    if (from >= 0) std::memcpy(&agreed, mailboxes.receive(from), sizeof agreed);
    for (int round = from + 1; (me | 1U << round) < static_cast<unsigned>(team.npes); ++round)
        mailboxes.send(static_cast<int>(me | 1U << round), round, &agreed, sizeof agreed);
    team.sync(team, where);
    return agreed;
}

TeamLayout layout_of(const Team& team, double cores_per_pe) {
    return {.npes = static_cast<double>(team.npes),
            .nodes = static_cast<double>(team.nodes),
            .largest_node = static_cast<double>(team.largest_node),
            .cores = std::max(0.01, std::min(1.0, cores_per_pe) * team.largest_node)};
}

// Fills in the properties that the team decides.
void fill_in(Call& call, const Team& team) {
    call.npes = team.npes;
    call.is_on_one_node = team.is_on_one_node;
    call.has_mailboxes = team.has_mailboxes;
    call.has_streams = team.has_streams;
    call.has_nodes_in_order = team.by_node.is_in_order;
    // The members' order is that of the messages, which a start cannot wait for.
    call.is_reproducible = config().reduce_reproducible && !call.is_nonblocking;
}
Call call_of(const Team& team) {
    Call call;
    fill_in(call, team);
    return call;
}

// The first call of a class of sizes. COST: a microsecond; the team's first call: a message down a
// tree, and a sync. Teams without mailboxes take default parameters; so do nonblocking calls, which
// cannot wait for other members, before the team has agreed.
TESSERA_COLD std::uint8_t choose_for(Team& team, Collective collective, Call call,
                                     const char* where) {
    CollectiveState& state = state_of(team);
    if (!state.has_machine && !call.is_nonblocking && team.has_mailboxes) {
        const Agreed agreed = agree(team, where);
        state.machine = agreed.machine;
        state.cores_per_pe = agreed.cores_per_pe;
        state.has_machine = true;
    }
    fill_in(call, team);
    call.bytes = largest_of(class_of(call.bytes));
    const TeamLayout layout = layout_of(team, state.cores_per_pe);
    const std::size_t best = cheapest(collective, call, layout, state.machine);
    if (is_possible(traits_of(collective)[best]->restriction, call))
        return static_cast<std::uint8_t>(best);
    // Private arrays between nodes, and no memory to stage them: only messages are left, which
    // combine as they come.
    call.is_reproducible = false;
    return static_cast<std::uint8_t>(cheapest(collective, call, layout, state.machine));
}

bool needs_staging(const Restriction& restriction, const Call& call) {
    return call.is_private && (restriction.lands || restriction.symmetric != Symmetric::kNothing);
}

// The algorithm that the user names, if it can serve the call.
std::optional<std::size_t> named_algorithm(const Group& group, Collective collective, Call call) {
    const AlgorithmSetting setting = config().algorithm(collective);
    if (setting.is_auto()) return {};
    if (group.is_team()) {
        fill_in(call, group.team());
    } else {
        call.npes = group.npes();
        call.has_mailboxes = false;
        call.has_streams = false;
    }
    const std::size_t index = setting.index();
    if (!is_possible(traits_of(collective)[index]->restriction, call)) return {};
    return index;
}

// The first algorithm of a list serves every call with symmetric arrays.
bool takes_the_first(const Group& group, const Call& call) {
    if (call.is_private) return false;
    return !group.is_team() || !group.team().has_mailboxes || group.npes() == 1;
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
    if (restriction.streams && !call.has_streams) return false;
    if (!restriction.streams && call.is_nonblocking) return false;
    if (restriction.nonblocking && !call.is_nonblocking) return false;
    if (restriction.exposes && call.is_out_of_reach) return false;
    if (needs_staging(restriction, call) && !call.can_stage) return false;
    if (restriction.power_of_two && !std::has_single_bit(static_cast<unsigned>(call.npes)))
        return false;
    if (restriction.even && call.npes % 2 != 0) return false;
    if (restriction.one_node && !call.is_on_one_node) return false;
    if (restriction.several_nodes && call.is_on_one_node) return false;
    if (restriction.nodes_in_order && !call.has_nodes_in_order) return false;
    if (restriction.contiguous && call.is_strided) return false;
    if (restriction.any_order && call.dependence != OrderDependence::kNone) return false;
    if (restriction.exchanges && call.dependence == OrderDependence::kOrder) return false;
    if (!restriction.in_order && call.is_reproducible &&
        call.dependence == OrderDependence::kRounding) {
        return false;
    }
    if (restriction.npes_max != 0 && call.npes > restriction.npes_max) return false;
    if (call.bytes > restriction.bytes_max) return false;
    if (restriction.total_max == kNoLimit) return true;
    return call.bytes <= restriction.total_max / static_cast<std::size_t>(call.npes);
}

std::size_t choose(const Group& group, Collective collective, const Call& call) {
    if (!config().algorithm(collective).is_auto()) {
        if (const auto named = named_algorithm(group, collective, call)) return *named;
    }
    if (takes_the_first(group, call)) return 0;
    Team& team = group.team();
    std::uint8_t& chosen = state_of(team).entry(row_of(collective, call), class_of(call.bytes));
    if (chosen == CollectiveState::kNotChosen) [[unlikely]]
        chosen = choose_for(team, collective, call, group.where());
    return chosen;
}

// Uses only facts that all members know without communication, and the parameters of an ordinary
// machine. The answer whether PEs share cores is the same on all members only if they are on one
// node.
const Algorithm<Barrier>& choose_barrier(const Team& team) {
    const AlgorithmList<Barrier> all = algorithms<Barrier>();
    const AlgorithmSetting setting = config().algorithm(Collective::kBarrier);
    if (!setting.is_auto() && is_possible(all[setting.index()]->restriction, call_of(team)))
        return *all[setting.index()];
    const bool is_oversubscribed = team.is_on_one_node && team.more_members_than_cores;
    const TeamLayout layout = layout_of(team, is_oversubscribed ? 0.5 : 1);
    return *all[cheapest(Collective::kBarrier, call_of(team), layout, MachineParameters{})];
}

std::string_view chosen_algorithm(Team& team, Collective collective, Call call) {
    if (collective == Collective::kBarrier) return choose_barrier(team).name;
    const std::span<const AlgorithmTraits* const> all = traits_of(collective);
    const bool has_sizes =
        collective != Collective::kCollect && collective != Collective::kAlltoallv;
    if (!has_sizes) call.bytes = kNominalCollectBytes;
    const Group group(team, "");
    if (const auto named = named_algorithm(group, collective, call)) return all[*named]->name;
    if (takes_the_first(group, call)) return all[0]->name;
    const std::uint8_t chosen =
        state_of(team).entry(row_of(collective, call), class_of(call.bytes));
    return chosen == CollectiveState::kNotChosen ? std::string_view{} : all[chosen]->name;
}

std::span<const AlgorithmTraits* const> traits_of(Collective collective) {
    using Lists = std::array<std::vector<const AlgorithmTraits*>, kCollectives>;
    static const Lists& all = *new Lists{
        traits<Barrier>(),       traits<Broadcast>(), traits<Collect>(), traits<Fcollect>(),
        traits<Alltoall>(),      traits<Scan>(),      traits<Reduce>(),  traits<ReduceToRoot>(),
        traits<ReduceScatter>(), traits<Gather>(),    traits<Scatter>(), traits<Allgatherv>(),
        traits<Alltoallv>()};
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
        // The costs of streams were compared with those of the others for private arrays only: the
        // specification's routines take streams by name.
        if (all[i]->restriction.streams && !call.is_private) continue;
        Cost cost = all[i]->cost(team, bytes);
        if (needs_staging(all[i]->restriction, call))
            cost = cost + staging_cost(collective, all[i]->restriction, team, bytes);
        const double time = seconds(cost, team, bytes, machine);
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

Names algorithm_names(Collective collective) {
    using Lists = std::array<std::vector<std::string_view>, kCollectives>;
    static const Lists& all = []() -> const Lists& {
        auto& made = *new Lists;
        for (std::size_t i = 0; i < kCollectives; ++i) {
            made[i] = {"auto"};
            for (const auto* algorithm : collectives::traits_of(static_cast<Collective>(i)))
                made[i].push_back(algorithm->name);
        }
        return made;
    }();
    return all[static_cast<std::size_t>(collective)];
}

}  // namespace tessera

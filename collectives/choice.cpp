// SPDX-License-Identifier: BSD-3-Clause
//
// See choice.hpp. The first data collective of a team agrees on a machine: the prices and the cores
// that member 0 knows. From these every member fills the same table as it goes: for each kind of
// call and each class of sizes the cheapest algorithm. A call then costs a look into the table.
#include "collectives/choice.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>

#include "collectives/links.hpp"
#include "collectives/profile.hpp"
#include "core/config.hpp"
#include "core/runtime.hpp"

namespace tessera::collectives {
namespace {

// What is chosen on its own. Alltoalls has fewer algorithms than alltoall, and reductions whose
// result depends on the order have fewer than others.
enum class Kind : std::uint8_t {
    kBroadcast,
    kCollect,
    kFcollect,
    kAlltoall,
    kAlltoalls,
    kScan,
    kReduce,
    kReduceInexact
};
constexpr std::size_t kKinds = 8;

constexpr Collective collective_of(Kind kind) {
    switch (kind) {
        case Kind::kBroadcast: return Collective::kBroadcast;
        case Kind::kCollect: return Collective::kCollect;
        case Kind::kFcollect: return Collective::kFcollect;
        case Kind::kAlltoall:
        case Kind::kAlltoalls: return Collective::kAlltoall;
        case Kind::kScan: return Collective::kScan;
        case Kind::kReduce:
        case Kind::kReduceInexact: break;
    }
    return Collective::kReduce;
}

// ---- Classes of sizes: two for each power of two ----

constexpr std::size_t kClasses = 64;
constexpr std::size_t kNominalCollectBytes = 1024;  // Members do not know each other's sizes.

std::size_t class_of(std::size_t bytes) {
    if (bytes < 2) return 0;
    const auto log = static_cast<std::size_t>(std::bit_width(bytes)) - 1;
    return std::min(2 * log + (bytes >> (log - 1) & 1), kClasses - 1);
}

// The largest size of a class; the class is judged by it, so that limits hold.
std::size_t largest_of(std::size_t size_class) {
    if (size_class < 2) return 1;
    const std::size_t half = std::size_t{1} << (size_class / 2 - 1);
    return (size_class % 2 == 0 ? 3 * half : 4 * half) - 1;
}

// ---- The machine that a team agrees on ----

struct Agreed {
    Machine machine;
    double cores_per_pe;
};
static_assert(sizeof(Agreed) <= kMailBytesMin && sizeof(Agreed) % sizeof(double) == 0);

const Profile& profile() {
    static const Profile& once = *new Profile(load_profile(cache_bytes(), fabric_provider()));
    return once;
}

// Member 0's, down a binomial tree: member i hears from i - 2^k in round k, its highest bit. The
// sync behind it ends on nobody before all have begun, as links ask for.
Agreed agree(Team& team, const char* where) {
    Agreed agreed{};
    if (team.my_index == 0) {
        agreed = {.machine = machine(), .cores_per_pe = cores_per_pe()};
    }
    const Links links(team, where);
    const auto me = static_cast<unsigned>(team.my_index);
    const int from = static_cast<int>(std::bit_width(me)) - 1;
    if (from >= 0) std::memcpy(&agreed, links.receive(from), sizeof agreed);
    for (int round = from + 1; (me | 1U << round) < static_cast<unsigned>(team.npes); ++round) {
        links.send(static_cast<int>(me | 1U << round), round, &agreed, sizeof agreed);
    }
    team.sync(team, where);
    return agreed;
}

Shape shape_of(const Team& team, double cores_per_pe) {
    Shape shape;
    shape.npes = team.npes;
    shape.nodes = team.nodes;
    shape.local = team.largest_node;
    shape.cores = std::max(0.01, std::min(1.0, cores_per_pe) * shape.local);
    return shape;
}

Call call_of(const Team& team) {
    return {.npes = team.npes,
            .is_on_one_node = team.is_on_one_node,
            .has_links = team.has_links,
            .has_nodes_in_order = team.by_node.is_in_order,
            .is_reproducible = config().reduce_reproducible};
}

constexpr std::uint8_t kNotChosen = 0xFF;

// The first call of a class of sizes. COST: a microsecond; the team's first call: a message down a
// tree, and a sync.
TESSERA_COLD std::uint8_t choose(Team& team, Kind kind, std::size_t size_class, const char* where) {
    Agreed agreed{};
    if (team.choices.empty()) {
        agreed = agree(team, where);
        team.prices.resize(sizeof agreed / sizeof(double));
        std::memcpy(team.prices.data(), &agreed, sizeof agreed);
        team.choices.assign(kKinds * kClasses, kNotChosen);
    }
    std::memcpy(static_cast<void*>(&agreed), team.prices.data(), sizeof agreed);
    Call call = call_of(team);
    call.is_strided = kind == Kind::kAlltoalls;
    call.is_exact = kind != Kind::kReduceInexact && kind != Kind::kScan;
    call.bytes = largest_of(size_class);
    return static_cast<std::uint8_t>(
        cheapest(collective_of(kind), call, shape_of(team, agreed.cores_per_pe), agreed.machine));
}

// ---- One call ----

template <class Run>
const Run& pick(Kind kind, std::span<const Entry<Run>> entries, Algorithm wanted,
                const Group& group, std::size_t bytes, bool is_exact = true) {
    const bool has_links = group.is_team() && group.team().has_links;
    if (!wanted.is_auto()) {
        const Entry<Run>& named = entries[wanted.index - 1U];
        Call call = group.is_team() ? call_of(group.team()) : Call{.npes = group.npes()};
        call.has_links = has_links;
        call.is_strided = kind == Kind::kAlltoalls;
        call.is_exact = is_exact;
        call.bytes = bytes;
        if (is_possible(named.row.restriction, call)) return named.run;
    }
    if (!has_links || group.npes() == 1) return entries[0].run;
    Team& team = group.team();
    const std::size_t place = static_cast<std::size_t>(kind) * kClasses + class_of(bytes);
    if (team.choices.empty() || team.choices[place] == kNotChosen) [[unlikely]] {
        // The call fills `choices` first.
        const std::uint8_t chosen = choose(team, kind, class_of(bytes), group.where());
        team.choices[place] = chosen;
    }
    return entries[team.choices[place]].run;
}

Access access_of(const ReduceFunction& function, std::size_t bytes) {
    switch (config().reduce_access) {
        case ReduceAccess::kDirect: return Access::kDirect;
        case ReduceAccess::kPutGet: return Access::kPutGet;
        case ReduceAccess::kAuto: break;
    }
    return bytes >= function.direct_from ? Access::kDirect : Access::kPutGet;
}

}  // namespace

const Machine& machine() { return profile().machine; }

bool is_possible(const Restriction& restriction, const Call& call) {
    if (restriction.links && !call.has_links) return false;
    if (restriction.power_of_two && !std::has_single_bit(static_cast<unsigned>(call.npes))) {
        return false;
    }
    if (restriction.even && call.npes % 2 != 0) return false;
    if (restriction.one_node && !call.is_on_one_node) return false;
    if (restriction.several_nodes && call.is_on_one_node) return false;
    if (restriction.nodes_in_order && !call.has_nodes_in_order) return false;
    if (restriction.contiguous && call.is_strided) return false;
    if (restriction.any_order && !call.is_exact) return false;
    if (!restriction.in_order && call.is_reproducible && !call.is_exact) return false;
    if (call.bytes > restriction.bytes_max) return false;
    if (restriction.total_max == kNoLimit) return true;
    return call.bytes <= restriction.total_max / static_cast<std::size_t>(call.npes);
}

void broadcast(const Group& group, void* dest, const void* source, std::size_t bytes, int root,
               RootDest root_dest) {
    if (bytes == 0) return;
    pick(Kind::kBroadcast, broadcast_algorithms(), config().broadcast_algorithm, group, bytes)(
        group, dest, source, bytes, root, root_dest);
}

void collect(const Group& group, void* dest, const void* source, std::size_t bytes) {
    pick(Kind::kCollect, collect_algorithms(), config().collect_algorithm, group,
         kNominalCollectBytes)(group, dest, source, bytes);
}

void fcollect(const Group& group, void* dest, const void* source, std::size_t bytes) {
    if (bytes == 0) return;
    pick(Kind::kFcollect, fcollect_algorithms(), config().fcollect_algorithm, group, bytes)(
        group, dest, source, bytes);
}

void alltoall(const Group& group, void* dest, const void* source, std::size_t bytes) {
    if (bytes == 0) return;
    pick(Kind::kAlltoall, alltoall_algorithms(), config().alltoall_algorithm, group, bytes)
        .contiguous(group, dest, source, bytes);
}

void alltoalls(const Group& group, void* dest, const void* source, const StridedBlocks& blocks) {
    const std::size_t bytes = blocks.block_elements * blocks.element_bytes;
    if (bytes == 0) return;
    pick(Kind::kAlltoalls, alltoall_algorithms(), config().alltoall_algorithm, group, bytes)
        .strided(group, dest, source, blocks);
}

void scan(const Group& group, void* dest, const void* source, std::size_t nelems,
          const Operation& sum, ScanKind kind) {
    if (nelems == 0) return;
    pick(Kind::kScan, scan_algorithms(), config().scan_algorithm, group, nelems * sum.element_bytes,
         false)(group, dest, source, nelems, sum, kind);
}

void reduce(const Group& group, void* dest, const void* source, std::size_t nelems,
            const Kernel& kernel, bool is_exact) {
    if (nelems == 0) return;
    Reduction call{.group = group,
                   .dest = static_cast<char*>(dest),
                   .source = static_cast<const char*>(source),
                   .nelems = nelems,
                   .kernel = kernel};
    const ReduceFunction& function =
        pick(is_exact ? Kind::kReduce : Kind::kReduceInexact, reduce_algorithms(),
             config().reduce_algorithm, group, call.bytes(), is_exact);
    call.access = access_of(function, call.bytes());
    function.run(call);
}

// Without asking anybody: from what all members know, and the prices of an ordinary machine.
// Whether PEs share cores is the same on all members only if they are on one node.
const Entry<SyncFunction>& choose_barrier(const Team& team) {
    const std::span<const Entry<SyncFunction>> entries = barrier_algorithms();
    const Algorithm wanted = config().barrier_algorithm;
    if (!wanted.is_auto() &&
        is_possible(entries[wanted.index - 1U].row.restriction, call_of(team))) {
        return entries[wanted.index - 1U];
    }
    const bool is_crowded = team.is_on_one_node && team.more_members_than_cores;
    const Shape shape = shape_of(team, is_crowded ? 0.5 : 1);
    return entries[cheapest(Collective::kBarrier, call_of(team), shape, Machine{})];
}

void prepare(Team& team) {
    find_partners(team);
    if (team.sync == nullptr) team.sync = choose_barrier(team).run;
}

std::size_t cheapest(Collective collective, const Call& call, Shape shape, const Machine& machine) {
    shape.bytes = static_cast<double>(call.bytes);
    const std::vector<const Row*>& rows = rows_of(collective);
    std::size_t best = 0;
    double least = HUGE_VAL;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!is_possible(rows[i]->restriction, call)) continue;
        const double time = seconds(rows[i]->cost(shape), shape, machine);
        if (time < least) {
            least = time;
            best = i;
        }
    }
    return best;
}

namespace {

// Calls visit(from, row) for the ranges of sizes that have the same cheapest row.
template <class Visit>
void for_each_range(Collective collective, Call call, const Shape& shape, const Machine& machine,
                    Visit visit) {
    constexpr std::size_t kSizesShown = std::size_t{1} << 26;
    std::size_t last = kNoLimit;
    for (call.bytes = 1; call.bytes <= kSizesShown; call.bytes *= 2) {
        const std::size_t row = cheapest(collective, call, shape, machine);
        if (row != last) visit(call.bytes, row);
        last = row;
    }
}

}  // namespace

Algorithm wanted_for(Collective collective) {
    const Config& settings = config();
    switch (collective) {
        case Collective::kBarrier: return settings.barrier_algorithm;
        case Collective::kBroadcast: return settings.broadcast_algorithm;
        case Collective::kCollect: return settings.collect_algorithm;
        case Collective::kFcollect: return settings.fcollect_algorithm;
        case Collective::kAlltoall: return settings.alltoall_algorithm;
        case Collective::kScan: return settings.scan_algorithm;
        case Collective::kReduce: break;
    }
    return settings.reduce_algorithm;
}

std::string choices_of(Collective collective, const Team& team) {
    if (collective == Collective::kBarrier) return std::string(choose_barrier(team).row.name);
    const std::vector<const Row*>& rows = rows_of(collective);
    const Algorithm wanted = wanted_for(collective);
    if (!wanted.is_auto()) return std::string(rows[wanted.index - 1U]->name) + ", where it can";
    std::string text;
    for_each_range(collective, call_of(team), shape_of(team, cores_per_pe()), machine(),
                   [&](std::size_t from, std::size_t row) {
                       if (from > 1) text += ", from " + std::to_string(from) + " B ";
                       text += rows[row]->name;
                   });
    return text;
}

std::string choices_text(Collective collective, const Call& call, const Shape& shape,
                         const Machine& machine) {
    const std::vector<const Row*>& rows = rows_of(collective);
    std::string text;
    for_each_range(collective, call, shape, machine, [&](std::size_t from, std::size_t row) {
        Shape at = shape;
        at.bytes = static_cast<double>(from);
        const Parts why = parts(rows[row]->cost(at), at, machine);
        char line[200];
        std::snprintf(line, sizeof line,
                      "    from %9zu B  %-20s at %zu B: %.3g us (waiting %.3g, moving %.3g, "
                      "combining %.3g, fabric %.3g)\n",
                      from, std::string(rows[row]->name).c_str(), from,
                      1e6 * (why.waiting + why.moving + why.combining + why.fabric),
                      1e6 * why.waiting, 1e6 * why.moving, 1e6 * why.combining, 1e6 * why.fabric);
        text += line;
    });
    return text;
}

}  // namespace tessera::collectives

// SPDX-License-Identifier: BSD-3-Clause
//
// See generator.hpp: teams and contexts.
#include <algorithm>
#include <cstdlib>

#include "random/generator.hpp"

namespace tessera::random {
namespace {

constexpr int kTeamsMax = 12;    // at the same time
constexpr int kContextsMax = 6;  // on a PE at the same time

}  // namespace

void Generator::teams() {
    const auto live =
        std::count_if(teams_.begin(), teams_.end(), [](const Team& team) { return team.is_live; });
    const int team = any_team();
    if (team >= kFirstTeam && (live > kTeamsMax || random_.chance(25))) return destroy_team(team);
    if (live > kTeamsMax) return;
    switch (random_.below(6)) {
        case 0: return split_2d();
        case 1: {
            const int other = any_team();
            const int pe = random_.pick(members(team));
            if (!members(other).contains(pe)) return;
            return emit(TranslatePe{pe, team, other, members(team), members(other)});
        }
        default: return split_strided();
    }
}

void Generator::split_strided() {
    SplitStrided call{.parent = any_team(), .team = static_cast<int>(teams_.size())};
    call.parent_members = members(call.parent);
    call.num_contexts = random_.below(4);
    const int npes = call.parent_members.size();
    call.start = random_.below(npes);
    call.stride = random_.between(-3, 3);
    int longest = 1;
    if (call.stride > 0) longest = (npes - 1 - call.start) / call.stride + 1;
    if (call.stride < 0) longest = call.start / -call.stride + 1;
    call.size = random_.chance(60) ? longest : random_.between(1, longest);
    if (random_.chance(6)) {
        // Not a team: past one end, or empty.
        call.size = random_.chance(50) && call.stride != 0 ? longest + 1 : 0;
        teams_.push_back({.members = {}, .is_live = false});
        return emit(call);
    }
    for (int i = 0; i < call.size; ++i)
        call.members.push(call.parent_members[call.start + i * call.stride]);
    teams_.push_back({call.members});
    emit(call);
}

void Generator::split_2d() {
    Split2d call{.parent = any_team(), .first_team = static_cast<int>(teams_.size())};
    call.parent_members = members(call.parent);
    const int npes = call.parent_members.size();
    call.xrange = random_.between(1, npes + 1);
    const int columns = std::min(call.xrange, npes);
    call.rows.resize(static_cast<std::size_t>((npes + columns - 1) / columns));
    call.columns.resize(static_cast<std::size_t>(columns));
    for (int i = 0; i < npes; ++i) {
        call.rows[static_cast<std::size_t>(i / columns)].push(call.parent_members[i]);
        call.columns[static_cast<std::size_t>(i % columns)].push(call.parent_members[i]);
    }
    for (const PeList& row : call.rows) teams_.push_back({row});
    for (const PeList& column : call.columns) teams_.push_back({column});
    emit(std::move(call));
}

// Ends the team's contexts with it; private ones must be gone before.
void Generator::destroy_team(int team) {
    for (int pe = 0; pe < npes_; ++pe) {
        const auto count = static_cast<int>(contexts_[static_cast<std::size_t>(pe)].size());
        for (int context = 0; context < count; ++context) {
            Context& state = context_of(pe, context);
            if (!state.is_live || state.team != team) continue;
            if ((state.options & SHMEM_CTX_PRIVATE) != 0 || random_.chance(50)) {
                destroy_context(pe, context);
            } else {
                if (state.targets != 0) order(pe, context, OrderName::kQuiet);
                state.is_live = false;
            }
        }
    }
    teams_[static_cast<std::size_t>(team)].is_live = false;
    emit(DestroyTeam{team, members(team)});
}

void Generator::contexts() {
    const int pe = any_pe();
    std::vector<int> live;
    const auto count = static_cast<int>(contexts_[static_cast<std::size_t>(pe)].size());
    for (int context = 0; context < count; ++context) {
        if (context_of(pe, context).is_live) live.push_back(context);
    }
    const auto open = static_cast<int>(live.size());
    if (open > kContextsMax || (open > 0 && random_.chance(20)))
        return destroy_context(pe, random_.pick(live));
    if (open == 0 || random_.chance(60)) return create_context();
    const int context = random_.pick(live);
    Context& state = context_of(pe, context);
    state.in_session = random_.chance(65);
    emit(Session{.pe = pe,
                 .context = context,
                 .starts = state.in_session,
                 .options = random_.chance(50) ? SHMEM_CTX_SESSION_BATCH : 0,
                 .has_total = random_.chance(50),
                 .total = static_cast<std::uint64_t>(random_.below(100))});
}

void Generator::create_context() {
    constexpr long kOptions[] = {0, SHMEM_CTX_SERIALIZED, SHMEM_CTX_PRIVATE, SHMEM_CTX_NOSTORE};
    CreateContext call{.team = any_team()};
    call.pe = random_.pick(members(call.team));
    call.members = members(call.team);
    auto& contexts = contexts_[static_cast<std::size_t>(call.pe)];
    call.context = static_cast<int>(contexts.size());
    call.options = random_.pick(kOptions) | random_.pick(kOptions);
    contexts.push_back({.team = call.team, .options = call.options});
    emit(call);
}

void Generator::destroy_context(int pe, int context) {
    context_of(pe, context).is_live = false;
    context_of(pe, context).targets = 0;
    emit(DestroyContext{pe, context});
}

}  // namespace tessera::random

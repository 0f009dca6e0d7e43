// SPDX-License-Identifier: BSD-3-Clause
//
// See execute.hpp: teams, contexts and collectives.
#include <cstring>

#include "random/execute.hpp"

namespace tessera::random {

shmem_team_t& Executor::team(int number) {
    const auto index = static_cast<std::size_t>(number);
    if (index >= teams_.size()) teams_.resize(index + 1, SHMEM_TEAM_INVALID);
    return teams_[index];
}

// ---- Teams -------------------------------------------------------------------------------------

// A handle for members, who agree on who they are, and none for the others.
void Executor::check_team(int number, const PeList& members) {
    const shmem_team_t handle = team(number);
    const int index = members.index_of(me_);
    if (index < 0) {
        if (handle != SHMEM_TEAM_INVALID) fail("this PE is no member but has a handle");
        return;
    }
    if (handle == SHMEM_TEAM_INVALID) fail("this PE is a member but has no handle");
    if (shmem_team_my_pe(handle) != index)
        fail("shmem_team_my_pe is %d, not %d", shmem_team_my_pe(handle), index);
    if (shmem_team_n_pes(handle) != members.size())
        fail("shmem_team_n_pes is %d, not %d", shmem_team_n_pes(handle), members.size());
    for (int i = 0; i < members.size(); ++i) {
        const int pe = shmem_team_translate_pe(handle, i, SHMEM_TEAM_WORLD);
        if (pe != members[i]) fail("PE %d of the team is %d, not %d", i, pe, members[i]);
    }
}

void Executor::play(const SplitStrided& split) {
    if (!split.parent_members.contains(me_)) return;
    shmem_team_config_t config{split.num_contexts};
    const long mask = split.num_contexts > 0 ? SHMEM_TEAM_NUM_CONTEXTS : 0;
    const int status =
        shmem_team_split_strided(team(split.parent), split.start, split.stride, split.size,
                                 mask != 0 ? &config : nullptr, mask, &team(split.team));
    if ((status == 0) != !split.members.empty()) fail("it returned %d", status);
    check_team(split.team, split.members);
    if (!split.members.contains(me_)) return;
    config.num_contexts = -1;
    shmem_team_get_config(team(split.team), SHMEM_TEAM_NUM_CONTEXTS, &config);
    if (config.num_contexts != split.num_contexts) fail("config says %d", config.num_contexts);
}

void Executor::play(const Split2d& split) {
    const int index = split.parent_members.index_of(me_);
    if (index < 0) return;
    const auto columns = static_cast<int>(split.columns.size());
    const int row = split.first_team + index / columns;
    const int column = split.first_team + static_cast<int>(split.rows.size()) + index % columns;
    team(column);  // Both exist before addresses are taken.
    const int status = shmem_team_split_2d(team(split.parent), split.xrange, nullptr, 0, &team(row),
                                           nullptr, 0, &team(column));
    if (status != 0) fail("it returned %d", status);
    check_team(row, split.rows[static_cast<std::size_t>(index / columns)]);
    check_team(column, split.columns[static_cast<std::size_t>(index % columns)]);
}

void Executor::play(const DestroyTeam& destroy) {
    if (!destroy.members.contains(me_)) return;
    shmem_team_destroy(team(destroy.team));
    team(destroy.team) = SHMEM_TEAM_INVALID;
}

void Executor::play(const TranslatePe& translate) {
    if (translate.pe != me_) return;
    for (int i = 0; i < translate.source_members.size(); ++i) {
        const int expected = translate.dest_members.index_of(translate.source_members[i]);
        const int actual = shmem_team_translate_pe(team(translate.source), i, team(translate.dest));
        if (actual != expected) fail("PE %d is %d, not %d", i, actual, expected);
    }
}

// ---- Contexts ----------------------------------------------------------------------------------

void Executor::play(const CreateContext& create) {
    if (create.pe != me_) return;
    const auto index = static_cast<std::size_t>(create.context);
    if (index >= contexts_.size()) contexts_.resize(index + 1);
    Context& context = contexts_[index];
    context.team = create.team;
    context.members = create.members;
    const bool is_short = create.team == kWorldTeam && create.context % 2 == 0;
    const int status =
        is_short ? shmem_ctx_create(create.options, &context.handle)
                 : shmem_team_create_ctx(team(create.team), create.options, &context.handle);
    if (status != 0 || context.handle == SHMEM_CTX_INVALID) fail("it returned %d", status);
    shmem_team_t its_team = SHMEM_TEAM_INVALID;
    if (shmem_ctx_get_team(context.handle, &its_team) != 0 || its_team != team(create.team))
        fail("shmem_ctx_get_team gives another team");
}

void Executor::play(const DestroyContext& destroy) {
    if (destroy.pe != me_) return;
    Context& context = contexts_[static_cast<std::size_t>(destroy.context)];
    shmem_ctx_destroy(context.handle);
    complete(destroy.context);
    context = {};
}

void Executor::play(const Session& session) {
    if (session.pe != me_) return;
    const shmem_ctx_t ctx = *handle_of(session.context);
    if (!session.starts) return shmem_ctx_session_stop(ctx);
    const shmem_ctx_session_config_t config{session.total};
    shmem_ctx_session_start(ctx, session.options, session.has_total ? &config : nullptr,
                            session.has_total ? SHMEM_CTX_SESSION_TOTAL_OPS : 0);
}

// ---- Collectives -------------------------------------------------------------------------------

void Executor::play(const Collective& collective) {
    const int index = collective.members.index_of(me_);
    if (index < 0) return;
    Group group;
    if (collective.psync >= 0) {
        group.set = collective.set;
        group.psync = shared_.psync(collective.psync);
        group.pwrk = shared_.pwrk;
    } else {
        group.team = team(collective.team);
    }
    const std::size_t row = static_cast<std::size_t>(collective.row);
    void* dest = collective.has_null ? nullptr : address(collective.dest);
    const void* source = collective.has_null ? nullptr : address(collective.source);
    std::size_t nelems = collective.nelems;
    int status = 0;
    switch (collective.name) {
        case CollectiveName::kSync:
            if (group.psync == nullptr) {
                status = shmem_team_sync(group.team);
            } else {
                shmem_sync(group.set.start, group.set.log_stride, group.set.size, group.psync);
            }
            break;
        case CollectiveName::kBarrier:
            shmem_barrier(group.set.start, group.set.log_stride, group.set.size, group.psync);
            complete(kDefaultContext);
            break;
        case CollectiveName::kBroadcast:
            status = move_routines()[row].broadcast(group, dest, source, nelems, collective.root);
            break;
        case CollectiveName::kCollect:
            nelems = collective.counts[static_cast<std::size_t>(index)];
            status = move_routines()[row].collect(group, dest, source, nelems);
            break;
        case CollectiveName::kFcollect:
            status = move_routines()[row].fcollect(group, dest, source, nelems);
            break;
        case CollectiveName::kAlltoall:
            status = move_routines()[row].alltoall(group, dest, source, nelems);
            break;
        case CollectiveName::kAlltoalls:
            status = move_routines()[row].alltoalls(group, dest, source, collective.dst,
                                                    collective.sst, nelems);
            break;
        case CollectiveName::kReduce:
            status = reduce_routines()[row].call(collective.reduce, group, dest, source, nelems);
            check_reduction(collective);
            break;
    }
    if (status != 0) fail("it returned %d", status);
    if (collective.name >= CollectiveName::kBroadcast && collective.name != CollectiveName::kReduce)
        check_move(collective);
}

// Loads dest before any other call: a further call could bring missing data.
void Executor::check_move(const Collective& collective) {
    if (collective.has_null) return;
    const Layout layout = collective.dest_layout(
        move_routines()[static_cast<std::size_t>(collective.row)].element_bytes);
    for (std::uint32_t i = 0; i < layout.runs; ++i) {
        const BlockOffset place{collective.dest.block,
                                collective.dest.offset + layout.run_offset(i)};
        compare(place, address(place), layout.run_bytes());
    }
}

// Numbers are compared by value here; then the bits that do not matter become those of the model.
void Executor::check_reduction(const Collective& collective) {
    const ReduceRoutines& row = reduce_routines()[static_cast<std::size_t>(collective.row)];
    if (!row.is_floating || collective.nelems == 0) return;
    unsigned char* actual = address(collective.dest);
    const unsigned char* expected = model_.memory(me_, collective.dest);
    for (std::uint32_t i = 0; i < collective.nelems; ++i) {
        if (!row.equal(actual + i * row.element_bytes, expected + i * row.element_bytes, 1))
            fail("element %u is wrong", i);
    }
    if (collective.nelems > 0) std::memcpy(actual, expected, collective.nelems * row.element_bytes);
}

}  // namespace tessera::random

// SPDX-License-Identifier: BSD-3-Clause
//
// See teams.hpp.
#include "tools/check/teams.hpp"

#include <map>
#include <mutex>
#include <string_view>
#include <tuple>

#include "base/bits.hpp"
#include "tools/check/report.hpp"

namespace tessera::check {
namespace {

using interpose::Call;
using interpose::Caller;
using interpose::Kind;

struct Ended {
    std::string text;  // "shmem_team_destroy at main (heat.c:12)"
};

struct Context {
    shmem_team_t team;
    bool is_private;
    std::string made;
    Caller caller;  // code that made it
};

struct Team {
    Group group;
    std::string made;
    Caller caller;
};

std::mutex mutex;
auto& teams = *new std::map<shmem_team_t, Team>;
auto& sets = *new std::map<std::tuple<int, int, int, std::uint64_t>, Group>;
auto& lists = *new std::map<std::uint64_t, std::uint64_t>;  // creations of a list of PEs
auto& contexts = *new std::map<shmem_ctx_t, Context>;
auto& ended_teams = *new std::map<shmem_team_t, Ended>;
auto& ended_contexts = *new std::map<shmem_ctx_t, Ended>;

std::uint64_t joined(std::uint64_t a, std::uint64_t b) { return mix_bits(a + 1) ^ mix_bits(~b); }

// Threads may be in collectives of one active set at the same time, each with its own pSync. Then
// the array tells their orders apart.
bool has_threads = false;

// The same on all PEs.
std::uint64_t number_of(const long* sync) {
    const bool is_symmetric = sync != nullptr && pshmem_addr_accessible(sync, my_pe()) != 0;
    return is_symmetric ? pshmemx_gptr_of(sync, 0) : 0;
}

std::vector<int> members_of(shmem_team_t team) {
    std::vector<int> members;
    const int count = pshmem_team_n_pes(team);
    for (int i = 0; i < count; ++i)
        members.push_back(pshmem_team_translate_pe(team, i, SHMEM_TEAM_WORLD));
    return members;
}

void add_team(shmem_team_t team, std::uint64_t key, const std::string& name,
              const std::string& made, Caller caller) {
    if (team == SHMEM_TEAM_INVALID) return;
    Group group{.key = key, .count = 0, .first = 0, .name = name, .members = members_of(team)};
    if (group.members.empty()) return;
    group.first = group.members.front();
    group.key = joined(key, static_cast<std::uint64_t>(group.first));
    teams[team] = {group, made, caller};
    ended_teams.erase(team);
}

// Members of the new team come to the same value: they made the same creation of the same parent.
std::uint64_t creation_key(const Call& call, const Team& parent) {
    if (call.pes == nullptr) return joined(parent.group.key, parent.group.count);
    std::uint64_t list = parent.group.key;  // Only the PEs of the list take part.
    for (std::size_t i = 0; i < call.pe_count; ++i)
        list = joined(list, static_cast<std::uint64_t>(call.pes[i]));
    return joined(list, ++lists[list]);
}

void add_new_teams(const Call& call) {
    auto parent = teams.find(call.team);
    if (parent == teams.end() || call.result != 0) return;
    const std::uint64_t key = creation_key(call, parent->second);
    std::uint64_t number = 0;
    for (shmem_team_t* team : call.new_teams) {
        if (team == nullptr) continue;
        add_team(*team, joined(key, ++number), "the team of " + text_of(call), text_of(call),
                 call.caller);
    }
}

void end_contexts_of(const Call& call) {
    for (auto next = contexts.begin(); next != contexts.end();) {
        if (next->second.team != call.team) {
            ++next;
            continue;
        }
        if (next->second.is_private) {
            report(call, "a private context outlives its team",
                   {text_of(call) + ": a context with SHMEM_CTX_PRIVATE of this team still exists",
                    "made by " + next->second.made,
                    "Destroy it with shmem_ctx_destroy before the team."});
        }
        ended_contexts[next->first] = {text_of(call)};
        next = contexts.erase(next);
    }
}

// The library stops such a call, too; here the end has a place.
void check_use(const Call& call) {
    auto context = ended_contexts.find(call.context);
    if (context != ended_contexts.end()) {
        report(call, "a destroyed context is used",
               {text_of(call), "the context was destroyed by " + context->second.text,
                "Destroy it behind its last use."});
    }
    auto team = ended_teams.find(call.team);
    if (call.team != SHMEM_TEAM_INVALID && team != ended_teams.end()) {
        report(call, "a destroyed team is used",
               {text_of(call), "the team was destroyed by " + team->second.text,
                "Destroy it behind its last use, and set the variable to SHMEM_TEAM_INVALID."});
    }
}

}  // namespace

Group* group_of(const Call& call) {
    std::lock_guard guard(mutex);
    if (call.set.size <= 0) {
        auto team = teams.find(call.team);
        return team != teams.end() ? &team->second.group : nullptr;
    }
    const auto [start, log_stride, size] = call.set;
    // The library refuses others.
    if (start < 0 || log_stride < 0 || log_stride > 20 || size > pshmem_n_pes()) return nullptr;
    const std::uint64_t array = has_threads ? number_of(call.sync) : 0;
    Group& group = sets[{start, log_stride, size, array}];
    if (group.key != 0) return &group;
    group.name = "the active set (" + std::to_string(start) + ", " + std::to_string(log_stride) +
                 ", " + std::to_string(size) + ")";
    group.first = start;
    for (int i = 0; i < size; ++i) group.members.push_back(start + (i << log_stride));
    const auto number = [](int value) { return static_cast<std::uint64_t>(value); };
    group.key = joined(joined(joined(number(start), 0x5e7), array),
                       joined(number(log_stride), number(size)));
    return &group;
}

const Group* group_with(std::uint64_t key) {
    std::lock_guard guard(mutex);
    for (const auto& [team, known] : teams) {
        if (known.group.key == key) return &known.group;
    }
    for (const auto& [set, group] : sets) {
        if (group.key == key) return &group;
    }
    return nullptr;
}

void before_handles(const Call& call) {
    std::lock_guard guard(mutex);
    check_use(call);
    if (call.kind == Kind::kTeamDestroy && teams.contains(call.team)) end_contexts_of(call);
}

void after_handles(const Call& call) {
    std::lock_guard guard(mutex);
    switch (call.kind) {
        case Kind::kTeamCreate: add_new_teams(call); break;
        case Kind::kTeamDestroy:
            if (teams.erase(call.team) != 0) ended_teams[call.team] = {text_of(call)};
            break;
        case Kind::kContextCreate:
            if (call.result != 0 || call.new_context == nullptr) break;
            contexts[*call.new_context] = {call.team, (call.options & SHMEM_CTX_PRIVATE) != 0,
                                           text_of(call), call.caller};
            ended_contexts.erase(*call.new_context);
            break;
        case Kind::kContextDestroy:
            if (contexts.erase(call.context) != 0) ended_contexts[call.context] = {text_of(call)};
            break;
        default: break;
    }
}

void begin_teams() {
    std::lock_guard guard(mutex);
    int level = SHMEM_THREAD_SINGLE;
    pshmem_query_thread(&level);
    has_threads = level == SHMEM_THREAD_MULTIPLE;
    add_team(SHMEM_TEAM_WORLD, 1, "SHMEM_TEAM_WORLD", "", Caller::kProgram);
    add_team(SHMEM_TEAM_SHARED, 2, "SHMEM_TEAM_SHARED", "", Caller::kProgram);
    add_team(SHMEMX_TEAM_NODE, 3, "SHMEMX_TEAM_NODE", "", Caller::kProgram);
}

void end_teams(const Call& call) {
    std::lock_guard guard(mutex);
    std::vector<std::string> lines;
    for (const auto& [handle, context] : contexts) {
        if (context.is_private) {
            report(call, "a private context was not destroyed",
                   {text_of(call) + ": a context with SHMEM_CTX_PRIVATE still exists",
                    "made by " + context.made,
                    "Its thread destroys it with shmem_ctx_destroy before finalization."});
        } else if (context.caller == Caller::kProgram) {
            lines.push_back("the context of " + context.made);
        }
    }
    for (const auto& [handle, team] : teams) {
        if (!team.made.empty() && team.caller == Caller::kProgram) lines.push_back(team.group.name);
    }
    if (!lines.empty() && my_pe() == 0) {
        note("not destroyed on PE 0: " +
                 counted(lines.size(), "team or context", "teams and contexts"),
             lines);
    }
    teams.clear();
    sets.clear();
    lists.clear();
    contexts.clear();
    ended_teams.clear();
    ended_contexts.clear();
}

}  // namespace tessera::check

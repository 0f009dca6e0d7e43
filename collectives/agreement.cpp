// SPDX-License-Identifier: BSD-3-Clause
//
// See agreement.hpp.
#include "collectives/agreement.hpp"

#include <cstdio>
#include <cstring>
#include <vector>

#include "base/fatal.hpp"
#include "collectives/runtime_calls.hpp"

namespace tessera::collectives {
namespace {

// Each member's block for each member, in the order of the members.
void exchange(Team& team, const void* out, void* in, std::size_t bytes, bool is_same,
              const char* where) {
    RuntimeCall call = new_call(team);
    call.out = {.start = static_cast<char*>(const_cast<void*>(out)),
                .stride = is_same ? 0 : bytes,
                .bytes = bytes};
    call.in = {.start = static_cast<char*>(in), .stride = bytes, .bytes = bytes};
    call.bytes = bytes;
    run_call(team, is_same ? Collective::kFcollect : Collective::kAlltoall, call, where);
}

struct Shown {
    char where[48];
    Agreed arguments;
};

void compare(const char* name, std::size_t mine, std::size_t theirs, int pe, const char* where) {
    if (mine == theirs) return;
    fatal("%s: %s is %zu here and %zu on PE %d of the team; all PEs must pass the same", where,
          name, mine, theirs, pe);
}

}  // namespace

void compare_arguments(Team& team, const Agreed& mine, const char* where) {
    Shown shown{};
    std::snprintf(shown.where, sizeof shown.where, "%s", where);
    shown.arguments = mine;
    std::vector<Shown> all(static_cast<std::size_t>(team.npes));
    exchange(team, &shown, all.data(), sizeof shown, true, where);
    for (int pe = 0; pe < team.npes; ++pe) {
        const Shown& theirs = all[static_cast<std::size_t>(pe)];
        if (std::strncmp(theirs.where, shown.where, sizeof shown.where) != 0) {
            fatal("%s: PE %d of the team calls %s instead; all PEs must call the same routine",
                  where, pe, theirs.where);
        }
        compare("nelems", mine.nelems, theirs.arguments.nelems, pe, where);
        compare("the size of an element", mine.element_bytes, theirs.arguments.element_bytes, pe,
                where);
        compare("root", static_cast<std::size_t>(mine.root),
                static_cast<std::size_t>(theirs.arguments.root), pe, where);
    }
}

void compare_parts(Team& team, const RuntimeCall& call, const char* where) {
    const auto npes = static_cast<std::size_t>(team.npes);
    std::vector<std::size_t> given(npes);
    std::vector<std::size_t> promised(npes);
    for (int pe = 0; pe < team.npes; ++pe) {
        const bool gives = call.out.only == kAllMembers || call.out.only == pe;
        given[static_cast<std::size_t>(pe)] = gives ? call.out.bytes_of(pe, call.element_bytes) : 0;
    }
    exchange(team, given.data(), promised.data(), sizeof given[0], false, where);
    for (int pe = 0; pe < team.npes; ++pe) {
        const bool takes = call.in.only == kAllMembers || call.in.only == pe;
        const std::size_t wanted = takes ? call.in.bytes_of(pe, call.element_bytes) : 0;
        const std::size_t offered = promised[static_cast<std::size_t>(pe)];
        if (wanted == offered) continue;
        fatal("%s: this PE expects %zu elements from PE %d of the team, which gives %zu", where,
              wanted / call.element_bytes, pe, offered / call.element_bytes);
    }
}

void compare_counts(Team& team, const std::size_t* counts, const char* where) {
    const auto npes = static_cast<std::size_t>(team.npes);
    std::vector<std::size_t> all(npes * npes);
    exchange(team, counts, all.data(), npes * sizeof(std::size_t), true, where);
    for (std::size_t pe = 0; pe < npes; ++pe) {
        for (std::size_t i = 0; i < npes; ++i) {
            if (counts[i] == all[pe * npes + i]) continue;
            fatal("%s: counts[%zu] is %zu here and %zu on PE %zu of the team", where, i, counts[i],
                  all[pe * npes + i], pe);
        }
    }
}

}  // namespace tessera::collectives

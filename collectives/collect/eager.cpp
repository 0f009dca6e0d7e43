// SPDX-License-Identifier: BSD-3-Clause
//
// Each member puts its block into its own buffer, announces it to all at once, and reads the blocks
// of the others as they come. Members wait for the data only.
// COST: a, p lines of flags, and n b to write + p n b to read, all PEs at once. Restriction: a team
// with mailboxes on one node, at most 8 KiB a member.
#include <cstring>

#include "base/copy.hpp"
#include "collectives/collect/collect.hpp"
#include "collectives/cost_terms.hpp"
#include "messaging/mailboxes.hpp"

namespace tessera::collectives {
namespace {

void fcollect_mail(const Group& group, void* dest, const void* source, std::size_t bytes) {
    if (bytes == 0) return;
    const Mailboxes mailboxes(group.team(), group.where());
    std::memcpy(mailboxes.buffer(), source, bytes);
    mailboxes.announce_buffer();
    for_each_from_neighbour(group, [&](int index) {
        copy_bytes(static_cast<char*>(dest) + static_cast<std::size_t>(index) * bytes,
                   mailboxes.buffer_of(index), bytes);
    });
}

Cost collect_eager_cost(const TeamLayout& team, double n) {
    const double all = team.npes * n;  // read by one PE of a core for all of its PEs
    return flags_from_all(team) + Cost{.copied_critical_path = kMailboxPush / 2 * all} +
           each_member(team, all / 2, 0);
}

}  // namespace

extern constinit const Algorithm<Fcollect> kFcollectEager{
    {.name = "eager",
     .formula = "a + p n b",
     .best_when = "short contributions, one node",
     .restriction = kMailboxesEager,
     .cost = collect_eager_cost},
    {fcollect_mail, nullptr}};

}  // namespace tessera::collectives

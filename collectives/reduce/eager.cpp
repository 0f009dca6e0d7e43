// SPDX-License-Identifier: BSD-3-Clause
//
// Each member puts its vector into its own buffer, announces it to all at once, and combines all of
// them in place, in the order of the members, so that all get the same bits. Members wait for the
// data only. dest may be source, because the source has been copied.
// COST: a, p lines of flags, and n b + n p c, all PEs at once. Restriction: a team with
// mailboxes on one node, at most 8 KiB. Any operation.
#include <cstring>

#include "collectives/cost_terms.hpp"
#include "collectives/reduce/reduce.hpp"

namespace tessera::collectives {
namespace {

void reduce_mail(const Reduction& call) {
    const Mailboxes mailboxes(call.group.team(), call.group.where());
    std::memcpy(mailboxes.buffer(), call.source, call.bytes());
    mailboxes.announce_buffer();
    std::memcpy(call.dest, mailboxes.buffer_of(0), call.bytes());
    for (int index = 1; index < call.group.npes(); ++index)
        call.kernel.combine(call.dest, mailboxes.buffer_of(index), call.nelems);
}

Cost reduce_eager_cost(const TeamLayout& team, double n) {
    return flags_from_all(team) + Cost{.copied_critical_path = kMailboxPush / 2 * team.npes * n} +
           each_member(team, team.npes * (n + kLine), team.npes * n);
}

}  // namespace

extern constinit const Algorithm<Reduce> kReduceEager{{.name = "eager",
                                                       .formula = "a + n b + n p c",
                                                       .best_when = "short vectors, one node",
                                                       .restriction = kMailboxesEager,
                                                       .cost = reduce_eager_cost},
                                                      reduce_mail};

}  // namespace tessera::collectives

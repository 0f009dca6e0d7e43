// SPDX-License-Identifier: BSD-3-Clause
//
// Each member puts all its blocks into its own buffer, announces it to all members at once, and
// reads its block in each of the others' buffers as they come. Members wait for the data only.
// COST: a, p lines of flags, and 2 p n b, all PEs at once. Restriction: a team with mailboxes on
// one node, p n <= 8 KiB.
#include <cstring>

#include "base/copy.hpp"
#include "collectives/alltoall/alltoall.hpp"
#include "collectives/cost_terms.hpp"
#include "messaging/mailboxes.hpp"

namespace tessera::collectives {
namespace {

void alltoall_mail(const Group& group, void* dest, const void* source, std::size_t bytes) {
    if (bytes == 0) return;
    const Mailboxes mailboxes(group.team(), group.where());
    std::memcpy(mailboxes.buffer(), source, static_cast<std::size_t>(group.npes()) * bytes);
    mailboxes.announce_buffer();
    const std::size_t mine = static_cast<std::size_t>(group.my_index()) * bytes;
    for_each_from_neighbour(group, [&](int index) {
        copy_bytes(static_cast<char*>(dest) + static_cast<std::size_t>(index) * bytes,
                   mailboxes.buffer_of(index) + mine, bytes);
    });
}

Cost alltoall_eager_cost(const TeamLayout& team, double n) {
    const double all = team.npes * n;
    return flags_from_all(team) + each_member(team, kMailboxPush / 2 * all + 2 * all, 0);
}

}  // namespace

extern constinit const Algorithm<Alltoall> kAlltoallEager{
    {.name = "eager",
     .formula = "a + 2 p n b",
     .best_when = "small blocks, one node",
     .restriction = {.symmetric = Symmetric::kNothing,
                     .mailboxes = true,
                     .one_node = true,
                     .contiguous = true,
                     .total_max = kSlotBytes},
     .cost = alltoall_eager_cost},
    {alltoall_mail, nullptr}};

}  // namespace tessera::collectives

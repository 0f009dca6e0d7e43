// SPDX-License-Identifier: BSD-3-Clause
//
// The root publishes the data in its next slots and returns; the other members read it there when
// they call. So members may be several broadcasts apart. All members count the used slots; before a
// slot is used again there is a sync, after which all members have read.
// COST: a + n b, and a sync every 32 calls; every 8 calls of the longest. Restriction: a team with
// mailboxes on one node, at most 8 KiB.
#include "base/copy.hpp"
#include "collectives/broadcast/broadcast.hpp"
#include "collectives/cost_terms.hpp"
#include "collectives/state.hpp"
#include "messaging/mailboxes.hpp"

namespace tessera::collectives {
namespace {

void broadcast_mail(const Group& group, void* dest, const void* source, std::size_t bytes, int root,
                    RootDest root_dest) {
    if (bytes == 0) return;
    Team& team = group.team();
    CollectiveState& state = state_of(team);
    const auto slots =
        static_cast<std::uint32_t>((bytes + kPublishedSlotBytes - 1) / kPublishedSlotBytes);
    if (slots > state.published_free) {
        group.sync();
        state.published_free = kPublishedSlots;
    }
    const std::uint32_t slot = kPublishedSlots - state.published_free;
    state.published_free -= slots;
    const Mailboxes mailboxes = Mailboxes::for_publishing(team, group.where());
    if (group.my_index() == root) {
        mailboxes.publish_to_all(slot, source, bytes);
        return copy_at_root(dest, source, bytes, root_dest);
    }
    copy_bytes(dest, mailboxes.published_to_all(root, slot), bytes);
}

Cost broadcast_eager_cost(const TeamLayout& team, double n) {
    const double slots = pieces(n, static_cast<double>(kPublishedSlotBytes));
    const double syncs_per_call = slots / kPublishedSlots;
    return Cost{.latencies = syncs(1, team).latencies * syncs_per_call +
                             (team.is_oversubscribed() ? kWaitForRunPe : 1)} +
           Cost{.copied_critical_path = kMailboxPush * n};
}

}  // namespace

extern constinit const Algorithm<Broadcast> kBroadcastEager{
    {.name = "eager",
     .formula = "a + n b, and sync/32",
     .best_when = "short messages, one node",
     .restriction = kMailboxesEager,
     .cost = broadcast_eager_cost},
    {broadcast_mail, nullptr}};

}  // namespace tessera::collectives

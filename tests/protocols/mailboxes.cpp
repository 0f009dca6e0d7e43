// SPDX-License-Identifier: BSD-3-Clause
//
// Two PEs exchange a number in each of three collectives that follow each other. A member reads the
// number that has come when it begins the next collective.
#include "messaging/mailboxes.hpp"

#include "pes.hpp"

namespace tessera {
namespace protocols {
namespace {

constexpr std::uint64_t kCollectives = 3;

struct Slots {
    alignas(TeamMailboxes) char memory[TeamMailboxes::stride()];
};
Slots* slots = nullptr;  // array by PE

struct Harness {
    Pes<2> pes;
    Slots of_pes[2];

    void work() {
        pes.begin();
        const int me = my_thread;
        Team team;
        team.npes = 2;
        team.my_index = me;
        const std::uint64_t* last = nullptr;
        for (std::uint64_t i = 0; i < kCollectives; ++i) {
            const Mailboxes mailboxes(team, "exchange");
            if (last != nullptr) check(*last == i);
            const std::uint64_t number = i + 1;
            mailboxes.send(1 - me, 0, &number, sizeof number);
            last = reinterpret_cast<const std::uint64_t*>(mailboxes.receive(0));
        }
        check(*last == kCollectives);
    }
    void run() {
        pes.start();
        slots = of_pes;
        in_parallel([this] { work(); }, [this] { work(); });
    }
};

}  // namespace
}  // namespace protocols

TeamMailboxes* team_mailboxes(std::uint32_t /*slot*/) {
    return mapped_team_mailboxes(protocols::my_thread, 0);
}
TeamMailboxes* mapped_team_mailboxes(int world_pe, std::uint32_t /*slot*/) {
    return reinterpret_cast<TeamMailboxes*>(protocols::slots[world_pe].memory);
}
void renew_mailboxes(const Team& /*team*/) { fatal("the numbers are small"); }
void DeleteCollectiveState::operator()(CollectiveState* /*state*/) const {}

}  // namespace tessera

int main() { return tessera::protocols::explore<tessera::protocols::Harness>(); }

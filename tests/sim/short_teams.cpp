// SPDX-License-Identifier: BSD-3-Clause
//
// Teams that are made and destroyed again and again, and short collectives right behind each other
// in them: slots and numbers of teams, and mailboxes, are used many times.
#include <shmem.h>

#include <cstdio>

namespace {

constexpr int kLong = 3000;  // elements of a long broadcast
long source[kLong];
// A member that is ahead may write to what the next collective fills.
constexpr int kDests = 64;
long dests[kDests][kLong];
long* dest = dests[0];
int calls = 0;

void check(bool is_right, const char* what, int round) {
    if (is_right) return;
    std::printf("PE %d: %s of round %d is wrong\n", shmem_my_pe(), what, round);
    shmem_global_exit(1);
}

void take_next_dest() { dest = dests[++calls % kDests]; }

void broadcast(shmem_team_t team, int root, int nelems, int round) {
    const bool is_root = shmem_team_my_pe(team) == root;
    take_next_dest();
    for (int i = 0; i < nelems; ++i) {
        source[i] = 1000L * round + root + i;
        if (is_root) dest[i] = source[i];
    }
    shmem_long_broadcast(team, dest, source, static_cast<std::size_t>(nelems), root);
    for (int i = 0; i < nelems; ++i) check(dest[i] == source[i], "a broadcast", round);
}

void use(shmem_team_t team, int round) {
    const int npes = shmem_team_n_pes(team);
    const int me = shmem_team_my_pe(team);
    calls = 16 * round;  // the same on all members
    for (int root = 0; root < npes; ++root) broadcast(team, root, 3, round);
    broadcast(team, round % npes, kLong, round);
    take_next_dest();
    for (int pe = 0; pe < npes; ++pe) source[pe] = 100L * me + pe + round;
    shmem_long_alltoall(team, dest, source, 1);
    for (int pe = 0; pe < npes; ++pe)
        check(dest[pe] == 100L * pe + me + round, "an alltoall", round);
    take_next_dest();
    source[0] = me + round;
    shmem_long_sum_reduce(team, dest, source, 1);
    check(dest[0] == npes * (npes - 1L) / 2 + long{npes} * round, "a sum", round);
    shmem_team_sync(team);
}

}  // namespace

int main() {
    shmem_init();
    const int npes = shmem_n_pes();
    for (int round = 0; round < 4; ++round) {
        shmem_team_t team = SHMEM_TEAM_INVALID;
        const int start = round % 2;
        const int members = npes - start;
        shmem_team_split_strided(SHMEM_TEAM_WORLD, start, 1, members, nullptr, 0, &team);
        if (team == SHMEM_TEAM_INVALID) continue;
        use(team, round);
        shmem_team_destroy(team);
    }
    use(SHMEM_TEAM_WORLD, 4);
    if (shmem_my_pe() == 0) std::printf("all PEs agree\n");
    shmem_finalize();
    return 0;
}

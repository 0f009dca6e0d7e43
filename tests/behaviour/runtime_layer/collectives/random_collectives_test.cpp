// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a collective of the runtime layer gives a wrong result in some mixture: blocking and
// nonblocking calls on overlapping teams, private and symmetric arrays, different ones on each PE,
// counts, roots, operations of the library and of the program. All PEs draw the same random calls;
// each computes from the members' numbers what its dest must hold.
//   oshrun -n 5 random_collectives_test --seed 1 --sequences 2000
#include <shmemx.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "random_call.hpp"

namespace {

using tessera::test::arena;
using tessera::test::Call;
using tessera::test::fail;
using tessera::test::heap;
using tessera::test::kBlockingKinds;
using tessera::test::kHeapBytes;
using tessera::test::Kind;
using tessera::test::kKinds;
using tessera::test::kOperations;
using tessera::test::mixed;
using tessera::test::Plan;
using tessera::test::Team;

// ---- Sequences ----

class Sequence {
  public:
    Sequence(uint64_t seed, const std::vector<Team>& teams) : random_(seed), teams_(teams) {}

    void run() {
        const size_t calls = 1 + below(8);
        uint64_t number = random_();
        for (size_t i = 0; i < calls; ++i) make(number++);
        wait_all();
    }

  private:
    size_t below(size_t limit) { return random_() % limit; }
    size_t random_nelems() {
        switch (below(6)) {
            case 0: return below(3);
            case 1: return 1000 + below(6000);
            case 2: return 100 + below(1000);
            default: return below(60);
        }
    }
    void make(uint64_t number) {
        Plan plan{};
        plan.kind = static_cast<Kind>(below(kKinds));
        plan.team = static_cast<int>(below(teams_.size()));
        plan.nelems = random_nelems();
        plan.element_bytes = below(3) == 0 ? 1 + below(20) : size_t{1} << below(5);
        plan.operation = below(kOperations);
        if (plan.operation == kOperations - 1) plan.nelems %= 8;
        plan.number = number;
        plan.shape = random_();
        plan.root = random_();
        plan.is_in_place = below(3) == 0;
        const Team& team = teams_[static_cast<size_t>(plan.team)];
        if (team.handle == SHMEM_TEAM_INVALID) return;
        open_.push_back(std::make_unique<Call>(plan, team));
        open_.back()->start();
        if (plan.kind < kBlockingKinds) {
            open_.back()->check();
            open_.pop_back();
        } else if (mixed(plan.shape + static_cast<uint64_t>(shmem_my_pe())) % 4 == 0) {
            int is_complete = 0;
            shmemx_req_test(&open_.back()->request(), SHMEMX_REMOTE, &is_complete);
        }
    }
    // Each PE in an order of its own.
    void wait_all() {
        std::mt19937_64 own(random_() + static_cast<uint64_t>(shmem_my_pe()));
        while (!open_.empty()) {
            const size_t which = own() % open_.size();
            Call& call = *open_[which];
            const int completion = own() % 2 == 0 ? SHMEMX_LOCAL : SHMEMX_REMOTE;
            int is_complete = 0;
            if (own() % 2 == 0) {
                shmemx_req_wait(&call.request(), completion);
            } else {
                while (is_complete == 0) shmemx_req_test(&call.request(), completion, &is_complete);
            }
            if (call.request() != SHMEMX_REQ_COMPLETE) {
                fail(call.plan(), teams_[static_cast<size_t>(call.plan().team)],
                     "the request has not ended");
            }
            call.check();
            open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(which));
        }
    }

    std::mt19937_64 random_;
    const std::vector<Team>& teams_;
    std::vector<std::unique_ptr<Call>> open_;
};

Team describe(shmem_team_t handle, uint64_t color) {
    return {handle, shmem_team_n_pes(handle), shmem_team_my_pe(handle), mixed(color)};
}

// The world; two halves that interleave; rows and columns of three.
std::vector<Team> make_teams() {
    const int me = shmem_my_pe();
    const int npes = shmem_n_pes();
    std::vector<Team> teams{describe(SHMEM_TEAM_WORLD, 0)};
    shmem_team_t mine = SHMEM_TEAM_INVALID;
    for (int start = 0; start < 2 && start < npes; ++start) {
        shmem_team_t half = SHMEM_TEAM_INVALID;
        shmem_team_split_strided(SHMEM_TEAM_WORLD, start, 2, (npes - start + 1) / 2, nullptr, 0,
                                 &half);
        if (half != SHMEM_TEAM_INVALID) mine = half;
    }
    teams.push_back(describe(mine, 1 + static_cast<uint64_t>(me % 2)));
    shmem_team_t row = SHMEM_TEAM_INVALID;
    shmem_team_t column = SHMEM_TEAM_INVALID;
    shmem_team_split_2d(SHMEM_TEAM_WORLD, 3, nullptr, 0, &row, nullptr, 0, &column);
    teams.push_back(describe(row, 10 + static_cast<uint64_t>(me / 3)));
    teams.push_back(describe(column, 100 + static_cast<uint64_t>(me % 3)));
    return teams;
}

uint64_t argument(int argc, char** argv, const char* name, uint64_t value) {
    for (int i = 1; i + 1 < argc; ++i) {
        if (std::string(argv[i]) == name) value = std::strtoull(argv[i + 1], nullptr, 10);
    }
    return value;
}

}  // namespace

int main(int argc, char** argv) {
    const uint64_t seed = argument(argc, argv, "--seed", 1);
    const uint64_t sequences = argument(argc, argv, "--sequences", 100);
    shmem_init();
    heap = static_cast<char*>(shmem_malloc(kHeapBytes));
    if (shmem_my_pe() == 0) {
        std::printf("seed %llu, %llu sequences\n", (unsigned long long)seed,
                    (unsigned long long)sequences);
        std::fflush(stdout);
    }
    std::vector<Team> teams;
    for (uint64_t i = 0; i < sequences; ++i) {
        // New teams use the streams of old ones.
        if (i % 20 == 0) {
            for (size_t k = 1; k < teams.size(); ++k) shmem_team_destroy(teams[k].handle);
            teams = make_teams();
        }
        arena.reset();
        Sequence(mixed(seed + i), teams).run();
        // The arrays in the heap may be in use elsewhere until all have ended.
        shmem_team_sync(SHMEM_TEAM_WORLD);
    }
    shmem_free(heap);
    shmem_finalize();
    return 0;
}

// SPDX-License-Identifier: BSD-3-Clause
//
// Random sequences of creations, splits, allocations, transfers, frees and destructions by teams
// that overlap, against a model of all PEs. All PEs draw the same sequence; each carries out the
// steps of its teams, without waiting for other PEs. Breaks when a team has other members than in
// the model, when a block is not at the lowest place that is free on all its members, is refused
// although there is one or given although there is none, or has lost its contents.
//
//   random_teams_test [SEQUENCES]      TESSERA_TEST_SEED repeats a run
#include <shmemx.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>
#include <random>
#include <vector>

#include "runtime_layer/random_sequences.hpp"

namespace {

using tessera::test::expect;
using tessera::test::me;
using tessera::test::npes;

constexpr std::size_t kMemoryBytes = std::size_t{4} << 20;  // SHMEM_TEAM_MEMORY_SIZE
constexpr std::size_t kUnit = 64;
constexpr std::size_t kTeamsMax = 32;
constexpr std::size_t kNoPlace = ~std::size_t{0};
constexpr int kSteps = 40;

long scratch[kTeamsMax][4];  // for each team, symmetric

struct Block {
    std::size_t place;  // from the start of team memory
    std::size_t bytes;
    unsigned stamp;
    unsigned char* mine;  // nullptr: this PE is no member
};

struct Team {
    std::vector<int> members;
    shmem_team_t handle = SHMEM_TEAM_INVALID;
    bool is_live = true;
    std::vector<Block> blocks;

    int index_of(int pe) const {
        const auto found = std::ranges::find(members, pe);
        return found != members.end() ? static_cast<int>(found - members.begin()) : -1;
    }
    bool has_me() const { return index_of(me) >= 0; }
};

class Sequence {
  public:
    Sequence(std::mt19937& random, unsigned char* start) : random_(random), start_(start) {
        Team world;
        world.handle = SHMEM_TEAM_WORLD;
        world.members.resize(static_cast<std::size_t>(npes));
        std::iota(world.members.begin(), world.members.end(), 0);
        teams_.push_back(world);
        taken_.resize(static_cast<std::size_t>(npes));
        for (auto& each : taken_) each[0] = kUnit;  // `start`
    }
    void run() {
        for (int step = 0; step < kSteps; ++step) {
            switch (below(10)) {
                case 0: create(); break;
                case 1: split(); break;
                case 2: destroy(pick_team()); break;
                case 3:
                case 4:
                case 5:
                case 6: allocate(); break;
                case 7:
                case 8: free(); break;
                default: rewrite(); break;
            }
        }
        for (std::size_t i = 1; i < teams_.size(); ++i) destroy(i);
        while (!teams_[0].blocks.empty()) free_block(teams_[0], 0);
        shmem_barrier_all();
    }

  private:
    std::size_t below(std::size_t limit) { return random_() % limit; }

    std::size_t pick_team() {
        std::vector<std::size_t> live;
        for (std::size_t i = 0; i < teams_.size(); ++i) {
            if (teams_[i].is_live) live.push_back(i);
        }
        return live[below(live.size())];
    }

    void create() {
        const Team& parent = teams_[pick_team()];
        std::vector<int> numbers(parent.members.size());
        std::iota(numbers.begin(), numbers.end(), 0);
        std::ranges::shuffle(numbers, random_);
        numbers.resize(1 + below(numbers.size()));
        if (teams_.size() == kTeamsMax) return;
        Team team;
        for (int number : numbers)
            team.members.push_back(parent.members[static_cast<std::size_t>(number)]);
        if (team.has_me()) {
            const int status =
                shmemx_team_create(parent.handle, numbers.data(), static_cast<int>(numbers.size()),
                                   nullptr, 0, &team.handle);
            expect("status of a creation", 0, status);
        }
        add(team);
    }

    void split() {
        const Team& parent = teams_[pick_team()];
        const auto colors = static_cast<int>(1 + below(3));
        std::vector<int> color(parent.members.size());
        std::vector<int> key(parent.members.size());
        for (int& each : color)
            each = static_cast<int>(below(static_cast<std::size_t>(colors) + 1)) - 1;
        for (int& each : key) each = static_cast<int>(below(4)) - 2;
        if (teams_.size() + static_cast<std::size_t>(colors) > kTeamsMax) return;
        shmem_team_t handle = SHMEM_TEAM_INVALID;
        if (const int index = parent.index_of(me); index >= 0) {
            const auto at = static_cast<std::size_t>(index);
            expect("status of a split", 0,
                   shmemx_team_split_color(parent.handle, color[at], key[at], nullptr, 0, &handle));
            expect("a negative color has no team", color[at] < 0, handle == SHMEM_TEAM_INVALID);
        }
        for (int wanted = 0; wanted < colors; ++wanted) {
            std::vector<std::size_t> places;
            for (std::size_t i = 0; i < color.size(); ++i) {
                if (color[i] == wanted) places.push_back(i);
            }
            std::ranges::stable_sort(places, {}, [&](std::size_t i) { return key[i]; });
            Team team;
            for (std::size_t i : places)
                team.members.push_back(teams_[index_of(parent)].members[i]);
            if (team.members.empty()) continue;
            if (team.has_me()) team.handle = handle;
            new_teams_.push_back(team);
        }
        for (Team& team : new_teams_) add(team);
        new_teams_.clear();
    }
    std::size_t index_of(const Team& team) const {
        return static_cast<std::size_t>(&team - teams_.data());
    }

    void add(const Team& team) {
        if (team.has_me()) {
            expect("n_pes", static_cast<long>(team.members.size()), shmem_team_n_pes(team.handle));
            expect("my_pe", team.index_of(me), shmem_team_my_pe(team.handle));
            for (int pe = 0; pe < npes; ++pe) {
                expect("translate_pe", team.index_of(pe),
                       shmem_team_translate_pe(SHMEM_TEAM_WORLD, pe, team.handle));
            }
        }
        teams_.push_back(team);
    }

    void destroy(std::size_t index) {
        Team& team = teams_[index];
        if (index == 0 || !team.is_live) return;
        for (const Block& block : team.blocks) release(team, block);
        team.blocks.clear();
        team.is_live = false;
        if (team.has_me()) shmem_team_destroy(team.handle);
    }

    // The model: the lowest place that is free on all members.
    std::size_t find_place(const Team& team, std::size_t bytes, std::size_t alignment) const {
        std::size_t place = 0;
        for (bool has_moved = true; has_moved;) {
            has_moved = false;
            for (int pe : team.members) {
                for (const auto& [begin, length] : taken_[static_cast<std::size_t>(pe)]) {
                    if (begin >= place + bytes || begin + length <= place) continue;
                    place = (begin + length + alignment - 1) / alignment * alignment;
                    has_moved = true;
                }
            }
        }
        return place + bytes <= kMemoryBytes ? place : kNoPlace;
    }
    void release(const Team& team, const Block& block) {
        for (int pe : team.members) taken_[static_cast<std::size_t>(pe)].erase(block.place);
    }

    static unsigned char byte_of(unsigned stamp, int pe, std::size_t at) {
        return static_cast<unsigned char>(stamp * 31 + static_cast<unsigned>(pe) * 7 + at);
    }
    static std::vector<unsigned char> contents(const Block& block, int pe) {
        std::vector<unsigned char> bytes(std::min<std::size_t>(block.bytes, 500));
        for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = byte_of(block.stamp, pe, i);
        return bytes;
    }
    // The last byte as well, which lies farthest from the others.
    static void fill(const Block& block) {
        const auto bytes = contents(block, me);
        block.mine[block.bytes - 1] = byte_of(block.stamp, me, 12345);
        std::ranges::copy(bytes, block.mine);
    }
    static void check(const Block& block) {
        const auto bytes = contents(block, me);
        for (std::size_t i = 0; i < bytes.size(); ++i) expect("contents", bytes[i], block.mine[i]);
    }

    void allocate() {
        const std::size_t index = pick_team();
        Team& team = teams_[index];
        const std::size_t alignment = kUnit << (below(4) == 0 ? below(8) : 0);
        const std::size_t wanted = below(6) == 0 ? kMemoryBytes / (1 + below(6)) : 4000;
        const std::size_t bytes = 1 + below(wanted);
        const bool is_cleared = alignment == kUnit && below(3) == 0;
        const std::size_t rounded = (bytes + kUnit - 1) / kUnit * kUnit;
        const std::size_t place = find_place(team, rounded, alignment);
        unsigned char* block = nullptr;
        if (team.has_me()) {
            block = static_cast<unsigned char*>(
                is_cleared           ? shmemx_team_calloc(team.handle, bytes, 1)
                : alignment == kUnit ? shmemx_team_malloc(team.handle, bytes)
                                     : shmemx_team_align(team.handle, alignment, bytes));
            expect("whether there is room", place != kNoPlace, block != nullptr);
            if (block != nullptr) expect("place", static_cast<long>(place), block - start_);
            if (block != nullptr && is_cleared) {
                for (std::size_t i = 0; i < bytes; ++i) expect("cleared", 0, block[i]);
            }
        }
        if (place == kNoPlace) return;
        for (int pe : team.members) taken_[static_cast<std::size_t>(pe)][place] = rounded;
        team.blocks.push_back({place, bytes, static_cast<unsigned>(random_()), block});
        if (block != nullptr) fill(team.blocks.back());
        // Other members may read and write it: first all must have filled theirs.
        if (block != nullptr) shmem_team_sync(team.handle);
    }

    void free_block(Team& team, std::size_t at) {
        const Block block = team.blocks[at];
        if (block.mine != nullptr) {
            check(block);
            shmemx_team_free(team.handle, block.mine);
        }
        release(team, block);
        team.blocks.erase(team.blocks.begin() + static_cast<long>(at));
    }
    void free() {
        Team& team = teams_[pick_team()];
        if (!team.blocks.empty()) free_block(team, below(team.blocks.size()));
    }

    // Each member writes its right neighbour's part; then a reduction in the team.
    void rewrite() {
        const std::size_t index = pick_team();
        Team& team = teams_[index];
        if (!team.blocks.empty()) {
            Block& block = team.blocks[below(team.blocks.size())];
            if (block.mine != nullptr) {
                check(block);
                shmem_team_sync(team.handle);
            }
            block.stamp = static_cast<unsigned>(random_());
            if (block.mine != nullptr) write_to_neighbour(team, block);
        }
        if (!team.has_me()) return;
        long* words = scratch[index];
        shmem_team_sync(team.handle);
        words[0] = me + 1;
        expect("status of a sum", 0, shmem_long_sum_reduce(team.handle, words + 1, words, 1));
        long sum = 0;
        for (int pe : team.members) sum += pe + 1;
        expect("sum", sum, words[1]);
    }
    static void write_to_neighbour(const Team& team, const Block& block) {
        const auto size = team.members.size();
        const auto right = (static_cast<std::size_t>(team.index_of(me)) + 1) % size;
        const int pe = team.members[right];
        const auto bytes = contents(block, pe);
        shmem_putmem(block.mine, bytes.data(), bytes.size(), pe);
        shmem_quiet();
        shmem_team_sync(team.handle);
        check(block);
    }

    std::mt19937& random_;
    unsigned char* start_;
    std::vector<Team> teams_ = [] {
        std::vector<Team> teams;
        teams.reserve(kTeamsMax);  // references stay
        return teams;
    }();
    std::vector<Team> new_teams_;
    std::vector<std::map<std::size_t, std::size_t>> taken_;  // by PE: place -> bytes
};

}  // namespace

int main(int argc, char** argv) {
    shmem_init();
    auto* start = static_cast<unsigned char*>(shmemx_team_malloc(SHMEM_TEAM_WORLD, kUnit));
    tessera::test::run_sequences(argc > 1 ? std::atoi(argv[1]) : 20,
                                 [start](std::mt19937& random) { Sequence(random, start).run(); });
    shmemx_team_free(SHMEM_TEAM_WORLD, start);
    shmem_finalize();
    return 0;
}

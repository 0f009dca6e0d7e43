// SPDX-License-Identifier: BSD-3-Clause
//
// Random sequences of registrations, transfers and deregistrations by teams that overlap, against a
// model of all parts. All PEs draw the same sequence; each carries out the steps of its teams.
// Sizes and alignments are random, on each member. Breaks when a transfer moves other bytes than in
// the model, or when two live segments of a PE have a name in common.
//
//   segments_random_test [SEQUENCES]      TESSERA_TEST_SEED repeats a run
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <random>
#include <vector>

#include "part.hpp"
#include "runtime_layer/random_sequences.hpp"

namespace {

using tessera::test::expect;
using tessera::test::me;
using tessera::test::npes;
using tessera::test::Part;

constexpr int kSteps = 60;
constexpr std::size_t kTeams = 5;

struct Team {
    shmem_team_t handle = SHMEM_TEAM_INVALID;
    std::vector<int> members;
    bool has_me() const { return std::ranges::find(members, me) != members.end(); }
};

struct Segment {
    std::size_t team;
    std::vector<std::vector<unsigned char>> parts;  // the model, by member
    std::unique_ptr<Part> mine;                     // nullptr: this PE is no member
};

class Sequence {
  public:
    Sequence(std::mt19937& random, std::vector<Team>& teams) : random_(random), teams_(teams) {}
    void run() {
        for (int step = 0; step < kSteps; ++step) {
            const std::size_t kind = below(8);
            if (kind <= 1 || segments_.empty()) {
                add();
            } else if (kind == 2 && segments_.size() > 3) {
                end(below(segments_.size()));
            } else {
                transfer(segments_[below(segments_.size())]);
            }
        }
        while (!segments_.empty()) end(below(segments_.size()));
        shmem_barrier_all();
    }

  private:
    std::size_t below(std::size_t limit) { return random_() % limit; }

    void add() {
        Segment added{.team = below(kTeams), .parts = {}, .mine = nullptr};
        const Team& team = teams_[added.team];
        const std::size_t limit = std::size_t{1} << below(17);
        for (const int pe : team.members) {
            const std::size_t bytes = below(6) == 0 ? 0 : below(limit + 1);
            const std::size_t shift = below(64);
            added.parts.emplace_back(bytes);
            if (pe != me) continue;
            added.mine = std::make_unique<Part>(team.handle, bytes, shift);
            expect("registered", 0, added.mine->result());
        }
        if (added.mine != nullptr) check_names(added);
        segments_.push_back(std::move(added));
    }

    // The names of the first and last byte of my part are those of no other one.
    void check_names(const Segment& added) {
        const auto reach = [](const Segment& segment) {
            const auto first = reinterpret_cast<std::uintptr_t>(segment.mine->name(me));
            return std::pair(first, first + std::max<std::size_t>(segment.mine->bytes(), 1));
        };
        const auto [first, end] = reach(added);
        for (const Segment& other : segments_) {
            if (other.mine == nullptr) continue;
            const auto [other_first, other_end] = reach(other);
            expect("names are apart", 1, end <= other_first || other_end <= first ? 1 : 0);
        }
    }

    // One member puts bytes into the part of another one, and a third one gets them.
    void transfer(Segment& segment) {
        const Team& team = teams_[segment.team];
        const std::size_t owner = below(team.members.size());
        const int writer = team.members[below(team.members.size())];
        const int reader = team.members[below(team.members.size())];
        std::vector<unsigned char>& model = segment.parts[owner];
        const std::size_t begin = model.empty() ? 0 : below(model.size());
        const std::size_t most = below(3) == 0 ? 8 : model.size();
        const std::size_t count =
            model.empty() ? 0 : below(std::min(most, model.size() - begin) + 1);
        const std::size_t way = below(6);
        std::vector<unsigned char> bytes(count);
        for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random_());
        std::ranges::copy(bytes, model.begin() + static_cast<std::ptrdiff_t>(begin));
        if (segment.mine == nullptr) return;
        const int pe = team.members[owner];
        if (me == writer) {
            put(segment.mine->name(pe, begin), bytes, way, pe);
            shmem_quiet();
        }
        shmem_team_sync(team.handle);
        if (me == reader) get(segment.mine->name(pe, begin), bytes, way, pe);
        if (me == pe) check_mine(segment, model);
        shmem_team_sync(team.handle);
    }

    static void put(unsigned char* name, const std::vector<unsigned char>& bytes, std::size_t way,
                    int pe) {
        const std::size_t half[] = {bytes.size() / 2};
        const std::ptrdiff_t two[] = {2};
        shmemx_req_t req;
        switch (way) {
            case 0: return shmem_putmem(name, bytes.data(), bytes.size(), pe);
            case 1: return shmem_putmem_nbi(name, bytes.data(), bytes.size(), pe);
            case 2:
                shmemx_putmem_req(name, bytes.data(), bytes.size(), pe, &req);
                return shmemx_req_wait(&req, SHMEMX_REMOTE);
            case 3:
                return shmemx_accumulate(name, bytes.data(), bytes.size(), SHMEMX_TYPE_UINT8,
                                         SHMEMX_OP_REPLACE, pe);
            case 4: {
                const shmemx_block_t halves[] = {
                    {0, half[0]}, {static_cast<std::ptrdiff_t>(half[0]), bytes.size() - half[0]}};
                return shmemx_put_indexed(name, halves, 2, bytes.data(), halves, 2, pe);
            }
            default:  // even bytes, then odd ones, then the last
                if (bytes.empty()) return;
                shmemx_put_strided(name, two, bytes.data(), two, half, 1, 1, pe);
                shmemx_put_strided(name + 1, two, bytes.data() + 1, two, half, 1, 1, pe);
                if (bytes.size() % 2 == 0) return;
                return shmem_putmem(name + bytes.size() - 1, &bytes.back(), 1, pe);
        }
    }

    static void get(const unsigned char* name, const std::vector<unsigned char>& bytes,
                    std::size_t way, int pe) {
        std::vector<unsigned char> found(bytes.size());
        shmemx_req_t req;
        switch (way % 3) {
            case 0: shmem_getmem(found.data(), name, bytes.size(), pe); break;
            case 1:
                shmem_getmem_nbi(found.data(), name, bytes.size(), pe);
                shmem_quiet();
                break;
            default:
                shmemx_getmem_req(found.data(), name, bytes.size(), pe, &req);
                shmemx_req_wait(&req, SHMEMX_REMOTE);
        }
        for (std::size_t i = 0; i < bytes.size(); ++i)
            expect("byte that is got", bytes[i], found[i]);
    }

    static void check_mine(const Segment& segment, const std::vector<unsigned char>& model) {
        const unsigned char* mine = segment.mine->mine();
        for (std::size_t i = 0; i < model.size(); ++i)
            expect("byte of the part", model[i], mine[i]);
    }

    void end(std::size_t which) {
        segments_.erase(segments_.begin() + static_cast<std::ptrdiff_t>(which));
    }

    std::mt19937& random_;
    std::vector<Team>& teams_;
    std::vector<Segment> segments_;
};

// The world and four random lists, whose order is that of the members.
std::vector<Team> make_teams(std::mt19937& random) {
    std::vector<Team> teams(kTeams);
    for (std::size_t i = 0; i < kTeams; ++i) {
        for (int pe = 0; pe < npes; ++pe) teams[i].members.push_back(pe);
        if (i == 0) {
            teams[i].handle = SHMEM_TEAM_WORLD;
            continue;
        }
        std::ranges::shuffle(teams[i].members, random);
        teams[i].members.resize(1 + random() % static_cast<std::size_t>(npes));
        if (!teams[i].has_me()) continue;
        const int result = shmemx_team_create(SHMEM_TEAM_WORLD, teams[i].members.data(),
                                              static_cast<int>(teams[i].members.size()), nullptr, 0,
                                              &teams[i].handle);
        expect("team is made", 0, result);
    }
    return teams;
}

}  // namespace

int main(int argc, char** argv) {
    shmem_init();
    tessera::test::run_sequences(argc > 1 ? std::atoi(argv[1]) : 30, [](std::mt19937& random) {
        std::vector<Team> teams = make_teams(random);
        Sequence(random, teams).run();
        for (std::size_t i = 1; i < kTeams; ++i) {
            if (teams[i].has_me()) shmem_team_destroy(teams[i].handle);
        }
    });
    shmem_finalize();
    return 0;
}

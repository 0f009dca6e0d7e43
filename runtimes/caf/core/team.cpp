// SPDX-License-Identifier: BSD-3-Clause
//
// Teams of images (team.hpp, team_control.hpp). form team gathers what the images want through
// words in the memory of the parent's barrier block, not by a collective of OpenSHMEM, so that it
// works among the images that are left after a failure.

#include "core/team.hpp"

#include <shmem.h>
#include <shmemx.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "core/barrier.hpp"
#include "core/coarray.hpp"
#include "core/collectives.hpp"
#include "core/failures.hpp"
#include "core/ordering.hpp"
#include "core/runtime.hpp"
#include "core/team_control.hpp"

namespace tessera::caf {
namespace {

// All teams of this image, the initial team first. They live until the program ends: a variable of
// team_type is copied by plain assignment, so nothing tells when the last copy is gone.
std::vector<std::unique_ptr<Team>> teams;

struct Member {
    int index;  // wanted by the program, or 0
    int image;  // in the parent
};

// The wish of an image in form team: number and index in one word. Two words take turns: an image
// that writes one has passed a sync_members() behind the last reads of it.
constexpr std::uint64_t encode(int number, int index) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(number)) << 32 |
           static_cast<std::uint32_t>(index);
}

// The block of a team in the memory of each image:
//
//   barrier | two words of form team, to a line | Exposed (collectives.hpp)
constexpr std::size_t kLineBytes = 64;

std::size_t block_bytes(int images) {
    return TeamBarrier::memory_bytes(images) + kLineBytes + sizeof(Exposed);
}

// Teams whose images map each other's memory can exchange data by loads.
void find_exposed(Team& team, Exposed* own) {
    for (int image = 1; image <= team.images; ++image) {
        auto* mapped = static_cast<Exposed*>(shmem_ptr(own, team.pe_of(image)));
        if (mapped == nullptr) {
            team.exposed.clear();
            return;
        }
        team.exposed.push_back(mapped);
    }
}

void use_block(Team& team, void* block) {
    team.barrier = std::make_unique<TeamBarrier>(team, block);
    std::byte* wishes = static_cast<std::byte*>(block) + TeamBarrier::memory_bytes(team.images);
    team.wishes = reinterpret_cast<std::uint64_t*>(wishes);
    find_exposed(team, reinterpret_cast<Exposed*>(wishes + kLineBytes));
    if (!team.exposed.empty()) {
        team.barrier->use_shared_release();
    }
}

constexpr std::uint64_t kNoWish = encode(-1, -1);

// The wishes of all images of the current team; kNoWish for those that have failed.
std::vector<std::uint64_t> read_wishes(const Team& parent, const std::uint64_t* wish) {
    std::vector<std::uint64_t> wishes(static_cast<std::size_t>(parent.images), kNoWish);
    for (int image = 1; image <= parent.images; ++image) {
        const int pe = parent.pe_of(image);
        if (status_of_pe(pe) == kOk) {
            wishes[static_cast<std::size_t>(image - 1)] = shmem_uint64_atomic_fetch(wish, pe);
        }
    }
    return wishes;
}

// The images that have said `number`, in the order of the parent.
std::vector<Member> find_members(const std::vector<std::uint64_t>& wishes, int number) {
    std::vector<Member> members;
    for (std::size_t i = 0; i < wishes.size(); ++i) {
        if (wishes[i] != kNoWish && static_cast<int>(wishes[i] >> 32) == number) {
            members.push_back({static_cast<int>(wishes[i] & 0xffffffff), static_cast<int>(i) + 1});
        }
    }
    return members;
}

// Puts the members at the places that they want, the others at the free places in their order.
// RETURNS: whether each place is wanted by one image at most and exists.
bool order_members(std::vector<Member>& members) {
    std::vector<Member> ordered(members.size(), Member{0, 0});
    for (const Member& member : members) {
        if (member.index == 0) {
            continue;
        }
        const auto place = static_cast<std::size_t>(member.index - 1);
        if (member.index < 0 || place >= ordered.size() || ordered[place].image != 0) {
            return false;
        }
        ordered[place] = member;
    }
    std::size_t place = 0;
    for (const Member& member : members) {
        if (member.index != 0) {
            continue;
        }
        while (ordered[place].image != 0) {
            ++place;
        }
        ordered[place] = member;
    }
    members = std::move(ordered);
    return true;
}

// Keeps the list of PEs only where no first number and stride describe it.
void set_pes(Team& team, std::vector<int> pes) {
    team.images = static_cast<int>(pes.size());
    team.first_pe = pes[0];
    team.pe_stride = pes.size() > 1 ? pes[1] - pes[0] : 1;
    for (std::size_t i = 0; i < pes.size(); ++i) {
        if (pes[i] != team.first_pe + static_cast<int>(i) * team.pe_stride) {
            team.pes = std::move(pes);
            return;
        }
    }
}

}  // namespace

// Here TeamBarrier is a complete type.
Team::Team() = default;
Team::~Team() = default;

int Team::image_of(int pe) const {
    if (!pes.empty()) {
        const auto found = std::find(pes.begin(), pes.end(), pe);
        return found == pes.end() ? 0 : static_cast<int>(found - pes.begin()) + 1;
    }
    const int distance = pe - first_pe;
    const bool is_member =
        distance % pe_stride == 0 && distance / pe_stride >= 0 && distance / pe_stride < images;
    return is_member ? distance / pe_stride + 1 : 0;
}

Team& initial_team() { return *teams.front(); }

void stop_for_image(int image, const Team& team, const char* routine) {
    stop_with_error(routine, "image %d does not exist; the team has the images 1 to %d", image,
                    team.images);
}

int sync_members(Team& team) { return team.barrier->wait(); }

void make_initial_team() {
    teams.push_back(std::make_unique<Team>());
    Team& team = *teams.back();
    team.handle = SHMEM_TEAM_WORLD;
    team.images = shmem_n_pes();
    team.this_image = shmem_my_pe() + 1;
    void* block = shmem_calloc(1, block_bytes(team.images));
    if (block == nullptr) {
        stop_with_error("start", "no symmetric memory; raise SHMEM_SYMMETRIC_SIZE");
    }
    use_block(team, block);
    detail::current = &team;
    detail::is_one_node = !team.exposed.empty();
}

FormedTeam form_team(int number, int new_index) {
    Team& parent = current_team();
    complete_all();
    std::uint64_t* wish = &parent.wishes[parent.forms++ % 2];
    shmem_uint64_atomic_set(wish, encode(number, new_index), parent.pe_of(parent.this_image));
    shmem_quiet();
    const int status = sync_members(parent);
    if (status == kStoppedImage) {
        return {nullptr, status, ""};
    }
    std::vector<std::uint64_t> wishes = read_wishes(parent, wish);
    std::vector<Member> members = find_members(wishes, number);
    if (!order_members(members)) {
        return {nullptr, kBadTeam, "two images want the same new_index, or it is out of range"};
    }
    auto team = std::make_unique<Team>();
    std::vector<int> pes;
    for (const Member& member : members) {
        pes.push_back(parent.pe_of(member.image));
    }
    const CollectiveCall call(parent, "form team", Before::kReported);
    const bool has_failed =
        shmemx_team_create(SHMEM_TEAM_WORLD, pes.data(), static_cast<int>(pes.size()), nullptr, 0,
                           &team->handle) != 0;
    if (has_failed) {
        return {nullptr, kNoMemory, "no memory for one more team"};
    }
    set_pes(*team, std::move(pes));
    team->this_image = shmem_team_my_pe(team->handle) + 1;
    team->parent = &parent;
    team->number = number;
    team->formation = std::move(wishes);
    team->depth = parent.depth + 1;
    void* block = shmemx_team_calloc(team->handle, 1, block_bytes(team->images));
    if (block == nullptr) {
        return {nullptr, kNoMemory, "no memory for one more team; raise SHMEM_TEAM_MEMORY_SIZE"};
    }
    use_block(*team, block);
    teams.push_back(std::move(team));
    return {teams.back().get(), status, ""};
}

int change_team(Team& team) {
    complete_all();
    detail::current = &team;
    return sync_members(team);
}

int end_team() {
    Team& team = current_team();
    complete_all();
    const int status = sync_members(team);
    if (status == kOk) {
        free_all_of(team);
    }
    detail::current = team.parent;
    return status;
}

Team& ancestor(int distance) {
    Team* team = &current_team();
    while (distance > 0 && !team->is_initial()) {
        team = team->parent;
        --distance;
    }
    return *team;
}

bool is_related(const Team& team) {
    if (team.parent == &current_team()) {
        return true;
    }
    for (const Team* t = &current_team(); t != nullptr; t = t->parent) {
        if (t == &team) {
            return true;
        }
    }
    return false;
}

int images_of_number(int number) {
    if (number == initial_team().number) {
        return initial_team().images;
    }
    return static_cast<int>(find_members(current_team().formation, number).size());
}

int pe_of_number(int number, int image, const char* routine) {
    const Team& team = current_team();
    if (number == team.number) {
        return pe_of(image, routine);
    }
    if (number == initial_team().number) {
        return pe_of(image, initial_team(), routine);
    }
    std::vector<Member> members = find_members(team.formation, number);
    if (image < 1 || image > static_cast<int>(members.size())) {
        stop_with_error(routine, "image %d of team %d does not exist; the team has %zu images",
                        image, number, members.size());
    }
    order_members(members);
    return team.parent->pe_of(members[static_cast<std::size_t>(image - 1)].image);
}

Team* find_team(const void* value) {
    for (const std::unique_ptr<Team>& team : teams) {
        if (team.get() == value) {
            return team.get();
        }
    }
    return nullptr;
}

int count_failed(const Team& team) {
    int failed = 0;
    for (int image = 1; image <= team.images; ++image) {
        failed += status_of_pe(team.pe_of(image)) == kFailedImage ? 1 : 0;
    }
    return failed;
}

void for_each_team(void (*visit)(Team&, void*), void* data) {
    for (const std::unique_ptr<Team>& team : teams) {
        visit(*team, data);
    }
}

}  // namespace tessera::caf

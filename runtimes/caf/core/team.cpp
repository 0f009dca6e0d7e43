// SPDX-License-Identifier: BSD-3-Clause
//
// Teams of images (team.hpp, team_control.hpp). form team gathers what the images want through
// wishes in the memory of the parent's barrier block, not by a collective of OpenSHMEM, so that it
// works among the images that are left after a failure.

#include "core/team.hpp"

#include <shmem.h>
#include <shmemx.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "core/barrier.hpp"
#include "core/coarray.hpp"
#include "core/collectives.hpp"
#include "core/failures.hpp"
#include "core/hang_note.hpp"
#include "core/idle_teams.hpp"
#include "core/ordering.hpp"
#include "core/runtime.hpp"
#include "core/team_control.hpp"
#include "core/transfer.hpp"

namespace tessera::caf {
namespace {

// All teams of this image by their tokens, the initial team first. Made at the first use: in a
// static program constructors of coarrays run before those of this library. Never destroyed: images
// that end serve them.
using Teams = std::map<const void*, std::unique_ptr<Team>>;
Teams& teams() {
    static Teams& all = *new Teams;
    return all;
}

// No address is as large, so what a variable held before form team is no token.
std::uintptr_t next_token = std::uintptr_t{1} << 63;

struct Member {
    int index;  // wanted by the program, or 0
    int image;  // in the parent
};

// The team that an image wants: number and index in one word.
constexpr std::uint64_t encode(int number, int index) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(number)) << 32 |
           static_cast<std::uint32_t>(index);
}

// The block of a team in the memory of each image:
//
//   barrier | two wishes of form team, four words of allocations, to a line | Exposed
//
// The wishes take turns: an image that writes one has passed a sync_members() behind the last reads
// of it.
constexpr std::size_t kLineBytes = 64;
static_assert(2 * sizeof(Wish) + 4 * sizeof(std::uint64_t) <= kLineBytes);

std::size_t block_bytes(int images) {
    return TeamBarrier::memory_bytes(images) + kLineBytes + sizeof(Exposed);
}

// Teams whose images map each other's memory can exchange data by loads.
void find_exposed(Team& team, Exposed* own) {
    team.own_exposed = own;
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
    team.wishes = reinterpret_cast<Wish*>(wishes);
    team.allocation_words = reinterpret_cast<std::uint64_t*>(wishes + 2 * sizeof(Wish));
    find_exposed(team, reinterpret_cast<Exposed*>(wishes + kLineBytes));
    if (!team.exposed.empty()) {
        team.barrier->use_shared_release();
    }
}

void make_current(Team& team) {
    detail::current = &team;
    HangNote& note = _gfortran_caf_hang_note;
    note.pes = team.pes.empty() ? nullptr : team.pes.data();
    note.images = team.images;
    note.first_pe = team.first_pe;
    note.pe_stride = team.pe_stride;
}

constexpr std::uint64_t kNoTeam = encode(-1, -1);

// The wishes of all images of the current team; those that have failed want no team.
std::vector<Wish> read_wishes(const Team& parent, const Wish* wish) {
    std::vector<Wish> wishes(static_cast<std::size_t>(parent.images), Wish{kNoTeam, 0});
    for (int image = 1; image <= parent.images; ++image) {
        const int pe = parent.pe_of(image);
        if (status_of_pe(pe) == kOk) {
            get_bytes(&wishes[static_cast<std::size_t>(image - 1)], wish, sizeof *wish, pe);
        }
    }
    return wishes;
}

std::vector<std::uint64_t> wanted_teams(const std::vector<Wish>& wishes) {
    std::vector<std::uint64_t> wanted;
    for (const Wish& wish : wishes) {
        wanted.push_back(wish.wanted);
    }
    return wanted;
}

// The images that have said `number`, in the order of the parent.
std::vector<Member> find_members(const std::vector<std::uint64_t>& wanted, int number) {
    std::vector<Member> members;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i] != kNoTeam && static_cast<int>(wanted[i] >> 32) == number) {
            members.push_back({static_cast<int>(wanted[i] & 0xffffffff), static_cast<int>(i) + 1});
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

Team& initial_team() { return *teams().begin()->second; }

void stop_for_image(int image, const Team& team, const char* routine) {
    stop_with_error(routine, "image %d does not exist; the team has the images 1 to %d", image,
                    team.images);
}

int sync_members(Team& team) { return team.barrier->wait(); }

Team& add_team(std::unique_ptr<Team> team) {
    team->token = reinterpret_cast<void*>(next_token++);
    return *(teams()[team->token] = std::move(team));
}

void delete_team(const Team& team) { teams().erase(team.token); }

void make_initial_team() {
    Team& team = add_team(std::make_unique<Team>());
    team.handle = SHMEM_TEAM_WORLD;
    team.images = shmem_n_pes();
    team.this_image = shmem_my_pe() + 1;
    void* block = shmem_calloc(1, block_bytes(team.images));
    if (block == nullptr) {
        stop_with_error("start", "no symmetric memory; raise SHMEM_SYMMETRIC_SIZE");
    }
    use_block(team, block);
    make_current(team);
    detail::is_one_node = !team.exposed.empty();
}

bool equip(Team& team) {
    std::vector<int> pes;
    for (int image = 1; image <= team.images; ++image) {
        pes.push_back(team.pe_of(image));
    }
    if (shmemx_team_create(SHMEM_TEAM_WORLD, pes.data(), team.images, nullptr, 0, &team.handle) !=
        0) {
        return false;
    }
    void* block = shmemx_team_calloc(team.handle, 1, block_bytes(team.images));
    if (block == nullptr) {
        shmem_team_destroy(std::exchange(team.handle, SHMEM_TEAM_INVALID));
        return false;
    }
    use_block(team, block);
    return true;
}

FormedTeam form_team(int number, int new_index, const void* variable) {
    Team& parent = current_team();
    complete_all();
    define_again(variable);
    const std::uint32_t call = ++parent.forms;
    Team* const proposed = choose_redefined(parent, call);
    Wish* wish = &parent.wishes[call % 2];
    *wish = {number > 0 ? encode(number, new_index) : kNoTeam,
             proposed != nullptr ? proposed->formed_at : 0};
    const int status = sync_members(parent);
    if (status == kStoppedImage) {
        return {nullptr, status, ""};
    }
    const std::vector<Wish> wishes = read_wishes(parent, wish);
    const CollectiveCall guard(parent, "form team", Before::kReported);
    if (proposed != nullptr && status == kOk) {
        make_idle_if_agreed(parent, *proposed, wishes);
    }
    if (number <= 0) {
        return {nullptr, kBadTeam, "the number of a team is positive"};
    }
    auto team = std::make_unique<Team>();
    team->formation = wanted_teams(wishes);
    std::vector<Member> members = find_members(team->formation, number);
    if (!order_members(members)) {
        return {nullptr, kBadTeam, "two images want the same new_index, or it is out of range"};
    }
    std::vector<int> pes;
    for (const Member& member : members) {
        pes.push_back(parent.pe_of(member.image));
    }
    set_pes(*team, std::move(pes));
    team->this_image = team->image_of(shmem_my_pe());
    team->parent = &parent;
    team->number = number;
    team->formed_at = call;
    team->depth = parent.depth + 1;
    if (!equip(*team)) {
        return {nullptr, kNoMemory, "no memory for one more team; raise SHMEM_TEAM_MEMORY_SIZE"};
    }
    Team& formed = add_team(std::move(team));
    note_variable(formed, variable);
    return {&formed, status, ""};
}

int change_team(Team& team) {
    complete_all();
    if (const int status = equip_again(team, "change team"); status != kOk) {
        return status;
    }
    make_current(team);
    return sync_members(team);
}

int sync_team(Team& team) {
    complete_all();
    const int status = equip_again(team, "sync team");
    return status != kOk ? status : sync_members(team);
}

int end_team() {
    Team& team = current_team();
    complete_all();
    const int status = sync_members(team);
    if (status == kOk) {
        free_all_of(team);
    }
    make_current(*team.parent);
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
    const auto found = teams().find(value);
    return found == teams().end() ? nullptr : found->second.get();
}

int count_failed(const Team& team) {
    int failed = 0;
    for (int image = 1; image <= team.images; ++image) {
        failed += status_of_pe(team.pe_of(image)) == kFailedImage ? 1 : 0;
    }
    return failed;
}

void for_each_team(void (*visit)(Team&, void*), void* data) {
    for_each_team_from(initial_team(), visit, data);
}

void for_each_team_from(const Team& first, void (*visit)(Team&, void*), void* data) {
    for (auto team = teams().find(first.token); team != teams().end(); ++team) {
        if (!team->second->is_idle()) {
            visit(*team->second, data);
        }
    }
}

}  // namespace tessera::caf

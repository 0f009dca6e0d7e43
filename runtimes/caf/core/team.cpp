// SPDX-License-Identifier: BSD-3-Clause
//
// All teams of this image, and what a team needs to be used (team.hpp).

#include "core/team.hpp"

#include <shmem.h>
#include <shmemx.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "core/hang_note.hpp"
#include "core/report.hpp"

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

// The block of a team in the memory of each image:
//
//   barrier | two messages of form team, four words of allocations, to two lines | Exposed
//
// The messages take turns: before an image writes one, it has passed a sync_members() behind the
// last reads of it.
constexpr std::size_t kWordsBytes = 128;
static_assert(2 * sizeof(FormMessage) + 4 * sizeof(std::uint64_t) <= kWordsBytes);

std::size_t block_bytes(int images) {
    return TeamBarrier::memory_bytes(images) + kWordsBytes + sizeof(Exposed);
}

// Teams whose images map each other's memory can exchange data by loads.
void find_exposed(Team& team, Exposed* own) {
    team.own_exposed = own;
    team.is_in_reach = true;
    for (int image = 1; image <= team.images; ++image) {
        auto* mapped = static_cast<Exposed*>(shmem_ptr(own, team.pe_of(image)));
        team.exposed.push_back(mapped);
        team.is_in_reach &= shmemx_public_ptr(own, team.pe_of(image)) != nullptr;
    }
    if (std::ranges::count(team.exposed, nullptr) != 0) team.exposed.clear();
}

void use_block(Team& team, void* block) {
    team.barrier = std::make_unique<TeamBarrier>(team, block);
    std::byte* messages = static_cast<std::byte*>(block) + TeamBarrier::memory_bytes(team.images);
    team.form_messages = reinterpret_cast<FormMessage*>(messages);
    team.allocation_words = reinterpret_cast<std::uint64_t*>(messages + 2 * sizeof(FormMessage));
    find_exposed(team, reinterpret_cast<Exposed*>(messages + kWordsBytes));
    if (!team.exposed.empty()) team.barrier->use_shared_release();
}

}  // namespace

Team& initial_team() { return *teams().begin()->second; }

void stop_for_image(int image, const Team& team, const char* routine) {
    stop_with_error(routine, "image %d does not exist; the team has the images 1 to %d", image,
                    team.images);
}

void make_current(Team& team) {
    detail::current = &team;
    detail::image_number = initial_team().this_image;
    detail::image_in_team = team.this_image;
    detail::team_number = team.number;
    HangNote& note = _gfortran_caf_hang_note;
    note.pes = team.pes.empty() ? nullptr : team.pes.data();
    note.images = team.images;
    note.first_pe = team.first_pe;
    note.pe_stride = team.pe_stride;
}

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
    if (block == nullptr)
        stop_with_error("start", "no symmetric memory; raise SHMEM_SYMMETRIC_SIZE");
    use_block(team, block);
    make_current(team);
    detail::is_one_node = !team.exposed.empty();
    detail::all_images = team.images;
}

bool equip(Team& team) {
    const std::vector<int> pes = team.all_pes();
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

Team* find_team(const void* value) {
    const auto found = teams().find(value);
    return found == teams().end() ? nullptr : found->second.get();
}

std::vector<Team*> teams_from(const Team& first) {
    std::vector<Team*> found;
    for (auto team = teams().find(first.token); team != teams().end(); ++team) {
        if (!team->second->is_idle()) found.push_back(team->second.get());
    }
    return found;
}

}  // namespace tessera::caf

// SPDX-License-Identifier: BSD-3-Clause
//
// Teams of images. Image i of a team is PE pe_of(i); the images of a team are numbered from 1, in
// the order of the OpenSHMEM team `handle`. current_team() changes by change team and end team
// (team_control.hpp) only.

#pragma once

#include <shmem.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tessera::caf {

struct Coarray;
struct Exposed;
class TeamBarrier;

struct Team {
    Team();
    ~Team();
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    shmem_team_t handle = SHMEM_TEAM_INVALID;
    int images = 0;
    int this_image = 0;
    Team* parent = nullptr;  // NULL: the initial team.
    int number = -1;         // team_number; -1 for the initial team.
    int depth = 0;           // 0 for the initial team.
    // Image i is PE pes[i - 1]; if pes is empty, first_pe + (i - 1) * pe_stride.
    std::vector<int> pes;
    int first_pe = 0;
    int pe_stride = 1;
    // Coarrays allocated since change team, in the order of their allocation; coarray.hpp keeps it.
    std::vector<Coarray*> coarrays;
    std::unique_ptr<TeamBarrier> barrier;
    // form team: two symmetric words for wishes of this image, and the calls so far.
    std::uint64_t* wishes = nullptr;
    unsigned forms = 0;
    // The wishes of all images of the parent when this team was formed: its siblings (team.cpp).
    std::vector<std::uint64_t> formation;

    // Where each image exposes data of collectives (collectives.cpp), as this image loads it. Empty
    // in teams on several nodes.
    std::vector<Exposed*> exposed;
    std::uint64_t broadcasts = 0;  // by slots, so far

    int pe_of(int image) const {
        return pes.empty() ? first_pe + (image - 1) * pe_stride
                           : pes[static_cast<std::size_t>(image - 1)];
    }
    // The image that runs on PE `pe`, or 0 if that PE is not in the team.
    int image_of(int pe) const;
    bool is_initial() const { return parent == nullptr; }
};

namespace detail {
inline Team* current = nullptr;   // Set by ensure_initialized().
inline bool is_one_node = false;  // All images map each other's memory. Set with it.
}  // namespace detail

Team& initial_team();
inline Team& current_team() { return *detail::current; }
inline int this_image() { return detail::current->this_image; }
inline int num_images() { return detail::current->images; }

[[noreturn]] void stop_for_image(int image, const Team& team, const char* routine);

// The PE of an image of a team, of the current team by default. ERRORS: an image out of range ends
// the program.
inline int pe_of(int image, const Team& team, const char* routine) {
    if (image < 1 || image > team.images) [[unlikely]] {
        stop_for_image(image, team, routine);
    }
    return team.pe_of(image);
}
inline int pe_of(int image, const char* routine) { return pe_of(image, *detail::current, routine); }

// kOk, kStoppedImage or kFailedImage: whether the image on `pe` has initiated termination or has
// executed fail image. Its memory is there in each case.
int status_of_pe(int pe);

// Waits until all images of a team that neither have stopped nor failed have called it. The same
// value on all of them: kOk; kStoppedImage or kFailedImage if an image does not take part. Does not
// complete puts (ordering.hpp: complete_all). A collective of OpenSHMEM on the team is safe only
// directly after kOk: then no member can stop before it.
int sync_members(Team& team);

}  // namespace tessera::caf

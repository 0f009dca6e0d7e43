// SPDX-License-Identifier: BSD-3-Clause
//
// Images form a team of all that live, again and again by the same variable, until a timer kills
// one of them at any step. Those that are left must agree about the members of each team. A death
// inside of form team may end the program, with a message (docs/run/coarrays.md).
#include <shmem.h>
#include <sys/random.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>

#include "runtimes/caf/core/failures.hpp"
#include "runtimes/caf/core/runtime.hpp"
#include "runtimes/caf/core/team_control.hpp"
#include "runtimes/caf/core/termination.hpp"

namespace {

namespace caf = tessera::caf;

constexpr std::uint64_t kLifeMax = 3000;  // us
constexpr int kRoundsAfterDeath = 3;
int rounds = 0;
long* seen = nullptr;  // the round, and the images of its team

void check(bool is_right, const char* what) {
    if (is_right) return;
    std::printf("PE %d, round %d: %s\n", shmem_my_pe(), rounds, what);
    shmem_global_exit(1);
}

std::uint64_t random_below(std::uint64_t bound) {
    std::uint64_t number = 0;
    if (::getrandom(&number, sizeof number, 0) != sizeof number) return 0;
    return number % bound;
}

// RETURNS: the images of the new team.
int use_new_team() {
    static const char variable = 0;
    ++rounds;
    const caf::FormedTeam formed = caf::form_team(1, 0, &variable);
    check(formed.team != nullptr, "no team is formed");
    caf::change_team(*formed.team);
    const caf::Team& team = caf::current_team();
    const int images = team.images;
    shmem_long_p(&seen[0], rounds, shmem_my_pe());
    shmem_long_p(&seen[1], images, shmem_my_pe());
    caf::sync_members(*formed.team);
    for (int image = 1; image <= images; ++image) {
        const int pe = team.pe_of(image);
        if (caf::is_dead(pe)) continue;
        check(shmem_long_g(&seen[0], pe) == rounds, "a member is in another round");
        check(shmem_long_g(&seen[1], pe) == images, "a member has another number of images");
    }
    caf::end_team();
    return images;
}

}  // namespace

int main() {
    caf::ensure_initialized();
    seen = static_cast<long*>(shmem_calloc(3, sizeof(long)));
    const int images = caf::num_images();
    if (caf::this_image() == 1) seen[2] = static_cast<long>(random_below(images));
    caf::sync_members(caf::initial_team());
    const bool dies = shmem_long_g(&seen[2], 0) == shmem_my_pe();
    caf::sync_members(caf::initial_team());
    if (dies) ::ualarm(static_cast<useconds_t>(1 + random_below(kLifeMax)), 0);
    int status = caf::kOk;
    while (status == caf::kOk) {
        use_new_team();
        status = caf::sync_members(caf::initial_team());
    }
    check(status == caf::kFailedImage, "the status is not that of a failed image");
    for (int i = 0; i < kRoundsAfterDeath; ++i) {
        check(use_new_team() == images - 1, "the team is not that of the images that are left");
        check(caf::sync_members(caf::initial_team()) == caf::kFailedImage,
              "the failed image is forgotten");
    }
    caf::stop_image(0);
}

// SPDX-License-Identifier: BSD-3-Clause
//
// Image 2 posts an event to image 1, and stops. Image 1 waits for two posts, one after the other:
// the first wait must see the post, and the second one must end, because no image is left.
#include "runtimes/caf/core/events.hpp"

#include "runtimes/caf/core/team_control.hpp"
#include "two_images.hpp"

// A wait for an event, unlike one for a notification, does not come to it.
extern "C" std::uint64_t shmem_uint64_atomic_compare_swap(std::uint64_t*, std::uint64_t,
                                                          std::uint64_t, int) {
    return 0;
}
namespace tessera::caf {

Team& initial_team() { return *reinterpret_cast<Team*>(protocols::symmetric.start); }
int count_failed(const Team& /*team*/) { return 0; }

}  // namespace tessera::caf

namespace tessera::protocols {

struct Harness {
    Image images[kImages];
    int data;

    void run() {
        start_images(images);
        in_parallel(
            [this] {
                check(caf::wait_for_event(&images[0].event, 1) == caf::kOk);
                check(data == 1);
                check(caf::wait_for_event(&images[0].event, 1) == caf::kStoppedImage);
            },
            [this] {
                data = 1;
                caf::post_event(&images[1].event, 0);
                caf::publish_state(caf::ImageState::kStopped);
            });
    }
};

}  // namespace tessera::protocols

int main() { return tessera::protocols::explore<tessera::protocols::Harness>(); }

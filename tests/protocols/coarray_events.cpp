// SPDX-License-Identifier: BSD-3-Clause
//
// Image 2 posts an event to image 1, and stops. Image 1 waits for two posts, one after the other:
// the first wait must see the post, and the second one must end, because no image is left.
#include "runtimes/caf/core/events.hpp"

#include "runtimes/caf/core/coarray.hpp"
#include "runtimes/caf/core/team_control.hpp"
#include "two_images.hpp"

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
                const caf::Coarray event{.base = &images[0].event, .bytes = caf::kEventBytes};
                check(caf::wait_for_event(event, 0, 1) == caf::kOk);
                check(data == 1);
                check(caf::wait_for_event(event, 0, 1) == caf::kStoppedImage);
            },
            [this] {
                const caf::Coarray event{.base = &images[1].event, .bytes = caf::kEventBytes};
                data = 1;
                caf::post_event(event, 0, 0);
                caf::publish_state(caf::ImageState::kStopped);
            });
    }
};

}  // namespace tessera::protocols

int main() { return tessera::protocols::explore<tessera::protocols::Harness>(); }

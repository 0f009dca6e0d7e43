// SPDX-License-Identifier: BSD-3-Clause
//
// Two images synchronize with each other. Image 2 stops behind that, perhaps while image 1 waits
// for it once more: this wait must end.
#include "two_images.hpp"

namespace tessera::protocols {

struct Harness {
    Image images[kImages];
    int data[kImages];

    void meet(int me) {
        const int other = 1 - me;
        data[me] = 1;
        caf::complete_all();
        check(caf::sync_with_pes(&other, 1) == caf::kOk);
        check(data[other] == 1);
    }
    void run() {
        start_images(images);
        in_parallel(
            [this] {
                meet(0);
                const int other = 1;
                check(caf::sync_with_pes(&other, 1) == caf::kStoppedImage);
            },
            [this] {
                meet(1);
                caf::publish_state(caf::ImageState::kStopped);
            });
    }
};

}  // namespace tessera::protocols

int main() { return tessera::protocols::explore<tessera::protocols::Harness>(); }

// SPDX-License-Identifier: BSD-3-Clause
//
// Two images synchronize with each other; then image 2 stops, and image 1 waits for it once more.
// The process of image 2 dies at any of its steps, or not at all: each wait of image 1 must end,
// with the status that fits. For GenMC alone: no thread of a program ends in the middle.
#include "two_images.hpp"

namespace tessera::protocols {

constexpr int kStepsMax = 7;  // steps of the image that dies

struct Harness {
    Image images[kImages];
    int data[kImages];
    std::atomic<int> fate;

    int meet(int me) {
        const int other = 1 - me;
        data[me] = 1;
        caf::complete_all();
        const int status = caf::sync_with_pes(&other, 1);
        check(status != caf::kOk || data[other] == 1);
        return status;
    }
    void wait_for_the_other() {
        const int first = meet(0);
        check(first == caf::kOk || first == caf::kFailedImage);
        const int other = 1;
        const int second = caf::sync_with_pes(&other, 1);
        const auto stopped = static_cast<std::uint64_t>(caf::ImageState::kStopped);
        const bool has_stopped = at(&images[1].words[0], 0).load() == stopped;
        check(second == (has_stopped ? caf::kStoppedImage : caf::kFailedImage));
        check(second == caf::kFailedImage || first == caf::kOk);
    }
    void run() {
        start_images(images);
        at_death = [] {
            dead_pe = my_thread;
            deaths.store(1, std::memory_order_release);
        };
        in_parallel([this] { wait_for_the_other(); },
                    [this] {
                        steps_left[my_thread] = fate.load(std::memory_order_relaxed);
                        check(meet(1) == caf::kOk);
                        caf::publish_state(caf::ImageState::kStopped);
                    },
                    [this] {
                        for (int i = 1; i <= kStepsMax; ++i)
                            fate.store(i, std::memory_order_relaxed);
                    });
    }
};

}  // namespace tessera::protocols

int main() { return tessera::protocols::explore<tessera::protocols::Harness>(); }

// SPDX-License-Identifier: BSD-3-Clause
//
// Image 2 posts an event to image 1, and stops. Image 1 waits for two posts, one after the other:
// the first wait must see the post, and the second one must end, because no image is left.
#include "core/events.hpp"

#include "core/coarray.hpp"
#include "core/image_state.hpp"
#include "core/ordering.hpp"
#include "core/report.hpp"
#include "core/team_control.hpp"
#include "symmetric.hpp"

// A PE of a node with coherent memory, in which no process dies, comes to none of these.
extern "C" {
std::uint64_t shmem_signal_fetch(const std::uint64_t*) { return 0; }
int shmemx_failed_pe(int) { return -1; }
void* shmemx_public_ptr(const void*, int) { return nullptr; }
void shmemx_invalidate(const void*, std::size_t) {}
}
namespace tessera::caf {

bool is_dead(int /*pe*/) { return false; }
void complete_all() { shmem_quiet(); }
Team& initial_team() { return *reinterpret_cast<Team*>(protocols::symmetric.start); }
int count_failed(const Team& /*team*/) { return 0; }
void stop_with_error(const char* /*routine*/, const char* /*format*/, ...) {
    protocols::check(false);
    std::abort();
}

}  // namespace tessera::caf

namespace tessera::protocols {
namespace {

constexpr int kImages = 2;

struct Image {
    std::uint64_t event;
    std::uint64_t words[8];  // image_state.cpp
};

}  // namespace

struct Harness {
    Image images[kImages];
    int data;

    void run() {
        symmetric = {.start = reinterpret_cast<char*>(images),
                     .bytes_of_pe = sizeof(Image),
                     .npes = kImages};
        for (my_thread = 0; my_thread < kImages; ++my_thread)
            caf::make_image_state(my_thread, kImages);
        my_thread = 0;
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

// The words of image_state.cpp.
extern "C" void* shmem_calloc(std::size_t /*count*/, std::size_t /*bytes*/) {
    namespace protocols = tessera::protocols;
    auto* const images = reinterpret_cast<protocols::Image*>(protocols::symmetric.start);
    return images[protocols::my_thread].words;
}
int main() { return tessera::protocols::explore<tessera::protocols::Harness>(); }

// SPDX-License-Identifier: BSD-3-Clause
//
// Two images of a coarray program meet two times, and each reads what the other one has written
// before.
#include "core/barrier.hpp"

#include "core/ordering.hpp"
#include "core/report.hpp"
#include "symmetric.hpp"

// A PE of a node with coherent memory, in which no process dies, comes to none of these.
extern "C" {
void shmemx_writeback(const void*, std::size_t) { tessera::protocols::check(false); }
std::uint64_t shmem_signal_fetch(const std::uint64_t*) { return 0; }
}
namespace tessera::caf {

bool has_dead_member(const Members&) { return false; }
std::uint64_t TeamBarrier::wait_after_deaths() { return 0; }
bool TeamBarrier::have_all_left_after_deaths() { return false; }

}  // namespace tessera::caf

namespace tessera::protocols {
namespace {

constexpr int kImages = 2;
constexpr int kRounds = 2;
// Whether the images look for their release at the root, as where they share cores.
constexpr bool kSharedRelease = false;

struct Image {
    alignas(64) char memory[512];
};

struct Harness {
    Image images[kImages];
    int data[kRounds][kImages];

    void work(int me) {
        const caf::Members team{.images = kImages, .this_image = me + 1, .pes = {}};
        check(caf::TeamBarrier::memory_bytes(kImages) <= sizeof(Image));
        caf::TeamBarrier barrier(team, images[me].memory);
        if (kSharedRelease) barrier.use_shared_release();
        for (auto& of_round : data) {
            of_round[me] = 1;
            check(barrier.wait() == caf::kOk);
            check(of_round[1 - me] == 1);
        }
    }
    void run() {
        symmetric = {.start = images[0].memory,
                     .bytes_of_pe = sizeof(Image),
                     .npes = kSharedRelease ? 1 << 20 : kImages};
        in_parallel([this] { work(0); }, [this] { work(1); });
    }
};

}  // namespace
}  // namespace tessera::protocols

int main() { return tessera::protocols::explore<tessera::protocols::Harness>(); }

// SPDX-License-Identifier: BSD-3-Clause
//
// Two PEs put data to a third one, each with a notification that adds to one word there: by one
// operation (shmem_put_signal, dart_put_notify), and by a put, a fence and a signal. The third one
// waits for both.
#include "api/local_word.hpp"
#include "pes.hpp"

namespace tessera::protocols {
namespace {

struct Harness {
    Pes<3> pes;

    void run() {
        pes.start();
        in_parallel(
            [this] {
                pes.begin();
                const api::LocalWords<std::uint64_t> word(pes.names(), 1, "wait");
                wait_until([&] { return word.load(0) >= 2; }, "wait");
                check(pes.names()[1] == 1 && pes.names()[2] == 1);
            },
            [this] {
                pes.begin();
                const std::uint64_t one = 1;
                default_context.put_signal(pes.names() + 1, &one, sizeof one,
                                           {pes.names(), 1, SHMEM_SIGNAL_ADD}, 0, "signal");
            },
            [this] {
                pes.begin();
                const std::uint64_t one = 1;
                default_context.put(pes.names() + 2, &one, sizeof one, 0, "put");
                default_context.fence();
                default_context.update_signal({pes.names(), 1, SHMEM_SIGNAL_ADD}, 0, "signal");
            });
    }
};

}  // namespace
}  // namespace tessera::protocols

int main() { return tessera::protocols::explore<tessera::protocols::Harness>(); }

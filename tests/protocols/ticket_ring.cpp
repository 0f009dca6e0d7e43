// SPDX-License-Identifier: BSD-3-Clause
//
// A ring of one entry: the owner posts a job of two pieces, and a second one in the same entry as
// soon as the first is complete. Two actors look for pieces of both all the time.
#include "base/ticket_ring.hpp"

#include "protocol.hpp"

namespace tessera::protocols {
namespace {

constexpr Actors kAny = 1;

struct Job {
    std::uint64_t value;
};

struct Harness {
    TicketRing<Job, 1> ring;
    int results[2][2];  // by job and piece

    void work(std::uint64_t ticket) {
        const auto piece = ring.claim(ticket, kAny);
        if (!piece) return;
        check(piece->job->value == ticket + 1);
        int& result = results[ticket][piece->number];
        check(result == 0);
        result = 1;
        ring.finish(*piece, [](const Job&) {});
    }
    void own() {
        ring.post(0, Job{1}, 2, kAny);
        work(0);
        if (!ring.is_complete(0)) return;
        check(results[0][0] == 1 && results[0][1] == 1);
        check(ring.reserve() == 1);
        ring.post(1, Job{2}, 1, kAny);
    }
    void run() {
        check(ring.reserve() == 0);
        in_parallel([this] { own(); },
                    [this] {
                        work(0);
                        work(1);
                    },
                    [this] {
                        work(0);
                        work(0);
                    });
    }
};

}  // namespace
}  // namespace tessera::protocols

int main() { return tessera::protocols::explore<tessera::protocols::Harness>(); }

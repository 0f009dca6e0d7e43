// SPDX-License-Identifier: BSD-3-Clause
//
// See helper_loop.hpp.
#include "heap/helper_loop.hpp"

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/clock.hpp"
#include "base/platform.hpp"

namespace tessera::heap {
namespace {

// A helper with a core of its own polls so long after a copy; waking it costs a PE 2 to 5 us.
constexpr std::uint64_t kLingerNs = 1'000'000;

}  // namespace

void HelperLoop::run() {
    OffloadBoard& board = setup_.board;
    // A number that the bell has not. Pairs with heap/offload_board.cpp:ring_bell.
    std::uint32_t heard = board.bell.load(std::memory_order_acquire) - 1;
    std::uint64_t worked_at = now_ns();
    // Pairs with heap/helper_loop.cpp:stop.
    while (!must_stop_.load(std::memory_order_acquire)) {
        // The entries of all earlier posts are there. Pairs with heap/offload_board.cpp:ring_bell.
        const std::uint32_t bell = board.bell.load(std::memory_order_acquire);
        if (bell != heard) {
            heard = bell;
            while (look_at_rings()) {
            }
            worked_at = now_ns();
        } else if (board.plan.have_cores != 0 && now_ns() - worked_at < kLingerNs) {
            cpu_pause();
        } else {
            board.sleep_at(heard);
        }
    }
}

// The bell comes behind the word: the helper sees the word, or does not fall asleep.
void HelperLoop::stop() {
    must_stop_.store(true, std::memory_order_release);  // Pairs with heap/helper_loop.cpp:run.
    setup_.board.wake_all();
}

// RETURNS: whether there was something to copy.
bool HelperLoop::look_at_rings() {
    bool has_copied = false;
    unsigned cpu = 0;
    unsigned numa_node = 0;
    ::getcpu(&cpu, &numa_node);
    for (const bool is_on_numa_node : {true, false}) {
        // Helpers begin at different rings.
        for (std::size_t i = 0; i < setup_.npes; ++i) {
            const std::size_t index = (i + setup_.number) % setup_.npes;
            const OffloadRing& ring = setup_.board.ring(static_cast<int>(index));
            if ((ring.numa_node() == numa_node) == is_on_numa_node) has_copied |= look_at(index);
        }
    }
    return has_copied;
}

bool HelperLoop::look_at(std::size_t index) {
    OffloadRing& ring = setup_.board.ring(static_cast<int>(index));
    ring.answer_if_asked();
    if (ring.tickets() == looked_up_to_[index] || !ring.enter()) return false;
    const std::uint64_t tickets = ring.tickets();
    std::uint64_t& first = looked_up_to_[index];
    first = std::max(first, OffloadRing::first_open(tickets));
    bool has_copied = false;
    for (std::uint64_t ticket = first; ticket < tickets; ++ticket) {
        while (const auto piece = ring.claim(ticket, kHelper)) {
            copy(ring, *piece);
            has_copied = true;
        }
        // Not so if a thread has taken the ticket, but not posted yet.
        if (ticket == first && ring.has_nothing_for(ticket, kHelper)) ++first;
    }
    ring.leave();
    return has_copied;
}

void HelperLoop::copy(OffloadRing& ring, const OffloadRing::Piece& piece) const {
    const Refusal refusal =
        copy_piece_of_node(*piece.job, piece.number, OffloadRing::kPiecesMax, setup_.maps);
    if (refusal.error == 0)
        return ring.finish(piece, [&](const NodeCopy& done) { send_signal(done, setup_.maps); });
    char message[256];
    std::snprintf(message, sizeof message,
                  "a progress helper cannot %s %llu bytes at %#llx in process %d: %s; memory of "
                  "put_nbi and get_nbi must stay until shmem_quiet",
                  refusal.is_read ? "read" : "write",
                  static_cast<unsigned long long>(refusal.bytes),
                  static_cast<unsigned long long>(refusal.place.address), refusal.place.pid,
                  std::strerror(refusal.error));
    setup_.fail(message);
}

}  // namespace tessera::heap

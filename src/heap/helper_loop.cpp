// SPDX-License-Identifier: BSD-3-Clause
//
// See helper_loop.hpp.
#include "heap/helper_loop.hpp"

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
    HelperBoard& board = setup_.board;
    // One that the bell has not.
    std::uint32_t heard = board.bell.load(std::memory_order_acquire) - 1;
    std::uint64_t worked_at = now_ns();
    // Acquire: pairs with stop().
    while (!must_stop_.load(std::memory_order_acquire)) {
        // Acquire: pairs with ring_bell(): the entries of all posts before are there.
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
    must_stop_.store(true, std::memory_order_release);  // Pairs with the acquire in run().
    setup_.board.wake_all();
}

// RETURNS: whether there was something to copy.
bool HelperLoop::look_at_rings() {
    bool has_copied = false;
    // Helpers begin at different rings.
    for (std::size_t i = 0; i < setup_.npes; ++i) {
        has_copied |= look_at((i + setup_.number) % setup_.npes);
    }
    return has_copied;
}

bool HelperLoop::look_at(std::size_t index) {
    HelperRing& ring = setup_.board.ring(static_cast<int>(index));
    ring.answer_if_asked(can_read);
    const std::uint64_t tickets = ring.tickets();
    std::uint64_t& first = looked_up_to_[index];
    first = std::max(first, HelperRing::first_open(tickets));
    bool has_copied = false;
    for (std::uint64_t ticket = first; ticket < tickets; ++ticket) {
        while (const auto piece = ring.claim(ticket)) {
            copy(ring, *piece);
            has_copied = true;
        }
        // Not so if a thread has taken the ticket, but not posted yet.
        if (ticket == first && ring.is_claimed(ticket)) ++first;
    }
    return has_copied;
}

void HelperLoop::copy(HelperRing& ring, const HelperRing::Piece& piece) const {
    const int error = copy_piece_of_other(ring, piece, setup_.maps);
    if (error == 0) return;
    char message[256];
    std::snprintf(message, sizeof message,
                  "a progress helper cannot %s %llu bytes at %#llx in process %d: %s; memory of "
                  "put_nbi and get_nbi must stay until shmem_quiet",
                  piece.copy.kind == HelperCopy::Kind::kPut ? "read" : "write",
                  static_cast<unsigned long long>(piece.bytes()),
                  static_cast<unsigned long long>(piece.copy.local + piece.offset()),
                  piece.copy.pid, std::strerror(error));
    setup_.fail(message);
}

}  // namespace tessera::heap

// SPDX-License-Identifier: BSD-3-Clause
//
// See helper_copy.hpp.
#include "heap/helper_copy.hpp"

#include <sys/uio.h>

#include <cerrno>

#include "base/copy.hpp"
#include "base/sleeper.hpp"

namespace tessera::heap {
namespace {

using Signal = HelperCopy::Signal;

// Seq_cst: the target sees the word, or this process sees that the target sleeps.
void send_signal(const HelperCopy& copy, const NodeMaps& maps) {
    std::atomic_ref word(*reinterpret_cast<std::uint64_t*>(maps.heaps + copy.signal_word));
    if (copy.signal == Signal::kSet) {
        word.store(copy.signal_value, std::memory_order_seq_cst);
    } else {
        word.fetch_add(copy.signal_value, std::memory_order_seq_cst);
    }
    auto& sleeper = *reinterpret_cast<Sleeper*>(maps.node + copy.sleeper);
    if (sleeper.is_sleeping()) sleeper.wake();
}

void finish(HelperRing& ring, const HelperRing::Piece& piece, const NodeMaps& maps) {
    ring.finish(piece, [&](const HelperCopy& copy) { send_signal(copy, maps); });
}

void copy_mapped(const HelperRing::Piece& piece, char* local, char* remote) {
    const bool is_put = piece.copy.kind == HelperCopy::Kind::kPut;
    copy_piece(is_put ? remote : local, is_put ? local : remote, piece.bytes(), piece.copy.bytes);
}

// The kernel may copy less than asked for; the rest is asked for again.
int copy_through_kernel(const HelperRing::Piece& piece, char* here) {
    const bool is_put = piece.copy.kind == HelperCopy::Kind::kPut;
    std::uint64_t there = piece.copy.local + piece.offset();
    for (std::size_t left = piece.bytes(); left > 0;) {
        const iovec ours{.iov_base = here, .iov_len = left};
        const iovec theirs{.iov_base = reinterpret_cast<void*>(there), .iov_len = left};
        const ssize_t copied = is_put
                                   ? ::process_vm_readv(piece.copy.pid, &ours, 1, &theirs, 1, 0)
                                   : ::process_vm_writev(piece.copy.pid, &ours, 1, &theirs, 1, 0);
        if (copied <= 0) return copied == 0 ? EFAULT : errno;
        here += copied;
        there += static_cast<std::uint64_t>(copied);
        left -= static_cast<std::size_t>(copied);
    }
    return 0;
}

}  // namespace

void copy_own_piece(HelperRing& ring, const HelperRing::Piece& piece, const NodeMaps& maps) {
    char* local = piece.copy.is_private ? reinterpret_cast<char*>(piece.copy.local)
                                        : maps.heaps + piece.copy.local;
    copy_mapped(piece, local + piece.offset(), maps.heaps + piece.copy.remote + piece.offset());
    finish(ring, piece, maps);
}

int copy_piece_of_other(HelperRing& ring, const HelperRing::Piece& piece, const NodeMaps& maps) {
    char* remote = maps.heaps + piece.copy.remote + piece.offset();
    if (piece.copy.is_private) {
        const int error = copy_through_kernel(piece, remote);
        if (error != 0 && error != ESRCH) return error;
    } else {
        copy_mapped(piece, maps.heaps + piece.copy.local + piece.offset(), remote);
    }
    finish(ring, piece, maps);
    return 0;
}

bool can_read(const HelperRing::Proof& proof) {
    std::uint64_t number = 0;
    const iovec ours{.iov_base = &number, .iov_len = sizeof number};
    const iovec theirs{.iov_base = reinterpret_cast<void*>(proof.address),
                       .iov_len = sizeof number};
    const ssize_t copied = ::process_vm_readv(proof.pid, &ours, 1, &theirs, 1, 0);
    return copied == static_cast<ssize_t>(sizeof number) && number == proof.number;
}

}  // namespace tessera::heap

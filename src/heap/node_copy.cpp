// SPDX-License-Identifier: BSD-3-Clause
//
// See node_copy.hpp.
#include "heap/node_copy.hpp"

#include <sys/uio.h>

#include <atomic>
#include <cerrno>
#include <memory>
#include <new>

#include "base/copy.hpp"
#include "base/section_copy.hpp"
#include "base/sleeper.hpp"

namespace tessera::heap {
namespace {

enum class Access : bool { kRead, kWrite };

// The kernel may copy less than asked for; the rest is asked for again.
Refusal copy_through_kernel(ProcessAddress there, char* here, std::size_t bytes, Access access) {
    const auto copy = access == Access::kRead ? ::process_vm_readv : ::process_vm_writev;
    while (bytes > 0) {
        const iovec ours{.iov_base = here, .iov_len = bytes};
        const iovec theirs{.iov_base = reinterpret_cast<void*>(there.address), .iov_len = bytes};
        const ssize_t copied = copy(there.pid, &ours, 1, &theirs, 1, 0);
        if (copied < 0 && errno == ESRCH) return {};
        if (copied <= 0) {
            return {.error = copied == 0 ? EFAULT : errno,
                    .is_read = access == Access::kRead,
                    .place = there,
                    .bytes = bytes};
        }
        here += copied;
        there.address += static_cast<std::uint64_t>(copied);
        bytes -= static_cast<std::size_t>(copied);
    }
    return {};
}

// Both sides are private.
Refusal copy_by_buffer(ProcessAddress to, ProcessAddress from, std::size_t bytes) {
    constexpr std::size_t kBufferBytes = std::size_t{64} << 10;
    const std::unique_ptr<char[]> memory(new (std::nothrow) char[kBufferBytes]);
    char* buffer = memory.get();
    if (buffer == nullptr) return {.error = ENOMEM, .place = from, .bytes = bytes};
    while (bytes > 0) {
        const std::size_t part = std::min(bytes, kBufferBytes);
        Refusal refusal = copy_through_kernel(from, buffer, part, Access::kRead);
        if (refusal.error == 0) refusal = copy_through_kernel(to, buffer, part, Access::kWrite);
        if (refusal.error != 0) return refusal;
        to.address += part;
        from.address += part;
        bytes -= part;
    }
    return {};
}

}  // namespace

void copy_piece_between(char* to, const char* from, const NodeCopy& copy, std::uint64_t piece,
                        std::uint64_t pieces_max) {
    const Pieces pieces(copy, pieces_max);
    const std::uint64_t first = pieces.first_unit(piece);
    if (copy.ndims == 0)
        return copy_piece(to + first, from + first, pieces.units(piece), copy.run_bytes);
    Section section;
    section.run_bytes = copy.run_bytes;
    section.ndims = copy.ndims;
    for (int i = 0; i < copy.ndims; ++i) {
        section.extents[i] = copy.extents[i];
        section.remote[i] = copy.to_strides[i];
        section.local[i] = copy.from_strides[i];
    }
    const int outer = copy.ndims - 1;
    section.extents[outer] = pieces.units(piece);
    const auto row = static_cast<std::int64_t>(first);
    // const_cast: of a put the local side is only read.
    copy_section(to + row * copy.to_strides[outer],
                 const_cast<char*>(from) + row * copy.from_strides[outer], section,
                 Direction::kPut);
}

Refusal copy_piece_of_node(const NodeCopy& copy, std::uint64_t piece, std::uint64_t pieces_max,
                           const NodeMaps& maps) {
    if (copy.to_pid == 0 && copy.from_pid == 0) {
        copy_piece_between(maps.heaps + copy.to, maps.heaps + copy.from, copy, piece, pieces_max);
        return {};
    }
    const Pieces pieces(copy, pieces_max);
    const std::uint64_t first = pieces.first_unit(piece);
    const std::uint64_t bytes = pieces.units(piece);
    const ProcessAddress to{.address = copy.to + first, .pid = copy.to_pid};
    const ProcessAddress from{.address = copy.from + first, .pid = copy.from_pid};
    if (to.pid == 0)
        return copy_through_kernel(from, maps.heaps + to.address, bytes, Access::kRead);
    if (from.pid == 0)
        return copy_through_kernel(to, maps.heaps + from.address, bytes, Access::kWrite);
    return copy_by_buffer(to, from, bytes);
}

void send_signal(const NodeCopy& copy, const NodeMaps& maps) {
    if (copy.signal == NodeCopy::Signal::kNone) return;
    // seq_cst: the target sees the copy behind the signal, and this actor sees whether the target
    // sleeps on the word. Pairs with api/local_word.hpp:load and base/wait.cpp:sleep_unless.
    std::atomic_ref word(*reinterpret_cast<std::uint64_t*>(maps.heaps + copy.signal_word));
    if (copy.signal == NodeCopy::Signal::kSet) {
        word.store(copy.signal_value, std::memory_order_seq_cst);
    } else {
        word.fetch_add(copy.signal_value, std::memory_order_seq_cst);
    }
    auto& sleeper = *reinterpret_cast<Sleeper*>(maps.node + copy.sleeper);
    if (sleeper.is_sleeping()) sleeper.wake();
}

bool can_read(const ProcessAddress& place, std::uint64_t number) {
    std::uint64_t seen = 0;
    return copy_through_kernel(place, reinterpret_cast<char*>(&seen), sizeof seen, Access::kRead)
                   .error == 0 &&
           seen == number;
}

}  // namespace tessera::heap

// SPDX-License-Identifier: BSD-3-Clause
//
// Private memory of other images (private_memory.hpp). Elements travel one behind the other.

#include "core/private_memory.hpp"

#include <shmem.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/bytes.hpp"
#include "core/ordering.hpp"
#include "core/report.hpp"
#include "core/service.hpp"
#include "core/team.hpp"

namespace tessera::caf {

namespace {

constexpr const char* kRoutine = "coindexed access";

// The other images know this of an owner. In symmetric memory.
struct Owner {
    std::int64_t process;
    std::uint64_t address;  // address of this object
    std::uint64_t has_thread;
};
Owner* own = nullptr;

enum class Direction : std::uint64_t { kGet, kPut };

// A part of the owner's memory. Also the list in a request, so its layout is fixed.
struct Piece {
    std::uint64_t address;
    std::uint64_t bytes;
};

struct Request {
    Direction direction;
    std::uint64_t pieces;
    std::uint64_t bytes;  // length of all pieces, which follow the list in the request of a put
};

// A packed array of this image, and the pieces that it stands for.
struct Batch {
    std::vector<Piece> pieces;
    std::byte* data;
    std::size_t bytes = 0;
};

Owner owner_on(int pe) {
    Owner owner;
    get_bytes(&owner, own, sizeof owner, pe);
    return owner;
}

// Calls `move` for the pieces of a section, some at a time.
template <class Move>
void for_each_batch(const Section& section, std::byte* data, std::size_t pieces_max,
                    std::size_t bytes_max, const Move& move) {
    Batch batch{.pieces = {}, .data = data};
    const auto flush = [&] {
        move(batch);
        batch.data += batch.bytes;
        batch.bytes = 0;
        batch.pieces.clear();
    };
    for (const shmemx_block_t& block : blocks_of(section)) {
        const auto first = reinterpret_cast<std::uint64_t>(section.base + block.offset);
        for (std::size_t done = 0; done < block.bytes;) {
            const std::size_t bytes = std::min(block.bytes - done, bytes_max - batch.bytes);
            batch.pieces.push_back({first + done, bytes});
            batch.bytes += bytes;
            done += bytes;
            if (batch.pieces.size() == pieces_max || batch.bytes == bytes_max) flush();
        }
    }
    if (batch.bytes != 0) flush();
}

void move_own(const std::vector<Piece>& pieces, std::byte* data, Direction direction) {
    for (const auto& [address, bytes] : pieces) {
        auto* memory = reinterpret_cast<std::byte*>(address);
        if (direction == Direction::kGet) {
            std::memcpy(data, memory, bytes);
        } else {
            std::memcpy(memory, data, bytes);
        }
        data += bytes;
    }
}

// Whether the kernel lets this image access the memory of a process, and it is the owner's: process
// numbers of containers may mean others.
bool is_readable(const Owner& owner, int pe) {
    Owner found{};
    return shmem_ptr(own, pe) != nullptr &&
           read_process(owner.process, &found, owner.address, sizeof found) == sizeof found &&
           std::memcmp(&found, &owner, sizeof found) == 0;
}

void move_by_kernel(const Owner& owner, const Batch& batch, Direction direction, int pe) {
    const iovec local{batch.data, batch.bytes};
    std::vector<iovec> remote;
    for (const auto& [address, bytes] : batch.pieces)
        remote.push_back({reinterpret_cast<void*>(address), bytes});
    const auto move = direction == Direction::kGet ? ::process_vm_readv : ::process_vm_writev;
    const ssize_t moved =
        move(static_cast<pid_t>(owner.process), &local, 1, remote.data(), remote.size(), 0);
    if (moved != static_cast<ssize_t>(batch.bytes)) {
        stop_with_error(kRoutine, "the memory at %p of image %d cannot be accessed: %s",
                        remote[0].iov_base, current_team().image_of(pe),
                        moved < 0 ? std::strerror(errno) : "a part of it does not exist");
    }
}

void move_by_owner(const Batch& batch, Direction direction, int pe) {
    const bool is_put = direction == Direction::kPut;
    const Request request{direction, batch.pieces.size(), batch.bytes};
    const std::size_t list_bytes = batch.pieces.size() * sizeof(Piece);
    Message message(sizeof request + list_bytes + (is_put ? batch.bytes : 0));
    message.add(&request, sizeof request);
    message.add(batch.pieces.data(), list_bytes);
    if (is_put) message.add(batch.data, batch.bytes);
    const ServiceCall call(message, pe);
    if (!is_put) call.fetch(batch.data, 0, batch.bytes);
}

// The owner's side of move_by_owner().
std::unique_ptr<Message> serve(std::uint64_t pointer) {
    Request request;
    fetch(&request, pointer, 0, sizeof request);
    std::vector<Piece> pieces(request.pieces);
    const std::size_t list_bytes = pieces.size() * sizeof(Piece);
    fetch(pieces.data(), pointer, sizeof request, list_bytes);
    auto reply = std::make_unique<Message>(std::max<std::size_t>(request.bytes, 1));
    std::byte* data = reply->add_room(request.bytes);
    if (request.direction == Direction::kPut)
        fetch(data, pointer, sizeof request + list_bytes, request.bytes);
    move_own(pieces, data, request.direction);
    return reply;
}

void move_section(const Section& section, std::byte* data, Direction direction, int pe) {
    constexpr std::size_t kKernelBytes = std::size_t{1} << 30;
    constexpr std::size_t kMessageBytes = std::size_t{1} << 18;
    constexpr std::size_t kMessagePieces = 4096;
    if (pe == shmem_my_pe()) {
        return for_each_batch(section, data, kMessagePieces, kKernelBytes, [&](const Batch& batch) {
            move_own(batch.pieces, batch.data, direction);
        });
    }
    complete(pe);
    const Owner owner = owner_on(pe);
    if (is_readable(owner, pe)) {
        return for_each_batch(section, data, IOV_MAX, kKernelBytes, [&](const Batch& batch) {
            move_by_kernel(owner, batch, direction, pe);
        });
    }
    if (owner.has_thread == 0) {
        stop_with_error(kRoutine,
                        "a component of the coarray on image %d has memory at %p that no other "
                        "image can reach; allocate it as a component of a coarray",
                        current_team().image_of(pe), static_cast<void*>(section.base));
    }
    for_each_batch(section, data, kMessagePieces, kMessageBytes,
                   [&](const Batch& batch) { move_by_owner(batch, direction, pe); });
}

// Whether each other image gets the memory of this one by the kernel, as far as this one can tell
// from its neighbour's.
bool is_kernel_enough() {
    const int npes = shmem_n_pes();
    for (int pe = 0; pe < npes; ++pe) {
        if (shmem_ptr(own, pe) == nullptr) return false;
    }
    const int next = (shmem_my_pe() + 1) % npes;
    return npes == 1 || is_readable(owner_on(next), next);
}

}  // namespace

ssize_t read_process(std::int64_t process, void* data, std::uint64_t address, std::size_t bytes) {
    const iovec local{data, bytes};
    const iovec remote{reinterpret_cast<void*>(address), bytes};
    return ::process_vm_readv(static_cast<pid_t>(process), &local, 1, &remote, 1, 0);
}

void start_private_memory(bool may_happen) {
    own = static_cast<Owner*>(shmem_malloc(sizeof(Owner)));
    if (own == nullptr)
        stop_with_error("start", "no symmetric memory; set SHMEM_SYMMETRIC_SIZE to more");
    *own = {::getpid(), reinterpret_cast<std::uint64_t>(own), 0};
    start_service(serve);
    if (!may_happen) return;
    shmem_barrier_all();
    const bool needs_thread = !is_kernel_enough();
    shmem_barrier_all();  // The others have looked.
    if (needs_thread) {
        own->has_thread = 1;
        start_service_thread();
    }
}

void get_private(const Section& local, const Section& remote, int pe) {
    const std::size_t bytes = remote.elements() * remote.element_bytes;
    Scratch scratch(bytes);
    move_section(remote, scratch.data(), Direction::kGet, pe);
    if (bytes != 0) copy_section(local, packed_like(remote, scratch.data(), remote.element_bytes));
}

void put_private(const Section& remote, const Section& local, int pe) {
    const std::size_t bytes = remote.elements() * remote.element_bytes;
    if (bytes == 0) return;
    Scratch scratch(bytes);
    Section from = local;
    drop_unit_axes(from);
    if (from.rank == 0) broadcast_to(from, remote);
    copy_section(packed_like(remote, scratch.data(), remote.element_bytes), from);
    move_section(remote, scratch.data(), Direction::kPut, pe);
}

}  // namespace tessera::caf

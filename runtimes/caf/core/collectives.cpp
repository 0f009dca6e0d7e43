// SPDX-License-Identifier: BSD-3-Clause
//
// Collective subroutines (collectives.hpp) over those of shmemx/collectives.h. Small data of a team
// on one node needs no more than the barrier that comes first anyway: images put their data into
// one of two areas, by turns, and load the data of the others behind the barrier. An area is used
// again two barriers later, when the one between has ended. By gets instead of loads, teams take
// the same way whose memory software keeps coherent, and others for which shmemx/collectives.h has
// no room.

#include "core/collectives.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/barrier.hpp"
#include "core/bytes.hpp"
#include "core/failures.hpp"
#include "core/ordering.hpp"
#include "core/report.hpp"
#include "core/team.hpp"

namespace tessera::caf {
namespace {

// Whether data goes through the areas.
bool is_exposable(const Team& team, std::size_t bytes, Death death) {
    const bool is_cheap = bytes <= kExposedBytes && team.images <= kExposedImages;
    return team.is_in_reach && (is_cheap || death == Death::kIsStatus);
}

// RETURNS when: the round before has ended, so that the area of the next one is free.
std::uint64_t next_round(Team& team) {
    team.barrier->end();
    return team.barrier->rounds() + 1;
}

Exposed& exposed_of(const Team& team, int image) {
    return *team.exposed[static_cast<std::size_t>(image - 1)];
}

// The area of an image for the data of a round.
ExposedArea& exposed_by(const Team& team, int image, std::uint64_t round) {
    return exposed_of(team, image).areas[round % 2];
}

// This image's own.
std::byte* own_area(const Team& team, std::uint64_t round) {
    return team.own_exposed->areas[round % 2].data;
}

// The first bytes of an image's area: in place, or, where it is not mapped, in `room`.
const std::byte* read_area(const Team& team, int image, std::uint64_t round, std::byte* room,
                           std::size_t bytes) {
    if (!team.exposed.empty()) return exposed_by(team, image, round).data;
    get_bytes(room, own_area(team, round), bytes, team.pe_of(image));
    return room;
}

std::uint64_t read_length(const Team& team, int image, std::uint64_t round) {
    if (!team.exposed.empty()) return exposed_by(team, image, round).bytes;
    std::uint64_t bytes = 0;
    get_bytes(&bytes, &team.own_exposed->areas[round % 2].bytes, sizeof bytes, team.pe_of(image));
    return bytes;
}

constexpr std::uint64_t kGone = std::uint64_t{1} << 62;  // plus the ImageState

int status_of_slot(std::uint64_t number) {
    if (number < kGone) return kOk;
    return number - kGone == static_cast<std::uint64_t>(ImageState::kStopped) ? kStoppedImage
                                                                              : kFailedImage;
}

std::size_t data_bytes(const BroadcastShape& shape) {
    return shape.bytes == kUnallocated ? 0 : shape.bytes;
}

bool is_in_slot(const BroadcastShape& shape) {
    return data_bytes(shape) <= sizeof(BroadcastSlot::data);
}

void check_shape(const BroadcastShape& mine, const BroadcastShape& source, int source_image) {
    if (mine == source) return;
    if (mine.bytes == kUnallocated || source.bytes == kUnallocated) {
        const bool is_mine = mine.bytes == kUnallocated;
        stop_with_error("co_broadcast",
                        "the variable or component is allocated on image %d and not on image %d; "
                        "the compiler does not let the library change that: %s it before",
                        is_mine ? source_image : current_team().this_image,
                        is_mine ? current_team().this_image : source_image,
                        is_mine ? "allocate" : "deallocate");
    }
    stop_with_error("co_broadcast",
                    "%zu bytes in elements of %zu on this image are %zu bytes in elements of %zu "
                    "on image %d, the source; give it the same shape on all images before",
                    mine.bytes, mine.element_bytes, source.bytes, source.element_bytes,
                    source_image);
}

// Shape and, if they fit, data without status. The source stores them into a slot of each image and
// goes on. Each half of the slots begins with the end of a round that all began with the other
// half: then all have taken what was in this half before.
int broadcast_by_slots(Team& team, void* data, const BroadcastShape& shape, int source_image) {
    const std::size_t bytes = is_in_slot(shape) ? data_bytes(shape) : 0;
    TeamBarrier& barrier = *team.barrier;
    if (team.broadcasts % (kBroadcastSlots / 2) == 0) {
        if (const int status = barrier.end(); status != kOk) return status;
        barrier.begin();
    }
    const std::uint64_t index = team.broadcasts % kBroadcastSlots;
    const std::uint64_t number = ++team.broadcasts;
    BroadcastSlot& mine = exposed_of(team, team.this_image).slots[index];
    if (team.this_image == source_image) {
        for (int image = 1; image <= team.images; ++image) {
            if (image != source_image) {
                BroadcastSlot& slot = exposed_of(team, image).slots[index];
                slot.shape = shape;
                std::memcpy(slot.data, data, bytes);
                // The put wakes an image that sleeps in the wait below; it waits for no cache line,
                // as an atomic operation would. Pairs with src/api/local_word.hpp:load.
                std::atomic_thread_fence(std::memory_order_release);
                shmem_uint64_p(&mine.number, number, team.pe_of(image));
            }
        }
        return status_of_slot(std::atomic_ref(mine.number).load(std::memory_order_relaxed));
    }
    // A source that is ahead has filled the next slot, too: its line comes along with this one.
    __builtin_prefetch(&exposed_of(team, team.this_image).slots[number % kBroadcastSlots]);
    if (!barrier.await(&mine.number, SHMEM_CMP_GE, number)) return kFailedImage;
    const int status = status_of_slot(std::atomic_ref(mine.number).load(std::memory_order_relaxed));
    if (status == kOk) {
        check_shape(shape, mine.shape, source_image);
        std::memcpy(data, mine.data, bytes);
    }
    return status;
}

// More bytes without status. The source need not wait for others, nor others for each other: they
// begin the barrier, which the next statement of the team ends.
int broadcast_ahead(Team& team, void* data, std::size_t bytes, int source_image) {
    constexpr int kChecks = 200;  // Then the barrier, in which images sleep, is the better wait.
    TeamBarrier& barrier = *team.barrier;
    if (const int status = barrier.end(); status != kOk) return status;
    const std::uint64_t round = barrier.rounds() + 1;
    ExposedArea& area = exposed_by(team, source_image, round);
    std::atomic_ref area_round(area.round);
    if (team.this_image == source_image) {
        std::memcpy(area.data, data, bytes);
        // Pairs with core/collectives.cpp:broadcast_ahead of the other images.
        area_round.store(round, std::memory_order_release);
        barrier.begin();
        return kOk;
    }
    barrier.begin();
    // Pairs with core/collectives.cpp:broadcast_ahead of the source image.
    for (int i = 0; area_round.load(std::memory_order_acquire) != round; ++i) {
        if (i < kChecks) continue;
        if (const int status = barrier.end(); status != kOk) return status;
        break;
    }
    std::memcpy(data, area.data, bytes);
    return kOk;
}

int broadcast_exposed(Team& team, std::byte* data, std::size_t bytes, int source_image) {
    const std::uint64_t round = next_round(team);
    if (team.this_image == source_image) std::memcpy(own_area(team, round), data, bytes);
    const int status = sync_members(team);
    if (status == kOk && team.this_image != source_image) {
        const std::byte* found = read_area(team, source_image, round, data, bytes);
        if (found != data) std::memcpy(data, found, bytes);
    }
    return status;
}

bool has_result(const Team& team, int result_image) {
    return result_image == 0 || result_image == team.this_image;
}

// All images pass the same number of elements. ERRORS: the program ends with a message.
void check_bytes(const Team& team, std::size_t bytes, std::uint64_t round) {
    for (int image = 1; image <= team.images; ++image) {
        const std::uint64_t its = read_length(team, image, round);
        if (its != bytes) [[unlikely]] {
            stop_with_error("collective subroutine",
                            "this image passes %zu bytes, and image %d passes %zu; all images of a "
                            "team pass arrays of the same shape",
                            bytes, image, static_cast<std::size_t>(its));
        }
    }
}

// All combine in the same order, so all have the same bits.
int reduce_exposed(Team& team, std::byte* data, std::size_t elements, const shmemx_op_t& operation,
                   int result_image) {
    const std::size_t bytes = elements * operation.element_bytes;
    const std::uint64_t round = next_round(team);
    std::memcpy(own_area(team, round), data, bytes);
    team.own_exposed->areas[round % 2].bytes = bytes;
    const int status = sync_members(team);
    if (status == kOk && team.is_in_reach) check_bytes(team, bytes, round);
    if (status != kOk || !has_result(team, result_image)) return status;
    alignas(64) std::byte result[kExposedBytes];
    alignas(64) std::byte room[kExposedBytes];
    std::memcpy(result, read_area(team, 1, round, room, bytes), bytes);
    for (int image = 2; image <= team.images; ++image) {
        operation.function(result, read_area(team, image, round, room, bytes), elements,
                           operation.user_data);
    }
    std::memcpy(data, result, bytes);
    return kOk;
}

// An element that does not fit into an area: gathers those of all images first.
int reduce_large_element(Team& team, std::byte* data, const shmemx_op_t& operation,
                         int result_image) {
    const std::size_t bytes = operation.element_bytes;
    std::vector<std::byte> all(static_cast<std::size_t>(team.images) * bytes);
    for (std::size_t done = 0; done < bytes; done += kExposedBytes) {
        const std::size_t part = std::min(bytes - done, kExposedBytes);
        const std::uint64_t round = next_round(team);
        std::memcpy(own_area(team, round), data + done, part);
        if (const int status = sync_members(team); status != kOk) return status;
        std::byte room[kExposedBytes];
        for (int image = 1; image <= team.images; ++image) {
            std::memcpy(&all[static_cast<std::size_t>(image - 1) * bytes + done],
                        read_area(team, image, round, room, part), part);
        }
    }
    if (has_result(team, result_image)) {
        for (std::size_t i = 1; i < static_cast<std::size_t>(team.images); ++i)
            operation.function(all.data(), &all[i * bytes], 1, operation.user_data);
        std::memcpy(data, all.data(), bytes);
    }
    return kOk;
}

// The first part of a broadcast in parts or messages. It always has the same size, so it arrives
// whatever the others expect.
struct FirstPart {
    BroadcastShape shape;
    std::byte data[kExposedBytes - sizeof(BroadcastShape)];
};

// send(data, bytes) broadcasts, and tells a status.
template <class Send>
int broadcast_with_shape(const Team& team, void* data, const BroadcastShape& shape,
                         int source_image, const Send& send) {
    const std::size_t bytes = data_bytes(shape);
    FirstPart first{.shape = shape, .data = {}};
    const std::size_t inside = std::min(bytes, sizeof first.data);
    const bool is_source = team.this_image == source_image;
    if (is_source) std::memcpy(first.data, data, inside);
    if (const int status = send(&first, sizeof first); status != kOk) return status;
    check_shape(shape, first.shape, source_image);
    if (!is_source) std::memcpy(data, first.data, inside);
    return inside == bytes ? kOk : send(static_cast<std::byte*>(data) + inside, bytes - inside);
}

// Through the areas.
int broadcast_parts(Team& team, void* data, const BroadcastShape& shape, int source_image) {
    const auto send = [&](void* from, std::size_t bytes) {
        int status = kOk;
        for (std::size_t done = 0; status == kOk && done < bytes; done += kExposedBytes) {
            const std::size_t part = std::min(bytes - done, kExposedBytes);
            status =
                broadcast_exposed(team, static_cast<std::byte*>(from) + done, part, source_image);
        }
        return status;
    };
    return broadcast_with_shape(team, data, shape, source_image, send);
}

// RETURNS: false if shmemx/collectives.h has no room for the messages of the team.
bool broadcast_by_messages(Team& team, void* data, const BroadcastShape& shape, int source_image) {
    const CollectiveCall call(team, "co_broadcast");
    const auto send = [&](void* part, std::size_t bytes) {
        return shmemx_broadcast(team.handle, part, part, bytes, 1, source_image - 1);
    };
    return broadcast_with_shape(team, data, shape, source_image, send) == 0;
}

int reduce_parts(Team& team, void* data, std::size_t elements, const shmemx_op_t& operation,
                 int result_image) {
    const std::size_t bytes = operation.element_bytes;
    // Elements may have no bytes, such as characters of length 0.
    const std::size_t most = bytes == 0 ? elements : kExposedBytes / bytes;
    std::size_t done = 0;
    int status = kOk;
    do {
        std::byte* first = static_cast<std::byte*>(data) + done * bytes;
        const std::size_t part = std::min(elements - done, std::max<std::size_t>(most, 1));
        status = bytes > kExposedBytes && part != 0
                     ? reduce_large_element(team, first, operation, result_image)
                     : reduce_exposed(team, first, part, operation, result_image);
        done += part;
    } while (status == kOk && done < elements);
    return status;
}

// RETURNS: false if shmemx/collectives.h has no room for the messages of the team.
bool reduce_by_messages(Team& team, void* data, std::size_t elements, const Reduction& reduction,
                        int result_image) {
    const auto& [type, op, operation] = reduction;
    if (result_image == 0) {
        return 0 == (type != 0
                         ? shmemx_allreduce(team.handle, data, data, elements, type, op)
                         : shmemx_allreduce_op(team.handle, data, data, elements, &operation));
    }
    const int root = result_image - 1;
    return 0 == (type != 0 ? shmemx_reduce(team.handle, data, data, elements, type, op, root)
                           : shmemx_reduce_op(team.handle, data, data, elements, &operation, root));
}

}  // namespace

int broadcast(void* data, const BroadcastShape& shape, int source_image, Death death) {
    Team& team = current_team();
    begin_control();
    if (team.is_in_reach && death == Death::kIsStatus)
        return broadcast_parts(team, data, shape, source_image);
    const std::size_t bytes = data_bytes(shape);
    if (!team.exposed.empty() && is_exposable(team, 0, death)) {
        const int status = broadcast_by_slots(team, data, shape, source_image);
        if (status != kOk || is_in_slot(shape)) return status;
        if (bytes <= kExposedBytes) return broadcast_ahead(team, data, bytes, source_image);
    }
    const int status = sync_members(team);
    if (status != kOk) return status;
    const bool has_room = broadcast_by_messages(team, data, shape, source_image);
    return has_room ? kOk : broadcast_parts(team, data, shape, source_image);
}

int reduce(void* data, std::size_t elements, const Reduction& reduction, int result_image,
           Death death) {
    Team& team = current_team();
    complete_all();
    if (is_exposable(team, elements * reduction.operation.element_bytes, death))
        return reduce_parts(team, data, elements, reduction.operation, result_image);
    const int status = sync_members(team);
    if (status != kOk || elements * reduction.operation.element_bytes == 0) return status;
    const CollectiveCall call(team, "collective subroutine");
    return reduce_by_messages(team, data, elements, reduction, result_image)
               ? kOk
               : reduce_parts(team, data, elements, reduction.operation, result_image);
}

// The image has reached the next broadcast, so all have taken what was in its slot before, or will
// not take part in the next one either.
void leave_broadcasts(Team& team, ImageState state) {
    if (team.exposed.empty()) return;
    BroadcastSlot& next =
        exposed_of(team, team.this_image).slots[team.broadcasts % kBroadcastSlots];
    for (int image = 1; image <= team.images; ++image) {
        shmem_uint64_atomic_set(&next.number, kGone + static_cast<std::uint64_t>(state),
                                team.pe_of(image));
    }
}

}  // namespace tessera::caf

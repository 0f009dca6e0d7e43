// SPDX-License-Identifier: BSD-3-Clause
//
// Messages on their way, and the outbox of this unit (message.hpp).

#include "messages/message.hpp"

#include <shmem.h>
#include <shmemx.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <vector>

#include "transfers/polling.hpp"

namespace tessera::dart {
namespace {

// A receiver may copy one part while the sender fills the next one.
constexpr std::size_t kPartBytesMax = std::size_t{1} << 20;
constexpr std::size_t kPartBytesMin = 4096;

std::atomic<std::uint64_t> messages{0};  // this unit's messages so far

// The parts of this unit's messages. A walk over all frees those that are done: when there are
// twice as many as the last walk has left, or when memory is short.
class Outbox {
  public:
    // RETURNS: nullptr: local memory has no room.
    MessagePart* allocate(std::size_t payload_bytes) {
        const std::lock_guard guard(mutex_);
        const std::size_t bytes =
            offsetof(MessagePart, payload) + std::max(payload_bytes, kInlineBytes);
        if (parts_.size() >= parts_max_ || bytes_ >= bytes_max_) free_done();
        auto* part = static_cast<MessagePart*>(shmemx_local_malloc(bytes));
        if (part == nullptr) {
            free_done();
            part = static_cast<MessagePart*>(shmemx_local_malloc(bytes));
        }
        if (part != nullptr) {
            // Other units have changed these words, if they were those of another part before.
            shmem_uint64_atomic_set(&part->next, SHMEMX_GPTR_NULL, shmem_my_pe());
            shmem_uint64_atomic_set(&part->uses, 0, shmem_my_pe());
            parts_.push_back({part, bytes});
            bytes_ += bytes;
        }
        return part;
    }
    bool is_empty() {
        const std::lock_guard guard(mutex_);
        return parts_.empty();
    }
    void clear() {
        const std::lock_guard guard(mutex_);
        for (const Entry& entry : parts_) shmemx_local_free(entry.part);
        parts_.clear();
        bytes_ = 0;
    }

  private:
    static constexpr std::size_t kPartsMin = 64;
    static constexpr std::size_t kBytesMin = std::size_t{4} << 20;

    struct Entry {
        MessagePart* part;
        std::size_t bytes;
    };

    // REQUIRES: mutex_.
    void free_done() {
        const int me = shmem_my_pe();
        std::erase_if(parts_, [&](const Entry& entry) {
            const bool is_done =
                shmem_uint64_atomic_fetch(&entry.part->uses, me) == MessagePart::kUses;
            if (is_done) {
                bytes_ -= entry.bytes;
                shmemx_local_free(entry.part);
            }
            return is_done;
        });
        parts_max_ = std::max(2 * parts_.size(), kPartsMin);
        bytes_max_ = std::max(2 * bytes_, kBytesMin);
    }

    std::mutex mutex_{};
    std::vector<Entry> parts_{};
    std::size_t bytes_ = 0;
    std::size_t parts_max_ = kPartsMin;
    std::size_t bytes_max_ = kBytesMin;
};

// Never destroyed, as all of the library.
Outbox& outbox() {
    static Outbox& box = *new Outbox;
    return box;
}

// As large as local memory has room for. RETURNS: nullptr: not even for a small part.
MessagePart* allocate_part(std::size_t& bytes) {
    for (bytes = std::min(bytes, kPartBytesMax);; bytes /= 2) {
        MessagePart* part = outbox().allocate(bytes);
        if (part != nullptr || bytes <= kPartBytesMin) return part;
    }
}

}  // namespace

Sending::Sending(const void* source, std::size_t bytes, int tag, int unit)
    : source_(static_cast<const char*>(source)),
      bytes_(bytes),
      tag_(tag),
      unit_(unit),
      message_(messages.fetch_add(1, std::memory_order_relaxed)) {}

bool Sending::advance() {
    do {
        std::size_t bytes = bytes_ - sent_bytes_;
        MessagePart* part = allocate_part(bytes);
        if (part == nullptr) {
            is_impossible_ = sent_bytes_ == 0 && outbox().is_empty();
            make_progress();
            return false;
        }
        part->envelope = {.source = shmem_my_pe(),
                          .tag = tag_,
                          .message = message_,
                          .message_bytes = bytes_,
                          .first_byte = sent_bytes_,
                          .part_bytes = bytes};
        if (bytes > 0) std::memcpy(part->payload, source_ + sent_bytes_, bytes);
        post(unit_, part);
        sent_bytes_ += bytes;
    } while (sent_bytes_ < bytes_);
    return true;
}

Receiving::Receiving(void* dest, std::size_t bytes_max, int tag, int unit)
    : dest_(static_cast<char*>(dest)),
      bytes_max_(bytes_max),
      pattern_{.source = unit, .tag = tag, .first_byte = 0, .message = 0} {}

void Receiving::copy(const Arrival& arrival) {
    const Envelope& envelope = arrival.part.envelope;
    const std::size_t first = envelope.first_byte;
    const std::size_t room = first < bytes_max_ ? bytes_max_ - first : 0;
    const std::size_t bytes = std::min<std::size_t>(envelope.part_bytes, room);
    if (arrival.is_inline()) {
        if (bytes > 0) std::memcpy(dest_ + first, arrival.part.payload, bytes);
        return;
    }
    if (bytes > 0) {
        auto* part = static_cast<MessagePart*>(shmemx_gptr_addr(arrival.place));
        shmem_getmem(dest_ + first, part->payload, bytes, envelope.source);
    }
    end_copy(arrival);
}

bool Receiving::advance() {
    while (const std::optional<Arrival> arrival = try_take(pattern_, seen_)) {
        copy(*arrival);
        const Envelope& envelope = arrival->part.envelope;
        message_bytes_ = envelope.message_bytes;
        pattern_.message = envelope.message;
        pattern_.first_byte = envelope.first_byte + envelope.part_bytes;
        if (pattern_.first_byte >= message_bytes_) return true;
    }
    return false;
}

void stop_outbox() { outbox().clear(); }

}  // namespace tessera::dart

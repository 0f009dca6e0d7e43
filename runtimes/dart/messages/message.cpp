// SPDX-License-Identifier: BSD-3-Clause
//
// Messages on their way (message.hpp).

#include "messages/message.hpp"

#include <shmem.h>

#include <algorithm>
#include <cstring>

namespace tessera::dart {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
constexpr std::size_t kBlockBytesMin = 4096;

}  // namespace

Sending::Sending(const void* source, std::size_t bytes, int tag, int unit)
    : source_(static_cast<const char*>(source)), bytes_(bytes), tag_(tag), unit_(unit) {
    if (bytes <= kInlineBytes) {
        return;
    }
    block_bytes_ = std::min(bytes, kBlockBytes);
    for (;;) {
        block_ = static_cast<Block*>(shmemx_local_malloc(sizeof(Block) + block_bytes_));
        if (block_ != nullptr || block_bytes_ <= kBlockBytesMin) {
            break;
        }
        block_bytes_ /= 2;
    }
    if (block_ != nullptr) {
        block_->parts_copied = 0;
    }
}

Sending::~Sending() { shmemx_local_free(block_); }

void Sending::fill_part() {
    const bool is_inline = block_ == nullptr;
    const std::size_t bytes = is_inline ? bytes_ : std::min(block_bytes_, bytes_ - first_byte_);
    part_.envelope = {
        .source = shmem_my_pe(),
        .tag = tag_,
        .message_bytes = bytes_,
        .first_byte = first_byte_,
        .part_bytes = bytes,
        .block = is_inline ? SHMEMX_GPTR_NULL : shmemx_gptr_of(block_, shmem_my_pe())};
    if (bytes > 0) {
        std::memcpy(is_inline ? part_.payload : block_->payload(), source_ + first_byte_, bytes);
    }
}

bool Sending::advance() {
    if (block_ != nullptr && parts_ > 0 && !has_ticket_) {
        // Pairs with the atomic in Receiving::copy: the block may be filled anew.
        if (shmem_uint64_test(&block_->parts_copied, SHMEM_CMP_GE, parts_) == 0) {
            return false;
        }
        first_byte_ += part_.envelope.part_bytes;
        if (first_byte_ == bytes_) {
            return true;
        }
    }
    if (!has_ticket_) {
        fill_part();
        ticket_ = draw_ticket(unit_);
        has_ticket_ = true;
        ++parts_;
    }
    if (!try_post(unit_, ticket_, part_)) {
        return false;
    }
    has_ticket_ = false;
    return block_ == nullptr;
}

Receiving::Receiving(void* dest, std::size_t bytes_max, int tag, int unit)
    : dest_(static_cast<char*>(dest)),
      bytes_max_(bytes_max),
      pattern_{.source = unit, .tag = tag, .block = 0, .first_byte = 0} {}

void Receiving::copy(const Part& part) {
    const Envelope& envelope = part.envelope;
    const std::size_t first = envelope.first_byte;
    const std::size_t room = first < bytes_max_ ? bytes_max_ - first : 0;
    const std::size_t bytes = std::min<std::size_t>(envelope.part_bytes, room);
    if (envelope.block == SHMEMX_GPTR_NULL) {
        if (bytes > 0) {
            std::memcpy(dest_ + first, part.payload, bytes);
        }
        return;
    }
    auto* block = static_cast<Block*>(shmemx_gptr_addr(envelope.block));
    if (bytes > 0) {
        shmem_getmem(dest_ + first, block->payload(), bytes, envelope.source);
    }
    shmem_uint64_atomic_inc(&block->parts_copied, envelope.source);
}

bool Receiving::advance() {
    while (std::optional<Part> part = try_take(pattern_, seen_)) {
        copy(*part);
        const Envelope& envelope = part->envelope;
        message_bytes_ = envelope.message_bytes;
        pattern_.block = envelope.block;
        pattern_.first_byte = envelope.first_byte + envelope.part_bytes;
        if (pattern_.first_byte >= message_bytes_) {
            return true;
        }
    }
    return false;
}

}  // namespace tessera::dart

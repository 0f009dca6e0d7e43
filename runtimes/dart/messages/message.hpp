// SPDX-License-Identifier: BSD-3-Clause
//
// A message on its way, on the side of its sender and on that of its receiver. Each advances as far
// as it can without waiting, so that dart_sendrecv can do both at the same time.
//
// A short message is one part in a slot of the receiver's ring. The parts of a longer one lie in a
// block of the sender's local memory, one after another: the receiver copies a part, and counts it
// in the block's first word; then the sender fills the block anew.

#pragma once

#include <shmemx.h>

#include <cstddef>
#include <cstdint>

#include "messages/inbox.hpp"

namespace tessera::dart {

// The start of the sender's block; the payload follows.
struct Block {
    std::uint64_t parts_copied;  // by the receiver
    std::uint64_t unused;

    char* payload() { return reinterpret_cast<char*>(this + 1); }
};

class Sending {
  public:
    Sending(const void* source, std::size_t bytes, int tag, int unit);
    ~Sending();
    Sending(const Sending&) = delete;
    Sending& operator=(const Sending&) = delete;

    // RETURNS: false: local memory has no room for a block.
    bool is_possible() const { return bytes_ <= kInlineBytes || block_ != nullptr; }
    // RETURNS: whether the message has been received, or lies in the receiver's ring as a whole.
    bool advance();

  private:
    void fill_part();

    const char* source_;
    std::size_t bytes_;
    int tag_;
    int unit_;
    Block* block_ = nullptr;
    std::size_t block_bytes_ = 0;
    std::size_t first_byte_ = 0;  // of the current part
    std::uint64_t parts_ = 0;     // posted, or with a ticket
    bool has_ticket_ = false;
    std::uint64_t ticket_ = 0;
    Part part_{};
};

class Receiving {
  public:
    Receiving(void* dest, std::size_t bytes_max, int tag, int unit);

    // RETURNS: whether the whole message has been received.
    bool advance();
    // Waits until advance() may come further.
    void wait() const { wait_for_part(seen_); }
    // Whether the message was longer than the memory for it; the rest is lost.
    bool is_cut() const { return message_bytes_ > bytes_max_; }
    std::size_t message_bytes() const { return message_bytes_; }

  private:
    void copy(const Part& part);

    char* dest_;
    std::size_t bytes_max_;
    Pattern pattern_;
    std::size_t message_bytes_ = 0;
    std::uint64_t seen_ = 0;
};

}  // namespace tessera::dart

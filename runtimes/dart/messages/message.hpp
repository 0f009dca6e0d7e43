// SPDX-License-Identifier: BSD-3-Clause
//
// A message on its way, on the side of its sender and on that of its receiver. Each advances as far
// as it can without waiting, so that dart_sendrecv can do both at the same time.
//
// The sender copies the message into parts in its local memory. It has sent the message when all
// parts are on the receiver's list (inbox.hpp), and waits only while local memory has no room for
// the next part. The outbox has the parts until the receivers need them no more.

#pragma once

#include <cstddef>
#include <cstdint>

#include "messages/inbox.hpp"

namespace tessera::dart {

class Sending {
  public:
    Sending(const void* source, std::size_t bytes, int tag, int unit);

    // RETURNS: whether the receiver's list has the whole message.
    bool advance();
    // Local memory has no room, and no message that is under way will leave it.
    bool is_impossible() const { return is_impossible_; }

  private:
    const char* source_;
    std::size_t bytes_;
    int tag_;
    int unit_;
    std::uint64_t message_;
    std::size_t sent_bytes_ = 0;
    bool is_impossible_ = false;
};

class Receiving {
  public:
    Receiving(void* dest, std::size_t bytes_max, int tag, int unit);

    // RETURNS: whether the whole message has been received.
    bool advance();
    // Waits until advance() may come further.
    void wait() const { wait_for_arrival(seen_); }
    // Whether the message was longer than the memory for it; the rest is lost.
    bool is_cut() const { return message_bytes_ > bytes_max_; }
    std::size_t message_bytes() const { return message_bytes_; }

  private:
    void copy(const Arrival& arrival);

    char* dest_;
    std::size_t bytes_max_;
    Pattern pattern_;
    std::size_t message_bytes_ = 0;
    std::uint64_t seen_ = 0;
};

// Called by dart_exit behind a barrier: frees the parts of all messages.
void stop_outbox();

}  // namespace tessera::dart

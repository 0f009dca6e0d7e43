// SPDX-License-Identifier: BSD-3-Clause
//
// A stream of messages from one member to another through the receiver's buffer
// (messaging/mailboxes.hpp), with a window of slots: the sender is at most so many messages ahead
// of the receiver, which gives a slot back as a credit when it has read it. The receiver
// gives only credits that the sender waits for, so every posted gate has a waiter. Uses the gates
// kData and kReady of one round, which count messages. THREADS: like Mailboxes. Lives for one
// collective.
#pragma once

#include <cstddef>
#include <cstdint>

#include "messaging/mailboxes.hpp"

namespace tessera::collectives {

// Where message i lies in the buffer: slot first + stride * (i % count), of `bytes` each.
struct WindowSlots {
    std::uint32_t count;
    std::size_t bytes;
    std::uint32_t first = 0;
    std::uint32_t stride = 1;

    std::size_t at(std::uint32_t message) const {
        return (first + std::size_t{stride} * (message % count)) * bytes;
    }
};

// REQUIRES: `mailboxes` has a step for each message.
class Window {
  public:
    Window(const Mailboxes& mailboxes, int round, const WindowSlots& slots, std::uint32_t messages)
        : mailboxes_(mailboxes), round_(round), slots_(slots), messages_(messages) {}

    // RETURNS when: `data` is reusable.
    void send(int to, std::uint32_t message, const void* data, std::size_t bytes) const {
        if (message >= slots_.count)
            mailboxes_.wait(GateKind::kReady, round_, message - slots_.count);
        mailboxes_.put(to, slots_.at(message), data, bytes);
        mailboxes_.post(GateKind::kData, round_, to, message);
    }
    // RETURNS: the sent data, valid until release().
    const char* receive(std::uint32_t message) const {
        mailboxes_.wait(GateKind::kData, round_, message);
        return mailboxes_.buffer() + slots_.at(message);
    }
    void release(int from, std::uint32_t message) const {
        if (message + slots_.count >= messages_) return;
        mailboxes_.post(GateKind::kReady, round_, from, message);
    }

  private:
    const Mailboxes& mailboxes_;
    int round_;
    WindowSlots slots_;
    std::uint32_t messages_;
};

}  // namespace tessera::collectives

// SPDX-License-Identifier: BSD-3-Clause
//
// For harnesses whose threads are PEs: a PE holds one lock at a time. Its table of locks is
// private, so nothing of the protocol is lost.
#pragma once

#include <cstdint>

#include "core/pe_state.hpp"
#include "locks/queue_node.hpp"

namespace tessera {

struct LockKey {
    void* lock = nullptr;
    int pe = 0;
    std::uint64_t thread = 0;
};
enum class LockUse : std::uint8_t { kMutex, kReading, kWriting };

class HeldLocks {
  public:
    explicit HeldLocks(QueueNode* nodes) : node_(&nodes[1]), name_(address_map.my_pe, 1, 0) {}

    struct Held {
        NodeName name;
        QueueNode* node = nullptr;
        LockUse use = LockUse::kMutex;
    };
    Held find(const LockKey& /*key*/) const {
        return is_held_ ? Held{.name = name_, .node = node_, .use = use_} : Held{};
    }
    Held add(const LockKey& /*key*/, LockUse use, const char* /*where*/) {
        if (is_held_) return {};
        is_held_ = true;
        use_ = use;
        name_ = name_.next_use();
        node_->reset();
        return {.name = name_, .node = node_, .use = use_};
    }
    void remove(const LockKey& /*key*/, NodeName name) {
        node_->mark_free(name.generation());
        is_held_ = false;
    }

  private:
    QueueNode* node_;
    NodeName name_;
    LockUse use_ = LockUse::kMutex;
    bool is_held_ = false;
};

inline HeldLocks& held_locks() { return *pe_state.held_locks; }

}  // namespace tessera

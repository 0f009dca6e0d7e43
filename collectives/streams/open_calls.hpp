// SPDX-License-Identifier: BSD-3-Clause
//
// The calls over streams that a team has under way (engine.hpp): a pool of fixed size. Made at the
// team's first use of streams; belongs to its CollectiveState. THREADS: one at a time starts; the
// driver of background works (progress/background.hpp) advances.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "collectives/streams/engine.hpp"
#include "collectives/streams/progress.hpp"
#include "messaging/stream_set.hpp"
#include "progress/background.hpp"

namespace tessera::collectives {

class OpenCalls;

// One call. Its slot is used again when it is complete.
class OpenCall final : public BackgroundWork {
  public:
    bool advance() override;
    void release() override;

  private:
    friend class OpenCalls;
    void prepare_places();
    OpenCalls* calls_ = nullptr;
    std::uint32_t number_ = 0;
    RuntimeCall call_;
    Position position_;
    void* landing_ = nullptr;  // local memory for long parts
    // Release by the driver pairs with the acquire of a start that wants the slot.
    std::atomic<bool> is_open_{false};
};

class OpenCalls {
  public:
    explicit OpenCalls(const Team& team);

    // The work of the team's next call. RETURNS when: the pool has room.
    OpenCall& open(const RuntimeCall& call, const char* where);
    std::uint32_t count() const { return count_.load(std::memory_order_acquire); }
    std::uint32_t last_number() const;

  private:
    friend class OpenCall;
    struct Set {
        Set(const Team& team, int number)
            : streams(team, number), next(static_cast<std::uint32_t>(number)) {}
        StreamSet streams;
        std::atomic<std::uint32_t> next;  // the first call of this set that is not complete
        std::vector<char> scratch;        // of the call that is under way
        std::vector<std::size_t> places;  // likewise
    };
    Set& set_of(std::uint32_t number) { return *sets_[number % sets_.size()]; }
    // Whether all calls of the set before this one are complete.
    bool is_next(std::uint32_t number) {
        // Acquire: pairs with the release in OpenCall::release().
        return set_of(number).next.load(std::memory_order_acquire) == number;
    }
    void grow_scratch(Set& set, const RuntimeCall& call);

    std::vector<std::unique_ptr<Set>> sets_;  // a power of two of them, so that numbers may wrap
    std::array<OpenCall, kOpenCallsMax> pool_;
    std::uint32_t next_ = 0;
    std::atomic<std::uint32_t> count_{0};
};

}  // namespace tessera::collectives

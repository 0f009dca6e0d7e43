// SPDX-License-Identifier: BSD-3-Clause
//
// See wait_trial.hpp.
#include "base/wait_trial.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/clock.hpp"

namespace tessera {
namespace {

constexpr std::size_t kBatches = 4;  // of each kind
constexpr int kExchanges = 8;        // of a batch
using Times = std::array<std::uint64_t, kBatches>;
// Posted by a PE that gives up.
constexpr std::uint32_t kGivenUp = 1U << 20;

// The exchanges of two PEs: each posts a number and waits until it sees the other's.
class Exchanges {
  public:
    Exchanges(Gate& mine, Gate& theirs) : mine_(mine), theirs_(theirs) {}

    // RETURNS: nanoseconds of a batch; without meaning if the partner has not come.
    std::uint64_t time_batch() {
        const std::uint64_t start = now_ns();
        for (int i = 0; i < kExchanges && is_together_; ++i) {
            theirs_.post(++number_);
            wait();
        }
        return now_ns() - start;
    }
    bool is_together() const { return is_together_; }

    // Posts the answer as the last number.
    void tell(bool answer) { theirs_.post(number_ + 1 + (answer ? 1 : 0)); }
    bool hear() {
        ++number_;
        wait();
        return is_together_ && mine_.number() > number_;
    }

  private:
    void wait() {
        if (mine_.reaches_soon(number_) && mine_.number() < kGivenUp) return;
        is_together_ = false;
        theirs_.post(kGivenUp);
    }

    Gate& mine_;
    Gate& theirs_;
    std::uint32_t number_ = 0;
    bool is_together_ = true;
};

// Bare checks are the choice unless pauses are clearly faster: all of their batches, by a seventh.
// Two PEs that pause sometimes fall into a rhythm that is faster than all else (34 ns instead of 67
// on an EPYC, where bare checks take 46), but not for long.
bool is_clearly_faster(const Times& paused, const Times& bare) {
    return std::ranges::max(paused) * 7 < std::ranges::min(bare) * 6;
}

}  // namespace

void try_pauses(Gate& mine, Gate& theirs, bool decides) {
    const std::uint32_t bare = wait_policy.pauses;
    Exchanges exchanges(mine, theirs);
    exchanges.time_batch();  // The first one is late, and its lines are cold.
    Times bare_ns{};
    Times paused_ns{};
    for (std::size_t i = 0; i < kBatches && exchanges.is_together(); ++i) {
        bare_ns[i] = exchanges.time_batch();
        wait_policy.pauses = kLongPauses;
        paused_ns[i] = exchanges.time_batch();
        wait_policy.pauses = bare;
    }
    if (!exchanges.is_together()) return;
    bool is_faster = is_clearly_faster(paused_ns, bare_ns);
    if (decides) {
        exchanges.tell(is_faster);
    } else {
        is_faster = exchanges.hear();
    }
    if (is_faster) wait_policy.pauses = kLongPauses;
}

}  // namespace tessera

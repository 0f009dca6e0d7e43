// SPDX-License-Identifier: BSD-3-Clause
//
// See exit_meeting.hpp. PE 0's internal segment counts the PEs that have come. Another PE's wait
// for this one shows in two ways. Most collectives post to flags of this PE, or count at a meeting
// point of its node, with a number that this PE has not reached. In the other collectives this PE
// would have to act first: then, sooner or later, all PEs wait and nothing changes any more.
#include "session/exit_meeting.hpp"

#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "base/clock.hpp"
#include "base/wait.hpp"
#include "core/internal_segment.hpp"
#include "core/pe_state.hpp"
#include "teams/team.hpp"
#include "teams/team_mailboxes.hpp"

namespace tessera {
namespace {

constexpr const char* kWhere = "exit() without shmem_finalize";  // for oshrun's timeout report
constexpr std::uint64_t kCountNanosecondsMin = 100'000;
constexpr std::uint64_t kCountNanosecondsMax = 100'000'000;
constexpr std::uint64_t kSurveyNanoseconds = 1'000'000'000;
// Surveys in a row without any change. A PE that gets no core looks the same for a while.
constexpr int kSurveysMin = 4;

_Unwind_Reason_Code look_for_handler(_Unwind_Context* context, void* found) {
    int is_interrupted = 0;
    _Unwind_GetIPInfo(context, &is_interrupted);
    if (is_interrupted == 0) return _URC_NO_REASON;
    *static_cast<bool*>(found) = true;
    return _URC_END_OF_STACK;
}

// Whether a member has entered a collective of `team` that this PE has not entered.
bool is_awaited(const Team& team, const Node& node, const launch::Job& job) {
    for (int pe : job.local_pes) {
        if (team.index_of(pe) < 0) continue;
        const TeamFlags* flags = team_flags_of(node.internal_of(pe), team.slot);
        // Orders nothing: only the existence of an arrival counts.
        if (flags->central.arrived.load(std::memory_order_relaxed) != 0) return true;
    }
    for (const TeamFlags::Line& line : team.my_flags().arrival) {
        if (line.gate.has_reached(team.syncs + 1)) return true;
    }
    if (!team.has_mailboxes) return false;
    for (const auto& parity : team_mailboxes(team.slot)->gates) {
        for (const auto& kind : parity) {
            for (const TeamMailboxes::Line& line : kind) {
                if (line.gate.has_reached(team.mailbox_calls + 1)) return true;
            }
        }
    }
    return false;
}

class Meeting {
  public:
    explicit Meeting(const ExitMeeting& with)
        : with_(with),
          npes_(static_cast<std::uint64_t>(with.job.npes)),
          mine_(with.node.internal(with.job.local_index)),
          survey_at_(now_ns() + kSurveyNanoseconds),
          entered_(static_cast<std::size_t>(with.job.npes), 0) {}

    bool run() {
        change_count(1);
        wait_until([this] { return is_over(); }, kWhere);
        return is_complete_ || !change_count(~std::uint64_t{0});
    }

  private:
    // RETURNS: whether the count was changed; it is not when all PEs have come.
    bool change_count(std::uint64_t difference) const {
        std::uint64_t seen = count();
        while (seen != npes_) {
            const std::uint64_t before = seen;
            seen = with_.atomic_at_first_pe({.dest = &mine_.leaving,
                                             .op = AtomicOp::kCompareSwap,
                                             .operand = before + difference,
                                             .condition = before});
            if (seen == before) return true;
        }
        return false;
    }

    std::uint64_t count() const {
        return with_.atomic_at_first_pe({.dest = &mine_.leaving, .op = AtomicOp::kFetch});
    }

    bool is_over() {
        for (const Team* team : {&world_team, pe_state.shared_team, pe_state.node_team}) {
            if (is_awaited(*team, with_.node, with_.job)) return true;
        }
        const std::uint64_t now = now_ns();
        if (now < count_at_) return false;
        interval_ = std::min(2 * interval_, kCountNanosecondsMax);
        count_at_ = now + interval_;
        is_complete_ = count() == npes_;
        if (is_complete_) return true;
        if (now < survey_at_) return false;
        survey_at_ = now + kSurveyNanoseconds;
        return is_stuck();
    }

    // Whether every other PE has waited since the survey before, as those do that have come here.
    bool is_stuck() {
        bool has_changed = false;
        for (int pe = 0; pe < with_.job.npes; ++pe) {
            if (pe == with_.job.pe) continue;
            const Times times = times_of(pe);
            std::uint64_t& before = entered_[static_cast<std::size_t>(pe)];
            has_changed = has_changed || times.entered <= times.ended || times.entered != before;
            before = times.entered;
        }
        surveys_ = has_changed ? 0 : surveys_ + 1;
        return surveys_ >= kSurveysMin;
    }

    struct Times {
        std::uint64_t entered;
        std::uint64_t ended;
    };
    static_assert(sizeof(Times) == sizeof(WaitTimes));

    Times times_of(int pe) const {
        const std::vector<int>& local = with_.job.local_pes;
        if (std::binary_search(local.begin(), local.end(), pe)) {
            const WaitTimes& waits = with_.node.internal_of(pe).waits;
            return {waits.entered.load(std::memory_order_relaxed),
                    waits.ended.load(std::memory_order_relaxed)};
        }
        Times times{};
        with_.fabric->get(with_.transport_context, &times, &mine_.waits, sizeof times, pe);
        return times;
    }

    const ExitMeeting& with_;
    std::uint64_t npes_;
    InternalSegment& mine_;
    bool is_complete_ = false;
    std::uint64_t interval_ = kCountNanosecondsMin;
    std::uint64_t count_at_ = 0;
    std::uint64_t survey_at_;
    std::vector<std::uint64_t> entered_;  // by PE, as last seen
    int surveys_ = 0;
};

}  // namespace

bool is_plain_exit(pid_t thread_of_init) {
    const pid_t thread = ::gettid();
    if (thread != thread_of_init && thread != ::getpid()) return false;
    bool is_in_handler = false;
    _Unwind_Backtrace(look_for_handler, &is_in_handler);
    return !is_in_handler;
}

bool meet_at_exit(const ExitMeeting& meeting) { return Meeting(meeting).run(); }

}  // namespace tessera

// SPDX-License-Identifier: BSD-3-Clause
//
// Vector clocks of the race detector. A PE numbers its calls. A call's effect is complete when the
// call returns (lane kProgram), or later, by a quiet of the call's context; so a clock says of each
// PE, for each lane, up to which call the effects are complete before this moment. Pure data: the
// copies in symmetric memory and those that travel in collectives have the same layout.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tessera::check::race {

using Op = std::uint32_t;  // the number of a call of its PE, from 1

// The call that completes an effect. Contexts that a program makes share a lane, as requests do: a
// quiet of one counts for all, so the detector may miss a race there, and invents none.
enum class Lane : std::uint8_t { kProgram, kDefault, kOthers, kRequests, kSignalled };
inline constexpr int kLanes = 5;
constexpr int index_of(Lane lane) { return static_cast<int>(lane); }

// The calls of one PE, up to the number in each lane.
struct Progress {
    Op upto[kLanes] = {};

    Op& operator[](Lane lane) { return upto[index_of(lane)]; }
    Op operator[](Lane lane) const { return upto[index_of(lane)]; }
    void join(const Progress& other) {
        for (int lane = 0; lane < kLanes; ++lane)
            upto[lane] = std::max(upto[lane], other.upto[lane]);
    }
    // A quiet completes a context's calls, and those with requests or signals: the detector does
    // not know which of these belong to the context.
    void complete(Lane lane, Op op) {
        upto[index_of(lane)] = op;
        upto[index_of(Lane::kRequests)] = op;
        upto[index_of(Lane::kSignalled)] = op;
    }
};

// The vector clock of a PE: one entry for each PE of the job.
using Clock = std::vector<Progress>;

inline void join(Clock& clock, const Clock& other) {
    for (std::size_t pe = 0; pe < clock.size(); ++pe) clock[pe].join(other[pe]);
}

// A word carries this from each PE that wrote it to the PEs that see the value.
struct Released {
    Progress done;  // the writer's knowledge
    // Calls of the writer towards the PE that has the word, which came before the value: those
    // before a fence, and the put of a put-with-signal.
    Progress delivered;

    void join(const Released& other) {
        done.join(other.done);
        delivered.join(other.delivered);
    }
};
static_assert(sizeof(Progress) == 20 && sizeof(Released) == 40, "symmetric memory holds arrays");

// "The target has the sender's puts up to `sent`": a fact that PE `learner` knows since its call
// `since`, and with it every PE whose clock covers that call. An entry with sent 0 is empty.
struct Delivery {
    Op sent = 0;
    Op since = 0;
    std::uint32_t learner = 0;
};

// The facts about one sender and one target. Beyond the four newest of a lane, the oldest two
// become one that claims more than is known: that may hide a race, and invents none.
struct Deliveries {
    static constexpr int kKept = 4;
    Delivery facts[kLanes][kKept];

    void add(Lane lane, const Delivery& fact) {
        Delivery* row = facts[index_of(lane)];
        int used = 0;
        for (; used < kKept && row[used].sent != 0; ++used) {
            if (row[used].learner == fact.learner && row[used].sent >= fact.sent) return;
        }
        if (used == kKept) {
            // Facts of two learners become one that every PE knows.
            bool is_of_one = row[0].learner == row[1].learner;
            row[1].since = is_of_one ? std::min(row[0].since, row[1].since) : 0;
            row[1].sent = std::max(row[0].sent, row[1].sent);
            std::copy(row + 1, row + kKept, row);
            used = kKept - 1;
        }
        row[used] = fact;
    }
    bool covers(Lane lane, Op op, const Clock& clock) const {
        for (const Delivery& fact : facts[index_of(lane)]) {
            if (fact.sent >= op && fact.sent != 0 &&
                clock[fact.learner][Lane::kProgram] >= fact.since) {
                return true;
            }
        }
        return false;
    }
};
static_assert(sizeof(Deliveries) == 240, "symmetric memory holds arrays");

}  // namespace tessera::check::race

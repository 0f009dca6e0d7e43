// SPDX-License-Identifier: BSD-3-Clause
//
// The race detector of one PE: its vector clock, and what its calls do to the cells and records of
// all PEs (store.hpp). steps.hpp says which of these steps each routine of OpenSHMEM consists of.
//
// THREADS: one at a time; threads of a PE count as one, as if the program synchronized them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/check/race/pending.hpp"
#include "tools/check/race/store.hpp"
#include "tools/interpose/call.hpp"

namespace tessera::check::race {

// Bytes of symmetric memory of a PE, by the address that the calling PE uses.
struct Range {
    const void* address = nullptr;
    std::size_t bytes = 0;
    int pe = 0;
};

struct Race {
    Access earlier;
    Access now;
    Range place;            // the first word that both touch
    bool is_after = false;  // see advice.hpp
};

class Detector {
  public:
    bool open(int pe, int n_pes);  // as Store::open()
    void close() { store_.close(); }
    int pe() const { return pe_; }

    // Gives the steps that follow the next number, and the call's place.
    void begin_step(const interpose::Call& call);
    // The same for a load or store of the program. Those between two calls share a number, as no
    // other PE can learn of one and not of the next: a call ends it, and end_accesses().
    void begin_access(const interpose::Call& access);
    void end_accesses() { has_accesses_ = false; }
    Op op() const { return op_; }
    // Whether the call is one of DART, which also loads and stores on mapped memory, and orders
    // that by what the checker cannot see. Its calls synchronize, but access nothing.
    bool is_of_dart() const { return is_of_dart_; }

    // Several steps on the memory of a PE are cheaper while the caller holds it.
    void hold(int pe) { store_.lock(pe); }
    void let_go(int pe) { store_.unlock(pe); }

    // An access; memory that is not symmetric is left out. Keeps the first race that it finds.
    void touch(const Range& range, Touch touch, Lane lane, bool is_local_side = false);
    // Other PEs that see the value of these bytes know what this PE knows.
    void release(const Range& range, bool is_signal = false);
    // This PE has seen the value. `is_wait`: by a wait or test, of any writes; else by an atomic.
    void acquire(const Range& range, bool is_wait);
    // The same for a lock, whose words belong to the library; release() as for other words.
    void acquire_lock(const Range& lock);
    // For epochs and nonblocking collectives: one record for all PEs and calls, which synchronizes
    // more than they do. That may hide races.
    void release_to_all();
    void acquire_from_all();
    void fence(Lane lane);
    void quiet(Lane lane);

    const Clock& clock() const { return clock_; }
    void join(const Clock& other) { race::join(clock_, other); }

    // Whether a signal or flag has told this PE that the target has all of a put.
    bool knows_delivered(const Pending& put);
    PendingList& pending() { return pending_; }
    // The race since the last call, if any; forgets it.
    std::optional<Race> take_race() { return std::exchange(race_, std::nullopt); }
    // "shmem_long_put at main (line 40 of the program)", also of another PE.
    std::string call_of(const Access& access);

  private:
    void set_site(const interpose::Call& call, std::string (*text)(const interpose::Call&));
    static std::uint64_t byte_of(const Range& range);
    bool knows(const Access& access, int target);
    void learn(int target, std::span<const Released> record);
    void release_words(std::uint64_t first, std::uint64_t last, int pe, const Progress& delivered);

    int pe_ = 0;
    Op op_ = 0;
    std::uint16_t site_ = 0;
    bool is_of_dart_ = false;
    bool has_accesses_ = false;  // op_ is the number of loads and stores
    Clock clock_;
    Progress fenced_;  // this PE's latest fences and quiets
    Store store_;
    PendingList pending_;
    std::optional<Race> race_;
    std::map<std::pair<const void*, const char*>, std::uint16_t> sites_;
    // Written by learn() already, for a target and a sender.
    std::map<std::pair<int, int>, Progress> learned_;
};

}  // namespace tessera::check::race

// SPDX-License-Identifier: BSD-3-Clause
//
// Epochs between lists of PEs (include/shmemx/epochs.h): exposure epochs of this PE as a target,
// access epochs as an origin.
//
// Each PE has a slot for each other PE in its internal segment, the distributed match vector
// (heap/node_file.hpp). Only that PE writes it: how many exposure epochs it has posted for this
// one, and how many access epochs towards this one it has completed. An epoch remembers, for each
// partner, the number that it waits for. So a partner is identified by its slot, and an epoch by
// its number: nothing is counted over partners or reset, so neither another PE nor a later epoch
// can take the place of the one that is awaited.
//
// Duties where memory is not coherent (Christgau 2017, 4.2.3), and what does them here:
//   post      write own stores back        release of the gate; skipped with NOSTORE
//   ready     forget what was read before  acquire of the gate
//   complete  flush own puts               quiet, or release of the gate; skipped with NOPUT
//   wait      forget own stale lines       acquire of the gate; skipped with NOPUT
// Coherent memory: there a promise saves nothing but the quiet between nodes.
//
// Memory: a slot (64 bytes) and counts (24 bytes) for each PE of the job, of which those of
// partners are touched; and the lists of open epochs. THREADS: any, as the thread level allows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/mutexes.hpp"

namespace tessera {

class Epochs {
  public:
    enum class Kind : std::uint8_t { kExposure, kAccess };
    enum class Mode : std::uint8_t { kTriggerOnly, kImmediate, kDeferred };
    struct Options {
        bool no_store = false;
        bool no_put = false;
        Mode mode = Mode::kTriggerOnly;
    };
    enum class Direction : std::uint8_t { kPut, kGet };
    struct Copy {
        Direction direction;
        void* dest;
        const void* source;
        std::size_t bytes;
        std::uint32_t partner = 0;  // place in the epoch's list
    };

    // `is_shared`: several threads call at the same time.
    Epochs(int npes, bool is_shared);

    // `where` names the public routine, in all of these. A mistake ends the job.
    // RETURNS: the handle.
    std::uint64_t post(std::span<const int> origins, const Options& options, const char* where);
    std::uint64_t start(std::span<const int> targets, const Options& options, const char* where);
    void wait_until_ready(std::uint64_t handle, int pe, const char* where);
    void copy(std::uint64_t handle, Copy copy, int pe, const char* where);
    void complete(std::uint64_t handle, const char* where);
    void wait(std::uint64_t handle, const char* where);
    bool test(std::uint64_t handle, const char* where);

  private:
    struct Partner {
        int pe;
        std::uint32_t number;  // number of the epoch among those of its kind with this PE
    };
    struct Epoch {
        std::uint32_t generation = 0;  // generation of the handle
        bool is_open = false;
        bool has_gets = false;
        Kind kind = Kind::kExposure;
        Options options;
        std::uint64_t serial = 0;
        std::vector<Partner> partners;
        std::size_t arrived = 0;   // exposure epoch: the first partners, which have completed
        std::vector<Copy> copies;  // deferred copies
    };
    // The epochs with one PE, counted by this PE.
    struct Counts {
        std::uint32_t posted;
        std::uint32_t started;
        std::uint32_t completed;
        std::uint32_t place;       // this PE's place in the list of the last epoch with it
        std::uint64_t last_epoch;  // the serial of that epoch, of either kind
    };
    struct Free {
        void operator()(Counts* counts) const { std::free(counts); }
    };

    std::unique_lock<LongMutex> guard() const;
    std::uint64_t open(Kind kind, std::span<const int> pes, const Options& options,
                       const char* where);
    Epoch& find(std::uint64_t handle, Kind kind, const char* where);
    void close(std::uint64_t handle, Epoch& epoch);
    std::uint32_t partner_of(const Epoch& epoch, int pe, const char* where) const;
    void perform_deferred(Epoch& epoch, const char* where);
    void perform_for(std::span<const Copy> copies, int pe, const char* where);
    void check_order(const Epoch& epoch, const char* where) const;
    void tell_targets(const Epoch& epoch);
    static void take_changes(const Epoch& epoch);
    [[noreturn]] void fail_partner(const Epoch& epoch, int pe, const char* where) const;

    mutable LongMutex lock_;  // never held while this PE waits; unused unless is_shared_
    bool is_shared_;
    int npes_;
    std::unique_ptr<Counts[], Free> counts_;      // by PE; pages of zeros exist when written to
    std::vector<std::unique_ptr<Epoch>> epochs_;  // by the handle's index
    std::vector<std::uint32_t> free_;             // indices
    std::uint64_t serial_ = 0;
};

// This PE's epochs. REQUIRES: between init and finalize.
Epochs& epochs();

}  // namespace tessera

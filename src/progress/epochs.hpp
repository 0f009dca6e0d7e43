// SPDX-License-Identifier: BSD-3-Clause
//
// Epochs between lists of PEs (include/shmemx/epochs.h): exposure epochs of this PE as a target,
// access epochs as an origin.
//
// Each PE has gates for each other PE and each of its windows in its internal segment, the
// distributed match vector (heap/node_file.hpp). Only that PE writes them: how many exposure epochs
// it has posted for this one, and how many access epochs towards this one it has completed. An
// epoch remembers, for each partner, the number that it waits for. So a partner is identified by
// its gates, and an epoch by its number: nothing is counted over partners or reset, so neither
// another PE nor a later epoch can take the place of the one that is awaited.
//
// Duties where memory is not coherent (Christgau 2017, 4.2.3), and what does them here:
//   post      write own stores back        release of the gate; skipped with NOSTORE
//   ready     forget what was read before  acquire of the gate
//   complete  flush own puts               quiet, or release of the gate; skipped with NOPUT, and
//                                          on a window: epoch puts are complete when they return
//   wait      forget own stale lines       acquire of the gate; skipped with NOPUT
// On a window they concern this PE's part alone. Coherent memory: there a promise saves nothing but
// the quiet between nodes.
//
// Memory: a slot (64 bytes) for each PE of the job and 8 windows, of which those of partners are
// touched; the tables of window.hpp; and the lists of open epochs. THREADS: any, as the thread
// level allows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/mutexes.hpp"
#include "heap/node_file.hpp"
#include "progress/window.hpp"

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

    // ---- Windows ----

    // Reserves a number for a window of this PE. RETURNS: `part` with it; 0: there is none.
    WindowPart reserve_number(WindowPart part);
    // The window with this PE's number becomes known, or the number is free again.
    // RETURNS: the handle.
    std::uint64_t add_window(std::uint32_t number, std::unique_ptr<Window> window);
    void free_number(std::uint32_t number);
    // A bad handle ends the job.
    Window& window(std::uint64_t handle, const char* where);
    Window& no_window() { return no_window_; }
    void remove_window(std::uint64_t handle, const char* where);
    void remove_windows_of(const Team& team);
    // The window of an open epoch. Whether it is on one at all, is seen at its handle.
    const Window& window_of_access(std::uint64_t handle, const char* where);
    static bool is_on_window(std::uint64_t handle) { return (handle & kOnWindow) != 0; }

    // ---- Epochs ----

    // `where` names the public routine, in all of these. A mistake ends the job.
    // RETURNS: the handle.
    std::uint64_t post(Window& window, std::span<const int> origins, const Options& options,
                       const char* where);
    std::uint64_t start(Window& window, std::span<const int> targets, const Options& options,
                        const char* where);
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
        Window* window = nullptr;
        std::uint64_t serial = 0;
        std::vector<Partner> partners;
        std::size_t arrived = 0;   // exposure epoch: the first partners, which have completed
        std::vector<Copy> copies;  // deferred copies
    };
    // A number that this PE can give to a window.
    struct Numbered {
        std::unique_ptr<Window> window;
        std::uint32_t generation = 0;   // generation of the last handle
        std::uint32_t first_epoch = 0;  // WindowPart of the next window
        bool is_taken = false;
    };
    // The bit of the handles of epochs on windows.
    static constexpr std::uint64_t kOnWindow = std::uint64_t{1} << 55;

    std::unique_lock<LongMutex> guard() const;
    std::uint64_t open(Window& window, Kind kind, std::span<const int> pes, const Options& options,
                       const char* where);
    void check_overlap(const Window& window, const Options& options, const char* where) const;
    Numbered* try_find(std::uint64_t window);
    void release(std::uint32_t number);
    Epoch& find(std::uint64_t handle, Kind kind, const char* where);
    void close(std::uint64_t handle, Epoch& epoch);
    void end(std::uint32_t index, Epoch& epoch);
    static std::uint32_t partner_of(const Epoch& epoch, int pe, const char* where);
    void perform_deferred(Epoch& epoch, const char* where);
    void perform_for(std::span<const Copy> copies, int pe, const char* where);
    static void check_order(const Epoch& epoch, const char* where);
    static void tell_targets(const Epoch& epoch);
    static void take_changes(const Epoch& epoch);
    [[noreturn]] static void fail_partner(const Epoch& epoch, int pe, const char* where);

    mutable LongMutex lock_;  // never held while this PE waits; unused unless is_shared_
    bool is_shared_;
    int npes_;
    Window no_window_;
    std::array<Numbered, heap::kWindowNumbers> numbers_;  // by number; 0 stays empty
    std::vector<std::unique_ptr<Epoch>> epochs_;          // by the handle's index
    std::vector<std::uint32_t> free_;                     // indices
    std::uint64_t serial_ = 0;
};

// This PE's epochs. REQUIRES: between init and finalize.
Epochs& epochs();

}  // namespace tessera

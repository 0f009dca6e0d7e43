// SPDX-License-Identifier: BSD-3-Clause
//
// See epochs.hpp.
#include "progress/epochs.hpp"

#include <algorithm>

#include "base/fatal.hpp"
#include "base/wait.hpp"
#include "core/context.hpp"
#include "core/internal_segment.hpp"
#include "core/pe_state.hpp"
#include "core/sync_copies.hpp"

namespace tessera {
namespace {

using heap::EpochGates;

// handle: kind (8 bits) | on a window (1) | generation (27) | index (28)
constexpr std::uint64_t kEpochKind = 0xE5;
constexpr std::uint64_t kWindowKind = 0xE6;
constexpr unsigned kIndexBits = 28;
constexpr std::uint32_t kGenerations = 1U << 27;
// A window's first epoch has at most this number, so that gates never wrap between two of its
// epochs (base/gate.hpp).
constexpr std::uint32_t kRenewGatesAfter = 1U << 28;

std::uint64_t handle_of(std::uint64_t kind, std::uint32_t index, std::uint32_t generation) {
    return kind << 56 | std::uint64_t{generation} << kIndexBits | index;
}
std::uint64_t index_of(std::uint64_t handle) { return handle % (std::uint64_t{1} << kIndexBits); }

// In this PE's segment: the gates that `pe` writes for a window with this number; also the
// symmetric address of the gates that this PE writes, when its own number is given.
EpochGates& my_gates(std::uint32_t window, int pe) {
    InternalSegment& mine = segment_of(address_map.peers[address_map.my_pe].sleeper);
    return epoch_gates_of(mine, window, pe, address_map.npes);
}

// A gate of this PE, and the number of it that ends a wait.
struct Awaited {
    Gate& gate;
    std::uint32_t number;

    void wait(const char* where) const { gate.wait_for(number, where); }
    bool has_come() const { return gate.has_reached(number); }
};

// The gate by which `pe` tells about its epoch of this number on the window.
Awaited awaited(const Window& window, int pe, Gate EpochGates::*gate, std::uint32_t number) {
    const WindowPart& mine = window.my_part();
    return {my_gates(mine.number, pe).*gate, mine.first_epoch + number};
}

// Tells PE `pe`. Releases this PE's earlier stores and its completed puts.
void tell(const Window& window, int pe, Gate EpochGates::*gate, std::uint32_t number) {
    const int me = address_map.my_pe;
    const WindowPart& part = window.part(pe);
    const std::uint32_t reached = part.first_epoch + number;
    if (Sleeper* sleeper = address_map.peers[pe].sleeper) [[likely]] {
        InternalSegment& segment = segment_of(sleeper);
        return (epoch_gates_of(segment, part.number, me, address_map.npes).*gate).post(reached);
    }
    address_map.fabric->post_gate(my_gates(part.number, me).*gate, reached, pe);
}

// Where software keeps memory coherent, puts and gets are complete when they return, and a quiet
// publishes all that the program has stored.
bool needs_quiet(const Epochs::Options& options, bool is_on_window, bool has_gets) {
    if (!address_map.needs_completion()) return false;
    if (memory_is_coherent()) return !options.no_put || has_gets;
    return !options.no_put && !is_on_window;
}

const char* name_of(Epochs::Kind kind) {
    return kind == Epochs::Kind::kExposure ? "exposure" : "access";
}

}  // namespace

Epochs::Epochs(int npes, bool is_shared) : is_shared_(is_shared), npes_(npes) {}

std::unique_lock<LongMutex> Epochs::guard() const {
    std::unique_lock guard(lock_, std::defer_lock);
    if (is_shared_) guard.lock();
    return guard;
}

// REQUIRES: guard().
std::uint64_t Epochs::open(Window& window, Kind kind, std::span<const int> pes,
                           const Options& options, const char* where) {
    if (!window.has_counts(npes_)) fatal("%s: out of memory for a table of %d PEs", where, npes_);
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(epochs_.size()));
        epochs_.push_back(std::make_unique<Epoch>());
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    Epoch& epoch = *epochs_[index];
    epoch.generation = (epoch.generation + 1) % kGenerations;
    epoch.is_open = true;
    epoch.has_gets = false;
    epoch.kind = kind;
    epoch.options = options;
    epoch.window = &window;
    epoch.serial = ++serial_;
    epoch.partners.clear();
    epoch.arrived = 0;
    epoch.copies.clear();
    for (const int pe : pes) {
        check_pe(pe, where);
        if (!window.has_member(pe))
            fatal("%s: PE %d is not in the team of the window; list members only", where, pe);
        Window::Counts& counts = window.counts(pe);
        if (counts.last_epoch == epoch.serial)
            fatal("%s: PE %d stands in the list more than once; list each PE once", where, pe);
        counts.last_epoch = epoch.serial;
        counts.place = static_cast<std::uint32_t>(epoch.partners.size());
        std::uint32_t& number = kind == Kind::kExposure ? counts.posted : counts.started;
        epoch.partners.push_back({.pe = pe, .number = ++number});
        window.count(number);
    }
    ++window.open;
    return handle_of(kEpochKind, index, epoch.generation) | (window.has_range() ? kOnWindow : 0);
}

// An epoch stays where it is until it is closed. REQUIRES: guard().
Epochs::Epoch& Epochs::find(std::uint64_t handle, Kind kind, const char* where) {
    const std::uint64_t index = index_of(handle);
    Epoch* epoch = index < epochs_.size() ? epochs_[index].get() : nullptr;
    if (epoch == nullptr || !epoch->is_open ||
        (handle & ~kOnWindow) !=
            handle_of(kEpochKind, static_cast<std::uint32_t>(index), epoch->generation)) {
        fatal("%s: epoch %p is no open epoch of this PE; open one by shmemx_epoch_%s", where,
              reinterpret_cast<void*>(handle), kind == Kind::kExposure ? "post" : "start");
    }
    if (epoch->kind != kind) {
        fatal("%s: epoch %p is an %s epoch, but this routine is for an %s epoch", where,
              reinterpret_cast<void*>(handle), name_of(epoch->kind), name_of(kind));
    }
    return *epoch;
}

void Epochs::close(std::uint64_t handle, Epoch& epoch) {
    const auto hold = guard();
    end(static_cast<std::uint32_t>(index_of(handle)), epoch);
}

// REQUIRES: guard().
void Epochs::end(std::uint32_t index, Epoch& epoch) {
    epoch.is_open = false;
    Window& window = *epoch.window;
    --window.open;
    if (epoch.kind == Kind::kExposure) {
        --window.exposures;
        if (!epoch.options.no_put) --window.writable;
    }
    free_.push_back(index);
}

std::uint64_t Epochs::post(Window& window, std::span<const int> origins, const Options& options,
                           const char* where) {
    // Held while the origins are told, so that their gates only grow.
    const auto hold = guard();
    if (window.has_range()) check_overlap(window, options, where);
    const std::uint64_t handle = open(window, Kind::kExposure, origins, options, where);
    ++window.exposures;
    if (!options.no_put) ++window.writable;
    if (!options.no_store) {
        window.sync_part(SyncPoint::kEpochPost);
        // Pairs with base/gate.hpp:has_reached of the origins.
        std::atomic_thread_fence(std::memory_order_release);
    }
    for (const Partner& partner : find(handle, Kind::kExposure, where).partners)
        tell(window, partner.pe, &EpochGates::posted, partner.number);
    return handle;
}

// Origins of both epochs may write to the bytes in common, or an origin of one writes what those of
// the other read. REQUIRES: guard().
void Epochs::check_overlap(const Window& window, const Options& options, const char* where) const {
    const WindowPart& mine = window.my_part();
    for (const Numbered& other : numbers_) {
        if (other.window == nullptr || other.window.get() == &window) continue;
        if (other.window->exposures == 0 || (other.window->writable == 0 && options.no_put))
            continue;
        const WindowPart& theirs = other.window->my_part();
        const std::uint64_t begin = std::max(mine.begin, theirs.begin);
        const std::uint64_t end = std::min(mine.begin + mine.bytes, theirs.begin + theirs.bytes);
        if (begin >= end) continue;
        fatal(
            "%s: %llu bytes from offset %llu of the window on are exposed by an open epoch of "
            "another window, and puts are allowed; wait for that epoch first, or promise "
            "SHMEMX_EPOCH_NOPUT for both",
            where, static_cast<unsigned long long>(end - begin),
            static_cast<unsigned long long>(begin - mine.begin));
    }
}

std::uint64_t Epochs::start(Window& window, std::span<const int> targets, const Options& options,
                            const char* where) {
    auto hold = guard();
    const std::uint64_t handle = open(window, Kind::kAccess, targets, options, where);
    const Epoch& epoch = find(handle, Kind::kAccess, where);
    if (hold.owns_lock()) hold.unlock();
    if (options.mode == Mode::kImmediate) {
        for (const Partner& target : epoch.partners)
            awaited(window, target.pe, &EpochGates::posted, target.number).wait(where);
    }
    return handle;
}

// COST: a search where a newer epoch has the PE, too. REQUIRES: guard().
std::uint32_t Epochs::partner_of(const Epoch& epoch, int pe, const char* where) {
    check_pe(pe, where);
    const Window::Counts& counts = epoch.window->counts(pe);
    if (counts.last_epoch == epoch.serial) return counts.place;
    const auto found =
        std::ranges::find_if(epoch.partners, [=](const Partner& each) { return each.pe == pe; });
    if (found == epoch.partners.end()) fail_partner(epoch, pe, where);
    return static_cast<std::uint32_t>(found - epoch.partners.begin());
}

void Epochs::fail_partner(const Epoch& epoch, int pe, const char* where) {
    fatal("%s: PE %d is not among the %zu targets of the epoch; list it in shmemx_epoch_start",
          where, pe, epoch.partners.size());
}

void Epochs::wait_until_ready(std::uint64_t handle, int pe, const char* where) {
    auto hold = guard();
    const Epoch& epoch = find(handle, Kind::kAccess, where);
    const std::uint32_t number = epoch.partners[partner_of(epoch, pe, where)].number;
    const Awaited post = awaited(*epoch.window, pe, &EpochGates::posted, number);
    if (hold.owns_lock()) hold.unlock();
    post.wait(where);
}

void Epochs::copy(std::uint64_t handle, Copy copy, int pe, const char* where) {
    auto hold = guard();
    Epoch& epoch = find(handle, Kind::kAccess, where);
    copy.partner = partner_of(epoch, pe, where);
    if (copy.direction == Direction::kPut && epoch.options.no_put)
        fatal("%s: the epoch was started with SHMEMX_EPOCH_NOPUT; start it without", where);
    epoch.has_gets = epoch.has_gets || copy.direction == Direction::kGet;
    if (copy.bytes == 0) return;
    if (epoch.options.mode == Mode::kDeferred) {
        const void* remote = copy.direction == Direction::kPut ? copy.dest : copy.source;
        address_map.remote(remote, copy.bytes, pe, where);  // Checks it.
        epoch.copies.push_back(copy);
        return;
    }
    const std::uint32_t number = epoch.partners[copy.partner].number;
    const Awaited post = awaited(*epoch.window, pe, &EpochGates::posted, number);
    if (hold.owns_lock()) hold.unlock();
    post.wait(where);
    perform_for({&copy, 1}, pe, where);
}

void Epochs::perform_for(std::span<const Copy> copies, int pe, const char* where) {
    for (const Copy& copy : copies) {
        if (copy.direction == Direction::kPut) {
            default_context.put_nbi(copy.dest, copy.source, copy.bytes, pe, where);
        } else {
            default_context.get_nbi(copy.dest, copy.source, copy.bytes, pe, where);
        }
    }
}

// First towards the targets that have posted, then towards the others in the order of the list.
void Epochs::perform_deferred(Epoch& epoch, const char* where) {
    std::ranges::stable_sort(epoch.copies, {}, &Copy::partner);
    std::vector<std::span<const Copy>> late;
    for (std::span<const Copy> rest = epoch.copies; !rest.empty();) {
        const std::uint32_t partner = rest.front().partner;
        const auto end = std::ranges::upper_bound(rest, partner, {}, &Copy::partner);
        const auto copies = rest.first(static_cast<std::size_t>(end - rest.begin()));
        rest = rest.subspan(copies.size());
        const Partner& target = epoch.partners[partner];
        if (awaited(*epoch.window, target.pe, &EpochGates::posted, target.number).has_come()) {
            perform_for(copies, target.pe, where);
        } else {
            late.push_back(copies);
        }
    }
    for (const auto copies : late) {
        const Partner& target = epoch.partners[copies.front().partner];
        awaited(*epoch.window, target.pe, &EpochGates::posted, target.number).wait(where);
        perform_for(copies, target.pe, where);
    }
    epoch.copies.clear();
}

// A target counts completed epochs, so they must end in order. REQUIRES: guard().
void Epochs::check_order(const Epoch& epoch, const char* where) {
    for (const Partner& target : epoch.partners) {
        if (epoch.window->counts(target.pe).completed + 1 == target.number) continue;
        fatal("%s: an older access epoch towards PE %d is still open; complete it first", where,
              target.pe);
    }
}

// Held meanwhile, so that the targets' gates only grow. REQUIRES: guard().
void Epochs::tell_targets(const Epoch& epoch) {
    for (const Partner& target : epoch.partners) {
        epoch.window->counts(target.pe).completed = target.number;
        tell(*epoch.window, target.pe, &EpochGates::completed, target.number);
    }
}

void Epochs::complete(std::uint64_t handle, const char* where) {
    const NoCancellationPoint not_in_an_epoch;
    auto hold = guard();
    Epoch& epoch = find(handle, Kind::kAccess, where);
    check_order(epoch, where);
    if (hold.owns_lock()) hold.unlock();
    if (!epoch.copies.empty()) perform_deferred(epoch, where);
    // On mapped memory the release of the targets' gates is enough.
    if (needs_quiet(epoch.options, epoch.window->has_range(), epoch.has_gets)) {
        default_context.quiet();
    } else if (!epoch.options.no_put) {
        sync_copies(SyncPoint::kQuiet, nullptr, 0);  // The targets learn which pages have changed.
    }
    {
        const auto hold_again = guard();
        tell_targets(epoch);
    }
    close(handle, epoch);
}

// At the end of an exposure epoch. With NOPUT no origin has changed anything.
void Epochs::take_changes(const Epoch& epoch) {
    if (!epoch.options.no_put) epoch.window->sync_part(SyncPoint::kEpochEnd);
}

void Epochs::wait(std::uint64_t handle, const char* where) {
    auto hold = guard();
    Epoch& epoch = find(handle, Kind::kExposure, where);
    if (hold.owns_lock()) hold.unlock();
    for (const Partner& origin : std::span(epoch.partners).subspan(epoch.arrived))
        awaited(*epoch.window, origin.pe, &EpochGates::completed, origin.number).wait(where);
    take_changes(epoch);
    close(handle, epoch);
}

bool Epochs::test(std::uint64_t handle, const char* where) {
    auto hold = guard();
    Epoch& epoch = find(handle, Kind::kExposure, where);
    if (hold.owns_lock()) hold.unlock();
    for (; epoch.arrived < epoch.partners.size(); ++epoch.arrived) {
        const Partner& origin = epoch.partners[epoch.arrived];
        if (awaited(*epoch.window, origin.pe, &EpochGates::completed, origin.number).has_come())
            continue;
        release_held();
        drive_progress();
        return false;
    }
    take_changes(epoch);
    close(handle, epoch);
    return true;
}

// ---- Windows ----

WindowPart Epochs::reserve_number(WindowPart part) {
    const auto hold = guard();
    for (std::uint32_t number = 1; number < numbers_.size(); ++number) {
        Numbered& each = numbers_[number];
        if (each.is_taken) continue;
        each.is_taken = true;
        if (each.first_epoch > kRenewGatesAfter) {
            for (int pe = 0; pe < npes_; ++pe) {
                EpochGates& gates = my_gates(number, pe);
                gates.posted.reset(0);
                gates.completed.reset(0);
            }
            each.first_epoch = 0;
        }
        part.number = number;
        part.first_epoch = each.first_epoch;
        break;
    }
    return part;
}

void Epochs::free_number(std::uint32_t number) {
    const auto hold = guard();
    numbers_[number].is_taken = false;
}

std::uint64_t Epochs::add_window(std::uint32_t number, std::unique_ptr<Window> window) {
    const auto hold = guard();
    Numbered& mine = numbers_[number];
    mine.window = std::move(window);
    mine.generation = (mine.generation + 1) % kGenerations;
    return handle_of(kWindowKind, number, mine.generation);
}

// REQUIRES: guard().
Epochs::Numbered* Epochs::try_find(std::uint64_t window) {
    const std::uint64_t number = index_of(window);
    if (number >= numbers_.size() || numbers_[number].window == nullptr) return nullptr;
    Numbered& found = numbers_[number];
    const auto index = static_cast<std::uint32_t>(number);
    return handle_of(kWindowKind, index, found.generation) == window ? &found : nullptr;
}

Window& Epochs::window(std::uint64_t handle, const char* where) {
    const auto hold = guard();
    const Numbered* found = try_find(handle);
    if (found == nullptr) {
        fatal(
            "%s: window %p is no window of this PE (any more); pass one from "
            "shmemx_window_create, before shmemx_window_destroy",
            where, reinterpret_cast<void*>(handle));
    }
    return *found->window;
}

const Window& Epochs::window_of_access(std::uint64_t handle, const char* where) {
    const auto hold = guard();
    return *find(handle, Kind::kAccess, where).window;
}

// The numbers of the next window's epochs are beyond those that the gates have. REQUIRES: guard().
void Epochs::release(std::uint32_t number) {
    Numbered& mine = numbers_[number];
    mine.first_epoch += mine.window->last_number();
    mine.window.reset();
    mine.is_taken = false;
}

void Epochs::remove_window(std::uint64_t handle, const char* where) {
    const auto hold = guard();
    const Numbered* found = try_find(handle);
    if (found == nullptr) return;
    if (const std::uint32_t open = found->window->open; open > 0)
        fatal("%s: %u epochs of this PE on the window are open; end them first", where, open);
    release(static_cast<std::uint32_t>(index_of(handle)));
}

void Epochs::remove_windows_of(const Team& team) {
    const auto hold = guard();
    for (std::uint32_t number = 1; number < numbers_.size(); ++number) {
        const Window* window = numbers_[number].window.get();
        if (window == nullptr || &window->team() != &team) continue;
        for (std::uint32_t index = 0; window->open > 0 && index < epochs_.size(); ++index) {
            Epoch& epoch = *epochs_[index];
            if (epoch.is_open && epoch.window == window) end(index, epoch);
        }
        release(number);
    }
}

Epochs& epochs() { return *pe_state.epochs; }

}  // namespace tessera

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

using heap::EpochSlot;

// handle: kind (8 bits) | generation (28) | index (28)
constexpr std::uint64_t kHandleKind = 0xE5;
constexpr unsigned kIndexBits = 28;
constexpr std::uint32_t kGenerations = 1U << 28;

std::uint64_t handle_of(std::uint32_t index, std::uint32_t generation) {
    return kHandleKind << 56 | std::uint64_t{generation} << kIndexBits | index;
}

// The slot that `pe` writes; also the symmetric address of the slots that this PE writes, when its
// own number is given.
EpochSlot& slot_from(int pe) {
    return *epoch_slot_of(segment_of(address_map.peers[address_map.my_pe].sleeper), pe);
}

// Tells PE `pe`. Releases this PE's earlier stores and its completed puts.
void tell(int pe, Gate EpochSlot::*gate, std::uint32_t number) {
    const int me = address_map.my_pe;
    if (Sleeper* sleeper = address_map.peers[pe].sleeper) [[likely]]
        return (epoch_slot_of(segment_of(sleeper), me)->*gate).post(number);
    address_map.fabric->post_gate(slot_from(me).*gate, number, pe);
}

// Where software keeps memory coherent, a get is complete when it returns, and a quiet publishes.
bool gets_need_quiet() { return memory_is_coherent(); }

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
std::uint64_t Epochs::open(Kind kind, std::span<const int> pes, const Options& options,
                           const char* where) {
    if (counts_ == nullptr) {
        counts_.reset(
            static_cast<Counts*>(std::calloc(static_cast<std::size_t>(npes_), sizeof(Counts))));
        if (counts_ == nullptr) fatal("%s: out of memory for a table of %d PEs", where, npes_);
    }
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
    epoch.serial = ++serial_;
    epoch.partners.clear();
    epoch.arrived = 0;
    epoch.copies.clear();
    for (const int pe : pes) {
        check_pe(pe, where);
        Counts& counts = counts_[static_cast<std::size_t>(pe)];
        if (counts.last_epoch == epoch.serial)
            fatal("%s: PE %d stands in the list more than once; list each PE once", where, pe);
        counts.last_epoch = epoch.serial;
        counts.place = static_cast<std::uint32_t>(epoch.partners.size());
        std::uint32_t& number = kind == Kind::kExposure ? counts.posted : counts.started;
        epoch.partners.push_back({.pe = pe, .number = ++number});
    }
    return handle_of(index, epoch.generation);
}

// An epoch stays where it is until it is closed. REQUIRES: guard().
Epochs::Epoch& Epochs::find(std::uint64_t handle, Kind kind, const char* where) {
    const std::uint64_t index = handle % (std::uint64_t{1} << kIndexBits);
    Epoch* epoch = index < epochs_.size() ? epochs_[index].get() : nullptr;
    if (epoch == nullptr || !epoch->is_open ||
        handle != handle_of(static_cast<std::uint32_t>(index), epoch->generation)) {
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
    epoch.is_open = false;
    free_.push_back(static_cast<std::uint32_t>(handle % (std::uint64_t{1} << kIndexBits)));
}

std::uint64_t Epochs::post(std::span<const int> origins, const Options& options,
                           const char* where) {
    // Held while the origins are told, so that their gates only grow.
    const auto hold = guard();
    const std::uint64_t handle = open(Kind::kExposure, origins, options, where);
    if (!options.no_store) {
        sync_copies(SyncPoint::kEpochPost);
        // Pairs with base/gate.hpp:has_reached of the origins.
        std::atomic_thread_fence(std::memory_order_release);
    }
    for (const Partner& partner : find(handle, Kind::kExposure, where).partners)
        tell(partner.pe, &EpochSlot::posted, partner.number);
    return handle;
}

std::uint64_t Epochs::start(std::span<const int> targets, const Options& options,
                            const char* where) {
    auto hold = guard();
    const std::uint64_t handle = open(Kind::kAccess, targets, options, where);
    const Epoch& epoch = find(handle, Kind::kAccess, where);
    if (hold.owns_lock()) hold.unlock();
    if (options.mode == Mode::kImmediate) {
        for (const Partner& target : epoch.partners)
            slot_from(target.pe).posted.wait_for(target.number, where);
    }
    return handle;
}

// COST: a search where a newer epoch has the PE, too. REQUIRES: guard().
std::uint32_t Epochs::partner_of(const Epoch& epoch, int pe, const char* where) const {
    check_pe(pe, where);
    const Counts& counts = counts_[static_cast<std::size_t>(pe)];
    if (counts.last_epoch == epoch.serial) return counts.place;
    const auto found =
        std::ranges::find_if(epoch.partners, [=](const Partner& each) { return each.pe == pe; });
    if (found == epoch.partners.end()) fail_partner(epoch, pe, where);
    return static_cast<std::uint32_t>(found - epoch.partners.begin());
}

void Epochs::fail_partner(const Epoch& epoch, int pe, const char* where) const {
    fatal("%s: PE %d is not among the %zu targets of the epoch; list it in shmemx_epoch_start",
          where, pe, epoch.partners.size());
}

void Epochs::wait_until_ready(std::uint64_t handle, int pe, const char* where) {
    auto hold = guard();
    const Epoch& epoch = find(handle, Kind::kAccess, where);
    const std::uint32_t number = epoch.partners[partner_of(epoch, pe, where)].number;
    if (hold.owns_lock()) hold.unlock();
    slot_from(pe).posted.wait_for(number, where);
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
    if (hold.owns_lock()) hold.unlock();
    slot_from(pe).posted.wait_for(number, where);
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
        if (slot_from(target.pe).posted.has_reached(target.number)) {
            perform_for(copies, target.pe, where);
        } else {
            late.push_back(copies);
        }
    }
    for (const auto copies : late) {
        const Partner& target = epoch.partners[copies.front().partner];
        slot_from(target.pe).posted.wait_for(target.number, where);
        perform_for(copies, target.pe, where);
    }
    epoch.copies.clear();
}

// A target counts completed epochs, so they must end in order. REQUIRES: guard().
void Epochs::check_order(const Epoch& epoch, const char* where) const {
    for (const Partner& target : epoch.partners) {
        const Counts& counts = counts_[static_cast<std::size_t>(target.pe)];
        if (counts.completed + 1 == target.number) continue;
        fatal("%s: an older access epoch towards PE %d is still open; complete it first", where,
              target.pe);
    }
}

// Held meanwhile, so that the targets' gates only grow. REQUIRES: guard().
void Epochs::tell_targets(const Epoch& epoch) {
    for (const Partner& target : epoch.partners) {
        counts_[static_cast<std::size_t>(target.pe)].completed = target.number;
        tell(target.pe, &EpochSlot::completed, target.number);
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
    if (address_map.needs_completion() &&
        (!epoch.options.no_put || (epoch.has_gets && gets_need_quiet()))) {
        default_context.quiet();
    }
    {
        const auto hold_again = guard();
        tell_targets(epoch);
    }
    close(handle, epoch);
}

// At the end of an exposure epoch. With NOPUT no origin has changed anything.
void Epochs::take_changes(const Epoch& epoch) {
    if (!epoch.options.no_put) sync_copies(SyncPoint::kEpochEnd);
}

void Epochs::wait(std::uint64_t handle, const char* where) {
    auto hold = guard();
    Epoch& epoch = find(handle, Kind::kExposure, where);
    if (hold.owns_lock()) hold.unlock();
    for (const Partner& origin : std::span(epoch.partners).subspan(epoch.arrived))
        slot_from(origin.pe).completed.wait_for(origin.number, where);
    take_changes(epoch);
    close(handle, epoch);
}

bool Epochs::test(std::uint64_t handle, const char* where) {
    auto hold = guard();
    Epoch& epoch = find(handle, Kind::kExposure, where);
    if (hold.owns_lock()) hold.unlock();
    for (; epoch.arrived < epoch.partners.size(); ++epoch.arrived) {
        const Partner& origin = epoch.partners[epoch.arrived];
        if (slot_from(origin.pe).completed.has_reached(origin.number)) continue;
        release_held();
        drive_progress();
        return false;
    }
    take_changes(epoch);
    close(handle, epoch);
    return true;
}

Epochs& epochs() { return *pe_state.epochs; }

}  // namespace tessera

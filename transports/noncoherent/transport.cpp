// SPDX-License-Identifier: BSD-3-Clause
//
// See noncoherent_transport.hpp. Each operation is complete at its public copy when the call
// returns. Each PE loads, computes and stores an atomic under the lock of the PE that has the word,
// also if it has the word itself. So memory without atomic instructions will do. THREADS: any.
#include "transports/noncoherent_transport.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <utility>

#include "base/bits.hpp"
#include "base/copy.hpp"
#include "base/fatal.hpp"
#include "base/shared_lock.hpp"
#include "base/wait.hpp"
#include "transports/apply_atomic.hpp"
#include "transports/noncoherent/bakery_lock.hpp"
#include "transports/noncoherent/copies.hpp"
#include "transports/noncoherent/duties.hpp"
#include "transports/noncoherent/views.hpp"

namespace tessera::noncoherent {
namespace {

using Context = TransportContext;

constexpr std::size_t kEvictOneIn = 8;  // calls
constexpr std::size_t kEvictLinesMax = 4;
constexpr std::uint32_t kShowLifeOneIn = 1024;  // polls of waits

std::uint64_t seed_of(const Setup& setup) {
    return setup.seed != 0 ? mix_bits(setup.seed * 4096 + static_cast<std::uint64_t>(setup.pe)) | 1
                           : 0;
}

template <class T>
std::uint64_t word_at(char* address) {
    return std::atomic_ref<T>(*reinterpret_cast<T*>(address)).load(std::memory_order_relaxed);
}

// A narrow word without its neighbours.
std::uint64_t word_at(char* address, std::size_t bytes) {
    switch (bytes) {
        case 1: return word_at<std::uint8_t>(address);
        case 2: return word_at<std::uint16_t>(address);
        case 4: return word_at<std::uint32_t>(address);
        default: return word_at<std::uint64_t>(address);
    }
}

// Held while this PE changes a word of `target`'s memory in several steps.
class AtomicGuard {
  public:
    AtomicGuard(const Neighbour& target, const Policy& policy, BakeryPlace place, const char* where)
        : on_node_(*target.lock, where) {
        if (target.lines != nullptr) between_nodes_.emplace(policy, target.lines, place);
    }

  private:
    SharedLock on_node_;
    std::optional<BakeryLock> between_nodes_;
};

// Symmetric heap or static data.
struct Segment {
    explicit Segment(SegmentSetup setup) : copies(std::move(setup)), views(copies) {}
    bool is_made() const { return copies.is_made() && views.is_made(); }

    Copies copies;
    Views views;
};

// Stands around an operation of the library: see Views::drop().
class DroppedLines {
  public:
    DroppedLines(Views& views, const void* start, std::size_t bytes, int pe)
        : views_(views), start_(start), bytes_(bytes), pe_(pe) {
        views_.drop(start_, bytes_, pe_);
    }
    ~DroppedLines() { views_.drop(start_, bytes_, pe_); }
    DroppedLines(const DroppedLines&) = delete;
    DroppedLines& operator=(const DroppedLines&) = delete;

  private:
    Views& views_;
    const void* const start_;
    const std::size_t bytes_;
    const int pe_;
};

class CopiesTransport final : public NoncoherentTransport {
  public:
    explicit CopiesTransport(Setup setup)
        : pe_(setup.pe),
          place_{.mine = setup.node, .count = setup.nodes},
          neighbours_(std::move(setup.neighbours)),
          dice_(seed_of(setup)),
          show_life_(std::move(setup.show_life)),
          heap_(std::move(setup.heap)),
          statics_(std::move(setup.statics)) {}

    bool is_made() const { return heap_.is_made() && statics_.is_made(); }
    void take_statics() { statics_.copies.take_private(); }

    const char* name() const override { return "noncoherent"; }
    std::string description() const override {
        return std::string("coherence by software, public copies: ") +
               heap_.copies.policy().name() +
               (heap_.copies.is_watched() ? "; written pages: from the kernel"
                                          : "; written pages: by comparison");
    }
    bool has_statics_of(int pe) const override { return statics_.copies.has_pe(pe); }

    // ---- Coherence ----

    void perform(SyncPoint point) override {
        evict_now_and_then();
        // Before another job's bytes come here.
        if (point == SyncPoint::kSyncEnd && show_life_) show_life_("a barrier or sync");
        const Duty& duty = duty_of(point);
        for (Copies* copies : {&heap_.copies, &statics_.copies}) {
            if (tells(duty)) copies->finish_stamps();
            if (duty.publishes) copies->publish_all(dice_);
            if (duty.refreshes) copies->refresh_all(dice_);
        }
        finish();
    }

    void perform(SyncPoint point, const void* start, std::size_t bytes) override {
        evict_now_and_then();
        for (Copies* copies : {&heap_.copies, &statics_.copies}) {
            if (tells(duty_of(point))) copies->finish_stamps();
            if (copies->holds(start)) perform(point, *copies, start, bytes);
        }
        finish();
        if (point == SyncPoint::kSyncEnd && show_life_) show_life_("a barrier or sync");
    }

    char* public_address(const void* address, int pe) override {
        for (Segment* segment : {&heap_, &statics_}) {
            if (segment->copies.holds(address)) {
                return segment->copies.has_pe(pe) ? segment->views.pointer_to(address, pe)
                                                  : nullptr;
            }
        }
        return nullptr;
    }
    void write_back(const void* start, std::size_t bytes, const char* where) override {
        maintain(start, bytes, where, &Copies::publish, &Views::write_back);
    }
    void invalidate(const void* start, std::size_t bytes, const char* where) override {
        maintain(start, bytes, where, &Copies::refresh, &Views::invalidate);
    }

    // ---- Operations ----

    void put(Context&, void* dest, const void* source, std::size_t bytes, int pe) override {
        evict_now_and_then();
        Segment& segment = segment_of(dest);
        Copies& copies = segment.copies;
        const DroppedLines dropped(segment.views, dest, bytes, pe);
        if (pe == pe_) {
            copies.store_here(dest, source, bytes);
            copies.policy().finish();
        } else {
            copies.change(dest, bytes, pe,
                          [&](char* remote) { copies.policy().store(remote, source, bytes); });
        }
        wake(pe);
    }
    void get(Context&, void* dest, const void* source, std::size_t bytes, int pe) override {
        evict_now_and_then();
        Segment& segment = segment_of(source);
        Copies& copies = segment.copies;
        const DroppedLines dropped(segment.views, source, bytes, pe);
        if (pe == pe_) {
            perform(SyncPoint::kOwnGet, copies, source, bytes);
            copy_bytes(dest, source, bytes);
        } else {
            const char* remote = copies.public_of(source, pe);
            copies.policy().before_load(remote, bytes);
            copy_bytes(dest, remote, bytes);
        }
        // Later loads must not pass a get. Pairs with transports/noncoherent/policy.cpp:finish.
        std::atomic_thread_fence(std::memory_order_acquire);
    }
    void put_nbi(Context& context, void* dest, const void* source, std::size_t bytes,
                 int pe) override {
        put(context, dest, source, bytes, pe);
    }
    void get_nbi(Context& context, void* dest, const void* source, std::size_t bytes,
                 int pe) override {
        get(context, dest, source, bytes, pe);
    }

    void put_tracked(Context& context, void* dest, const void* source, std::size_t bytes, int pe,
                     Operation&) override {
        put(context, dest, source, bytes, pe);
        segment_of(dest).copies.finish_stamps();
    }

    std::uint64_t atomic(Context&, const AtomicRequest& request, int pe) override {
        evict_now_and_then();
        Segment& segment = segment_of(request.dest);
        Copies& copies = segment.copies;
        const DroppedLines dropped(segment.views, request.dest, request.bytes, pe);
        const Policy& policy = copies.policy();
        char* word = copies.public_of(request.dest, pe);
        if (pe == pe_) perform(SyncPoint::kAtomicBegin, copies, request.dest, request.bytes);
        std::uint64_t old = 0;
        auto load = [&] {
            policy.before_load(word, request.bytes);
            old = word_at(word, request.bytes);
            // Pairs with transports/noncoherent/policy.cpp:finish.
            std::atomic_thread_fence(std::memory_order_acquire);
        };
        if (request.op == AtomicOp::kFetch) {
            load();
        } else {
            const AtomicGuard guard = guard_of(pe, policy, "an atomic on non-coherent memory");
            load();
            const std::uint64_t next = atomic_result(request, old);
            // An operation without effect must not store: a put, which takes no lock, may have come
            // in between.
            if (next != old) {
                copies.change(request.dest, request.bytes, pe,
                              [&](char* remote) { policy.store(remote, &next, request.bytes); });
                copies.finish_stamps();  // The old value tells that the word has changed.
            }
        }
        if (pe == pe_) end_own_atomic(copies, request.dest, request.bytes);
        if (request.op != AtomicOp::kFetch) wake(pe);
        return old;
    }
    void accumulate(Context&, const Accumulation& what, int pe) override {
        Segment& segment = segment_of(what.dest);
        Copies& copies = segment.copies;
        const Policy& policy = copies.policy();
        const std::size_t bytes = what.nelems * what.element.kernel()->bytes;
        const DroppedLines dropped(segment.views, what.dest, bytes, pe);
        if (pe == pe_) perform(SyncPoint::kAtomicBegin, copies, what.dest, bytes);
        accumulate_in_pieces(
            what, [&] { return guard_of(pe, policy, "an accumulate on non-coherent memory"); },
            [&](char* piece, char* dest, std::size_t piece_bytes) {
                const char* remote = copies.public_of(dest, pe);
                policy.before_load(remote, piece_bytes);
                copy_bytes(piece, remote, piece_bytes);
            },
            [&](char* dest, char* piece, std::size_t piece_bytes) {
                copies.change(dest, piece_bytes, pe,
                              [&](char* remote) { policy.store(remote, piece, piece_bytes); });
            });
        copies.finish_stamps();  // The old value tells that the word has changed.
        if (pe == pe_) end_own_atomic(copies, what.dest, bytes);
        wake(pe);
    }

    void fence(Context&) override { perform(SyncPoint::kFence); }
    void quiet(Context&) override { perform(SyncPoint::kQuiet); }
    void progress() override {
        evict_now_and_then();
        // Relaxed: some thread shows life.
        if (show_life_ && polls_.fetch_add(1, std::memory_order_relaxed) % kShowLifeOneIn == 0)
            show_life_("a wait");
    }

  private:
    const Neighbour& neighbour(int pe) const { return neighbours_[static_cast<std::size_t>(pe)]; }
    AtomicGuard guard_of(int pe, const Policy& policy, const char* where) const {
        return AtomicGuard(neighbour(pe), policy, place_, where);
    }
    // The segment with this address.
    Segment& segment_of(const void* address) {
        if (heap_.copies.holds(address)) return heap_;
        if (statics_.copies.holds(address)) return statics_;
        fatal("%p is neither in the symmetric heap nor static data, which non-coherent memory has",
              address);
    }

    // Applies `own` to a range of this PE's private copy, and `others` to one of another PE's
    // memory.
    void maintain(const void* start, std::size_t bytes, const char* where,
                  void (Copies::*own)(const void*, std::size_t),
                  void (Views::*others)(const void*, std::size_t)) {
        for (Segment* segment : {&heap_, &statics_}) {
            const bool is_own = segment->copies.holds(start);
            const std::size_t limit =
                is_own ? segment->copies.bytes_behind(start) : segment->views.bytes_at(start);
            if (limit == 0) continue;
            if (bytes > limit) {
                fatal("%s: nbytes is %zu, but only %zu bytes of symmetric memory begin at ptr %p",
                      where, bytes, limit, start);
            }
            if (is_own) {
                (segment->copies.*own)(start, bytes);
            } else {
                (segment->views.*others)(start, bytes);
            }
        }
        finish();
    }

    void perform(SyncPoint point, Copies& copies, const void* start, std::size_t bytes) {
        const Duty& duty = duty_of(point);
        if (duty.publishes) copies.publish(start, bytes);
        if (duty.refreshes) copies.refresh(start, bytes);
        copies.policy().finish();
    }
    // Behind the load of an atomic. To drop the lines once more would take longer than the rest.
    void end_own_atomic(Copies& copies, const void* start, std::size_t bytes) {
        if (duty_of(SyncPoint::kAtomicEnd).refreshes) copies.refresh_loaded(start, bytes);
        copies.policy().finish();
    }
    void finish() const {
        heap_.copies.policy().finish();
        statics_.copies.policy().finish();
    }

    // Behind finish(): the PE sees what was stored, or this PE sees that it sleeps. A PE of another
    // node looks by itself.
    void wake(int pe) const {
        Sleeper* sleeper = neighbour(pe).sleeper;
        if (sleeper != nullptr && sleeper->is_sleeping()) sleeper->wake();
    }

    // Caches evict lines when they like; so do these copies, as far as calls give occasion.
    void evict_now_and_then() {
        if (!dice_.is_used() || dice_.below(kEvictOneIn) != 0) return;
        for (std::size_t lines = dice_.below(kEvictLinesMax) + 1; lines > 0; --lines) {
            Segment& segment = dice_.below(2) == 0 ? heap_ : statics_;
            segment.copies.evict(dice_);
            segment.views.evict(dice_);
        }
    }

    const int pe_;
    const BakeryPlace place_;
    const std::vector<Neighbour> neighbours_;
    Dice dice_;
    const std::function<void(const char* where)> show_life_;
    std::atomic<std::uint32_t> polls_{0};
    Segment heap_;
    Segment statics_;
};

}  // namespace

std::size_t page_marks_bytes(std::size_t segment_bytes) {
    return PageMarks::bytes_for(segment_bytes);
}

std::size_t page_stamps_bytes(std::size_t segment_bytes) {
    return PageStamps::bytes_for(segment_bytes);
}

std::unique_ptr<NoncoherentTransport> make_transport(Setup setup) {
    auto made = std::make_unique<CopiesTransport>(std::move(setup));
    if (!made->is_made()) return nullptr;
    made->take_statics();
    return made;
}

}  // namespace tessera::noncoherent

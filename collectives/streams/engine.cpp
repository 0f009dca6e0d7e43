// SPDX-License-Identifier: BSD-3-Clause
//
// See engine.hpp. A team's calls under way lie in a pool of fixed size, which its CollectiveState
// owns from the team's first use of streams on. THREADS: one at a time starts; the driver of
// background works (progress/background.hpp) advances.
#include "collectives/streams/engine.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/bits.hpp"
#include "base/library_thread.hpp"
#include "collectives/state.hpp"
#include "collectives/streams/places.hpp"
#include "collectives/streams/progress.hpp"
#include "memory/local_memory.hpp"
#include "messaging/operands.hpp"
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
    std::atomic<bool> is_open_{false};
};

class OpenCalls {
  public:
    explicit OpenCalls(const Team& team);

    // The work of the team's next call. RETURNS when: the pool has room.
    OpenCall& open(const RuntimeCall& call, const char* where);
    // Pairs with collectives/streams/engine.cpp:release.
    std::uint32_t count() const { return count_.load(std::memory_order_acquire); }
    std::uint32_t last_number() const;

  private:
    friend class OpenCall;
    struct Set {
        Set(const Team& team, int number)
            : streams(team, number), next(static_cast<std::uint32_t>(number)) {}
        StreamSet streams;
        std::atomic<std::uint32_t> next;  // the first call of this set that is not complete
        std::vector<char> scratch;        // memory of the call that is under way
        std::vector<std::size_t> places;  // likewise
    };
    Set& set_of(std::uint32_t number) { return *sets_[number % sets_.size()]; }
    // Whether all calls of the set before this one are complete.
    bool is_next(std::uint32_t number) {
        // Pairs with collectives/streams/engine.cpp:release.
        return set_of(number).next.load(std::memory_order_acquire) == number;
    }
    void grow_scratch(Set& set, const RuntimeCall& call);

    std::vector<std::unique_ptr<Set>> sets_;  // a power of two of them, so that numbers may wrap
    std::array<OpenCall, kOpenCallsMax> pool_;
    std::uint32_t next_ = 0;
    std::atomic<std::uint32_t> count_{0};
};

void DeleteOpenCalls::operator()(OpenCalls* calls) const { delete calls; }

OpenCalls::OpenCalls(const Team& team) {
    for (int i = 0; i < stream_layout(team).sets(); ++i)
        sets_.push_back(std::make_unique<Set>(team, i));
}

OpenCall& OpenCalls::open(const RuntimeCall& call, const char* where) {
    OpenCall& slot = pool_[next_ % kOpenCallsMax];
    // Pairs with collectives/streams/engine.cpp:release.
    drive_until([&] { return !slot.is_open_.load(std::memory_order_acquire); }, where);
    slot.calls_ = this;
    slot.number_ = next_++;
    slot.position_ = {};
    slot.call_ = call;
    slot.call_.slot_bytes = set_of(slot.number_).streams.slot_bytes();
    if (call.schedule->count_places != nullptr) call.schedule->count_places(slot.call_);
    slot.call_.sends = call.schedule->count_sends(slot.call_);
    slot.call_.receives = call.schedule->count_receives(slot.call_);
    slot.is_open_.store(true, std::memory_order_relaxed);  // start_background() publishes it.
    count_.fetch_add(1, std::memory_order_relaxed);
    return slot;
}

std::uint32_t OpenCalls::last_number() const {
    std::uint32_t last = sets_[0]->streams.last_number();
    for (const auto& set : sets_) {
        const std::uint32_t number = set->streams.last_number();
        if (static_cast<std::int32_t>(number - last) > 0) last = number;
    }
    return last;
}

// Calls of a set come one after the other, so they share its scratch memory. A single member
// combines nothing.
void OpenCalls::grow_scratch(Set& set, const RuntimeCall& call) {
    if (call.npes == 1) return;
    const std::size_t bytes = (kScratchPieces + 2) * call.scratch_stride();
    if (set.scratch.size() < bytes) set.scratch.resize(bytes);
}

namespace {

// Long parts without a dest in the heap land in at most so many bytes.
constexpr std::size_t kLandingBytesMax = std::size_t{16} << 20;

static_assert(kNoPlace == kNotInHeap);

// Calls visit(from, part, offset): the offset of its place in the heap, or kNotInHeap.
template <class Visit>
void for_each_long_part(const RuntimeCall& call, Visit visit) {
    for (int from = 0; from < call.npes; ++from) {
        const LongPart part = call.schedule->long_part(call, from);
        if (part.bytes == 0) continue;
        const bool has_dest = part.dest != nullptr;
        visit(from, part, has_dest ? heap_place_of(part.dest, part.bytes) : kNotInHeap);
    }
}

std::size_t landing_bytes(const RuntimeCall& call) {
    std::size_t bytes = 0;
    for_each_long_part(call, [&](int, const LongPart& part, std::size_t place) {
        if (place == kNotInHeap && part.may_land) bytes += round_up(part.bytes, kCacheLineBytes);
    });
    return bytes;
}

}  // namespace

// Names places for the long parts (places.hpp), in memory that the set's calls share.
void OpenCall::prepare_places() {
    std::vector<std::size_t>& places = calls_->set_of(number_).places;
    const auto npes = static_cast<std::size_t>(call_.npes);
    places.assign(2 * npes, kNoPlace);
    call_.base = heap_start();
    call_.named = places.data();
    call_.places = places.data() + npes;
    if (call_.place_sends == 0) return;
    const std::size_t bytes = landing_bytes(call_);
    if (bytes > 0 && bytes <= kLandingBytesMax) landing_ = allocate_local(bytes);
    std::size_t next = landing_ != nullptr ? heap_place_of(landing_, bytes) : kNotInHeap;
    for_each_long_part(call_, [&](int from, const LongPart& part, std::size_t place) {
        if (place == kNotInHeap && part.may_land && next != kNotInHeap) {
            place = next;
            next += round_up(part.bytes, kCacheLineBytes);
        }
        call_.named[from] = place;
    });
}

bool OpenCall::advance() {
    if (!calls_->is_next(number_)) return false;
    // The program's functions are for its own threads.
    if (call_.function.is_of_program && is_library_thread) return false;
    OpenCalls::Set& set = calls_->set_of(number_);
    if (call_.scratch == nullptr && call_.function.is_reduction()) {
        calls_->grow_scratch(set, call_);
        call_.scratch = set.scratch.data();
    }
    if (call_.named == nullptr && call_.place_sends + call_.place_receives > 0) prepare_places();
    return collectives::advance(call_, position_, set.streams);
}

void OpenCall::release() {
    OpenCalls& calls = *calls_;
    if (landing_ != nullptr) free_local(std::exchange(landing_, nullptr), "a collective");
    // Pairs with collectives/streams/engine.cpp:is_next, collectives/streams/engine.cpp:open and
    // collectives/streams/engine.cpp:count.
    calls.set_of(number_).next.fetch_add(static_cast<std::uint32_t>(calls.sets_.size()),
                                         std::memory_order_release);
    is_open_.store(false, std::memory_order_release);
    calls.count_.fetch_sub(1, std::memory_order_release);
}

namespace {

OpenCalls& calls_of(Team& team) {
    CollectiveState& state = state_of(team);
    if (state.open_calls == nullptr) state.open_calls.reset(new OpenCalls(team));
    return *state.open_calls;
}

const OpenCalls* used_calls_of(const Team& team) {
    return team.collective_state != nullptr ? team.collective_state->open_calls.get() : nullptr;
}

}  // namespace

shmemx_req_t start(Team& team, const RuntimeCall& call, const char* where) {
    OpenCall& work = calls_of(team).open(call, where);
    Request& request = open_request(where);
    start_background(work, request.operation);
    return publish(request);
}

void run(Team& team, const RuntimeCall& call, const char* where) {
    Operation operation;
    start_background(calls_of(team).open(call, where), operation);
    drive_until([&] { return operation.is_local(); }, where);
}

bool has_used_streams(const Team& team) { return used_calls_of(team) != nullptr; }

std::uint32_t open_calls(const Team& team) {
    const OpenCalls* calls = used_calls_of(team);
    return calls != nullptr ? calls->count() : 0;
}

std::uint32_t last_stream_number(const Team& team) {
    const OpenCalls* calls = used_calls_of(team);
    return calls != nullptr ? calls->last_number() : team.first_stream_number;
}

}  // namespace tessera::collectives

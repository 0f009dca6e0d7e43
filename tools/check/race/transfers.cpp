// SPDX-License-Identifier: BSD-3-Clause
//
// The steps of transfers, waits and locks (steps.hpp).
#include <cstring>
#include <functional>
#include <limits>
#include <string_view>

#include "tools/check/race/steps.hpp"
#include "tools/check/report.hpp"

namespace tessera::check::race {

namespace {

using interpose::AtomicOperation;
using interpose::Call;
using interpose::Kind;

// The target in the world; a context's PEs count in its team.
int target_of(const Call& call) {
    if (call.context == SHMEM_CTX_DEFAULT) return call.pe;
    shmem_team_t team = SHMEM_TEAM_INVALID;
    if (pshmem_ctx_get_team(call.context, &team) != 0) return -1;
    return pshmem_team_translate_pe(team, call.pe, SHMEM_TEAM_WORLD);
}

// Without one, the library ends the job, or does nothing.
bool names_target(const Call& call) {
    if (call.context == SHMEM_CTX_INVALID) return false;
    int pe = target_of(call);
    return pe >= 0 && pe < pshmem_n_pes();
}

// Calls visit(address, bytes) for each run of bytes on one side of a transfer.
template <class Visit>
void for_runs(const Call& call, const void* start, bool is_dest, const Visit& visit) {
    const char* base = static_cast<const char*>(start);
    if (call.section.extents != nullptr) {
        const ptrdiff_t* strides =
            is_dest ? call.section.dest_strides : call.section.source_strides;
        std::vector<std::size_t> at(static_cast<std::size_t>(call.section.ndims), 0);
        for (int dim = 0; dim < call.section.ndims; ++dim) {
            if (call.section.extents[dim] == 0) return;
        }
        for (;;) {
            const char* place = base;
            for (int dim = 0; dim < call.section.ndims; ++dim)
                place += static_cast<ptrdiff_t>(at[static_cast<std::size_t>(dim)]) * strides[dim];
            visit(place, call.element_bytes);
            int dim = 0;
            for (; dim < call.section.ndims; ++dim) {
                auto& index = at[static_cast<std::size_t>(dim)];
                if (++index < call.section.extents[dim]) break;
                index = 0;
            }
            if (dim == call.section.ndims) return;
        }
    }
    if (call.blocks.dest_count != 0 || call.blocks.source_count != 0) {
        const shmemx_block_t* blocks = is_dest ? call.blocks.dest : call.blocks.source;
        const std::size_t count = is_dest ? call.blocks.dest_count : call.blocks.source_count;
        for (std::size_t i = 0; blocks != nullptr && i < count; ++i)
            visit(base + blocks[i].offset, blocks[i].bytes);
        return;
    }
    const ptrdiff_t stride = is_dest ? call.dst : call.sst;
    const std::size_t run = call.element_bytes * call.block;
    if (stride == static_cast<ptrdiff_t>(call.block)) {
        visit(base, run * call.count);
        return;
    }
    for (std::size_t i = 0; i < call.count; ++i) {
        visit(
            base + static_cast<ptrdiff_t>(i) * stride * static_cast<ptrdiff_t>(call.element_bytes),
            run);
    }
}

// Holds the target of a call while its steps run.
class Hold {
  public:
    Hold(Detector& detector, int pe) : detector_(detector), pe_(pe) { detector_.hold(pe); }
    ~Hold() { detector_.let_go(pe_); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

  private:
    Detector& detector_;
    int pe_;
};

bool is_nonblocking(const Call& call) { return call.is_nbi || call.requests != nullptr; }

// The calling PE's side: `start` is null for p and g.
void local_side(Detector& detector, const Call& call, const void* start, bool is_dest,
                Found& found) {
    if (start == nullptr || detector.is_of_dart()) return;
    Lane lane = is_nonblocking(call) ? lane_of(call) : Lane::kProgram;
    for_runs(call, start, is_dest, [&](const char* address, std::size_t bytes) {
        use(detector, address, bytes, is_dest ? Touch::kWrite : Touch::kRead, lane, found);
        if (lane != Lane::kProgram) {
            detector.pending().add({.begin = reinterpret_cast<std::uintptr_t>(address),
                                    .bytes = bytes,
                                    .is_dest = is_dest,
                                    .lane = lane,
                                    .op = detector.op(),
                                    .target = target_of(call),
                                    .call = text_of(call)});
        }
    });
}

// The first disturbed transfer, unless it is a put that the target has: its PE has told this one.
void keep(Detector& detector, const Pending& transfer, const char* mistake, Found& found) {
    if (found.disturbed || (!transfer.is_dest && detector.knows_delivered(transfer))) return;
    found.disturbed = Disturbed{mistake, transfer};
}

Range word_of(const Call& call) { return {call.dest, call.element_bytes, target_of(call)}; }

void before_atomic(Detector& detector, const Call& call, Found& found) {
    bool only_reads = call.operation == AtomicOperation::kFetch;
    bool is_complete = call.is_fetching && !is_nonblocking(call);
    Range word = word_of(call);
    word.bytes *= call.kind == Kind::kAccumulate ? call.count : 1;
    {
        Hold hold(detector, word.pe);
        detector.touch(word, only_reads ? Touch::kAtomicRead : Touch::kAtomicWrite,
                       is_complete ? Lane::kProgram : lane_of(call));
        if (!only_reads) detector.release(word);
    }
    if (call.fetched != nullptr && is_nonblocking(call) && !detector.is_of_dart()) {
        use(detector, call.fetched, call.element_bytes, Touch::kWrite, lane_of(call), found);
        detector.pending().add({.begin = reinterpret_cast<std::uintptr_t>(call.fetched),
                                .bytes = call.element_bytes,
                                .is_dest = true,
                                .lane = lane_of(call),
                                .op = detector.op(),
                                .call = text_of(call)});
    }
}

void before_put(Detector& detector, const Call& call, Found& found) {
    int pe = target_of(call);
    local_side(detector, call, call.source, false, found);
    Lane lane = call.signal.word != nullptr ? Lane::kSignalled : lane_of(call);
    Hold hold(detector, pe);
    for_runs(call, call.dest, true, [&](const char* address, std::size_t bytes) {
        Range range{address, bytes, pe};
        detector.touch(range, Touch::kWrite, lane);
        detector.release(range);
    });
}

void signal(Detector& detector, const Call& call) {
    Range word{call.signal.word, sizeof(std::uint64_t), target_of(call)};
    Hold hold(detector, word.pe);
    detector.touch(word, Touch::kAtomicWrite, lane_of(call));
    detector.release(word, call.kind == Kind::kPut);
}

}  // namespace

Lane lane_of(const Call& call) {
    if (call.requests != nullptr) return Lane::kRequests;
    return call.context == SHMEM_CTX_DEFAULT ? Lane::kDefault : Lane::kOthers;
}

void use(Detector& detector, const void* address, std::size_t bytes, Touch touch, Lane lane,
         Found& found) {
    if (detector.is_of_dart()) return;
    for (const Pending& transfer :
         detector.pending().disturbed_by(address, bytes, is_write(touch), detector.op())) {
        keep(detector, transfer,
             transfer.is_dest ? "the dest of a nonblocking operation is used before it is complete"
                              : "the source of a nonblocking put is written before it is complete",
             found);
    }
    detector.touch({address, bytes, detector.pe()}, touch, lane, true);
}

void before_transfer(Detector& detector, const Call& call, Found& found) {
    detector.begin_step(call);
    if (!names_target(call)) return;
    if (call.kind == Kind::kPut) before_put(detector, call, found);
    if (call.kind == Kind::kAtomic || call.kind == Kind::kAccumulate)
        before_atomic(detector, call, found);
    if (call.signal.word != nullptr) signal(detector, call);
    if (call.kind != Kind::kGet) return;
    int pe = target_of(call);
    Lane lane = is_nonblocking(call) ? lane_of(call) : Lane::kProgram;
    {
        Hold hold(detector, pe);
        for_runs(call, call.source, false, [&](const char* address, std::size_t bytes) {
            detector.touch({address, bytes, pe}, Touch::kRead, lane);
        });
    }
    local_side(detector, call, call.dest, true, found);
}

void after_transfer(Detector& detector, const Call& call) {
    // The value of a nonblocking fetch comes later; to know it now hides races, and invents none.
    bool has_value = call.is_fetching || call.kind == Kind::kAccumulate;
    if (has_value && names_target(call)) detector.acquire(word_of(call), false);
}

void after_wait(Detector& detector, const Call& call) {
    detector.begin_step(call);
    std::string_view routine = call.routine;
    const char* words = static_cast<const char*>(call.source);
    const auto see = [&](std::size_t i) {
        detector.acquire({words + i * call.element_bytes, call.element_bytes, detector.pe()}, true);
    };
    if (routine.find("_any") != routine.npos) {
        if (call.result < call.count) see(call.result);
    } else if (routine.find("_some") != routine.npos) {
        for (std::size_t i = 0; i < call.result; ++i) see(call.comparison.indices[i]);
    } else if (call.kind == Kind::kWait || call.result != 0) {
        for (std::size_t i = 0; i < call.count; ++i) {
            if (call.comparison.status == nullptr || call.comparison.status[i] == 0) see(i);
        }
    }
}

// ---- Locks: a lock's record belongs to PE 0, or to the PE that the call names -------------------

void before_lock_call(Detector& detector, const Call& call) {
    detector.begin_step(call);
    if (call.kind == Kind::kUnlock) detector.release({call.lock, 8, std::max(call.pe, 0)});
}

void after_lock_call(Detector& detector, const Call& call) {
    // shmem_test_lock returns 0 with the lock, those of shmemx.h another value.
    bool is_of_shmemx = std::string_view(call.routine).starts_with("shmemx_");
    bool is_taken = call.kind == Kind::kTryLock && (call.result != 0) == is_of_shmemx;
    if (call.kind == Kind::kLock || is_taken)
        detector.acquire_lock({call.lock, 8, std::max(call.pe, 0)});
}

void complete(Detector& detector, Lane lane, Found& found) {
    for (const Pending& transfer : detector.pending().complete(lane)) {
        keep(detector, transfer,
             "the source of a nonblocking put was changed before it is complete", found);
    }
    detector.quiet(lane);
}

}  // namespace tessera::check::race

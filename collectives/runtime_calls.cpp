// SPDX-License-Identifier: BSD-3-Clause
//
// See runtime_calls.hpp.
#include "collectives/runtime_calls.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/copy.hpp"
#include "base/fatal.hpp"
#include "collectives/alltoall/alltoall.hpp"
#include "collectives/broadcast/broadcast.hpp"
#include "collectives/collect/collect.hpp"
#include "collectives/exchange/exchange.hpp"
#include "collectives/reduce/to_owners.hpp"
#include "collectives/staging.hpp"
#include "collectives/state.hpp"
#include "collectives/streams/engine.hpp"
#include "settings/config.hpp"

namespace tessera::collectives {

// ---- Calls of one member ----

MemberParts same_for_all(const void* array, std::size_t bytes, int only) {
    return {.start = static_cast<char*>(const_cast<void*>(array)), .bytes = bytes, .only = only};
}

MemberParts block_for_each(const void* array, std::size_t bytes) {
    return {.start = static_cast<char*>(const_cast<void*>(array)), .stride = bytes, .bytes = bytes};
}

RuntimeCall broadcast_call(const Team& team, void* dest, const void* source, std::size_t bytes,
                           int root) {
    RuntimeCall call = new_call(team);
    call.root = root;
    call.bytes = bytes;
    call.dest = static_cast<char*>(dest);
    call.source = static_cast<const char*>(source);
    call.out = call.me == root ? same_for_all(source, bytes) : no_parts();
    call.in = same_for_all(dest, bytes, root);
    return call;
}

RuntimeCall allgather_call(const Team& team, void* dest, const void* source, std::size_t bytes) {
    RuntimeCall call = new_call(team);
    call.bytes = bytes;
    call.out = same_for_all(source, bytes);
    call.in = block_for_each(dest, bytes);
    return call;
}

RuntimeCall alltoall_call(const Team& team, void* dest, const void* source, std::size_t bytes) {
    RuntimeCall call = new_call(team);
    call.bytes = bytes;
    call.out = block_for_each(source, bytes);
    call.in = block_for_each(dest, bytes);
    return call;
}

RuntimeCall vector_call(const Team& team, void* dest, const void* source, std::size_t bytes,
                        std::size_t element_bytes, const ReduceFunction& function) {
    RuntimeCall call = new_call(team);
    call.dest = static_cast<char*>(dest);
    call.source = static_cast<const char*>(source);
    call.bytes = bytes;
    call.element_bytes = element_bytes;
    call.function = function;
    return call;
}

namespace {

// ---- Private arrays through staging memory ----
//
// All return whether the call is done; false, on all members alike: there is no memory. Vectors
// that are longer than kStagedPartBytes go in parts.

constexpr std::size_t kStagedPartBytes = std::size_t{4} << 20;

template <class Visit>
void for_each_part(std::size_t bytes, Visit visit) {
    for (std::size_t at = 0; at < bytes; at += kStagedPartBytes)
        visit(at, std::min(kStagedPartBytes, bytes - at));
}

char* room_for_vector(const Group& group, std::size_t bytes) {
    return staging_of(group.team(), std::min(bytes, kStagedPartBytes), group.where());
}

bool run_direct(const Algorithm<Broadcast>& algorithm, const Group& group,
                const RuntimeCall& call) {
    if (algorithm.restriction.symmetric == Symmetric::kNothing && !algorithm.restriction.lands) {
        algorithm.run.run(group, call.dest, call.source, call.bytes, call.root, RootDest::kWritten);
        return true;
    }
    char* const room = room_for_vector(group, call.bytes);
    if (room == nullptr) return false;
    const bool is_root = call.me == call.root;
    const bool has_room_as_source = needs_symmetric_source(algorithm.restriction);
    const bool has_room_as_dest = needs_symmetric_dest(algorithm.restriction);
    for_each_part(call.bytes, [&](std::size_t at, std::size_t bytes) {
        char* const dest = call.dest + at;
        const char* const source = is_root ? call.source + at : nullptr;
        if (algorithm.restriction.lands) {
            return algorithm.run.land(group, dest, source, bytes, call.root, RootDest::kWritten,
                                      room);
        }
        if (is_root && has_room_as_source) copy_bytes(room, source, bytes);
        algorithm.run.run(group, has_room_as_dest ? room : dest, has_room_as_source ? room : source,
                          bytes, call.root, RootDest::kUntouched);
        if (is_root) {
            copy_at_root(dest, source, bytes, RootDest::kWritten);
        } else if (has_room_as_dest) {
            copy_bytes(dest, room, bytes);
        }
    });
    return true;
}

// Arrays of blocks: those that must be symmetric lie in the team's staging memory.
struct StagedBlocks {
    char* dest = nullptr;
    char* source = nullptr;
    char* room = nullptr;  // nullptr: none is needed
    bool is_ready = true;  // false: there is no memory
};
StagedBlocks stage_blocks(const Restriction& restriction, const Group& group,
                          const RuntimeCall& call, std::size_t source_bytes) {
    const std::size_t all = call.bytes * static_cast<std::size_t>(call.npes);
    const bool has_dest = restriction.lands || needs_symmetric_dest(restriction);
    const bool has_source = needs_symmetric_source(restriction);
    const std::size_t bytes = (has_dest ? all : 0) + (has_source ? source_bytes : 0);
    char* const room = staging_of(group.team(), bytes, group.where());
    if (room == nullptr && bytes > 0) return {.is_ready = false};
    StagedBlocks staged{.dest = call.in.start, .source = call.out.start, .room = room};
    if (needs_symmetric_dest(restriction)) staged.dest = room;
    if (has_source) {
        staged.source = room + (has_dest ? all : 0);
        copy_bytes(staged.source, call.out.start, source_bytes);
    }
    return staged;
}
void take_result(const StagedBlocks& staged, const RuntimeCall& call) {
    if (staged.dest == call.in.start) return;
    copy_bytes(call.in.start, staged.dest, call.bytes * static_cast<std::size_t>(call.npes));
}

bool run_direct(const Algorithm<Fcollect>& algorithm, const Group& group, const RuntimeCall& call) {
    const StagedBlocks staged = stage_blocks(algorithm.restriction, group, call, call.bytes);
    if (!staged.is_ready) return false;
    if (algorithm.restriction.lands) {
        algorithm.run.land(group, staged.dest, staged.source, call.bytes, staged.room);
        return true;
    }
    algorithm.run.run(group, staged.dest, staged.source, call.bytes);
    take_result(staged, call);
    return true;
}

bool run_direct(const Algorithm<Alltoall>& algorithm, const Group& group, const RuntimeCall& call) {
    const StagedBlocks staged = stage_blocks(algorithm.restriction, group, call,
                                             call.bytes * static_cast<std::size_t>(call.npes));
    if (!staged.is_ready) return false;
    algorithm.run.contiguous(group, staged.dest, staged.source, call.bytes);
    take_result(staged, call);
    return true;
}

// The bytes of the blocks of all members.
std::size_t sum_of(const RuntimeCall& call, const MemberParts& blocks) {
    std::size_t sum = 0;
    for (int i = 0; i < call.npes; ++i) sum += blocks.bytes_of(i, call.element_bytes);
    return sum;
}

// The collects place the blocks one behind the other; the call's displacements say where they go.
bool run_direct(const Algorithm<Allgatherv>& algorithm, const Group& group,
                const RuntimeCall& call) {
    const std::size_t all = sum_of(call, call.in);
    const std::size_t mine = call.in.bytes_of(call.me, call.element_bytes);
    char* const room = staging_of(group.team(), 2 * all, group.where());
    if (room == nullptr) return false;
    copy_bytes(room + all, call.out.start, mine);
    algorithm.run(group, room, room + all, mine);
    const char* block = room;
    for (int i = 0; i < call.npes; ++i) {
        const std::size_t bytes = call.in.bytes_of(i, call.element_bytes);
        copy_bytes(call.in.at(i, call.element_bytes), block, bytes);
        block += bytes;
    }
    return true;
}

// ---- Reductions ----

// A function of the program as a kernel, for one call: kernels have no data of their own.
thread_local const RuntimeCall* reduced = nullptr;

void combine(void* left, const void* right, std::size_t nelems) {
    reduced->function.combine(left, right, nelems);
}
void combine_two(void* result, const void* left, const void* right, std::size_t nelems) {
    const std::size_t bytes = nelems * reduced->element_bytes;
    if (result != right) {
        if (result != left) std::memcpy(result, left, bytes);
        return combine(result, right, nelems);
    }
    // In pieces that fit into a copy of the left ones.
    alignas(kCacheLineBytes) Chunk copy;
    for_each_chunk(0, bytes, [&](std::size_t at, std::size_t some) {
        char* const place = static_cast<char*>(result) + at;
        std::memcpy(copy, static_cast<const char*>(left) + at, some);
        combine(copy, place, some / reduced->element_bytes);
        std::memcpy(place, copy, some);
    });
}
void combine_many(void* result, const void* const* sources, std::size_t count, std::size_t nelems) {
    // `result` may be any of the sources, so the sum is formed elsewhere, piece by piece.
    alignas(kCacheLineBytes) Chunk sum;
    for_each_chunk(0, nelems * reduced->element_bytes, [&](std::size_t at, std::size_t some) {
        std::memcpy(sum, static_cast<const char*>(sources[0]) + at, some);
        for (std::size_t i = 1; i < count; ++i)
            combine(sum, static_cast<const char*>(sources[i]) + at, some / reduced->element_bytes);
        std::memcpy(static_cast<char*>(result) + at, sum, some);
    });
}

class FunctionKernel {
  public:
    explicit FunctionKernel(const RuntimeCall& call)
        : own_{call.element_bytes, combine, combine_two, combine_many},
          kernel_(call.function.kernel != nullptr ? *call.function.kernel : own_),
          outer_(reduced) {
        reduced = &call;
    }
    ~FunctionKernel() { reduced = outer_; }
    FunctionKernel(const FunctionKernel&) = delete;
    FunctionKernel& operator=(const FunctionKernel&) = delete;

    const Kernel& kernel() const { return kernel_; }

  private:
    Kernel own_;
    const Kernel& kernel_;
    const RuntimeCall* outer_;  // The program's function may call a reduction of another team.
};

// Algorithms cut vectors at multiples of a cache line.
bool has_cuttable_elements(const RuntimeCall& call) {
    return call.function.kernel != nullptr ||
           (std::has_single_bit(call.element_bytes) && call.element_bytes <= kCacheLineBytes);
}

// The bytes of a result that this member wants.
struct Wanted {
    char* place = nullptr;
    std::size_t begin = 0;
    std::size_t end = 0;
};

// A reduction of the staged vector.
void reduce_staged(const Restriction& restriction, Reduce::Run run, Reduction staged,
                   const Wanted& wanted) {
    staged.lands = restriction.lands;
    staged.wanted = wanted.place;
    staged.wanted_begin = wanted.begin;
    staged.wanted_end = wanted.end;
    run(staged);
    if (restriction.lands || wanted.begin == wanted.end) return;
    copy_bytes(wanted.place, staged.dest + wanted.begin, wanted.end - wanted.begin);
}

// `takes`: this member wants the result.
bool reduce_vector(const Restriction& restriction, Reduce::Run run, const Group& group,
                   const RuntimeCall& call, bool takes) {
    char* const room = room_for_vector(group, call.bytes);
    if (room == nullptr) return false;
    const FunctionKernel function(call);
    for_each_part(call.bytes, [&](std::size_t at, std::size_t bytes) {
        copy_bytes(room, call.source + at, bytes);
        const Wanted wanted = takes ? Wanted{call.dest + at, 0, bytes} : Wanted{};
        reduce_staged(restriction, run,
                      {.group = group,
                       .dest = room,
                       .source = room,
                       .nelems = bytes / call.element_bytes,
                       .kernel = function.kernel()},
                      wanted);
    });
    return true;
}

bool run_direct(const Algorithm<Reduce>& algorithm, const Group& group, const RuntimeCall& call) {
    if (algorithm.restriction.symmetric != Symmetric::kNothing || algorithm.restriction.lands)
        return reduce_vector(algorithm.restriction, algorithm.run, group, call, true);
    const FunctionKernel function(call);
    algorithm.run({.group = group,
                   .dest = call.dest,
                   .source = call.source,
                   .nelems = call.bytes / call.element_bytes,
                   .kernel = function.kernel()});
    return true;
}

bool run_direct(const Algorithm<ReduceToRoot>& algorithm, const Group& group,
                const RuntimeCall& call) {
    return reduce_vector(algorithm.restriction, algorithm.run, group, call, call.me == call.root);
}

bool run_direct(const Algorithm<ReduceScatter>& algorithm, const Group& group,
                const RuntimeCall& call) {
    const std::size_t all = sum_of(call, call.out);
    char* const room = staging_of(group.team(), all, group.where());
    if (room == nullptr) return false;
    const FunctionKernel function(call);
    Wanted wanted{.place = call.dest};
    std::size_t at = 0;
    for (int i = 0; i < call.npes; ++i) {
        const std::size_t bytes = call.out.bytes_of(i, call.element_bytes);
        if (i == call.me) wanted = {call.dest, at, at + bytes};
        copy_bytes(room + at, call.out.at(i, call.element_bytes), bytes);
        at += bytes;
    }
    reduce_staged(algorithm.restriction, algorithm.run,
                  {.group = group,
                   .dest = room,
                   .source = room,
                   .nelems = all / call.element_bytes,
                   .kernel = function.kernel()},
                  wanted);
    return true;
}

// ---- Collectives whose algorithms all take calls in this form ----

template <class Kind>
bool run_direct(const Algorithm<Kind>& algorithm, const Group& group, const RuntimeCall& /*call*/) {
    fatal("%s: the algorithm %s has no code", group.where(), algorithm.name.data());
}

// ---- The collectives ----

template <class Kind>
void run_kind(const Group& group, Call& facts, const RuntimeCall& call) {
    perform<Kind>(group, facts, call, [&](const Algorithm<Kind>& algorithm) {
        return run_direct(algorithm, group, call);
    });
}

// How often a staged call has its bytes in the memory; vectors go in parts.
std::size_t staged_blocks(Collective collective, std::size_t npes) {
    switch (collective) {
        case Collective::kFcollect: return npes + 1;
        case Collective::kReduceScatter: return npes;
        case Collective::kAlltoall:
        case Collective::kAllgatherv: return 2 * npes;
        default: return 0;
    }
}

// RETURNS: the properties of the call that the choice needs. Members of the forms with counts know
// only their own.
Call facts_of(Collective collective, const RuntimeCall& call) {
    Call facts;
    facts.is_private = true;
    facts.bytes = call.bytes;
    const auto npes = static_cast<std::size_t>(call.npes);
    switch (collective) {
        case Collective::kReduce:
        case Collective::kReduceToRoot:
        case Collective::kReduceScatter:
            facts.dependence = call.function.dependence;
            facts.can_stage = has_cuttable_elements(call);
            if (collective == Collective::kReduceScatter)
                facts.bytes = sum_of(call, call.out) / npes;
            break;
        case Collective::kAllgatherv: facts.bytes = sum_of(call, call.in) / npes; break;
        case Collective::kAlltoallv: facts.bytes = kNominalCollectBytes; break;
        default: break;
    }
    if (facts.bytes * staged_blocks(collective, npes) > kStagedBytesMax) facts.can_stage = false;
    return facts;
}

}  // namespace

bool run_by(const AlgorithmTraits& algorithm, Team& team, const RuntimeCall& call,
            const char* where) {
    if (algorithm.exposed != nullptr) return algorithm.exposed(team, call, where);
    RuntimeCall scheduled = call;
    scheduled.schedule = algorithm.schedule;
    run(team, scheduled, where);
    return true;
}

void run_call(Team& team, Collective collective, const RuntimeCall& call, const char* where) {
    const Group group(team, where);
    Call facts = facts_of(collective, call);
    switch (collective) {
        case Collective::kBroadcast: return run_kind<Broadcast>(group, facts, call);
        case Collective::kFcollect: return run_kind<Fcollect>(group, facts, call);
        case Collective::kAlltoall: return run_kind<Alltoall>(group, facts, call);
        case Collective::kReduce: return run_kind<Reduce>(group, facts, call);
        case Collective::kReduceToRoot: return run_kind<ReduceToRoot>(group, facts, call);
        case Collective::kReduceScatter: return run_kind<ReduceScatter>(group, facts, call);
        case Collective::kGather: return run_kind<Gather>(group, facts, call);
        case Collective::kScatter: return run_kind<Scatter>(group, facts, call);
        case Collective::kAllgatherv: return run_kind<Allgatherv>(group, facts, call);
        case Collective::kAlltoallv: return run_kind<Alltoallv>(group, facts, call);
        case Collective::kBarrier:
        case Collective::kCollect:
        case Collective::kScan: break;
    }
    fatal("%s: not a collective of the runtime layer", where);
}

shmemx_req_t start_call(Team& team, Collective collective, const RuntimeCall& call,
                        const char* where) {
    Call facts = facts_of(collective, call);
    facts.is_nonblocking = true;
    RuntimeCall scheduled = call;
    scheduled.schedule = traits_of(collective)[choose({team, where}, collective, facts)]->schedule;
    return start(team, scheduled, where);
}

}  // namespace tessera::collectives

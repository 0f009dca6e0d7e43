// SPDX-License-Identifier: BSD-3-Clause
//
// The observer of tools/interpose that traces. The build includes this before each of its files, so
// that the compiler sees both functions in every routine: it then drops all members of Call that a
// trace does not need. So nothing here passes the address of a Call on.
#pragma once

#include <concepts>
#include <cstring>
#include <type_traits>

#include "lock.hpp"
#include "place.hpp"
#include "session.hpp"
#include "tools/interpose/call.hpp"

namespace tessera::trace {

using interpose::Call;
using interpose::Memory;

TESSERA_INLINE std::uint64_t bytes_of(const Call& call) {
    std::uint64_t bytes = call.element_bytes * call.count * call.block;
    if (call.section.extents != nullptr) {
        bytes = call.element_bytes;
        for (int i = 0; i < call.section.ndims; ++i) bytes *= call.section.extents[i];
    }
    if (call.blocks.dest != nullptr) bytes = 0;
    for (std::size_t i = 0; i < call.blocks.dest_count; ++i) {
        bytes += call.blocks.dest[i].bytes;
    }
    return bytes;
}

TESSERA_INLINE bool is_strided(const Call& call) {
    return call.block != 1 || call.dst != 1 || call.sst != 1 || call.section.extents != nullptr ||
           call.blocks.dest != nullptr;
}

TESSERA_INLINE Operation put_operation(const Call& call) {
    if (call.signal.word != nullptr) {
        return call.is_nbi ? Operation::put_signal_nbi : Operation::put_signal;
    }
    if (call.is_nbi) return Operation::put_nbi;
    // Known when p is compiled, and never of put.
    if (__builtin_constant_p(call.source == nullptr) && call.source == nullptr) return Operation::p;
    return is_strided(call) ? Operation::iput : Operation::put;
}

TESSERA_INLINE Operation get_operation(const Call& call) {
    if (call.is_nbi) return Operation::get_nbi;
    if (__builtin_constant_p(call.dest == nullptr) && call.dest == nullptr) return Operation::g;
    return is_strided(call) ? Operation::iget : Operation::get;
}

// The operation of a call of many, which is sampled; kCount: the call is none.
TESSERA_INLINE Operation sampled_operation(const Call& call) {
    using Kind = interpose::Kind;
    switch (call.kind) {
        case Kind::kPut: return put_operation(call);
        case Kind::kGet: return get_operation(call);
        case Kind::kAtomic:
            return call.is_fetching ? Operation::fetching_atomic : Operation::atomic;
        case Kind::kAccumulate: return Operation::atomic;
        case Kind::kSignal: return Operation::signal;
        case Kind::kFence: return Operation::fence;
        case Kind::kQuiet: return Operation::quiet;
        case Kind::kTest:
        case Kind::kRequestTest: return Operation::test;
        case Kind::kTryLock: return Operation::test_lock;
        case Kind::kUnlock: return Operation::clear_lock;
        default: return Operation::kCount;
    }
}

// The operation of a call that is always timed; kCount: the call is none.
TESSERA_INLINE Operation timed_operation(const Call& call) {
    using Kind = interpose::Kind;
    switch (call.kind) {
        case Kind::kWait:
        case Kind::kRequestWait: return Operation::wait;
        case Kind::kAllocate:
        case Kind::kReallocate: return Operation::alloc;
        case Kind::kFree: return Operation::free;
        case Kind::kTeamCreate:
        case Kind::kTeamDestroy: return Operation::team;
        case Kind::kContextCreate:
        case Kind::kContextDestroy:
        case Kind::kSession: return Operation::context;
        default: return Operation::kCount;
    }
}

TESSERA_INLINE Members members_of(const Call& call) {
    return {.team = call.team,
            .start = call.set.start,
            .log_stride = call.set.log_stride,
            .size = call.set.size};
}

TESSERA_INLINE void note_memory(const Call& call) {
    if (call.memory != Memory::kSymmetric) return;
    if (call.kind == interpose::Kind::kReallocate && call.result != 0) note_free(call.dest);
    if (call.kind == interpose::Kind::kAllocate || call.kind == interpose::Kind::kReallocate) {
        note_allocation(reinterpret_cast<const void*>(call.result), call.size);
    }
}

}  // namespace tessera::trace

namespace tessera::interpose {

TESSERA_INLINE void before(Call& call) {
    if (call.kind == Kind::kInit || call.kind == Kind::kFinalize) call.note = now_ns();
    if (call.kind == Kind::kTeamDestroy) trace::forget_teams();
    if (call.kind == Kind::kFree && call.memory == Memory::kSymmetric) trace::note_free(call.dest);
    const bool is_collective =
        call.kind == Kind::kBarrier || call.kind == Kind::kSync || call.kind == Kind::kCollective;
    if (is_collective || trace::timed_operation(call) != trace::Operation::kCount) {
        call.note = trace::start_timed();
    }
}

TESSERA_INLINE void after(Call& call) {
    if (call.kind == Kind::kInit) return trace::begin_session(call.note);
    if (call.kind == Kind::kFinalize) return trace::end_session(call.note);
    if (call.note == 0) return;
    if (call.kind == Kind::kBarrier || call.kind == Kind::kSync) {
        trace::end_barrier(
            call.kind == Kind::kSync ? trace::Operation::sync : trace::Operation::barrier,
            trace::members_of(call), call.note);
        return;
    }
    if (call.kind == Kind::kCollective) {
        trace::end_collective(call.routine, trace::members_of(call), trace::bytes_of(call),
                              call.root, call.note);
        return;
    }
    trace::end_timed({.operation = trace::timed_operation(call),
                      .pe = call.pe,
                      .bytes = call.size,
                      .start_ns = call.note});
    trace::note_memory(call);
    if (call.kind == Kind::kTeamCreate) trace::forget_teams();
}

template <std::invocable Library>
TESSERA_INLINE auto forward_observed(Call& call, Library library) {
    before(call);
    if constexpr (std::is_void_v<decltype(library())>) {
        library();
        after(call);
    } else {
        auto result = library();
        if constexpr (sizeof result <= sizeof call.result) {
            std::memcpy(&call.result, &result, sizeof result);
        }
        after(call);
        return result;
    }
}

// A call that is timed, or names no PE of the job. Outside the routine, so that a call that is only
// counted saves no registers.
template <auto kRoutine, class... Arguments>
[[gnu::noinline, gnu::cold]] auto forward_sampled(trace::Operation operation, int pe,
                                                  std::uint64_t bytes, Arguments... arguments) {
    const std::uint64_t start_ns = trace::start_sampled(operation, pe, bytes);
    const auto end = [&] {
        trace::end_sampled(
            {.operation = operation, .pe = pe, .bytes = bytes, .start_ns = start_ns});
    };
    if constexpr (std::is_void_v<decltype(kRoutine(arguments...))>) {
        kRoutine(arguments...);
        end();
    } else {
        auto result = kRoutine(arguments...);
        end();
        return result;
    }
}

// These take the place of the templates in interpose/forward.hpp, because their types are
// constrained.
template <std::invocable Library>
TESSERA_INLINE auto forward(Call& call, Library library) {
    return forward_observed(call, library);
}

// A call that is only counted has nothing behind it: it jumps into the library, or is done here.
template <auto kRoutine, class... Arguments>
requires std::invocable<decltype(kRoutine), Arguments...> TESSERA_INLINE auto forward_to(
    Call& call, Arguments... arguments) {
    using Result = decltype(kRoutine(arguments...));
    if constexpr (trace::kTryRoutine<kRoutine> != nullptr) {
        return trace::forward_lock<kRoutine>(call.pe, arguments...);
    }
    const trace::Operation operation = trace::sampled_operation(call);
    if (operation == trace::Operation::kCount) {
        return forward_observed(call, [=] { return kRoutine(arguments...); });
    }
    const std::uint64_t bytes = trace::bytes_of(call);
    const trace::Row* row = trace::count_call(operation, call.pe, bytes);
    if (row == nullptr) [[unlikely]]
        return forward_sampled<kRoutine>(operation, call.pe, bytes, arguments...);
    if (trace::is_word_operation<Result>(call)) {
        const trace::RemoteWord word = trace::find(row->route, trace::symmetric_word(call));
        if (word.is_usual) [[likely]]
            return trace::operate<Result>(call, word.address, row->route);
    }
    return kRoutine(arguments...);
}

}  // namespace tessera::interpose

// SPDX-License-Identifier: BSD-3-Clause
//
// The tracer: an observer of all calls (interpose/call.hpp) that PEs preload. It sees each call
// that is timed; the routines of tools/interpose count the others by the rows of recorder.hpp.
#include "session.hpp"
#include "tools/interpose/call.hpp"

namespace tessera::trace {
namespace {

using interpose::Call;
using interpose::Counted;
using interpose::Kind;

static_assert(static_cast<int>(Counted::put) == static_cast<int>(Operation::put) &&
              static_cast<int>(Counted::fetching_atomic) ==
                  static_cast<int>(Operation::fetching_atomic) &&
              static_cast<int>(Counted::clear_lock) == static_cast<int>(Operation::clear_lock));

std::uint64_t bytes_of(const Call& call) {
    if (call.blocks.dest != nullptr) {
        std::uint64_t bytes = 0;
        for (std::size_t i = 0; i < call.blocks.dest_count; ++i) bytes += call.blocks.dest[i].bytes;
        return bytes;
    }
    std::uint64_t bytes = call.element_bytes * call.count * call.block;
    if (call.section.extents != nullptr) {
        bytes = call.element_bytes;
        for (int i = 0; i < call.section.ndims; ++i) bytes *= call.section.extents[i];
    }
    return bytes;
}

bool is_counted(const Call& call) { return call.column != Counted::kNone; }

// The operation of a call that is always timed; kCount: the call is in no trace.
Operation timed_operation(const Call& call) {
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
        case Kind::kBarrier: return Operation::barrier;
        case Kind::kSync: return Operation::sync;
        case Kind::kCollective: return Operation::reduce;  // or another one: collectives.cpp
        default: return Operation::kCount;
    }
}

Members members_of(const Call& call) {
    return {.team = call.team,
            .start = call.set.start,
            .log_stride = call.set.log_stride,
            .size = call.set.size};
}

// The change that this thread's call makes to words for which a PE waits. Without a peer: none.
thread_local Release release{};

void begin_counted(Call& call) {
    call.tries_first = true;
    const bool is_release = find_release(call, release);
    if (!is_release) release.peer = -1;
    call.note = call.has_waited ? now_ns()
                                : start_sampled(static_cast<Operation>(call.column), call.pe,
                                                bytes_of(call), is_release);
}

void end_counted(const Call& call) {
    const Timing timing{.operation = static_cast<Operation>(call.column),
                        .pe = call.pe,
                        .bytes = bytes_of(call),
                        .start_ns = call.note,
                        .site = call.site};
    if (call.has_waited) return end_waited(timing);
    const std::uint64_t duration_ns = end_sampled(timing);
    if (release.peer < 0 || !is_recording()) return;
    release.start_ns = timing.start_ns;
    release.duration_ns = duration_ns;
    recorder.part->note_release(release);
}

void note_memory(const Call& call) {
    if (call.memory != interpose::Memory::kSymmetric) return;
    if (call.kind == Kind::kReallocate && call.result != 0) note_free(call.dest);
    if (call.kind == Kind::kAllocate || call.kind == Kind::kReallocate)
        note_allocation(reinterpret_cast<const void*>(call.result), call.size);
}

}  // namespace
}  // namespace tessera::trace

namespace tessera::interpose {

void before(Call& call) {
    if (trace::is_counted(call)) return trace::begin_counted(call);
    if (call.kind == Kind::kTeamDestroy) trace::forget_teams();
    if (call.kind == Kind::kFree && call.memory == Memory::kSymmetric) trace::note_free(call.dest);
    if (call.kind == Kind::kInit || call.kind == Kind::kFinalize) {
        call.note = now_ns();
    } else if (trace::timed_operation(call) != trace::Operation::kCount) {
        call.note = trace::start_timed();
        if (call.kind == Kind::kWait && call.note != 0) trace::begin_wait(call);
    }
}

void after(Call& call) {
    if (call.kind == Kind::kInit) return trace::begin_session(call.note);
    if (call.kind == Kind::kFinalize) return trace::end_session(call.note);
    if (call.note == 0) return;
    if (trace::is_counted(call)) return trace::end_counted(call);
    const trace::Operation operation = trace::timed_operation(call);
    if (call.kind == Kind::kBarrier || call.kind == Kind::kSync)
        return trace::end_barrier(operation, call, trace::members_of(call));
    if (call.kind == Kind::kCollective)
        return trace::end_collective(call, trace::members_of(call), trace::bytes_of(call));
    trace::end_timed({.operation = operation,
                      .pe = call.pe,
                      .bytes = call.size,
                      .start_ns = call.note,
                      .site = call.site,
                      .words = call.kind == Kind::kWait ? trace::end_wait(call) : trace::Words()});
    trace::note_memory(call);
    if (call.kind == Kind::kTeamCreate) trace::forget_teams();
}

}  // namespace tessera::interpose

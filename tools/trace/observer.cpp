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

// Of a call that is always timed; kCount: it is in no trace.
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

void end_counted(const Call& call) {
    const Timing timing{.operation = static_cast<Operation>(call.column),
                        .pe = call.pe,
                        .bytes = bytes_of(call),
                        .start_ns = call.note};
    call.has_waited ? end_waited(timing) : end_sampled(timing);
}

void note_memory(const Call& call) {
    if (call.memory != interpose::Memory::kSymmetric) return;
    if (call.kind == Kind::kReallocate && call.result != 0) note_free(call.dest);
    if (call.kind == Kind::kAllocate || call.kind == Kind::kReallocate) {
        note_allocation(reinterpret_cast<const void*>(call.result), call.size);
    }
}

}  // namespace
}  // namespace tessera::trace

namespace tessera::interpose {

void before(Call& call) {
    if (trace::is_counted(call)) {
        call.tries_first = true;
        call.note = call.has_waited
                        ? now_ns()
                        : trace::start_sampled(static_cast<trace::Operation>(call.column), call.pe,
                                               trace::bytes_of(call));
        return;
    }
    if (call.kind == Kind::kTeamDestroy) trace::forget_teams();
    if (call.kind == Kind::kFree && call.memory == Memory::kSymmetric) trace::note_free(call.dest);
    if (call.kind == Kind::kInit || call.kind == Kind::kFinalize) {
        call.note = now_ns();
    } else if (trace::timed_operation(call) != trace::Operation::kCount) {
        call.note = trace::start_timed();
    }
}

void after(Call& call) {
    if (call.kind == Kind::kInit) return trace::begin_session(call.note);
    if (call.kind == Kind::kFinalize) return trace::end_session(call.note);
    if (call.note == 0) return;
    if (trace::is_counted(call)) return trace::end_counted(call);
    const trace::Operation operation = trace::timed_operation(call);
    if (call.kind == Kind::kBarrier || call.kind == Kind::kSync) {
        return trace::end_barrier(operation, trace::members_of(call), call.note);
    }
    if (call.kind == Kind::kCollective) {
        return trace::end_collective(call.routine, trace::members_of(call), trace::bytes_of(call),
                                     call.root, call.note);
    }
    trace::end_timed(
        {.operation = operation, .pe = call.pe, .bytes = call.size, .start_ns = call.note});
    trace::note_memory(call);
    if (call.kind == Kind::kTeamCreate) trace::forget_teams();
}

}  // namespace tessera::interpose

// SPDX-License-Identifier: BSD-3-Clause
//
// The steps of the detector that a call consists of, before and behind the library's part of it.
#pragma once

#include "tools/accesses/table.hpp"
#include "tools/check/race/detector.hpp"
#include "tools/interpose/call.hpp"

namespace tessera::check::race {

// A mistake about a local buffer of a nonblocking transfer.
struct Disturbed {
    const char* mistake;
    Pending transfer;
};

// The findings of the calling thread in the current call.
struct Found {
    std::optional<Race> race;
    std::optional<Disturbed> disturbed;
};

Lane lane_of(const interpose::Call& call);

// Puts, gets, atomics, signals, accumulates.
void before_transfer(Detector& detector, const interpose::Call& call, Found& found);
void after_transfer(Detector& detector, const interpose::Call& call);
// Waits and tests: after the call.
void after_wait(Detector& detector, const interpose::Call& call);
void before_lock_call(Detector& detector, const interpose::Call& call);
void after_lock_call(Detector& detector, const interpose::Call& call);
// The buffers of a collective.
void collective_sources(Detector& detector, const interpose::Call& call, Found& found);
void collective_dests(Detector& detector, const interpose::Call& call, Found& found);
// Completes the calls of a lane.
void complete(Detector& detector, Lane lane, Found& found);
// A load or store of the program: `access.size` bytes at `access.dest`, of `access.pe`.
void access_steps(Detector& detector, const interpose::Call& access, accesses::Kind kind,
                  Found& found);
// A use of the PE's own memory by the call.
void use(Detector& detector, const void* address, std::size_t bytes, Touch touch, Lane lane,
         Found& found);

}  // namespace tessera::check::race

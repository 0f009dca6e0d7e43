// SPDX-License-Identifier: BSD-3-Clause
//
// The steps of loads and stores that an instrumented program makes itself (steps.hpp).
#include "tools/check/race/steps.hpp"

namespace tessera::check::race {

void access_steps(Detector& detector, const interpose::Call& access, accesses::Kind kind,
                  Found& found) {
    const Range range{access.dest, access.size, access.pe};
    const bool is_own = range.pe == detector.pe();
    detector.begin_access(access);
    switch (kind) {
        case accesses::Kind::kLoad:
        case accesses::Kind::kStore: {
            const bool is_store = kind == accesses::Kind::kStore;
            const Touch touch = is_store ? Touch::kWrite : Touch::kRead;
            if (is_own) {
                use(detector, range.address, range.bytes, touch, Lane::kProgram, found);
                break;
            }
            detector.touch(range, touch, Lane::kProgram);
            // The other PE may wait for the value.
            if (is_store) detector.release(range);
            break;
        }
        case accesses::Kind::kAtomicStore:
        case accesses::Kind::kUpdateBegin:
            detector.touch(range, Touch::kAtomicWrite, Lane::kProgram);
            detector.release(range);
            break;
        // As a wait: it has seen the value, and may be the first of several loads.
        case accesses::Kind::kAtomicLoad: detector.acquire(range, true); break;
        case accesses::Kind::kUpdateEnd:
            detector.acquire(range, false);  // forgets the update, too
            detector.touch(range, Touch::kAtomicWrite, Lane::kProgram);
            break;
    }
}

}  // namespace tessera::check::race

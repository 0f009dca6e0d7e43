// SPDX-License-Identifier: BSD-3-Clause
//
// How routines report errors, and error termination.

#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::caf {

// The values of stat=. Fortran 2018, 16.10.2; the numbers are those of libgfortran.
enum Stat : int {
    kOk = 0,
    kLocked = 1,               // STAT_LOCKED: this image holds the lock already.
    kLockedOtherImage = 2,     // STAT_LOCKED_OTHER_IMAGE
    kDuplicateImage = 3,       // An image is twice in the list of sync images.
    kNotLocked = 4,            // unlock of a lock that no image holds.
    kNoMemory = 5,             // allocate: no room, or the object is allocated already.
    kBadTeam = 6,              // form team: impossible numbers.
    kAlreadyStarted = 7,       // PRIF: the images run already.
    kMisuse = 8,               // PRIF: an argument that names nothing.
    kUnlockedFailedImage = 9,  // PRIF: the lock is taken from an image that has failed.
    kStoppedImage = 6000,      // STAT_STOPPED_IMAGE
    kFailedImage = 6001,       // STAT_FAILED_IMAGE
};

// The stat= and errmsg= of a statement: where it wants to know about errors.
struct ErrorTarget {
    int* stat = nullptr;     // NULL: an error ends the program.
    char* errmsg = nullptr;  // NULL where the front end cannot trust its argument.
    std::size_t errmsg_bytes = 0;
};

// kOver: OpenSHMEM is finalized, or is being finalized, and memory of other images is gone.
enum class Phase : std::uint8_t { kBefore, kRunning, kOver };
inline Phase phase = Phase::kBefore;

namespace detail {
// The names of this image in messages: its numbers in the initial team and in the current one
// (0: there is no team yet), and the number of that one (-1: the initial team).
inline int image_number = 0;
inline int image_in_team = 0;
inline std::int64_t team_number = -1;
}  // namespace detail

// Prints "image I, ROUTINE: MESSAGE" and ends all images with exit code 1.
[[noreturn]] void stop_with_error(const char* routine, const char* format, ...)
    __attribute__((format(printf, 2, 3)));

// Ends a statement. kOk: sets stat to 0. Else sets stat and errmsg; without stat=, the
// same as stop_with_error. RETURNS the code.
int report(const ErrorTarget& target, int code, const char* routine, const char* format, ...)
    __attribute__((format(printf, 4, 5)));
// The same for success, without a message.
inline int report_ok(const ErrorTarget& target) {
    if (target.stat != nullptr) *target.stat = kOk;
    return kOk;
}

// Error termination: writes out the units of the Fortran library, and ends all images with the
// exit code.
[[noreturn]] void end_with_error(int code);

}  // namespace tessera::caf

// SPDX-License-Identifier: BSD-3-Clause
//
// The functions that the Fortran layer (../fortran) calls: plain pointers and sizes in, the code of
// a caf::Stat out. The layer passes the caller's stat argument as it is, NULL where it is absent.

#pragma once

#include <shmem.h>

#include <cstddef>
#include <cstdint>

#include "core/report.hpp"
#include "core/team.hpp"

// Begins a function of the Fortran layer.
#define PRIF_ENTRY extern "C" [[gnu::visibility("default")]]

namespace tessera::prif {

using caf::kOk;

// Bytes of the message that the Fortran layer reads after an error.
inline constexpr std::size_t kMessageBytes = 512;

namespace detail {
[[noreturn]] void stop_outside(const char* routine);
}  // namespace detail

// ERRORS: a call before prif_init or behind the end of the program ends it with a message.
inline void check_running(const char* routine) {
    if (caf::phase != caf::Phase::kRunning) [[unlikely]]
        detail::stop_outside(routine);
}

// Ends a procedure. RETURNS: the code; not kOk: tessera_prif_message() has the text. ERRORS: an
// error without stat ends the program with the message.
inline int succeed(int* stat) {
    if (stat != nullptr) *stat = kOk;
    return kOk;
}
int fail(int* stat, int code, const char* routine, const char* format, ...)
    __attribute__((format(printf, 4, 5)));

// Ends an image control statement or a collective, which knows of images that are gone.
inline int end_with_status(int* stat, int status, const char* routine) {
    if (status == kOk) [[likely]]
        return succeed(stat);
    return fail(stat, status, routine, "an image of the team has %s",
                status == caf::kStoppedImage ? "stopped" : "failed");
}

// The PE of an image of the initial team, or -1 if there is none.
inline int pe_of_image(int image) {
    return image >= 1 && image <= caf::detail::all_images ? image - 1 : -1;
}
inline int fail_for_image(int* stat, const char* routine, int image) {
    return fail(stat, caf::kMisuse, routine,
                "image_num %d does not exist; the initial team has the images 1 to %d", image,
                caf::detail::all_images);
}

// The team of a prif_team_type; NULL: the argument is absent, the current team. ERRORS: a value
// that no prif_form_team has made ends the program.
caf::Team& team_of(const void* value, const char* routine);

}  // namespace tessera::prif

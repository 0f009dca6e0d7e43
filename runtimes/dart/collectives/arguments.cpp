// SPDX-License-Identifier: BSD-3-Clause
//
// Checks of arguments (arguments.hpp).

#include "collectives/arguments.hpp"

#include <sched.h>
#include <shmem.h>

#include "core/log.hpp"
#include "core/types.hpp"

namespace tessera::dart {

// No program has more memory.
constexpr std::size_t kAddressSpace = std::size_t{1} << 47;

Collective::Collective(dart_team_t team, const char* routine)
    : team_(team_of_call(team, routine)), routine_(routine) {
    if (team_ == nullptr) [[unlikely]]
        error_ = bad_argument();
}

void Collective::check_type(dart_datatype_t type) {
    if (is_possible()) {
        element_bytes_ = dart::element_bytes(type, routine_);
        error_ = element_bytes_ != 0 ? DART_OK : DART_ERR_INVAL;
    }
}

void Collective::check_root(dart_team_unit_t root) {
    if (is_possible() && (root.id < 0 || root.id >= team_->size)) [[unlikely]] {
        error_ = fail(DART_ERR_INVAL, routine_, "root %d is not in [0, %d), the units of team %d",
                      root.id, team_->size, team_->id);
    }
}

void Collective::check_buffer(const void* buffer, std::size_t nelem, const char* name, int units,
                              bool is_used) {
    std::size_t bytes = 0;
    if (!is_possible()) return;
    if (__builtin_mul_overflow(nelem, element_bytes_, &bytes) ||
        __builtin_mul_overflow(bytes, static_cast<std::size_t>(units), &bytes) ||
        bytes > kAddressSpace) [[unlikely]] {
        error_ = fail(DART_ERR_INVAL, routine_,
                      "no memory has %zu elements of %zu bytes for each of %d units", nelem,
                      element_bytes_, units);
    } else if (is_used && buffer == nullptr && bytes > 0) [[unlikely]] {
        error_ =
            fail(DART_ERR_INVAL, routine_, "%s is NULL; it needs room for %zu bytes", name, bytes);
    }
}

void Collective::check_place(const void* place) {
    if (is_possible() && place == nullptr) [[unlikely]]
        error_ = fail_null(routine_);
}

void Collective::check_handle(dart_handle_t* handle) {
    check_place(handle);
    if (handle != nullptr) *handle = DART_HANDLE_NULL;
}

dart_ret_t Collective::fail_together() const {
    if (team_ == nullptr) return error_;
    for (int unit = 0; unit < team_->size; ++unit) {
        while (!team_->has_made_call(unit)) ::sched_yield();
        if (!team_->has_failed(unit)) {
            fatal(routine_,
                  "unit %d of team %d has made the call without the mistake, and waits for this "
                  "unit; so the job ends",
                  unit, team_->id);
        }
    }
    return error_;
}

std::size_t element_bytes(dart_datatype_t type, const char* routine) {
    const std::size_t bytes = contiguous_bytes(type);
    if (bytes == 0) [[unlikely]] {
        fail(DART_ERR_INVAL, routine, "type %ld is neither a basic nor a custom type",
             static_cast<long>(type));
    }
    return bytes;
}

dart_ret_t result_of(int status, const char* routine) {
    if (status != 0) [[unlikely]] {
        return fail(DART_ERR_OTHER, routine,
                    "a unit is in more teams at once than have collectives "
                    "(docs/runtimes/dart.md), or the team has more than 3584 units: destroy teams "
                    "that are no longer needed");
    }
    return DART_OK;
}

}  // namespace tessera::dart

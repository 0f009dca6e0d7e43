// SPDX-License-Identifier: BSD-3-Clause
//
// The arguments of a collective routine, and the rule for its errors: all units of the team return
// the error, or the job ends.
//
// A unit checks its own arguments before it sends anything. A unit that has found a mistake waits
// until the others have made the same call. If all of them have found one, each returns its error.
// If a unit has found none, it waits for the others inside the call already, and nothing can call
// it back; then the unit with the mistake ends the job. Right calls pay for this by one store.

#pragma once

#include <dash/dart/if/dart_communication.h>

#include <cstddef>

#include "core/lookup.hpp"

namespace tessera::dart {

// One call. Each check prints why it fails, and does nothing behind another one that has failed.
class Collective {
  public:
    // Finds the team. Without a team there are no others to wait for.
    Collective(dart_team_t team, const char* routine);

    void check_type(dart_datatype_t type);
    void check_root(dart_team_unit_t root);
    // A buffer of `nelem` elements for each of `units` units. `is_used`: whether this unit uses it.
    void check_buffer(const void* buffer, std::size_t nelem, const char* name, int units = 1,
                      bool is_used = true);
    // The place for a result, or another pointer that must be there.
    void check_place(const void* place);
    // The place for the handle of a nonblocking form, which becomes DART_HANDLE_NULL.
    void check_handle(dart_handle_t* handle);
    // Takes the result of a check of the caller: DART_OK, or an error after a message.
    void refuse(dart_ret_t error) { error_ = error; }

    // The number of units of the team; 0 without a team.
    int units() const { return team_ != nullptr ? team_->size : 0; }
    bool is_unit(dart_team_unit_t unit) const {
        return team_ != nullptr && team_->my_id == unit.id;
    }
    bool is_possible() const { return error_ == DART_OK; }

    // Behind the checks. RETURNS: false: there was a mistake; return fail_together().
    bool begin() {
        if (team_ != nullptr) [[likely]]
            team_->note_call(is_possible());
        return is_possible();
    }
    // RETURNS: the error, when all units have one.
    [[gnu::cold]] dart_ret_t fail_together() const;

    // REQUIRES: is_possible().
    Team& team() const { return *team_; }
    // The bytes of an element of a contiguous type.
    std::size_t element_bytes() const { return element_bytes_; }

  private:
    Team* team_;
    const char* routine_;
    std::size_t element_bytes_ = 1;
    dart_ret_t error_ = DART_OK;
};

// RETURNS: bytes of an element; 0, after a message: the type is not contiguous.
std::size_t element_bytes(dart_datatype_t type, const char* routine);

// Translates the result of a routine of <shmemx.h>.
dart_ret_t result_of(int status, const char* routine);

}  // namespace tessera::dart

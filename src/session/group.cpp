// SPDX-License-Identifier: BSD-3-Clause
//
// See group.hpp.
#include "session/group.hpp"

#include <bit>
#include <string>

#include "base/fatal.hpp"
#include "base/inherited.hpp"
#include "core/address_map.hpp"
#include "launch/group.hpp"
#include "launch/meeting_frames.hpp"
#include "launch/meeting_point.hpp"
#include "session/runtime.hpp"
#include "settings/config.hpp"

namespace tessera {

static_assert(sizeof(UniqueIdBytes) == sizeof(launch::UniqueId));
static_assert(kGroupPesMax == launch::kGroupPesMax);

UniqueIdBytes make_unique_id(const char* where) {
    std::string error;
    const launch::UniqueId id = launch::open_meeting_point(config().network_timeout.value, error);
    if (id.magic == 0) fatal("%s: %s", where, error.c_str());
    return std::bit_cast<UniqueIdBytes>(id);
}

bool is_unique_id(const UniqueIdBytes& bytes) {
    return std::bit_cast<launch::UniqueId>(bytes).is_right();
}

void choose_group(const UniqueIdBytes& id, int pe, int npes, const char* where) {
    if (!needs_group(pe, npes, where)) return;
    launch::group::choose(std::bit_cast<launch::UniqueId>(id), pe, npes);
}

bool needs_group(int pe, int npes, const char* where) {
    const Inherited* job = inherited();
    if (!is_initialized() && job == nullptr) return true;
    const int my_pe = is_initialized() ? address_map.my_pe : job->pe;
    const int my_npes = is_initialized() ? static_cast<int>(address_map.npes) : job->npes;
    if (pe == my_pe && npes == my_npes) return false;
    fatal("%s: pe %d of %d, but this process is already PE %d of %d%s", where, pe, npes, my_pe,
          my_npes, is_initialized() ? "" : ", which oshrun has started; use shmem_init");
}

bool is_in_group() { return launch::group::is_chosen(); }

}  // namespace tessera

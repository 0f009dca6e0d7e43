// SPDX-License-Identifier: BSD-3-Clause
//
// Initialization by a unique id (include/shmemx/init.h).
#include "shmemx/init.h"

#include <cstring>
#include <vector>

#include "api/entry.hpp"
#include "api/setup.hpp"
#include "base/fatal.hpp"
#include "core/address_map.hpp"
#include "session/group.hpp"
#include "settings/config.hpp"

namespace tessera::api {
namespace {

static_assert(sizeof(shmemx_uniqueid_t) == sizeof(UniqueIdBytes));

void check_numbers(int pe, int npes, const char* where) {
    if (npes < 1 || npes > kGroupPesMax)
        fatal("%s: npes %d is not in [1, %d]", where, npes, kGroupPesMax);
    if (pe < 0 || pe >= npes) fatal("%s: pe %d is not in [0, npes = %d)", where, pe, npes);
}

UniqueIdBytes check_id(const shmemx_uniqueid_t* uid, const char* where) {
    UniqueIdBytes id{};
    if (uid != nullptr) std::memcpy(id.data(), uid, sizeof id);
    if (is_unique_id(id)) return id;
    fatal(
        "%s: uid %p holds no unique id; one process makes it by shmemx_get_uniqueid, and all %zu "
        "bytes have to reach the others",
        where, static_cast<const void*>(uid), sizeof id);
}

}  // namespace
}  // namespace tessera::api

namespace api = tessera::api;

SHMEM_ENTRY(void, shmemx_get_uniqueid, shmemx_uniqueid_t* uid) {
    if (uid == nullptr) tessera::fatal("%s: uid is NULL", SHMEM_WHERE);
    const tessera::UniqueIdBytes id = tessera::make_unique_id(SHMEM_WHERE);
    std::memcpy(uid, id.data(), sizeof id);
}

SHMEM_ENTRY(int, shmemx_init_uid, const shmemx_uniqueid_t* uid, int pe, int npes, int requested,
            int* provided) {
    api::check_numbers(pe, npes, SHMEM_WHERE);
    tessera::choose_group(api::check_id(uid, SHMEM_WHERE), pe, npes, SHMEM_WHERE);
    return api::initialize_at_level(requested, provided, SHMEM_WHERE);
}

SHMEM_ENTRY(int, shmemx_init_with, shmemx_allgather_t allgather, void* user_data, int pe, int npes,
            int requested, int* provided) {
    api::check_numbers(pe, npes, SHMEM_WHERE);
    if (allgather == nullptr) tessera::fatal("%s: allgather is NULL", SHMEM_WHERE);
    if (tessera::needs_group(pe, npes, SHMEM_WHERE)) {
        tessera::UniqueIdBytes mine{};
        if (pe == 0) mine = tessera::make_unique_id(SHMEM_WHERE);
        std::vector<shmemx_uniqueid_t> all(static_cast<std::size_t>(npes));
        const int status = allgather(mine.data(), all.data(), sizeof mine, user_data);
        if (status != 0) tessera::fatal("%s: allgather returned %d", SHMEM_WHERE, status);
        tessera::choose_group(api::check_id(all.data(), SHMEM_WHERE), pe, npes, SHMEM_WHERE);
    }
    return api::initialize_at_level(requested, provided, SHMEM_WHERE);
}

SHMEM_ENTRY(int, shmemx_query_interoperability, int property) {
    tessera::check_initialized(SHMEM_WHERE);
    switch (property) {
        case SHMEMX_MPI_RANKS_ARE_PES: return tessera::is_in_group() ? 0 : 1;
        case SHMEMX_PROGRESS_SHMEM: {
            const bool has_thread = tessera::config().progress.kind != tessera::Progress::kNone;
            return tessera::address_map.fabric == nullptr || has_thread ? 1 : 0;
        }
        default: return 0;
    }
}

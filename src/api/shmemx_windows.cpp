// SPDX-License-Identifier: BSD-3-Clause
//
// Windows (include/shmemx/windows.h). shmemx_epochs.cpp has the routines of their epochs.
#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "api/entry.hpp"
#include "api/epoch_arguments.hpp"
#include "api/extents.hpp"
#include "api/handles.hpp"
#include "base/fatal.hpp"
#include "collectives/barrier/barrier.hpp"
#include "collectives/shown_lines.hpp"
#include "memory/global_pointer.hpp"
#include "progress/epochs.hpp"
#include "shmemx.h"

namespace tessera::api {
namespace {

// Where a part begins, for all PEs alike; a bad one ends the job.
std::uint64_t begin_of(const void* base, std::size_t bytes, const char* where) {
    if (base == nullptr && bytes > 0) fatal("%s: base is NULL with %zu bytes", where, bytes);
    if (base == nullptr) return 0;
    address_map.remote(base, bytes, address_map.my_pe, where);  // Checks it.
    return address_bits_of(::shmemx_gptr_of(base, address_map.my_pe));
}

shmemx_window_t create(Team& team, void* base, std::size_t bytes, const char* where) {
    const WindowPart mine =
        epochs().reserve_number({.begin = begin_of(base, bytes, where), .bytes = bytes});
    std::vector<WindowPart> all = collectives::show_to_all(team, mine, where);
    if (std::ranges::any_of(all, [](const WindowPart& part) { return part.number == 0; })) {
        if (mine.number != 0) epochs().free_number(mine.number);
        return SHMEMX_WINDOW_INVALID;
    }
    const std::uint64_t handle =
        epochs().add_window(mine.number, std::make_unique<Window>(team, base, std::move(all)));
    return reinterpret_cast<shmemx_window_t>(handle);
}

std::uint64_t number_of(shmemx_window_t window) { return reinterpret_cast<std::uint64_t>(window); }

Window& window_of(shmemx_window_t window, const char* where) {
    check_initialized(where);
    return epochs().window(number_of(window), where);
}

// The bytes at `remote` on a member, which has to have them in its part.
void check_access(shmemx_window_t window, const void* remote, std::size_t bytes, int pe,
                  const char* where) {
    const Window& open = window_of(window, where);
    check_pe(pe, where);
    if (!open.has_member(pe))
        fatal("%s: PE %d is not in the team of the window; pass a member", where, pe);
    check_part(open, remote, bytes, pe, where);
}

// A barrier of the window's team. Only what concerns this PE's part of the window is published and
// refreshed.
void barrier(const Window& window, const Epochs::Options& options, const char* where) {
    Team& team = window.team();
    if (memory_is_coherent()) return collectives::barrier(team, where);
    options.no_store ? sync_copies(SyncPoint::kSyncBegin, nullptr, 0)
                     : window.sync_part(SyncPoint::kSyncBegin);
    team.flags->calls.note(where);
    team.plain_sync(team, where);
    if (!options.no_put) window.sync_part(SyncPoint::kSyncEnd);
}

}  // namespace
}  // namespace tessera::api

namespace api = tessera::api;
using tessera::epochs;

SHMEM_ENTRY(int, shmemx_window_create, shmem_team_t team, void* base, size_t nbytes,
            shmemx_window_t* window) {
    tessera::Team& members = api::team_of(team, SHMEM_WHERE);
    if (window == nullptr)
        tessera::fatal("%s: window is a null pointer; pass a variable", SHMEM_WHERE);
    *window = api::create(members, base, nbytes, SHMEM_WHERE);
    return *window == SHMEMX_WINDOW_INVALID ? 1 : 0;
}

SHMEM_ENTRY(void, shmemx_window_destroy, shmemx_window_t* window) {
    tessera::check_initialized(SHMEM_WHERE);
    if (window == nullptr)
        tessera::fatal("%s: window is a null pointer; pass its variable", SHMEM_WHERE);
    if (*window == SHMEMX_WINDOW_INVALID) return;
    tessera::Team& team = api::window_of(*window, SHMEM_WHERE).team();
    tessera::collectives::sync(team, SHMEM_WHERE);
    epochs().remove_window(api::number_of(*window), SHMEM_WHERE);
    *window = SHMEMX_WINDOW_INVALID;
}

SHMEM_ENTRY(void, shmemx_window_post, shmemx_window_t window, const int* origins, size_t norigins,
            long options, shmemx_epoch_t* epoch) {
    tessera::Window& on = api::window_of(window, SHMEM_WHERE);
    api::post(on, {origins, norigins}, options, epoch, SHMEM_WHERE);
}

SHMEM_ENTRY(void, shmemx_window_start, shmemx_window_t window, const int* targets, size_t ntargets,
            long options, shmemx_epoch_t* epoch) {
    tessera::Window& on = api::window_of(window, SHMEM_WHERE);
    api::start(on, {targets, ntargets}, options, epoch, SHMEM_WHERE);
}

SHMEM_ENTRY(void, shmemx_window_barrier, shmemx_window_t window, long options) {
    const tessera::Window& on = api::window_of(window, SHMEM_WHERE);
    api::barrier(on, api::options_from(options, api::kOptionsOfPost, SHMEM_WHERE), SHMEM_WHERE);
}

SHMEM_ENTRY(void, shmemx_window_publish, shmemx_window_t window) {
    api::window_of(window, SHMEM_WHERE).sync_part(tessera::SyncPoint::kFence);
    // Pairs with api/shmemx_windows.cpp:shmemx_window_refresh.
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

SHMEM_ENTRY(void, shmemx_window_refresh, shmemx_window_t window) {
    const tessera::Window& on = api::window_of(window, SHMEM_WHERE);
    // Pairs with api/shmemx_windows.cpp:shmemx_window_publish.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    on.sync_part(tessera::SyncPoint::kWaitEnd);
}

SHMEM_ENTRY(void, shmemx_window_put, shmemx_window_t window, void* dest, const void* source,
            size_t nbytes, int pe) {
    api::check_access(window, dest, nbytes, pe, SHMEM_WHERE);
    api::check_local("source", source, nbytes, SHMEM_WHERE);
    tessera::default_context.put(dest, source, nbytes, pe, SHMEM_WHERE);
}

SHMEM_ENTRY(void, shmemx_window_get, shmemx_window_t window, void* dest, const void* source,
            size_t nbytes, int pe) {
    api::check_access(window, source, nbytes, pe, SHMEM_WHERE);
    api::check_local("dest", dest, nbytes, SHMEM_WHERE);
    tessera::default_context.get(dest, source, nbytes, pe, SHMEM_WHERE);
}

// SPDX-License-Identifier: BSD-3-Clause
//
// These procedures allocate and free coarrays and own memory of an image, make aliases, and tell
// what a handle knows of its coarray.

#include <shmemx.h>

#include <mutex>
#include <unordered_set>

#include "core/allocation.hpp"
#include "core/hooks.hpp"
#include "core/ordering.hpp"
#include "procedures/entry.hpp"
#include "procedures/handle.hpp"

namespace tessera::prif {
namespace {

// Memory of prif_allocate of this image.
struct OwnMemory {
    std::mutex mutex;
    std::unordered_set<void*> addresses;
};
OwnMemory& own_memory() {
    static OwnMemory& all = *new OwnMemory;
    return all;
}

int fail_without_memory(int* stat, const char* routine, std::size_t bytes, const char* variable) {
    return fail(stat, caf::kNoMemory, routine,
                "out of memory: no room for %zu bytes; set %s to more", bytes, variable);
}

// The final procedure of a coarray may ask for its data, size and context.
void clean_up(Handle* handle) {
    if (handle->cleanup != nullptr) handle->cleanup(handle);
}

void free_with_handle(Handle* handle) {
    caf::Coarray* coarray = handle->coarray;
    destroy_handle(handle);
    free_coarray(coarray);
}

// prif_end_team, before the coarrays of the team are freed.
void clean_up_team(caf::Team& team) {
    const std::vector<Handle*> handles = handles_of(team);
    for (Handle* handle : handles) clean_up(handle);
    for (Handle* handle : handles) destroy_handle(handle);
}

}  // namespace

PRIF_ENTRY int tessera_prif_allocate_coarray(int lower_count, const std::int64_t* lower,
                                             int upper_count, const std::int64_t* upper,
                                             std::size_t bytes, Cleanup cleanup,
                                             Handle** coarray_handle, void** memory, int* stat) {
    constexpr const char* kRoutine = "prif_allocate_coarray";
    check_running(kRoutine);
    const Cobounds cobounds{lower, lower_count, upper, upper_count};
    if (const char* mistake = find_mistake(cobounds))
        return fail(stat, caf::kMisuse, kRoutine, "%s", mistake);
    caf::detail::at_end_team = clean_up_team;
    caf::Team& team = caf::current_team();
    caf::complete_all();
    int status = sync_allocation(
        team, {.statement = kRoutine, .verb = "allocates", .bytes = bytes, .object = nullptr});
    if (status != kOk) return end_with_status(stat, status, kRoutine);
    caf::Coarray* coarray = allocate(team, bytes, caf::Memory::kTeam, false);
    if (coarray == nullptr) {
        return fail_without_memory(
            stat, kRoutine, bytes,
            team.is_initial() ? "SHMEM_SYMMETRIC_SIZE" : "SHMEM_TEAM_MEMORY_SIZE");
    }
    map_parts(*coarray);
    Handle* handle = make_handle(cobounds);
    handle->base = at_offset(*coarray, 0);
    handle->bytes = bytes;
    handle->team = &team;
    handle->coarray = coarray;
    handle->asked_bytes = bytes;
    handle->cleanup = cleanup;
    *coarray_handle = handle;
    *memory = handle->base;
    return succeed(stat);  // allocate() has ended with a barrier.
}

PRIF_ENTRY int tessera_prif_deallocate_coarrays(int count, Handle** handles, const char* routine,
                                                int* stat) {
    check_running(routine);
    caf::Team& team = caf::current_team();
    caf::complete_all();
    for (int i = 0; i < count; ++i) {
        const Handle& handle = checked(handles[i], routine);
        const char* mistake = nullptr;
        if (handle.is_alias()) {
            mistake = "is an alias; prif_alias_destroy destroys it";
        } else if (handle.team != &team) {
            mistake = "was allocated in another team than the current one";
        }
        for (int other = 0; other < i; ++other) {
            if (handles[other] == handles[i]) mistake = "comes twice in the list";
        }
        if (mistake != nullptr)
            return fail(stat, caf::kMisuse, routine, "coarray handle %d %s", i + 1, mistake);
    }
    int status = count == 0 ? sync_members(team) : kOk;
    for (int i = 0; i < count && status == kOk; ++i) {
        status = sync_allocation(team, {.statement = routine,
                                        .verb = "frees",
                                        .bytes = handles[i]->bytes,
                                        .object = handles[i]->base});
    }
    if (status != kOk) return end_with_status(stat, status, routine);
    for (int i = 0; i < count; ++i) clean_up(handles[i]);
    for (int i = 0; i < count; ++i) free_with_handle(handles[i]);
    return end_with_status(stat, count == 0 ? kOk : sync_members(team), routine);
}

PRIF_ENTRY int tessera_prif_allocate(std::size_t bytes, void** memory, int* stat) {
    check_running("prif_allocate");
    void* address = caf::allocate_component_memory(bytes == 0 ? 1 : bytes);
    if (address == nullptr)
        return fail_without_memory(stat, "prif_allocate", bytes, "SHMEM_LOCAL_MEMORY_SIZE");
    const std::lock_guard lock(own_memory().mutex);
    own_memory().addresses.insert(address);
    *memory = address;
    return succeed(stat);
}

PRIF_ENTRY int tessera_prif_deallocate(void* memory, int* stat) {
    check_running("prif_deallocate");
    {
        const std::lock_guard lock(own_memory().mutex);
        if (own_memory().addresses.erase(memory) == 0) {
            return fail(stat, caf::kMisuse, "prif_deallocate",
                        "mem = %p is not allocated by prif_allocate on this image", memory);
        }
    }
    shmemx_local_free(memory);
    return succeed(stat);
}

PRIF_ENTRY void tessera_prif_alias_create(Handle* source, int lower_count,
                                          const std::int64_t* lower, int upper_count,
                                          const std::int64_t* upper, std::size_t distance,
                                          Handle** alias) {
    constexpr const char* kRoutine = "prif_alias_create";
    check_running(kRoutine);
    const Handle& from = checked(source, "source_handle", kRoutine);
    const Cobounds cobounds{lower, lower_count, upper, upper_count};
    if (const char* mistake = find_mistake(cobounds)) caf::stop_with_error(kRoutine, "%s", mistake);
    if (distance > from.bytes) {
        caf::stop_with_error(kRoutine,
                             "data_pointer_offset %zu lies beyond the %zu bytes of the data",
                             distance, from.bytes);
    }
    *alias = make_handle(cobounds);
    make_alias(*alias, from, distance);
}

PRIF_ENTRY void tessera_prif_alias_destroy(Handle* alias) {
    constexpr const char* kRoutine = "prif_alias_destroy";
    check_running(kRoutine);
    // The coarray was deallocated before.
    if (alias != nullptr && alias->state == HandleState::kGone && alias->is_alias()) {
        alias->owner = alias;
        return;
    }
    if (!checked(alias, "alias_handle", kRoutine).is_alias()) {
        caf::stop_with_error(kRoutine,
                             "alias_handle is no alias; prif_deallocate_coarray frees a coarray");
    }
    destroy_handle(alias);
}

PRIF_ENTRY void tessera_prif_set_context_data(Handle* handle, void* context) {
    checked(handle, "prif_set_context_data").owner->context = context;
}

PRIF_ENTRY void* tessera_prif_get_context_data(Handle* handle) {
    return checked(handle, "prif_get_context_data").owner->context;
}

PRIF_ENTRY std::size_t tessera_prif_size_bytes(Handle* handle) {
    return checked(handle, "prif_size_bytes").owner->asked_bytes;
}

PRIF_ENTRY void* tessera_prif_local_data_pointer(Handle* handle) {
    return checked(handle, "prif_local_data_pointer").base;
}

}  // namespace tessera::prif

// SPDX-License-Identifier: BSD-3-Clause
//
// Allocation of coarrays, and of components in local memory. Static coarrays are registered one by
// one before main; small ones are cut out of chunks, in the same order on all images, so that each
// does not cost a collective allocation.
#include "core/coarray.hpp"

#include <shmem.h>
#include <shmemx.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "core/failures.hpp"
#include "core/ordering.hpp"
#include "core/remote_pointer.hpp"
#include "core/report.hpp"
#include "core/team.hpp"

namespace tessera::caf {

namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
constexpr std::size_t kSmallBytes = kChunkBytes / 8;

// All coarrays by their bases. Only collective allocations change it; the lock is for readers in
// other threads.
struct Coarrays {
    std::mutex mutex;
    std::map<const std::byte*, Coarray*> by_base;
    std::unordered_set<const void*> tokens;
};

Coarrays& coarrays() {
    static Coarrays& all = *new Coarrays;
    return all;
}

// The rest of the last chunk for static coarrays.
std::byte* chunk = nullptr;
std::size_t chunk_bytes = 0;

// The tokens of components, each with its place; the last one of each place; and those that have
// memory by its address.
struct Components {
    std::mutex mutex;
    std::unordered_map<Coarray*, const caf_token_t*> tokens;
    std::unordered_map<const caf_token_t*, Coarray*> by_place;
    std::unordered_map<void*, Coarray*> by_base;
};

// Never destroyed: free() may come later than any destructor.
Components& components() {
    static Components& all = *new Components;
    return all;
}

void* allocate_static(std::size_t bytes) {
    const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    if (rounded > kSmallBytes) return shmem_align(kAlignment, rounded);
    if (rounded > chunk_bytes) {
        chunk = static_cast<std::byte*>(shmem_align(kAlignment, kChunkBytes));
        chunk_bytes = chunk == nullptr ? 0 : kChunkBytes;
        if (chunk == nullptr) return nullptr;
        note_coarrays(chunk, kChunkBytes);
    }
    void* base = chunk;
    chunk += rounded;
    chunk_bytes -= rounded;
    return base;
}

void* allocate_block(const Team& team, std::size_t bytes, Memory memory) {
    const CollectiveCall call(team, "allocate");
    return memory == Memory::kStatic ? allocate_static(bytes)
           : team.is_initial()       ? shmem_align(kAlignment, bytes)
                                     : shmemx_team_align(team.handle, kAlignment, bytes);
}

void free_block(Team& team, const Coarray& coarray) {
    {
        const std::lock_guard lock(coarrays().mutex);
        coarrays().by_base.erase(static_cast<std::byte*>(coarray.base));
        coarrays().tokens.erase(&coarray);
    }
    const CollectiveCall call(team, "deallocate");
    if (team.is_initial()) {
        shmem_free(header_of(coarray.base));
    } else {
        shmemx_team_free(team.handle, header_of(coarray.base));
    }
}

// The coarray with memory of its own that an address lies in, or NULL. REQUIRES: the lock.
Coarray* coarray_around(const void* address) {
    const auto* at = static_cast<const std::byte*>(address);
    auto next = coarrays().by_base.upper_bound(at);
    if (next == coarrays().by_base.begin()) return nullptr;
    Coarray* coarray = (--next)->second;
    const auto distance = static_cast<std::size_t>(at - static_cast<std::byte*>(coarray->base));
    return distance < std::max<std::size_t>(coarray->bytes, 1) ? coarray : nullptr;
}

}  // namespace

void stop_without_token(const char* routine) {
    stop_with_error(routine, "the coarray is not allocated (its token is NULL)");
}

Coarray* allocate(Team& team, std::size_t bytes, Memory memory, bool is_zeroed) {
    const std::size_t asked = std::max<std::size_t>(bytes, 1);
    // A size that is far beyond any memory must not wrap around.
    const std::size_t whole = asked > SIZE_MAX / 2 ? asked : asked + sizeof(CoarrayHeader);
    void* block = allocate_block(team, whole, memory);
    if (block == nullptr) return nullptr;
    note_coarrays(block, whole);
    void* base = static_cast<std::byte*>(block) + sizeof(CoarrayHeader);
    header_of(base)->has_components = 0;
    auto* coarray = new Coarray{.base = base, .bytes = bytes, .memory = memory, .team = &team};
    if (is_zeroed) {
        // The other images may not use it before the next image control statement; those behind an
        // allocation are the compiler's, those behind constructors are in `init`.
        std::memset(base, 0, asked);
    }
    if (memory == Memory::kTeam) team.coarrays.push_back(coarray);
    const std::lock_guard lock(coarrays().mutex);
    coarrays().by_base[static_cast<std::byte*>(base)] = coarray;
    coarrays().tokens.insert(coarray);
    return coarray;
}

Coarray* map_existing(Team& team, const Coarray& existing, void* base) {
    const auto from = reinterpret_cast<std::uintptr_t>(existing.base);
    const auto at = reinterpret_cast<std::uintptr_t>(base);
    if (at < from || at - from > existing.bytes) return nullptr;
    const std::size_t before = at - from;
    auto* coarray = new Coarray{.base = base,
                                .bytes = existing.bytes - before,
                                .shift = existing.shift + before,
                                .memory = Memory::kMapped,
                                .team = &team};
    team.coarrays.push_back(coarray);
    return coarray;
}

void free_coarray(Coarray* coarray) {
    if (coarray->memory != Memory::kTeam && coarray->memory != Memory::kMapped) return;
    complete_all();
    Team& team = *coarray->team;
    const auto at = std::find(team.coarrays.begin(), team.coarrays.end(), coarray);
    if (at != team.coarrays.end()) team.coarrays.erase(at);
    if (coarray->memory == Memory::kTeam) free_block(team, *coarray);
    delete coarray->bounds;
    delete[] coarray->parts;
    delete coarray;
}

void map_parts(Coarray& coarray) {
    constexpr int kImagesMax = 1024;
    if (coarray.team == nullptr || coarray.team->images > kImagesMax) return;
    const Team& team = *coarray.team;
    auto* parts = new std::byte*[static_cast<std::size_t>(team.images)];
    for (int image = 1; image <= team.images; ++image)
        parts[image - 1] = static_cast<std::byte*>(shmem_ptr(coarray.base, team.pe_of(image)));
    std::byte* const* none = nullptr;
    // Pairs with abi12/access.cpp:mapped_scalar.
    if (!std::atomic_ref(coarray.parts)
             .compare_exchange_strong(none, parts, std::memory_order_release,
                                      std::memory_order_relaxed)) {
        delete[] parts;  // Another thread was first.
    }
}

void note_component_at(const void* address) {
    const std::lock_guard lock(coarrays().mutex);
    const Coarray* coarray = coarray_around(address);
    if (coarray != nullptr) {
        // Pairs with abi15/access.cpp:has_components.
        std::atomic_ref(header_of(coarray->base)->has_components).store(1);
    }
}

bool is_live_coarray(caf_token_t token) {
    const std::lock_guard lock(coarrays().mutex);
    return coarrays().tokens.contains(token);
}

bool is_in_coarray(const void* address) {
    const std::lock_guard lock(coarrays().mutex);
    return coarray_around(address) != nullptr;
}

void free_all_of(Team& team) {
    while (!team.coarrays.empty()) {
        Coarray* coarray = team.coarrays.back();
        if (coarray->variable_token != nullptr && *coarray->variable_token == coarray) {
            *coarray->variable_token = nullptr;
            *coarray->variable_base = nullptr;
        }
        free_coarray(coarray);
    }
}

Coarray* make_component(const caf_token_t* place) {
    auto* component = new Coarray;
    const std::lock_guard lock(components().mutex);
    components().tokens[component] = place;
    components().by_place[place] = component;
    return component;
}

Coarray* empty_component_at(const caf_token_t* place) {
    const std::lock_guard lock(components().mutex);
    const auto at = components().by_place.find(place);
    const bool is_empty = at != components().by_place.end() && at->second->base == nullptr;
    return is_empty ? at->second : nullptr;
}

bool is_component(caf_token_t token) {
    const std::lock_guard lock(components().mutex);
    return components().tokens.contains(static_cast<Coarray*>(token));
}

void* allocate_component_memory(std::size_t bytes) {
    void* base = shmemx_local_malloc(bytes);
    if (base != nullptr) {
        const std::lock_guard lock(components().mutex);
        note_components(base, bytes);
    }
    return base;
}

bool allocate_component(Coarray& component, std::size_t bytes) {
    void* base = allocate_component_memory(std::max<std::size_t>(bytes, 1));
    if (base == nullptr) return false;
    const std::lock_guard lock(components().mutex);
    if (component.base != nullptr) components().by_base.erase(component.base);
    component.base = base;
    component.bytes = bytes;
    components().by_base[base] = &component;
    return true;
}

void free_component_memory(Coarray& component) {
    void* base = nullptr;
    {
        const std::lock_guard lock(components().mutex);
        std::swap(base, component.base);
        components().by_base.erase(base);
    }
    shmemx_local_free(base);
}

void free_component(Coarray* component) {
    free_component_memory(*component);
    {
        const std::lock_guard lock(components().mutex);
        const auto token = components().tokens.find(component);
        const auto at = components().by_place.find(token->second);
        if (at != components().by_place.end() && at->second == component)
            components().by_place.erase(at);
        components().tokens.erase(token);
    }
    delete component;
}

std::size_t component_bytes_at(const void* address) {
    const std::lock_guard lock(components().mutex);
    const auto at = components().by_base.find(const_cast<void*>(address));
    return at == components().by_base.end() ? 0 : at->second->bytes;
}

void free_by_address(void* address) {
    {
        const std::lock_guard lock(components().mutex);
        const auto at = components().by_base.find(address);
        if (at != components().by_base.end()) {
            at->second->base = nullptr;
            components().by_base.erase(at);
        }
    }
    if (phase != Phase::kOver) shmemx_local_free(address);
}

void* reallocate_by_address(void* address, std::size_t bytes) {
    void* moved = shmemx_local_realloc(address, bytes);
    const std::lock_guard lock(components().mutex);
    const auto at = components().by_base.find(address);
    if (moved != nullptr && at != components().by_base.end()) {
        Coarray* component = at->second;
        components().by_base.erase(at);
        component->base = moved;
        component->bytes = bytes;
        components().by_base[moved] = component;
        note_components(moved, bytes);
    }
    return moved;
}

}  // namespace tessera::caf

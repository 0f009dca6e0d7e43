// SPDX-License-Identifier: BSD-3-Clause
//
// Allocation and freeing: register and deregister, of GCC 8 and later.
//
// gfortran registers coarrays by types that are collective, and components by 7 (a token without
// memory) and 8 (memory). In assignments of derived types it uses 1 for components, too, which only
// this image executes. The library tells the two apart by the address of the token: that of a
// component lies inside of a coarray or of another component.

#include "abi12/register.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "abi12/descriptor.hpp"
#include "core/allocation.hpp"
#include "core/hooks.hpp"
#include "core/ordering.hpp"
#include "core/remote_pointer.hpp"
#include "core/runtime.hpp"
#include "core/team.hpp"

namespace tessera::caf {

namespace {

// Coarrays whose bounds have not been read yet. The descriptors live until then: the compiler
// synchronizes directly behind an allocation.
std::vector<std::pair<Coarray*, const Descriptor*>> unread;

void read_bounds() {
    detail::at_image_control = nullptr;
    for (const auto& [coarray, descriptor] : std::exchange(unread, {})) {
        auto* bounds =
            new Bounds{.rank = descriptor->rank, .lower = {}, .extent = {}, .stride_bytes = {}};
        const std::ptrdiff_t span = span_of(*descriptor);
        for (int i = 0; i < bounds->rank; ++i) {
            const Dimension& dim = descriptor->dim[i];
            bounds->lower[i] = dim.lower;
            bounds->extent[i] = extent(dim);
            bounds->stride_bytes[i] = dim.stride * span;
        }
        coarray->bounds = bounds;
    }
}

void forget_bounds(const Coarray* coarray) {
    std::erase_if(unread, [&](const auto& entry) { return entry.first == coarray; });
}

// Notes the variable of an allocatable coarray, whose token lies behind its descriptor.
void note_variable(Coarray& coarray, caf_token_t* token, Descriptor* descriptor) {
    const auto distance =
        reinterpret_cast<std::uintptr_t>(token) - reinterpret_cast<std::uintptr_t>(descriptor);
    if (distance <= descriptor_bytes(kMaxRank)) {
        coarray.variable_token = token;
        coarray.variable_base = &descriptor->base;
    }
}

int report_no_memory(const ErrorTarget& target, std::size_t bytes, const char* variable) {
    return report(target, kNoMemory, "allocate", "no room for %zu bytes; set %s to more", bytes,
                  variable);
}

void register_coarray(std::size_t bytes, Memory memory, bool is_zeroed, caf_token_t* token,
                      Descriptor* descriptor, const ErrorTarget& target) {
    Team& team = memory == Memory::kStatic ? initial_team() : current_team();
    if (memory == Memory::kTeam) {
        skip_next_sync_all(false);
        const int status = sync_allocation(
            team, {.statement = "allocate", .verb = "allocates", .bytes = bytes, .object = token});
        if (status != kOk) {
            report(target, status, "allocate", "an image of the team has %s",
                   status == kStoppedImage ? "stopped" : "failed");
            ignore_status_of_next_sync_all();
            return;
        }
    }
    Coarray* coarray = allocate(team, bytes, memory, is_zeroed);
    if (coarray == nullptr) {
        report_no_memory(target, bytes,
                         team.is_initial() ? "SHMEM_SYMMETRIC_SIZE" : "SHMEM_TEAM_MEMORY_SIZE");
        return;
    }
    *token = coarray;
    descriptor->base = coarray->base;
    if (memory == Memory::kTeam) note_variable(*coarray, token, descriptor);
    if (memory == Memory::kTeam && descriptor->rank > 0 && !is_zeroed) {
        unread.emplace_back(coarray, descriptor);
        detail::at_image_control = read_bounds;
    }
    report_ok(target);
}

// The token is that of the other coarray, and the descriptor's address lies in it.
void register_mapped(caf_token_t* token, const Descriptor* descriptor, const ErrorTarget& target) {
    Coarray& existing = *from_token(*token, "change team");
    Coarray* coarray = map_existing(current_team(), existing, descriptor->base);
    if (coarray == nullptr)
        stop_with_error("change team", "the associated coarray does not lie in the selector");
    *token = coarray;
    report_ok(target);
}

// The bytes that a descriptor's elements take.
std::size_t bytes_of(const Descriptor& descriptor) {
    std::size_t bytes = descriptor.element_bytes;
    for (int i = 0; i < descriptor.rank; ++i) bytes *= extent(descriptor.dim[i]);
    return bytes;
}

// `is_copy`: an assignment of the whole object, which has copied the descriptor of the source, its
// address included. gfortran 12 may pass, and then copy, too few bytes, so the data is copied here.
void register_component(std::size_t bytes, bool is_copy, caf_token_t* token, Descriptor* descriptor,
                        const ErrorTarget& target) {
    Coarray* component = is_copy ? nullptr : empty_component_at(token);
    if (component == nullptr) component = make_component(token);
    const void* source = is_copy ? descriptor->base : nullptr;
    const std::size_t copied = source == nullptr ? 0 : bytes_of(*descriptor);
    const std::size_t wanted = std::max(bytes, copied);
    if (!allocate_component(*component, wanted)) {
        if (source != nullptr && bytes > copied) {
            report(target, kNoMemory, "assignment",
                   "no room for a component of %zu bytes, for which the compiler asks for %zu: "
                   "gfortran 12 forgets to set the size in an assignment of the whole object; "
                   "assign the components one by one",
                   copied, bytes);
            return;
        }
        report_no_memory(target, wanted, "SHMEM_LOCAL_MEMORY_SIZE");
        return;
    }
    if (copied != 0) std::memcpy(component->base, source, copied);
    *token = component;
    descriptor->base = component->base;
    note_component_at(token);
    if (detail::at_component != nullptr) detail::at_component();
    report_ok(target);
}

// Whether a token is that of a coarray of the current team or one around it.
bool is_coarray(const Coarray* coarray) {
    for (const Team* team = &current_team(); team != nullptr; team = team->parent) {
        if (std::find(team->coarrays.begin(), team->coarrays.end(), coarray) !=
            team->coarrays.end()) {
            return true;
        }
    }
    return false;
}

// The token of an allocatable coarray lies in its descriptor, behind the codimensions.
bool is_token_of(const caf_token_t* token, const Descriptor* descriptor) {
    const auto distance = reinterpret_cast<std::intptr_t>(token) -
                          reinterpret_cast<std::intptr_t>(descriptor) -
                          static_cast<std::intptr_t>(descriptor_bytes(0));
    const auto dimensions = distance / static_cast<std::intptr_t>(sizeof(Dimension));
    return distance % static_cast<std::intptr_t>(sizeof(Dimension)) == 0 &&
           dimensions > descriptor->rank && dimensions <= kMaxRank;
}

// Whether an allocated coarray has its descriptor around the token, above another descriptor.
bool is_token_of_allocated(const caf_token_t* token, const Descriptor* below) {
    const auto* lowest = reinterpret_cast<const std::byte*>(below) + descriptor_bytes(0);
    for (int dimensions = 1; dimensions <= kMaxRank; ++dimensions) {
        const std::byte* around =
            reinterpret_cast<const std::byte*>(token) - descriptor_bytes(dimensions);
        if (around < lowest) return false;
        void* base = nullptr;
        std::memcpy(&base, around, sizeof base);
        if (base == static_cast<const Coarray*>(*token)->base) return true;
    }
    return false;
}

// gfortran 12 allocates a component of type class(...) as if it were a coarray, with the token of
// the coarray that it belongs to, and a scalar descriptor of its own.
bool is_class_component(const caf_token_t* token, const Descriptor* descriptor) {
    return descriptor->rank == 0 && is_live_coarray(*token) &&
           (!is_token_of(token, descriptor) || is_token_of_allocated(token, descriptor));
}

// The component frees its memory by free(), which finds it by its address.
void register_class_component(std::size_t bytes, const caf_token_t* token, Descriptor* descriptor,
                              const ErrorTarget& target) {
    skip_next_sync_all(true);
    void* base = allocate_component_memory(std::max<std::size_t>(bytes, 1));
    if (base == nullptr) {
        report_no_memory(target, bytes, "SHMEM_LOCAL_MEMORY_SIZE");
        return;
    }
    descriptor->base = base;
    note_component_at(static_cast<const Coarray*>(*token)->base);
    if (detail::at_component != nullptr) detail::at_component();
    report_ok(target);
}

}  // namespace

const Bounds* bounds_of(Coarray& coarray) {
    read_bounds();
    return coarray.bounds;
}

CAF_ENTRY void _gfortran_caf_register(std::size_t size, int type, caf_token_t* token,
                                      Descriptor* descriptor, int* stat, char* errmsg,
                                      std::size_t errmsg_bytes) {
    ensure_initialized();
    const ErrorTarget target{.stat = stat, .errmsg = errmsg, .errmsg_bytes = errmsg_bytes};
    switch (type) {
        case kRegisterStatic:
            return register_coarray(size, Memory::kStatic, false, token, descriptor, target);
        case kRegisterAllocatable:
            if (is_in_coarray_memory(token)) {
                return register_component(size, descriptor->base != nullptr, token, descriptor,
                                          target);
            }
            if (is_class_component(token, descriptor))
                return register_class_component(size, token, descriptor, target);
            return register_coarray(size, Memory::kTeam, false, token, descriptor, target);
        case kRegisterLockStatic:
            return register_coarray(size * kLockBytes, Memory::kStatic, true, token, descriptor,
                                    target);
        case kRegisterCritical:
            register_coarray(size * kLockBytes, Memory::kStatic, true, token, descriptor, target);
            static_cast<Coarray*>(*token)->is_critical = true;
            return;
        case kRegisterLockAllocatable:
            return register_coarray(size * kLockBytes, Memory::kTeam, true, token, descriptor,
                                    target);
        case kRegisterEventStatic:
            return register_coarray(size * kEventBytes, Memory::kStatic, true, token, descriptor,
                                    target);
        case kRegisterEventAllocatable:
            return register_coarray(size * kEventBytes, Memory::kTeam, true, token, descriptor,
                                    target);
        case kRegisterTokenOnly:
            // The descriptor may be uninitialized, and the token that of the source of a copy.
            *token = make_component(token);
            descriptor->base = nullptr;
            report_ok(target);
            return;
        case kRegisterMemoryOnly: return register_component(size, false, token, descriptor, target);
        case kRegisterMapExisting: return register_mapped(token, descriptor, target);
        default:
            stop_with_error("allocate", "this library does not know the type %d of memory", type);
    }
}

CAF_ENTRY void _gfortran_caf_deregister(caf_token_t* token, int type, int* stat, char* errmsg,
                                        std::size_t errmsg_bytes) {
    ensure_initialized();
    const ErrorTarget target{.stat = stat, .errmsg = errmsg, .errmsg_bytes = errmsg_bytes};
    auto* coarray = static_cast<Coarray*>(*token);
    if (is_component(coarray)) {
        if (type == kDeallocateOnly) {
            free_component_memory(*coarray);
        } else {
            free_component(coarray);
            *token = nullptr;
        }
    } else if (is_coarray(coarray)) {
        complete_all();
        const int status = sync_allocation(*coarray->team, {.statement = "deallocate",
                                                            .verb = "frees",
                                                            .bytes = coarray->bytes,
                                                            .object = coarray->base});
        if (status != kOk) {
            report(target, status, "deallocate", "an image of the team has %s",
                   status == kStoppedImage ? "stopped" : "failed");
            return;
        }
        forget_bounds(coarray);
        free_coarray(coarray);
        *token = nullptr;
    }
    // Anything else has been freed by end team, or was copied by an assignment of its object.
    report_ok(target);
}

}  // namespace tessera::caf

// SPDX-License-Identifier: BSD-3-Clause
//
// Access by accessors: get_from_remote, send_to_remote, transfer_between_remotes and
// is_present_on_remote of GCC 15 and later.
#include "abi15/access.hpp"

#include <shmem.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "abi12/access_section.hpp"
#include "abi12/register.hpp"
#include "abi15/accessor_service.hpp"
#include "abi15/accessors.hpp"
#include "core/bytes.hpp"
#include "core/image_state.hpp"
#include "core/runtime.hpp"
#include "core/team.hpp"
#include "core/team_control.hpp"
#include "core/transfer.hpp"

namespace tessera::caf {

namespace {

// The PE of x[image], x[image, team=t] or x[image, team_number=n].
int pe_of_image(int image, caf_team_t* team, const int* number, const char* routine) {
    const Team* found = &current_team();
    if (team != nullptr) {
        found = find_team(*team);
        if (found == nullptr)
            stop_with_error(routine, "team= names no team; execute form team first");
    } else if (number != nullptr && *number != found->number) {
        stop_with_error(routine,
                        "team_number=%d: only the number of the current team, %lld, is known",
                        *number, static_cast<long long>(found->number));
    }
    return pe_of(image, *found, routine);
}

bool can_reach_failed(int pe, int* stat) {
    if (stat == nullptr) return true;
    const bool has_failed = status_of_pe(pe) == kFailedImage;
    *stat = has_failed ? kFailedImage : kOk;
    return !has_failed;
}

// Whether components of another image's part lie in memory that only the owner may touch.
inline bool has_components(const Coarray& coarray, const std::byte* mapped) {
    // Pairs with core/coarray.cpp:note_component_at.
    CoarrayHeader* header = header_of(mapped - coarray.shift);
    return std::atomic_ref(header->has_components).load(std::memory_order_acquire) != 0;
}

// The owner's part of a coarray as this process may pass it to an accessor, or NULL: the owner must
// run the accessor.
void* part_of(Coarray& coarray, int pe) {
    if (pe == shmem_my_pe()) return coarray.base;
    auto* mapped = static_cast<std::byte*>(shmem_ptr(coarray.base, pe));
    if (mapped == nullptr || has_components(coarray, mapped)) return nullptr;
    // The next access takes the short way.
    if (std::atomic_ref(coarray.parts).load(std::memory_order_relaxed) == nullptr)
        map_parts(coarray);
    return mapped;
}

// The same for an image of the current team. NULL: the general way finds out.
//
// Hot path.
inline void* known_part(caf_token_t token, int image) {
    auto* coarray = static_cast<Coarray*>(token);
    if (coarray == nullptr) return nullptr;
    // Pairs with core/coarray.cpp:map_parts.
    std::byte* const* parts = std::atomic_ref(coarray->parts).load(std::memory_order_acquire);
    const Team* team = detail::current;
    const auto index = static_cast<unsigned>(image) - 1;
    if (parts == nullptr || coarray->team != team || index >= static_cast<unsigned>(team->images))
        return nullptr;
    std::byte* part = parts[index];
    return part == nullptr || has_components(*coarray, part) ? nullptr : part;
}

void copy_descriptor(Descriptor& to, const Descriptor* from) {
    if (from != nullptr) std::memcpy(static_cast<void*>(&to), from, descriptor_bytes(from->rank));
}

// An allocated array, as a checker gets it: without the address.
Descriptor describe(const Bounds& bounds) {
    Descriptor array{};
    array.rank = static_cast<std::int8_t>(bounds.rank);
    array.span = bounds.stride_bytes[0];
    array.element_bytes = static_cast<std::size_t>(array.span);
    std::ptrdiff_t offset = 0;
    for (int i = 0; i < bounds.rank; ++i) {
        const std::ptrdiff_t stride = array.span == 0 ? 1 : bounds.stride_bytes[i] / array.span;
        array.dim[i] = {
            .stride = stride,
            .lower = bounds.lower[i],
            .upper = bounds.lower[i] + static_cast<std::ptrdiff_t>(bounds.extent[i]) - 1};
        offset -= stride * bounds.lower[i];
    }
    array.offset = static_cast<std::size_t>(offset);
    return array;
}

// Fills in what all requests have.
Request request_of(Task task, const Arguments& arguments, const Descriptor* source,
                   const Descriptor* dest, const std::size_t* source_length,
                   const std::size_t* dest_length) {
    Request request{};
    request.task = task;
    request.hash = hash_at(arguments.index, "coindexed access");
    request.image = arguments.image;
    request.add_bytes = arguments.add_bytes;
    request.has_source_descriptor = source != nullptr;
    request.has_dest_descriptor = dest != nullptr;
    request.has_source_length = source_length != nullptr;
    request.has_dest_length = dest_length != nullptr;
    request.source_length = source_length != nullptr ? *source_length : 0;
    request.dest_length = dest_length != nullptr ? *dest_length : 0;
    copy_descriptor(request.source_descriptor, source);
    copy_descriptor(request.dest_descriptor, dest);
    return request;
}

// Gives the variable of this image the bounds in `found` and the memory at `base`, from malloc.
void replace_array(Descriptor& dest, const Descriptor& found, void* base) {
    std::free(dest.base);
    copy_descriptor(dest, &found);
    dest.base = base;
}

// Stores what a getter has found into the variable of this image. `found` has its bounds.
void store_array(Descriptor& dest, const Descriptor& found, void* data, std::size_t bytes,
                 bool may_reallocate) {
    if (may_reallocate) {
        void* base = std::malloc(bytes != 0 ? bytes : 1);
        if (base == nullptr) {
            stop_with_error("coindexed get", "no room for %zu bytes of the variable on the left",
                            bytes);
        }
        std::memcpy(base, data, bytes);
        return replace_array(dest, found, base);
    }
    const Section to = section_of(dest);
    copy_section(to, packed_like(to, static_cast<std::byte*>(data), to.element_bytes));
}

// Where the caller of a get wants the result.
struct Wanted {
    void** data;
    std::size_t bytes;
    std::size_t* length;
    Descriptor* descriptor;
    bool may_reallocate;
};

// gfortran 16 makes getters that take the lower bounds of an array for 1 without a look.
void begin_at_one(Descriptor& array) {
    std::ptrdiff_t offset = 0;
    for (int i = 0; i < array.rank; ++i) {
        Dimension& dim = array.dim[i];
        dim.upper = static_cast<std::ptrdiff_t>(extent(dim));
        dim.lower = 1;
        offset -= dim.stride;
    }
    array.offset = static_cast<std::size_t>(offset);
}

bool has_same_extents(const Descriptor& a, const Descriptor& b) {
    for (int i = 0; i < a.rank; ++i) {
        if (extent(a.dim[i]) != extent(b.dim[i])) return false;
    }
    return true;
}

// Whether a getter may write into the array: it takes memory of its own where it is given none.
bool is_buffer(const Descriptor& array) {
    std::ptrdiff_t elements = 1;
    for (int i = 0; i < array.rank; ++i) {
        if (array.dim[i].stride != elements) return false;
        elements *= static_cast<std::ptrdiff_t>(extent(array.dim[i]));
    }
    return array.base != nullptr && elements != 0;
}

// Runs the getter in this process. Its array may be the owner's memory itself, so it is copied.
void get_here(const Arguments& arguments, void* source, bool is_own, Descriptor* source_descriptor,
              const std::size_t* source_length, const Wanted& wanted) {
    if (wanted.descriptor == nullptr) {
        const Got got = run_getter(arguments, source, source_descriptor, nullptr, *wanted.data,
                                   wanted.bytes, wanted.length, source_length);
        if (got.data != *wanted.data) {
            std::memcpy(*wanted.data, got.data, got.bytes);
            if (got.is_owned) std::free(got.data);
        }
        return;
    }
    // The variable may overlap with this image's own part.
    const bool is_direct = !wanted.may_reallocate && !is_own && is_buffer(*wanted.descriptor);
    Descriptor found;
    copy_descriptor(found, wanted.descriptor);
    if (is_direct) {
        begin_at_one(found);
    } else {
        found.base = nullptr;
    }
    const Got got = run_getter(arguments, source, source_descriptor, &found, nullptr, 0,
                               wanted.length, source_length);
    // Then the getter has called realloc() for the memory that it was given.
    if (is_direct && !has_same_extents(found, *wanted.descriptor))
        stop_with_error("coindexed get", "the section has another shape than the left side");
    if (is_direct && got.data == wanted.descriptor->base) return;
    if (wanted.may_reallocate && got.is_owned)
        return replace_array(*wanted.descriptor, found, got.data);
    store_array(*wanted.descriptor, found, got.data, got.bytes, wanted.may_reallocate);
    if (got.is_owned) std::free(got.data);
}

void get_there(const Arguments& arguments, const Coarray& coarray, int pe,
               const Descriptor* source_descriptor, const std::size_t* source_length,
               const Wanted& wanted) {
    Request request = request_of(Task::kGet, arguments, source_descriptor, wanted.descriptor,
                                 source_length, wanted.length);
    request.data_bytes = wanted.bytes;
    Answer answer = ask_owner(request, arguments.add_data, nullptr, coarray, pe);
    if (wanted.length != nullptr) *wanted.length = answer.reply.dest_length;
    if (wanted.descriptor == nullptr) {
        std::memcpy(*wanted.data, answer.data.data(), answer.data.size());
    } else {
        store_array(*wanted.descriptor, answer.reply.dest_descriptor, answer.data.data(),
                    answer.data.size(), wanted.may_reallocate);
    }
}

void get(const Arguments& arguments, Coarray& coarray, int pe, Descriptor* source_descriptor,
         const std::size_t* source_length, const Wanted& wanted) {
    void* part = part_of(coarray, pe);
    if (part != nullptr) {
        get_here(arguments, part, part == coarray.base, source_descriptor, source_length, wanted);
    } else {
        get_there(arguments, coarray, pe, source_descriptor, source_length, wanted);
    }
}

// The source of a put.
struct Source {
    const void* data;
    std::size_t bytes;
    const std::size_t* length;
    const Descriptor* descriptor;
};

// Runs the receiver in this process.
void put_here(const Arguments& arguments, void* part, Descriptor* dest_descriptor,
              const std::size_t* dest_length, const Source& source) {
    std::size_t length = dest_length != nullptr ? *dest_length : 0;
    run_receiver(arguments, part, dest_descriptor, source.data, source.descriptor,
                 dest_length != nullptr ? &length : nullptr, source.length);
}

void put(const Arguments& arguments, Coarray& coarray, int pe, Descriptor* dest_descriptor,
         const std::size_t* dest_length, const Source& source) {
    void* part = part_of(coarray, pe);
    if (part != nullptr) return put_here(arguments, part, dest_descriptor, dest_length, source);
    Request request = request_of(Task::kPut, arguments, source.descriptor, dest_descriptor,
                                 source.length, dest_length);
    if (source.descriptor == nullptr) {
        request.data_bytes = source.bytes;
        ask_owner(request, arguments.add_data, source.data, coarray, pe);
        return;
    }
    const Section section = section_of(*source.descriptor);
    std::vector<std::byte> packed(section.elements() * section.element_bytes);
    const Section contiguous = packed_like(section, packed.data(), section.element_bytes);
    copy_section(contiguous, section);
    std::ptrdiff_t stride = 1;
    std::ptrdiff_t offset = 0;
    for (int i = 0; i < request.source_descriptor.rank; ++i) {
        Dimension& dim = request.source_descriptor.dim[i];
        dim.stride = stride;
        offset -= stride * dim.lower;
        stride *= static_cast<std::ptrdiff_t>(extent(dim));
    }
    request.source_descriptor.offset = static_cast<std::size_t>(offset);
    request.source_descriptor.span = static_cast<std::ptrdiff_t>(section.element_bytes);
    request.data_bytes = packed.size();
    ask_owner(request, arguments.add_data, packed.data(), coarray, pe);
}

// get_here() and put_here() of scalars that are no characters.
//
// Hot path.
inline void get_scalar(const Arguments& arguments, void* part, const Wanted& wanted) {
    const auto getter = reinterpret_cast<Getter>(accessor_at(arguments.index, "coindexed get"));
    Coarray token = token_of(arguments);
    void* slot = *wanted.data;
    std::int32_t is_owned = 0;
    getter(arguments.add_data, &arguments.image, &slot, &is_owned, part, &token, 0, nullptr,
           nullptr);
    if (slot == *wanted.data) return;
    copy_bytes(*wanted.data, slot, wanted.bytes);
    if (is_owned != 0) std::free(slot);
}
inline void put_scalar(const Arguments& arguments, void* part, const void* source) {
    const auto receiver = reinterpret_cast<Receiver>(accessor_at(arguments.index, "coindexed put"));
    Coarray token = token_of(arguments);
    receiver(arguments.add_data, &arguments.image, part, source, &token, 0, nullptr, nullptr);
}

}  // namespace

CAF_ENTRY void _gfortran_caf_get_from_remote(caf_token_t token, const Descriptor* source_descriptor,
                                             const std::size_t* source_length, const int image,
                                             const std::size_t dest_bytes, void** dest_data,
                                             std::size_t* dest_length, Descriptor* dest_descriptor,
                                             const bool may_reallocate, const int accessor,
                                             void* add_data, const std::size_t add_bytes, int* stat,
                                             caf_team_t* team, int* team_number) {
    const Arguments arguments{accessor, image, add_data, add_bytes};
    auto* from = const_cast<Descriptor*>(source_descriptor);
    const Wanted wanted{dest_data, dest_bytes, dest_length, dest_descriptor, may_reallocate};
    const bool is_usual = stat == nullptr && team == nullptr && team_number == nullptr;
    if (void* part = is_usual ? known_part(token, image) : nullptr) {
        const bool is_scalar = dest_descriptor == nullptr && from == nullptr;
        if (is_scalar && dest_length == nullptr && source_length == nullptr) [[likely]]
            return get_scalar(arguments, part, wanted);
        return get_here(arguments, part, image == this_image(), from, source_length, wanted);
    }
    ensure_initialized();
    const int pe = pe_of_image(image, team, team_number, "coindexed get");
    Coarray& coarray = *from_token(token, "coindexed get");
    if (can_reach_failed(pe, stat)) get(arguments, coarray, pe, from, source_length, wanted);
}

CAF_ENTRY void _gfortran_caf_send_to_remote(caf_token_t token, Descriptor* dest_descriptor,
                                            const std::size_t* dest_length, const int image,
                                            const std::size_t source_bytes, const void* source_data,
                                            const std::size_t* source_length,
                                            const Descriptor* source_descriptor, const int accessor,
                                            void* add_data, const std::size_t add_bytes, int* stat,
                                            caf_team_t* team, int* team_number) {
    const Arguments arguments{accessor, image, add_data, add_bytes};
    const Source source{source_data, source_bytes, source_length, source_descriptor};
    const bool is_usual = stat == nullptr && team == nullptr && team_number == nullptr;
    if (void* part = is_usual ? known_part(token, image) : nullptr) {
        const bool is_scalar = dest_descriptor == nullptr && source_descriptor == nullptr;
        if (is_scalar && dest_length == nullptr && source_length == nullptr) [[likely]]
            return put_scalar(arguments, part, source_data);
        return put_here(arguments, part, dest_descriptor, dest_length, source);
    }
    ensure_initialized();
    const int pe = pe_of_image(image, team, team_number, "coindexed put");
    Coarray& coarray = *from_token(token, "coindexed put");
    if (can_reach_failed(pe, stat))
        put(arguments, coarray, pe, dest_descriptor, dest_length, source);
}

// allocated(x) too, without an image: the token is NULL before the allocation.
CAF_ENTRY std::int32_t _gfortran_caf_is_present_on_remote(caf_token_t token, const int image,
                                                          const int accessor, void* add_data,
                                                          const std::size_t add_bytes) {
    ensure_initialized();
    if (token == nullptr) return 0;
    const int pe = pe_of_image(image, nullptr, nullptr, "allocated");
    Coarray& coarray = *from_token(token, "allocated");
    const Arguments arguments{accessor, image, add_data, add_bytes};
    const Bounds* bounds = bounds_of(coarray);
    Descriptor described = bounds != nullptr ? describe(*bounds) : Descriptor{};
    Descriptor* descriptor = bounds != nullptr ? &described : nullptr;
    void* part = part_of(coarray, pe);
    if (part != nullptr) return run_checker(arguments, part, descriptor) ? 1 : 0;
    const Request request =
        request_of(Task::kIsPresent, arguments, descriptor, nullptr, nullptr, nullptr);
    return ask_owner(request, add_data, nullptr, coarray, pe).reply.is_present ? 1 : 0;
}

void transfer_between(const Side& dest, const Side& source, std::size_t source_bytes,
                      bool is_scalar) {
    constexpr const char* kRoutine = "coindexed assignment";
    ensure_initialized();
    const int source_pe = pe_of_image(source.image, source.team, source.team_number, kRoutine);
    const int dest_pe = pe_of_image(dest.image, dest.team, dest.team_number, kRoutine);
    Coarray& from = *from_token(source.token, kRoutine);
    Coarray& to = *from_token(dest.token, kRoutine);
    if (!can_reach_failed(source_pe, source.stat) || !can_reach_failed(dest_pe, dest.stat)) return;
    // The getter's result, in memory of this image. A getter of an array sets the descriptor.
    Scratch scratch(source_bytes);
    void* scalar = scratch.data();
    Descriptor found{};
    std::size_t length = source.length != nullptr ? *source.length : 0;
    std::size_t* length_here = source.length != nullptr ? &length : nullptr;
    get({source.accessor, source.image, source.add_data, source.add_bytes}, from, source_pe,
        const_cast<Descriptor*>(source.descriptor), source.length,
        {&scalar, source_bytes, length_here, is_scalar ? nullptr : &found, !is_scalar});
    put({dest.accessor, dest.image, dest.add_data, dest.add_bytes}, to, dest_pe,
        const_cast<Descriptor*>(dest.descriptor), dest.length,
        {is_scalar ? scalar : found.base, source_bytes, length_here, is_scalar ? nullptr : &found});
    std::free(is_scalar ? nullptr : found.base);
}

}  // namespace tessera::caf

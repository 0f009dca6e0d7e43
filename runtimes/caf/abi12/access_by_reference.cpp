// SPDX-License-Identifier: BSD-3-Clause
//
// Access to coarrays whose type has allocatable or pointer components: get_by_ref, send_by_ref,
// sendget_by_ref and is_present of GCC 8 to 14.

#include <cstdlib>
#include <cstring>

#include "abi12/access_chain.hpp"
#include "abi12/access_section.hpp"
#include "abi12/descriptor.hpp"
#include "core/coarray.hpp"
#include "core/hooks.hpp"
#include "core/imports.hpp"
#include "core/private_memory.hpp"
#include "core/remote_pointer.hpp"
#include "core/runtime.hpp"
#include "core/team.hpp"
#include "core/transfer.hpp"

namespace tessera::caf {

namespace {

// Makes a descriptor contiguous with the extents of a section, from 1 on.
void set_bounds(Descriptor& descriptor, const Section& shape, std::size_t element_bytes) {
    descriptor.element_bytes = element_bytes;
    descriptor.span = static_cast<std::ptrdiff_t>(element_bytes);
    std::ptrdiff_t stride = 1;
    std::ptrdiff_t offset = 0;
    for (int i = 0; i < shape.rank; ++i) {
        const auto n = static_cast<std::ptrdiff_t>(shape.axes[static_cast<std::size_t>(i)].extent);
        descriptor.dim[i] = {stride, 1, n};
        offset -= stride;
        stride *= n;
    }
    descriptor.offset = static_cast<std::size_t>(offset);
}

bool has_shape(const Descriptor& descriptor, const Section& shape) {
    if (descriptor.base == nullptr || descriptor.rank != shape.rank) return false;
    for (int i = 0; i < shape.rank; ++i) {
        if (extent(descriptor.dim[i]) != shape.axes[static_cast<std::size_t>(i)].extent)
            return false;
    }
    return true;
}

// Memory for an allocatable variable of this image. That of a component of a coarray must be in
// reach of other images, and has its token behind the descriptor.
void allocate_local(Descriptor& descriptor, std::size_t bytes, const char* routine) {
    std::free(descriptor.base);
    descriptor.base = nullptr;
    if (is_in_coarray_memory(&descriptor)) {
        auto* token = reinterpret_cast<caf_token_t*>(reinterpret_cast<std::byte*>(&descriptor) +
                                                     descriptor_bytes(descriptor.rank));
        Coarray* component = make_component(token);
        if (allocate_component(*component, bytes)) {
            *token = component;
            descriptor.base = component->base;
        }
    } else {
        descriptor.base = std::malloc(bytes != 0 ? bytes : 1);
    }
    if (descriptor.base == nullptr)
        stop_with_error(routine, "no room for %zu bytes of the variable on the left", bytes);
}

// The variable on the left of an assignment gets the shape of the right side.
void reshape_local(Descriptor& dest, const Section& shape, const char* routine) {
    if (has_shape(dest, shape)) return;
    const std::size_t bytes = shape.elements() * dest.element_bytes;
    allocate_local(dest, bytes, routine);
    set_bounds(dest, shape, dest.element_bytes);
}

// An allocatable component of this image's own coarray on the left of an assignment.
void reshape_own(Target& target, const Section& shape, std::size_t element_bytes) {
    auto* component = make_component(reinterpret_cast<caf_token_t*>(target.component_token));
    if (!allocate_component(*component, shape.elements() * element_bytes)) {
        stop_with_error("coindexed put",
                        "no room for the component; set SHMEM_LOCAL_MEMORY_SIZE "
                        "to more");
    }
    if (target.is_array_component) {
        auto& descriptor = *reinterpret_cast<Descriptor*>(target.component);
        std::free(descriptor.base);
        descriptor.base = component->base;
        set_bounds(descriptor, shape, element_bytes);
    } else {
        void* pointer = nullptr;
        std::memcpy(&pointer, target.component, sizeof pointer);
        std::free(pointer);
        std::memcpy(target.component, &component->base, sizeof component->base);
    }
    std::memcpy(target.component_token, &component, sizeof component);
}

[[noreturn]] void stop_unallocated(int image, const char* routine) {
    stop_with_error(routine,
                    "a component of the coarray is not allocated on image %d; only that image can "
                    "allocate it",
                    image);
}

// gfortran 12 passes 0 for the bytes of a component of deferred length.
void check_length(const Target& target, int type, const char* routine) {
    if (type == kCharacter && target.section.element_bytes == 0) {
        stop_with_error(routine,
                        "gfortran 12 passes no length of a component character(:); give the "
                        "component a length, or copy it to a coarray that has one");
    }
}

// Puts a local section to the place that a chain names.
void put_to_chain(Coarray& coarray, const Reference* chain, int image, int pe, const Section& local,
                  const ElementType& from, int to_type, int to_kind, bool may_reallocate,
                  const char* routine) {
    Target target = follow(coarray, chain, pe, routine);
    check_length(target, to_type, routine);
    const bool is_own = may_reallocate && pe == shmem_my_pe() && target.ends_at_component;
    const bool fits =
        target.is_allocated && (local.rank == 0 || local.elements() == target.section.elements());
    if (is_own && !fits) {
        reshape_own(target, local, target.section.element_bytes);
        target = follow(coarray, chain, pe, routine);
    }
    if (!target.is_allocated) stop_unallocated(image, routine);
    const ElementType to{to_type, to_kind, target.section.element_bytes};
    put_converted(target.section, to, local, from, pe, routine);
}

}  // namespace

// Only these three meet pointers to private memory. Before all constructors of the program, which
// start the images.
[[gnu::constructor(101)]] static void prepare_private_memory() {
    detail::at_start = [] {
        constexpr const char* kUsers[] = {"_gfortran_caf_get_by_ref", "_gfortran_caf_send_by_ref",
                                          "_gfortran_caf_sendget_by_ref"};
        start_private_memory(is_any_imported(kUsers, 3));
    };
}

CAF_ENTRY int _gfortran_caf_is_present(caf_token_t token, int image, Reference* chain) {
    ensure_initialized();
    return is_chain_allocated(*from_token(token, "allocated"), chain, pe_of(image, "allocated"),
                              "allocated")
               ? 1
               : 0;
}

CAF_ENTRY void _gfortran_caf_get_by_ref(caf_token_t token, int image, Descriptor* dest,
                                        Reference* chain, int dest_kind, int source_kind, bool,
                                        bool is_reallocatable, int* stat, int source_type) {
    constexpr const char* kRoutine = "coindexed get";
    ensure_initialized();
    const int pe = pe_of(image, kRoutine);
    if (!may_access(pe, stat)) return;
    const Target target = follow(*from_token(token, kRoutine), chain, pe, kRoutine);
    if (!target.is_allocated) stop_unallocated(image, kRoutine);
    check_length(target, source_type, kRoutine);
    if (is_reallocatable) {
        reshape_local(*dest, target.section, kRoutine);
    } else if (dest->base == nullptr && target.section.elements() != 0) {
        stop_with_error(kRoutine, "the variable on the left is not allocated");
    }
    const ElementType from{source_type, source_kind, target.section.element_bytes};
    get_converted(section_of(*dest), type_of(*dest, dest_kind), target.section, from, pe, kRoutine);
}

CAF_ENTRY void _gfortran_caf_send_by_ref(caf_token_t token, int image, Descriptor* source,
                                         Reference* chain, int dest_kind, int source_kind, bool,
                                         bool is_reallocatable, int* stat, int dest_type) {
    constexpr const char* kRoutine = "coindexed put";
    ensure_initialized();
    const int pe = pe_of(image, kRoutine);
    if (!may_access(pe, stat)) return;
    put_to_chain(*from_token(token, kRoutine), chain, image, pe, section_of(*source),
                 type_of(*source, source_kind), dest_type, dest_kind, is_reallocatable, kRoutine);
}

CAF_ENTRY void _gfortran_caf_sendget_by_ref(caf_token_t dest_token, int dest_image,
                                            Reference* dest_chain, caf_token_t source_token,
                                            int source_image, Reference* source_chain,
                                            int dest_kind, int source_kind, bool, int* dest_stat,
                                            int* source_stat, int dest_type, int source_type) {
    constexpr const char* kRoutine = "coindexed assignment";
    ensure_initialized();
    const int dest_pe = pe_of(dest_image, kRoutine);
    const int source_pe = pe_of(source_image, kRoutine);
    if (!may_access(source_pe, source_stat) || !may_access(dest_pe, dest_stat)) return;
    const Target from =
        follow(*from_token(source_token, kRoutine), source_chain, source_pe, kRoutine);
    if (!from.is_allocated) stop_unallocated(source_image, kRoutine);
    check_length(from, source_type, kRoutine);
    Scratch scratch(from.section.elements() * from.section.element_bytes);
    const Section packed = packed_like(from.section, scratch.data(), from.section.element_bytes);
    get_section(packed, from.section, source_pe);
    const ElementType type{source_type, source_kind, from.section.element_bytes};
    put_to_chain(*from_token(dest_token, kRoutine), dest_chain, dest_image, dest_pe, packed, type,
                 dest_type, dest_kind, true, kRoutine);
}

}  // namespace tessera::caf

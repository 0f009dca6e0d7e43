// SPDX-License-Identifier: BSD-3-Clause
//
// Access to coarrays without allocatable components: get, send and sendget of GCC 8 to 14.
//
// Hot path: a scalar of the same type, of a coarray of the current team, is one load or store on
// the node, without a call from the second access to the coarray on.

#include <cstring>

#include "abi12/access_section.hpp"
#include "abi12/descriptor.hpp"
#include "core/coarray.hpp"
#include "core/runtime.hpp"
#include "core/team.hpp"
#include "core/team_control.hpp"
#include "core/transfer.hpp"

namespace tessera::caf {

namespace {

constexpr const char* kGet = "coindexed get";
constexpr const char* kPut = "coindexed put";

bool is_plain_scalar(const Descriptor& a, int a_kind, const Descriptor& b, int b_kind) {
    return a.rank == 0 && b.rank == 0 && a.element_bytes == b.element_bytes && a.type == b.type &&
           a_kind == b_kind;
}

// Version, rank, type and attribute, which lie side by side.
std::uint64_t type_word_of(const Descriptor& a) {
    std::uint64_t word = 0;
    static_assert(offsetof(Descriptor, span) == offsetof(Descriptor, version) + sizeof word);
    std::memcpy(&word, reinterpret_cast<const std::byte*>(&a) + offsetof(Descriptor, version),
                sizeof word);
    return word;
}

// Hot path: true only of scalars for which is_plain_scalar() is true, and of almost all of them.
bool is_usual_scalar(const Descriptor& a, int a_kind, const Descriptor& b, int b_kind) {
    return type_word_of(a) == type_word_of(b) && a.rank == 0 && a_kind == b_kind &&
           a.element_bytes == b.element_bytes;
}

// Whether the elements of an array lie one behind the other.
bool is_contiguous(const Descriptor& a) {
    auto distance = static_cast<std::ptrdiff_t>(element_bytes_of(a));
    const std::ptrdiff_t span = span_of(a);
    for (int i = 0; i < a.rank; ++i) {
        if (a.dim[i].stride * span != distance) return false;
        distance *= static_cast<std::ptrdiff_t>(extent(a.dim[i]));
    }
    return true;
}

// Arrays of one type and shape, contiguous on both sides, are one block, which needs no sections.
bool are_plain_blocks(const Descriptor& a, int a_kind, const Descriptor& b, int b_kind) {
    if (a.rank != b.rank || element_bytes_of(a) != element_bytes_of(b) || a.type != b.type ||
        a_kind != b_kind) {
        return false;
    }
    for (int i = 0; i < a.rank; ++i) {
        if (extent(a.dim[i]) != extent(b.dim[i])) return false;
    }
    return is_contiguous(a) && is_contiguous(b);
}

std::size_t block_bytes_of(const Descriptor& a) {
    std::size_t bytes = element_bytes_of(a);
    for (int i = 0; i < a.rank; ++i) bytes *= extent(a.dim[i]);
    return bytes;
}

// The symmetric address of an access to so many bytes. gfortran 12 passes a wrong offset where only
// the left side of an assignment between images has allocatable components.
std::byte* place_of(caf_token_t token, std::size_t offset, std::size_t bytes, const char* routine) {
    const Coarray& coarray = *from_token(token, routine);
    if (offset > coarray.bytes || bytes > coarray.bytes - offset) [[unlikely]] {
        stop_with_error(routine,
                        "a subscript is out of bounds: %zu bytes at offset %zd of a coarray of %zu "
                        "bytes; if the program is correct, assign by a local variable in between",
                        bytes, static_cast<std::ptrdiff_t>(offset), coarray.bytes);
    }
    return at_offset(coarray, offset);
}

// The section of a coarray.
Section section_in(caf_token_t token, std::size_t offset, const Descriptor& descriptor,
                   const Vector* vector, OffsetLists& lists, const char* routine) {
    std::byte* base = place_of(token, offset, 0, routine);
    const Section section = section_of(descriptor, vector, base, lists, routine);
    check_inside(*static_cast<const Coarray*>(token), section, routine);
    return section;
}

// The PE of x[image], or of x[image, team=t].
int pe_of_image(int image, caf_team_t* team, const char* routine) {
    if (team == nullptr) [[likely]]
        return pe_of(image, routine);
    const Team* found = find_team(*team);
    if (found == nullptr) stop_with_error(routine, "team= names no team; execute form team first");
    return pe_of(image, *found, routine);
}

// Where a scalar of 4 or 8 bytes is mapped; NULL: the general way finds out.
inline std::byte* mapped_scalar(caf_token_t token, std::size_t offset, int image,
                                std::size_t bytes) {
    auto* coarray = static_cast<Coarray*>(token);
    if (coarray == nullptr) return nullptr;
    // Pairs with core/coarray.cpp:map_parts.
    std::byte* const* parts = std::atomic_ref(coarray->parts).load(std::memory_order_acquire);
    const Team* team = detail::current;
    const auto index = static_cast<unsigned>(image) - 1;
    const bool is_known = parts != nullptr && coarray->team == team &&
                          index < static_cast<unsigned>(team->images) && offset < coarray->bytes &&
                          (bytes == 4 || bytes == 8);
    std::byte* part = is_known ? parts[index] : nullptr;
    return part == nullptr ? nullptr : part + offset;
}

inline void copy_scalar(void* dest, const void* source, std::size_t bytes) {
    if (bytes == 8) {
        std::memcpy(dest, source, 8);
    } else {
        std::memcpy(dest, source, 4);
    }
}

// The next access to a scalar of the coarray takes the short way.
void expect_more(caf_token_t token) {
    Coarray& coarray = *static_cast<Coarray*>(token);
    if (std::atomic_ref(coarray.parts).load(std::memory_order_relaxed) == nullptr)
        map_parts(coarray);
}

// The general ways have the arguments of the entries, so that the entries jump to them.
[[gnu::noinline]] void get_any(caf_token_t token, std::size_t offset, int image, Descriptor* source,
                               Vector* source_vector, Descriptor* dest, int source_kind,
                               int dest_kind, bool, int* stat) {
    ensure_initialized();
    const int pe = pe_of(image, kGet);
    if (!may_access(pe, stat)) return;
    if (source_vector == nullptr && is_plain_scalar(*source, source_kind, *dest, dest_kind)) {
        const std::byte* at = place_of(token, offset, dest->element_bytes, kGet);
        expect_more(token);
        return get_bytes(dest->base, at, dest->element_bytes, pe);
    }
    if (source_vector == nullptr && are_plain_blocks(*source, source_kind, *dest, dest_kind)) {
        const std::size_t bytes = block_bytes_of(*dest);
        return get_bytes(dest->base, place_of(token, offset, bytes, kGet), bytes, pe);
    }
    const Section local = section_of(*dest);
    if (local.elements() == 0) return;
    OffsetLists lists;
    get_converted(local, type_of(*dest, dest_kind),
                  section_in(token, offset, *source, source_vector, lists, kGet),
                  type_of(*source, source_kind), pe, kGet);
}

[[gnu::noinline]] void put_any(caf_token_t token, std::size_t offset, int image, Descriptor* dest,
                               Vector* dest_vector, Descriptor* source, int dest_kind,
                               int source_kind, bool, int* stat, caf_team_t* team) {
    ensure_initialized();
    const int pe = pe_of_image(image, team, kPut);
    if (!may_access(pe, stat)) return;
    if (dest_vector == nullptr && is_plain_scalar(*dest, dest_kind, *source, source_kind)) {
        std::byte* at = place_of(token, offset, source->element_bytes, kPut);
        expect_more(token);
        return put_bytes(at, source->base, source->element_bytes, pe);
    }
    if (dest_vector == nullptr && are_plain_blocks(*dest, dest_kind, *source, source_kind)) {
        const std::size_t bytes = block_bytes_of(*source);
        return put_bytes(place_of(token, offset, bytes, kPut), source->base, bytes, pe);
    }
    const Section local = section_of(*source);
    if (local.elements() == 0) return;
    OffsetLists lists;
    put_converted(section_in(token, offset, *dest, dest_vector, lists, kPut),
                  type_of(*dest, dest_kind), local, type_of(*source, source_kind), pe, kPut);
}

}  // namespace

CAF_ENTRY void _gfortran_caf_get(caf_token_t token, std::size_t offset, int image,
                                 Descriptor* source, Vector* source_vector, Descriptor* dest,
                                 int source_kind, int dest_kind, bool may_overlap, int* stat) {
    if (source_vector == nullptr && stat == nullptr &&
        is_usual_scalar(*source, source_kind, *dest, dest_kind)) {
        if (const auto* at = mapped_scalar(token, offset, image, dest->element_bytes)) [[likely]]
            return copy_scalar(dest->base, at, dest->element_bytes);
    }
    get_any(token, offset, image, source, source_vector, dest, source_kind, dest_kind, may_overlap,
            stat);
}

CAF_ENTRY void _gfortran_caf_send(caf_token_t token, std::size_t offset, int image,
                                  Descriptor* dest, Vector* dest_vector, Descriptor* source,
                                  int dest_kind, int source_kind, bool may_overlap, int* stat,
                                  caf_team_t* team) {
    if (dest_vector == nullptr && stat == nullptr && team == nullptr &&
        is_usual_scalar(*dest, dest_kind, *source, source_kind)) {
        if (auto* at = mapped_scalar(token, offset, image, source->element_bytes)) [[likely]]
            return copy_scalar(at, source->base, source->element_bytes);
    }
    put_any(token, offset, image, dest, dest_vector, source, dest_kind, source_kind, may_overlap,
            stat, team);
}

CAF_ENTRY void _gfortran_caf_sendget(caf_token_t dest_token, std::size_t dest_offset,
                                     int dest_image, Descriptor* dest, Vector* dest_vector,
                                     caf_token_t source_token, std::size_t source_offset,
                                     int source_image, Descriptor* source, Vector* source_vector,
                                     int dest_kind, int source_kind, bool, int* stat) {
    constexpr const char* kRoutine = "coindexed assignment";
    ensure_initialized();
    const int dest_pe = pe_of(dest_image, kRoutine);
    const int source_pe = pe_of(source_image, kRoutine);
    if (!may_access(source_pe, stat) || !may_access(dest_pe, stat)) return;
    OffsetLists source_lists;
    const Section from =
        section_in(source_token, source_offset, *source, source_vector, source_lists, kRoutine);
    OffsetLists dest_lists;
    const Section to =
        section_in(dest_token, dest_offset, *dest, dest_vector, dest_lists, kRoutine);
    Scratch scratch(from.elements() * from.element_bytes);
    Section packed = packed_like(from, scratch.data(), from.element_bytes);
    get_section(packed, from, source_pe);
    drop_unit_axes(packed);
    put_converted(to, type_of(*dest, dest_kind), packed, type_of(*source, source_kind), dest_pe,
                  kRoutine);
}

}  // namespace tessera::caf

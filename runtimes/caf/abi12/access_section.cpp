// SPDX-License-Identifier: BSD-3-Clause
//
// Sections of descriptors, and accesses that convert: through packed memory of this image.
#include "abi12/access_section.hpp"

#include <cstring>

#include "core/image_state.hpp"
#include "core/team.hpp"
#include "core/transfer.hpp"

namespace tessera::caf {

namespace {

void check_elements(const Section& local, const Section& remote, const char* routine) {
    const std::size_t here = local.elements();
    const std::size_t there = remote.elements();
    if (here != there) {
        stop_with_error(routine, "%zu elements of this image do not match %zu of the other one",
                        here, there);
    }
}

// gfortran passes an empty vector subscript as a triplet whose lower bound is the vector's address.
bool is_empty_vector(const Vector& vector) {
    constexpr std::ptrdiff_t kNoIndex = std::ptrdiff_t{1} << 40;
    return vector.nvec == 0 && vector.u.triplet.lower >= kNoIndex;
}

}  // namespace

std::ptrdiff_t index_at(const void* indices, int kind, std::size_t i, const char* routine) {
    const auto* at = static_cast<const std::byte*>(indices) + i * static_cast<std::size_t>(kind);
    const auto load = [&](auto value) {
        std::memcpy(&value, at, sizeof value);
        return static_cast<std::ptrdiff_t>(value);
    };
    switch (kind) {
        case 1: return load(std::int8_t{});
        case 2: return load(std::int16_t{});
        case 4: return load(std::int32_t{});
        case 8: return load(std::int64_t{});
        case 16: return load(__int128{});
        default:
            stop_with_error(routine, "a vector subscript of integer kind %d is not known", kind);
    }
}

void check_inside(const Coarray& coarray, const Section& section, const char* routine) {
    if (section.elements() == 0) return;
    const auto [low, high] = reach_of(section);
    const auto base = static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(section.base) -
                                                  reinterpret_cast<std::uintptr_t>(coarray.base));
    if (section.is_cut)
        stop_with_error(routine, "a subscript is out of bounds: more than %td bytes away", kFar);
    if (base + low < 0 || base + high > Wide{coarray.bytes}) {
        stop_with_error(routine,
                        "a subscript is out of bounds: bytes %td to %td of a coarray of %zu bytes",
                        limited(base + low), limited(base + high - 1), coarray.bytes);
    }
}

void add_vector_axis(Section& section, OffsetLists& lists, const void* indices, int kind,
                     std::size_t count, std::ptrdiff_t first, std::ptrdiff_t distance,
                     const char* routine) {
    std::vector<std::ptrdiff_t> offsets(count);
    for (std::size_t i = 0; i < count; ++i)
        offsets[i] = section.cut((Wide{index_at(indices, kind, i, routine)} - first) * distance);
    lists.push_back(std::move(offsets));
    section.axes[static_cast<std::size_t>(section.rank++)] = {count, 0, lists.back().data()};
}

Section section_of(const Descriptor& descriptor, const Vector* vectors, std::byte* base,
                   OffsetLists& lists, const char* routine) {
    if (vectors == nullptr) return section_of(descriptor, base);
    Section section{
        .base = base, .element_bytes = element_bytes_of(descriptor), .rank = 0, .axes = {}};
    lists.reserve(kMaxRank);
    const std::ptrdiff_t span = span_of(descriptor);
    for (int i = 0; i < descriptor.rank; ++i) {
        const Vector& vector = vectors[i];
        const Dimension& dim = descriptor.dim[i];
        const std::ptrdiff_t distance = limited(Wide{dim.stride} * span);
        if (vector.nvec != 0) {
            add_vector_axis(section, lists, vector.u.v.vector, vector.u.v.kind, vector.nvec,
                            dim.lower, distance, routine);
            continue;
        }
        if (is_empty_vector(vector)) {
            section.add_axis(0, 0);
            continue;
        }
        const auto& triplet = vector.u.triplet;
        const std::ptrdiff_t step = triplet.stride != 0 ? triplet.stride : 1;
        section.move((Wide{triplet.lower} - dim.lower) * distance);
        section.add_axis(count_of(triplet.lower, triplet.upper, step), Wide{step} * distance);
    }
    return section;
}

void get_converted(const Section& local, const ElementType& to, const Section& remote,
                   const ElementType& from, int pe, const char* routine) {
    check_elements(local, remote, routine);
    if (is_same_type(to, from)) return get_section(local, remote, pe);
    Scratch scratch(remote.elements() * from.bytes);
    get_section(packed_like(remote, scratch.data(), from.bytes), remote, pe);
    convert_section(local, to, packed_like(local, scratch.data(), from.bytes), from);
}

void put_converted(const Section& remote, const ElementType& to, const Section& local,
                   const ElementType& from, int pe, const char* routine) {
    if (local.rank != 0) check_elements(local, remote, routine);
    if (is_same_type(to, from)) return put_section(remote, local, pe);
    Scratch scratch(local.elements() * to.bytes);
    const Section packed = packed_like(local, scratch.data(), to.bytes);
    convert_section(packed, to, local, from);
    put_section(remote, packed, pe);
}

bool has_not_failed(int pe, int* stat) {
    const bool has_failed = status_of_pe(pe) == kFailedImage;
    *stat = has_failed ? kFailedImage : kOk;
    return !has_failed;
}

}  // namespace tessera::caf

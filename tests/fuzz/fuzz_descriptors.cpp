// SPDX-License-Identifier: BSD-3-Clause
//
// gfortran's descriptors, vector subscripts, types and kinds: sections of a coarray that a program
// may ask for, and the conversion of their elements. Input: a descriptor's fields, vector
// subscripts, types. Addresses are the target's own, since a program vouches for them.
#include <cmath>
#include <memory>

#include "fuzz/fuzz.hpp"
#include "runtimes/caf/abi12/access_section.hpp"
#include "runtimes/caf/core/image_state.hpp"
#include "runtimes/caf/core/transfer.hpp"

namespace tessera::caf {

// The sections are checked, not moved.
void get_section(const Section&, const Section&, int) {}
void put_section(const Section&, const Section&, int, std::uint64_t*) {}
int status_of_pe(int) { return 0; }

namespace {

constexpr std::size_t kCoarrayBytes = 4096;
constexpr std::size_t kElementsMax = 1 << 16;
constexpr std::size_t kListMax = 32;

Descriptor take_descriptor(fuzz::Bytes& bytes) {
    Descriptor descriptor{};
    descriptor.element_bytes = bytes.take<std::uint16_t>() % 64;
    descriptor.rank = static_cast<std::int8_t>(bytes.take<std::uint8_t>() % (kMaxRank + 1));
    descriptor.type = bytes.take<std::int8_t>();
    descriptor.span = bytes.take<std::int16_t>();
    for (int i = 0; i < descriptor.rank; ++i) {
        Dimension& dim = descriptor.dim[i];
        const bool is_wide = bytes.take<std::uint8_t>() % 8 == 0;
        const auto take = [&] {
            return is_wide ? bytes.take<std::ptrdiff_t>()
                           : std::ptrdiff_t{bytes.take<std::int8_t>()};
        };
        dim = {.stride = take(), .lower = take(), .upper = take()};
    }
    return descriptor;
}

// Independent of the library's check, and without overflow.
void require_inside(const Section& section) {
    for (int i = 0; i < section.rank && section.elements() != 0; ++i) {
        const Axis& axis = section.axes[static_cast<std::size_t>(i)];
        const double bytes =
            static_cast<double>(axis.extent - 1) * std::abs(static_cast<double>(axis.stride));
        fuzz::require(bytes <= kCoarrayBytes, "a section that reaches out of its coarray");
    }
}

// A type as a compiler makes it: a number has the size of its kind, and 16 bytes have kind 10, too.
ElementType made(ElementType type) {
    constexpr int kNoKind = 0;
    const bool is_number = type.type == kInteger || type.type == kLogical || type.type == kReal ||
                           type.type == kComplex;
    const auto bytes = static_cast<int>(type.type == kComplex ? type.bytes / 2 : type.bytes);
    const bool is_extended = type.kind == 10 && bytes == 16;
    if (is_number && !is_extended) type.kind = bytes == 10 ? kNoKind : bytes;
    return type;
}

void convert(const Section& remote, const ElementType& from, fuzz::Bytes& bytes) {
    const ElementType to = made({bytes.take<std::int8_t>(), bytes.take<std::int8_t>(),
                                 bytes.take<std::uint8_t>() % std::size_t{64}});
    Scratch scratch(remote.elements() * to.bytes);
    convert_section(packed_like(remote, scratch.data(), to.bytes), to, remote, made(from));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::Input input;
    fuzz::Bytes bytes(data, size);
    const auto memory = std::make_unique<std::byte[]>(kCoarrayBytes);
    Coarray coarray{};
    coarray.base = memory.get();
    coarray.bytes = kCoarrayBytes;
    const Descriptor descriptor = take_descriptor(bytes);
    const auto offset = bytes.take<std::uint16_t>() % (kCoarrayBytes + 1);
    Vector vectors[kMaxRank] = {};
    std::int64_t indices[kListMax] = {};
    const bool has_vectors = bytes.take<std::uint8_t>() % 2 != 0;
    for (int i = 0; has_vectors && i < descriptor.rank; ++i) {
        Vector& vector = vectors[i];
        const std::size_t kind = bytes.take<std::uint8_t>() % 17;
        vector.nvec = bytes.take<std::uint8_t>() % 4;
        if (vector.nvec != 0) {
            for (std::int64_t& index : indices) index = bytes.take<std::int8_t>();
            vector.u.v = {indices, static_cast<int>(kind)};
        } else {
            vector.u.triplet = {bytes.take<std::int16_t>(), bytes.take<std::int16_t>(),
                                bytes.take<std::int8_t>()};
        }
    }
    try {
        OffsetLists lists;
        const Section section = section_of(descriptor, has_vectors ? vectors : nullptr,
                                           memory.get() + offset, lists, "fuzz");
        check_inside(coarray, section, "fuzz");
        require_inside(section);
        if (section.elements() > kElementsMax) return 0;
        convert(section, type_of(descriptor, bytes.take<std::int8_t>()), bytes);
    } catch (const fuzz::Ended&) {
    }
    return 0;
}

}  // namespace tessera::caf

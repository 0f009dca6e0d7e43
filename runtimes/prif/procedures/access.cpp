// SPDX-License-Identifier: BSD-3-Clause
//
// Puts and gets, contiguous and strided, with and without a notification. One function of a kind
// has all forms, because they differ in how the caller names the memory.

#include "core/bytes.hpp"
#include "core/ordering.hpp"
#include "core/section.hpp"
#include "core/transfer.hpp"
#include "procedures/target.hpp"

namespace tessera::prif {
namespace {

// Bits of a form.
constexpr int kIndirect = 1;        // the data lies at an address of the image
constexpr int kNotify = 2;          // the put notifies
constexpr int kNotifyIndirect = 4;  // a variable at an address of the image

constexpr const char* kPuts[] = {"prif_put",
                                 "prif_put_indirect",
                                 "prif_put_with_notify",
                                 "prif_put_indirect_with_notify",
                                 "",
                                 "",
                                 "prif_put_with_notify_indirect",
                                 "prif_put_indirect_with_notify_indirect"};
constexpr const char* kStridedPuts[] = {"prif_put_strided",
                                        "prif_put_strided_indirect",
                                        "prif_put_strided_with_notify",
                                        "prif_put_strided_indirect_with_notify",
                                        "",
                                        "",
                                        "prif_put_strided_with_notify_indirect",
                                        "prif_put_strided_indirect_with_notify_indirect"};

// An image that sees the count of the notify variable sees the data of the put before.
int notify(int image, int form, Handle* handle, std::uint64_t where, const char* routine,
           int* stat) {
    const bool is_address = (form & kNotifyIndirect) != 0;
    if (!is_address) checked(handle, "notify_coarray_handle", routine);
    Target variable;
    const int code = find_word({image, handle, where, is_address}, routine, stat, variable);
    if (code != kOk) return code;
    caf::order_puts(variable.pe);
    shmem_uint64_atomic_add(word_at(variable), 1, variable.pe);
    return kOk;
}

// A strided side of a transfer as the caller describes it.
struct Shape {
    int rank;
    const std::ptrdiff_t* strides;
    const std::size_t* extents;
    std::size_t element_bytes;
};

caf::Section section_of(const Shape& shape, void* base) {
    caf::Section section{.base = static_cast<std::byte*>(base),
                         .element_bytes = shape.element_bytes};
    for (int i = 0; i < shape.rank; ++i) section.add_axis(shape.extents[i], shape.strides[i]);
    return section;
}

int find_section(const RemoteMemory& place, const Shape& shape, const char* routine, int* stat,
                 caf::Section& section, int& pe) {
    if (shape.rank < 0 || shape.rank > caf::kMaxAxes) {
        return fail(stat, caf::kMisuse, routine,
                    "the strides and extents are not of one size from 0 to %d", caf::kMaxAxes);
    }
    Target target;
    const int code = find_target(place, 0, routine, stat, target);
    if (code != kOk) return code;
    pe = target.pe;
    section = section_of(shape, target.address);
    const caf::Hull hull = hull_of(section);
    if (place.is_address || section.elements() == 0) return kOk;
    const Handle& handle = *place.handle;
    if (hull.low < handle.base || hull.high > handle.base + handle.bytes) {
        return fail(stat, caf::kMisuse, routine,
                    "the section at the offset %lld on image %d touches bytes %lld to %lld of the "
                    "coarray, which has %zu",
                    static_cast<long long>(place.where), place.image,
                    static_cast<long long>(hull.low - handle.base),
                    static_cast<long long>(hull.high - handle.base - 1), handle.bytes);
    }
    return kOk;
}

}  // namespace

PRIF_ENTRY int tessera_prif_get(int image, Handle* handle, std::uint64_t where, void* buffer,
                                std::size_t bytes, int form, int* stat) {
    Target source;
    const char* routine = form == 0 ? "prif_get" : "prif_get_indirect";
    const int code = find_target({image, handle, where, form != 0}, bytes, routine, stat, source);
    if (code != kOk) [[unlikely]]
        return code;
    caf::get_bytes(buffer, source.address, bytes, source.pe);
    return succeed(stat);
}

PRIF_ENTRY int tessera_prif_put(int image, Handle* handle, std::uint64_t where, const void* buffer,
                                std::size_t bytes, int form, Handle* notify_handle,
                                std::uint64_t notify_where, int* stat) {
    Target dest;
    const char* routine = kPuts[form];
    const bool is_address = (form & kIndirect) != 0;
    int code = find_target({image, handle, where, is_address}, bytes, routine, stat, dest);
    if (code != kOk) [[unlikely]]
        return code;
    caf::put_bytes(dest.address, buffer, bytes, dest.pe);
    if ((form & kNotify) != 0) {
        code = notify(image, form, notify_handle, notify_where, routine, stat);
        if (code != kOk) return code;
    }
    return succeed(stat);
}

PRIF_ENTRY int tessera_prif_get_strided(int image, Handle* handle, std::uint64_t where, int rank,
                                        const std::ptrdiff_t* remote_strides, void* buffer,
                                        const std::ptrdiff_t* local_strides,
                                        std::size_t element_bytes, const std::size_t* extents,
                                        int form, int* stat) {
    const char* routine = form == 0 ? "prif_get_strided" : "prif_get_strided_indirect";
    caf::Section remote;
    int pe = -1;
    const int code =
        find_section({image, handle, where, form != 0},
                     {rank, remote_strides, extents, element_bytes}, routine, stat, remote, pe);
    if (code != kOk) return code;
    get_section(section_of({rank, local_strides, extents, element_bytes}, buffer), remote, pe);
    return succeed(stat);
}

PRIF_ENTRY int tessera_prif_put_strided(int image, Handle* handle, std::uint64_t where, int rank,
                                        const std::ptrdiff_t* remote_strides, void* buffer,
                                        const std::ptrdiff_t* local_strides,
                                        std::size_t element_bytes, const std::size_t* extents,
                                        int form, Handle* notify_handle, std::uint64_t notify_where,
                                        int* stat) {
    const char* routine = kStridedPuts[form];
    caf::Section remote;
    int pe = -1;
    int code =
        find_section({image, handle, where, (form & kIndirect) != 0},
                     {rank, remote_strides, extents, element_bytes}, routine, stat, remote, pe);
    if (code != kOk) return code;
    put_section(remote, section_of({rank, local_strides, extents, element_bytes}, buffer), pe);
    if ((form & kNotify) != 0) {
        code = notify(image, form, notify_handle, notify_where, routine, stat);
        if (code != kOk) return code;
    }
    return succeed(stat);
}

}  // namespace tessera::prif

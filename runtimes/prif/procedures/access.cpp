// SPDX-License-Identifier: BSD-3-Clause
//
// Puts and gets, contiguous and strided, with and without a notification. One function of a kind
// has all forms, because they differ in how the caller names the memory.

#include <algorithm>
#include <atomic>

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

// Hot path: bytes of a coarray of all images, as this image loads and stores them. RETURNS: NULL
// where the memory is not mapped, or find_target() finds a mistake.
inline std::byte* mapped_bytes(int image, const Handle* handle, std::uint64_t where,
                               std::size_t bytes) {
    if (caf::phase != caf::Phase::kRunning || handle == nullptr ||
        handle->state != HandleState::kLive || where > handle->bytes ||
        bytes > handle->bytes - where || bytes > caf::kPlainCopyBytesMax) {
        return nullptr;
    }
    const Handle& owner = *handle->owner;
    const auto index = static_cast<unsigned>(image) - 1;
    if (!owner.team->is_initial() || index >= static_cast<unsigned>(caf::detail::all_images))
        return nullptr;
    // Pairs with core/coarray.cpp:map_parts.
    std::byte* const* parts = std::atomic_ref(owner.coarray->parts).load(std::memory_order_acquire);
    std::byte* part = parts == nullptr ? nullptr : parts[index];
    return part == nullptr ? nullptr : part + (handle->base - owner.base) + where;
}

// Finds the notify variable of a put; its pe stays -1 where the form has none. RETURNS: kOk, or the
// code of an error: find_notify() has reported it.
int find_notify(int image, int form, Handle* handle, std::uint64_t where, const char* routine,
                int* stat, Target& variable) {
    if ((form & kNotify) == 0) return kOk;
    const bool is_address = (form & kNotifyIndirect) != 0;
    if (!is_address) checked(handle, "notify_coarray_handle", routine);
    return find_word({image, handle, where, is_address}, routine, stat, variable);
}

// An image that sees the count of the notify variable sees the data of the put before.
void notify(const Target& variable) {
    if (variable.pe < 0) return;
    caf::order_puts(variable.pe);
    shmem_uint64_atomic_add(word_at(variable), 1, variable.pe);
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

// The bytes that a side touches, from `low` on, before `high`, as its first element lies at 0.
struct Reach {
    std::ptrdiff_t low = 0;
    std::ptrdiff_t high = 0;
};

// RETURNS: false where no memory is that large.
bool find_reach(const Shape& shape, Reach& reach) {
    reach = {};
    std::ptrdiff_t data = 0;
    if (__builtin_add_overflow(shape.element_bytes, 0, &data)) return false;
    reach.high = data;
    if (std::find(shape.extents, shape.extents + shape.rank, 0U) != shape.extents + shape.rank) {
        reach = {};
        return true;
    }
    for (int i = 0; i < shape.rank; ++i) {
        std::ptrdiff_t last = 0;
        if (__builtin_mul_overflow(shape.extents[i] - 1, shape.strides[i], &last) ||
            __builtin_mul_overflow(data, shape.extents[i], &data)) {
            return false;
        }
        std::ptrdiff_t& end = last < 0 ? reach.low : reach.high;
        if (__builtin_add_overflow(end, last, &end)) return false;
    }
    return true;
}

int find_section(const RemoteMemory& place, const Shape& shape, const char* routine, int* stat,
                 caf::Section& section, int& pe) {
    if (shape.rank < 0 || shape.rank > caf::kMaxAxes) {
        return fail(stat, caf::kMisuse, routine,
                    "the strides and extents are not of one size from 0 to %d", caf::kMaxAxes);
    }
    Reach reach;
    std::ptrdiff_t bytes = 0;
    if (!find_reach(shape, reach) || __builtin_sub_overflow(reach.high, reach.low, &bytes)) {
        return fail(stat, caf::kMisuse, routine,
                    "a section of these strides and extents is larger than any memory");
    }
    RemoteMemory lowest = place;
    lowest.where += static_cast<std::uint64_t>(reach.low);
    Target target;
    const int code = find_target(lowest, static_cast<std::size_t>(bytes), routine, stat, target);
    if (code != kOk) return code;
    pe = target.pe;
    section = section_of(shape, target.address - reach.low);
    return kOk;
}

// The general ways. Not inline, so that the short ones save no registers.
[[gnu::noinline]] int get_any(const RemoteMemory& place, void* buffer, std::size_t bytes,
                              int* stat) {
    Target source;
    const int code = find_target(place, bytes, place.is_address ? "prif_get_indirect" : "prif_get",
                                 stat, source);
    if (code != kOk) [[unlikely]]
        return code;
    caf::get_bytes(buffer, source.address, bytes, source.pe);
    return succeed(stat);
}

[[gnu::noinline]] int put_any(const RemoteMemory& place, const void* buffer, std::size_t bytes,
                              int form, Handle* notify_handle, std::uint64_t notify_where,
                              int* stat) {
    Target dest;
    Target variable;
    const char* routine = kPuts[form];
    int code = find_target(place, bytes, routine, stat, dest);
    if (code == kOk)
        code = find_notify(place.image, form, notify_handle, notify_where, routine, stat, variable);
    if (code != kOk) [[unlikely]]
        return code;
    caf::put_bytes(dest.address, buffer, bytes, dest.pe);
    notify(variable);
    return succeed(stat);
}

}  // namespace

PRIF_ENTRY int tessera_prif_get(int image, Handle* handle, std::uint64_t where, void* buffer,
                                std::size_t bytes, int form, int* stat) {
    if (form == 0 && stat == nullptr) [[likely]] {
        if (const std::byte* mapped = mapped_bytes(image, handle, where, bytes)) [[likely]] {
            caf::copy_bytes(buffer, mapped, bytes);
            return kOk;
        }
    }
    return get_any({image, handle, where, form != 0}, buffer, bytes, stat);
}

PRIF_ENTRY int tessera_prif_put(int image, Handle* handle, std::uint64_t where, const void* buffer,
                                std::size_t bytes, int form, Handle* notify_handle,
                                std::uint64_t notify_where, int* stat) {
    if (form == 0 && stat == nullptr) [[likely]] {
        if (std::byte* mapped = mapped_bytes(image, handle, where, bytes)) [[likely]] {
            caf::copy_bytes(mapped, buffer, bytes);
            return kOk;
        }
    }
    return put_any({image, handle, where, (form & kIndirect) != 0}, buffer, bytes, form,
                   notify_handle, notify_where, stat);
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
    Target variable;
    if (code == kOk)
        code = find_notify(image, form, notify_handle, notify_where, routine, stat, variable);
    if (code != kOk) return code;
    put_section(remote, section_of({rank, local_strides, extents, element_bytes}, buffer), pe,
                variable.pe < 0 ? nullptr : word_at(variable));
    return succeed(stat);
}

}  // namespace tessera::prif

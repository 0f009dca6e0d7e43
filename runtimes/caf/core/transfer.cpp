// SPDX-License-Identifier: BSD-3-Clause
//
// Which way a section takes: one block of bytes, a strided transfer of the library, loops over the
// mapped memory where a vector subscript is among the axes, or a list of blocks between nodes.
#include "core/transfer.hpp"

#include <shmem.h>
#include <shmemx.h>

#include <vector>

#include "core/ordering.hpp"
#include "core/private_memory.hpp"

namespace tessera::caf {

namespace {

bool is_block(const Section& section) {
    return section.rank == 0 ||
           (section.rank == 1 && section.axes[0].offsets == nullptr &&
            section.axes[0].stride == static_cast<std::ptrdiff_t>(section.element_bytes));
}

// The arrays that strided transfers take.
struct Strides {
    std::size_t extents[kMaxAxes];
    std::ptrdiff_t local[kMaxAxes];
    std::ptrdiff_t remote[kMaxAxes];

    Strides(const Section& a, const Section& b) {
        for (int i = 0; i < a.rank; ++i) {
            const auto axis = static_cast<std::size_t>(i);
            extents[i] = a.axes[axis].extent;
            local[i] = a.axes[axis].stride;
            remote[i] = b.axes[axis].stride;
        }
    }
};

void get_indexed(const Section& local, const Section& remote, int pe) {
    const std::vector<shmemx_block_t> to = blocks_of(local);
    const std::vector<shmemx_block_t> from = blocks_of(remote);
    shmemx_get_indexed(local.base, to.data(), to.size(), remote.base, from.data(), from.size(), pe);
}

// A vector subscript of a put may name an element twice only if both values are equal, so blocks
// that come again may be written in any order.
void put_indexed(const Section& remote, const Section& local, int pe) {
    const std::vector<shmemx_block_t> to = blocks_of(remote);
    const std::vector<shmemx_block_t> from = blocks_of(local);
    shmemx_put_indexed(remote.base, to.data(), to.size(), local.base, from.data(), from.size(), pe);
}

void put_strided(const Section& remote, const Section& local, int pe, std::uint64_t* counter) {
    const Strides strides(local, remote);
    if (counter == nullptr) {
        return shmemx_put_strided(remote.base, strides.remote, local.base, strides.local,
                                  strides.extents, local.rank, local.element_bytes, pe);
    }
    shmemx_put_strided_signal(remote.base, strides.remote, local.base, strides.local,
                              strides.extents, local.rank, local.element_bytes, counter, 1,
                              SHMEM_SIGNAL_ADD, pe);
}

// The sections without axes of one element, and of the same shape.
struct SectionPair {
    Section local;
    Section remote;
    bool is_empty = false;

    SectionPair(const Section& local_section, const Section& remote_section, bool may_broadcast)
        : local(local_section), remote(remote_section) {
        is_empty = remote.elements() == 0 || remote.element_bytes == 0;
        if (is_empty) return;
        drop_unit_axes(local);
        drop_unit_axes(remote);
        if (!has_same_shape(local, remote)) {
            if (may_broadcast && local.rank == 0) {
                broadcast_to(local, remote);
            } else {
                local = packed_like(remote, local.base, local.element_bytes);
            }
        }
    }
};

// Whether the memory is that of this image, which may overlap with the local side.
bool is_own(const void* mapped, const void* symmetric, int pe) {
    return mapped == symmetric || (mapped == nullptr && pe == shmem_my_pe());
}

}  // namespace

void get_section(const Section& local_section, const Section& remote_section, int pe) {
    if (remote_section.is_private) [[unlikely]]
        return get_private(local_section, remote_section, pe);
    SectionPair pair(local_section, remote_section, false);
    if (pair.is_empty) return;
    Section& local = pair.local;
    Section& remote = pair.remote;
    auto* mapped = static_cast<std::byte*>(shmem_ptr(remote.base, pe));
    if (mapped == nullptr) complete(pe);
    if (is_own(mapped, remote.base, pe) && overlaps(hull_of(local), hull_of(remote))) {
        Scratch scratch(remote.elements() * remote.element_bytes);
        const Section packed = packed_like(remote, scratch.data(), remote.element_bytes);
        get_section(packed, remote, pe);
        return copy_section(local, packed);
    }
    if (is_block(local) && is_block(remote))
        return get_bytes(local.base, remote.base, remote.elements() * remote.element_bytes, pe);
    if (remote.has_offsets() || local.has_offsets()) {
        if (mapped == nullptr) return get_indexed(local, remote, pe);
        remote.base = mapped;
        return copy_section(local, remote);
    }
    const Strides strides(local, remote);
    shmemx_get_strided(local.base, strides.local, remote.base, strides.remote, strides.extents,
                       local.rank, local.element_bytes, pe);
}

void put_section(const Section& remote_section, const Section& local_section, int pe,
                 std::uint64_t* counter) {
    if (remote_section.is_private) [[unlikely]]
        return put_private(remote_section, local_section, pe);
    SectionPair pair(local_section, remote_section, true);
    if (pair.is_empty) {
        if (counter != nullptr) shmem_uint64_atomic_inc(counter, pe);
        return;
    }
    Section& local = pair.local;
    Section& remote = pair.remote;
    auto* mapped = static_cast<std::byte*>(shmem_ptr(remote.base, pe));
    if (is_own(mapped, remote.base, pe) && overlaps(hull_of(local), hull_of(remote))) {
        Scratch scratch(remote.elements() * remote.element_bytes);
        const Section packed = packed_like(remote, scratch.data(), remote.element_bytes);
        copy_section(packed, local);
        return put_section(remote, packed, pe, counter);
    }
    if (counter == nullptr && is_block(local) && is_block(remote))
        return put_bytes(remote.base, local.base, remote.elements() * remote.element_bytes, pe);
    const bool has_offsets = remote.has_offsets() || local.has_offsets();
    if (mapped != nullptr && has_offsets) {
        remote.base = mapped;
        return copy_section(remote, local);
    }
    if (mapped != nullptr) return put_strided(remote, local, pe, counter);
    order_puts(pe);
    if (has_offsets) {
        put_indexed(remote, local, pe);
    } else {
        put_strided(remote, local, pe, counter);
    }
    note_put(pe);
}

}  // namespace tessera::caf

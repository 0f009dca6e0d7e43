// SPDX-License-Identifier: BSD-3-Clause
//
// See ranges.hpp.
#include "tools/check/ranges.hpp"

namespace tessera::check {
namespace {

using interpose::Call;
using interpose::Kind;

// Bytes from the first to behind the last element; strides are the library's to check.
std::size_t extent(const Call& call, ptrdiff_t stride) {
    if (call.count == 0 || call.block == 0) return 0;
    const std::size_t step = stride > 0 ? static_cast<std::size_t>(stride) : 0;
    return ((call.count - 1) * step + call.block) * call.element_bytes;
}

bool is_dense(const Call& call, ptrdiff_t stride) {
    return call.count <= 1 || stride == static_cast<ptrdiff_t>(call.block);
}

// From the lowest to the highest byte of a section.
void add_section(const char* name, const Call& call, const void* start, const ptrdiff_t* strides,
                 RangeList& ranges, Side side) {
    const interpose::Section& section = call.section;
    if (start == nullptr || strides == nullptr || section.ndims > SHMEMX_NDIMS_MAX) return;
    ptrdiff_t lowest = 0;
    ptrdiff_t highest = 0;
    for (int dim = 0; dim < section.ndims; ++dim) {
        if (section.extents[dim] == 0) return;
        const ptrdiff_t last = static_cast<ptrdiff_t>(section.extents[dim] - 1) * strides[dim];
        (last < 0 ? lowest : highest) += last;
    }
    const auto bytes = static_cast<std::size_t>(highest - lowest) + call.element_bytes;
    side.is_dense = false;
    ranges.add(name, static_cast<const char*>(start) + lowest, call.element_bytes == 0 ? 0 : bytes,
               side);
}

void add_blocks(const char* name, const void* start, const shmemx_block_t* blocks,
                std::size_t count, RangeList& ranges, Side side) {
    if (start == nullptr || blocks == nullptr) return;
    side.is_dense = false;
    for (std::size_t i = 0; i < count; ++i)
        ranges.add(name, static_cast<const char*>(start) + blocks[i].offset, blocks[i].bytes, side);
}

// The library explains shapes and lists that are none.
void add_copy(const Call& call, RangeList& ranges) {
    const bool is_put = call.kind == Kind::kPut;
    const Side dest{.is_written = true, .is_remote = is_put};
    const Side source{.is_written = false, .is_remote = !is_put};
    if (call.section.extents != nullptr) {
        add_section("dest", call, call.dest, call.section.dest_strides, ranges, dest);
        add_section("source", call, call.source, call.section.source_strides, ranges, source);
    } else if (call.blocks.dest_count != 0 || call.blocks.source_count != 0) {
        const interpose::Blocks& blocks = call.blocks;
        add_blocks("dest", call.dest, blocks.dest, blocks.dest_count, ranges, dest);
        add_blocks("source", call.source, blocks.source, blocks.source_count, ranges, source);
    } else {
        ranges.add("dest", call.dest, extent(call, call.dst),
                   {.is_written = true, .is_remote = is_put, .is_dense = is_dense(call, call.dst)});
        ranges.add(
            "source", call.source, extent(call, call.sst),
            {.is_written = false, .is_remote = !is_put, .is_dense = is_dense(call, call.sst)});
    }
    ranges.add("sig_addr", call.signal.word, sizeof(std::uint64_t),
               {.is_written = true, .is_remote = true});
}

}  // namespace

std::vector<Range> ranges_of(const Call& call) {
    RangeList ranges;
    switch (call.kind) {
        case Kind::kPut:
        case Kind::kGet: add_copy(call, ranges); break;
        case Kind::kAtomic:
            ranges.add("dest", call.dest, call.element_bytes,
                       {.is_written = call.operation != interpose::AtomicOperation::kFetch,
                        .is_remote = true});
            ranges.add("fetch", call.fetched, call.element_bytes, {.is_written = true});
            break;
        case Kind::kAccumulate:
            ranges.add("dest", call.dest, call.count * call.element_bytes,
                       {.is_written = true, .is_remote = true});
            ranges.add("source", call.source, call.count * call.element_bytes, {});
            ranges.add("result", call.fetched, call.count * call.element_bytes,
                       {.is_written = true});
            break;
        case Kind::kSignal:
            ranges.add("sig_addr", call.signal.word, 8, {.is_written = true, .is_remote = true});
            break;
        case Kind::kWait:
        case Kind::kTest:
            ranges.add("ivar", call.source, call.count * call.element_bytes, {});
            break;
        case Kind::kCollective: add_collective(call, ranges); break;
        case Kind::kLock:
        case Kind::kTryLock:
        case Kind::kUnlock:
            ranges.add("lock", call.lock, sizeof(long), {.is_written = true, .is_remote = true});
            break;
        default: break;
    }
    ranges.add("pSync", call.sync, SHMEM_SYNC_SIZE * sizeof(long), {.is_written = true});
    return ranges.take();
}

int target_of(const Call& call) {
    if (call.pe < 0 || call.context == SHMEM_CTX_DEFAULT) return call.pe;
    shmem_team_t team = SHMEM_TEAM_WORLD;
    if (pshmem_ctx_get_team(call.context, &team) != 0) return call.pe;
    return pshmem_team_translate_pe(team, call.pe, SHMEM_TEAM_WORLD);
}

}  // namespace tessera::check

// SPDX-License-Identifier: BSD-3-Clause
//
// See ranges.hpp.
#include "tools/check/ranges.hpp"

#include <algorithm>
#include <string_view>

namespace tessera::check {
namespace {

using interpose::Call;
using interpose::Kind;

class Ranges {
  public:
    void add(const char* name, const void* address, std::size_t bytes, bool is_written,
             bool is_remote = false, bool is_dense = true) {
        if (address == nullptr || bytes == 0) return;
        ranges_.push_back({name, reinterpret_cast<std::uintptr_t>(address), bytes, is_written,
                           is_dense, is_remote});
    }
    std::vector<Range> take() { return std::move(ranges_); }

  private:
    std::vector<Range> ranges_;
};

// Bytes from the first to behind the last element; strides are the library's to check.
std::size_t extent(const Call& call, ptrdiff_t stride) {
    if (call.count == 0 || call.block == 0) return 0;
    const std::size_t step = stride > 0 ? static_cast<std::size_t>(stride) : 0;
    return ((call.count - 1) * step + call.block) * call.element_bytes;
}

bool is_dense(const Call& call, ptrdiff_t stride) {
    return call.count <= 1 || stride == static_cast<ptrdiff_t>(call.block);
}

// One byte where the shape of the transfer is a list.
bool has_shape(const Call& call) {
    return call.section.extents != nullptr || call.blocks.dest != nullptr;
}

void add_copy(const Call& call, Ranges& ranges) {
    const bool is_put = call.kind == Kind::kPut;
    const std::size_t dest_bytes = has_shape(call) ? 1 : extent(call, call.dst);
    const std::size_t source_bytes = has_shape(call) ? 1 : extent(call, call.sst);
    const bool is_list = has_shape(call);
    ranges.add("dest", call.dest, dest_bytes, true, is_put, !is_list && is_dense(call, call.dst));
    ranges.add("source", call.source, source_bytes, false, !is_put,
               !is_list && is_dense(call, call.sst));
    ranges.add("sig_addr", call.signal.word, sizeof(std::uint64_t), true, true);
}

std::size_t member_count(const Call& call) {
    if (call.set.size > 0) return static_cast<std::size_t>(call.set.size);
    return static_cast<std::size_t>(std::max(pshmem_team_n_pes(call.team), 0));
}

void add_collective(const Call& call, Ranges& ranges) {
    const std::string_view routine = call.routine;
    const auto has = [&](std::string_view part) {
        return routine.find(part) != std::string_view::npos;
    };
    if (routine.substr(0, 7) == "shmemx_" && !has("scan")) {
        ranges.add("dest", call.dest, 1, true, false, false);
        ranges.add("source", call.source, 1, false, false, false);
        return;
    }
    const std::size_t members = member_count(call);
    const std::size_t bytes = call.count * call.element_bytes;
    const bool is_alltoall = has("alltoall");
    const std::size_t source_elements = is_alltoall ? members * call.count : call.count;
    const bool gathers = is_alltoall || has("fcollect");
    const std::size_t dest_elements = gathers ? members * call.count : call.count;
    if (has("alltoalls") && call.count > 0) {
        const auto strided = [&](std::size_t elements, ptrdiff_t stride) {
            const std::size_t step = stride > 0 ? static_cast<std::size_t>(stride) : 0;
            return ((elements - 1) * step + 1) * call.element_bytes;
        };
        ranges.add("dest", call.dest, strided(dest_elements, call.dst), true, false, call.dst == 1);
        ranges.add("source", call.source, strided(source_elements, call.sst), false, false,
                   call.sst == 1);
    } else if (has("broadcast") && call.set.size > 0 &&
               pshmem_my_pe() == call.set.start + (call.root << call.set.log_stride)) {
        ranges.add("source", call.source, bytes, false);  // The root's dest is not touched.
    } else {
        ranges.add("dest", call.dest, dest_elements * call.element_bytes, true);
        ranges.add("source", call.source, source_elements * call.element_bytes, false);
    }
    const std::size_t work =
        std::max(call.count / 2 + 1, std::size_t{SHMEM_REDUCE_MIN_WRKDATA_SIZE});
    ranges.add("pWrk", call.work, work * call.element_bytes, true);
}

}  // namespace

std::vector<Range> ranges_of(const Call& call) {
    Ranges ranges;
    switch (call.kind) {
        case Kind::kPut:
        case Kind::kGet: add_copy(call, ranges); break;
        case Kind::kAtomic:
            ranges.add("dest", call.dest, call.element_bytes,
                       call.operation != interpose::Operation::kFetch, true);
            ranges.add("fetch", call.fetched, call.element_bytes, true);
            break;
        case Kind::kAccumulate:
            ranges.add("dest", call.dest, call.count * call.element_bytes, true, true);
            ranges.add("source", call.source, call.count * call.element_bytes, false);
            ranges.add("result", call.fetched, call.count * call.element_bytes, true);
            break;
        case Kind::kSignal: ranges.add("sig_addr", call.signal.word, 8, true, true); break;
        case Kind::kWait:
        case Kind::kTest:
            ranges.add("ivar", call.source, call.count * call.element_bytes, false);
            break;
        case Kind::kCollective: add_collective(call, ranges); break;
        case Kind::kLock:
        case Kind::kTryLock:
        case Kind::kUnlock: ranges.add("lock", call.lock, sizeof(long), true, true); break;
        default: break;
    }
    ranges.add("pSync", call.sync, SHMEM_SYNC_SIZE * sizeof(long), true);
    return ranges.take();
}

int target_of(const Call& call) {
    if (call.pe < 0 || call.context == SHMEM_CTX_DEFAULT) return call.pe;
    shmem_team_t team = SHMEM_TEAM_WORLD;
    if (pshmem_ctx_get_team(call.context, &team) != 0) return call.pe;
    return pshmem_team_translate_pe(team, call.pe, SHMEM_TEAM_WORLD);
}

}  // namespace tessera::check

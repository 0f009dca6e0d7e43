// SPDX-License-Identifier: BSD-3-Clause
//
// The buffers of collectives (steps.hpp). Only those of the specification: the arrays of the ones
// in shmemx.h may be anywhere, and have other shapes.
#include <string_view>

#include "tools/check/race/steps.hpp"

namespace tessera::check::race {

namespace {

using interpose::Call;

struct Members {
    int count;
    int me;
};

Members members_of(const Call& call, int pe) {
    if (call.set.size > 0) return {call.set.size, (pe - call.set.start) >> call.set.log_stride};
    return {pshmem_team_n_pes(call.team), pshmem_team_my_pe(call.team)};
}

bool has(const Call& call, std::string_view word) {
    return std::string_view(call.routine).find(word) != std::string_view::npos;
}

bool is_of_shmemx(const Call& call) { return has(call, "shmemx_"); }

void buffer(Detector& detector, const Call& call, const void* start, bool is_dest,
            std::size_t elements, Found& found) {
    Touch touch = is_dest ? Touch::kWrite : Touch::kRead;
    ptrdiff_t stride = is_dest ? call.dst : call.sst;
    const char* base = static_cast<const char*>(start);
    if (stride == 1) {
        use(detector, base, elements * call.element_bytes, touch, Lane::kProgram, found);
        return;
    }
    auto bytes = static_cast<ptrdiff_t>(call.element_bytes);
    for (std::size_t i = 0; i < elements; ++i) {
        use(detector, base + static_cast<ptrdiff_t>(i) * stride * bytes, call.element_bytes, touch,
            Lane::kProgram, found);
    }
}

}  // namespace

void collective_sources(Detector& detector, const Call& call, Found& found) {
    if (is_of_shmemx(call) || call.source == nullptr) return;
    Members members = members_of(call, detector.pe());
    if (has(call, "broadcast") && members.me != call.root) return;
    std::size_t copies = has(call, "alltoall") ? static_cast<std::size_t>(members.count) : 1;
    buffer(detector, call, call.source, false, call.count * copies, found);
}

void collective_dests(Detector& detector, const Call& call, Found& found) {
    if (is_of_shmemx(call) || call.dest == nullptr) return;
    Members members = members_of(call, detector.pe());
    // The PE does not know the lengths that other PEs give to a collect.
    if (has(call, "collect") && !has(call, "fcollect")) return;
    // OpenSHMEM 1.6, 9.10.7: over an active set, the root's dest stays.
    if (has(call, "broadcast") && call.set.size > 0 && members.me == call.root) return;
    bool is_from_all = has(call, "alltoall") || has(call, "fcollect");
    std::size_t copies = is_from_all ? static_cast<std::size_t>(members.count) : 1;
    buffer(detector, call, call.dest, true, call.count * copies, found);
}

}  // namespace tessera::check::race

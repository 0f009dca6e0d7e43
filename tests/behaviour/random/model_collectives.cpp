// SPDX-License-Identifier: BSD-3-Clause
//
// The effect of collectives on memory (model.hpp): member after member, block after block.
#include <cstring>

#include "random/model.hpp"

namespace tessera::random {

void Model::make(const Collective& collective) {
    if (collective.nelems == 0 && collective.name != CollectiveName::kCollect) return;
    switch (collective.name) {
        case CollectiveName::kSync:
        case CollectiveName::kBarrier: return;
        case CollectiveName::kReduce: return reduce(collective);
        default: return move(collective);
    }
}

void Model::move(const Collective& collective) {
    const PeList& members = collective.members;
    const MoveRoutines& routines = move_routines()[static_cast<std::size_t>(collective.row)];
    const std::uint32_t element_bytes = routines.element_bytes;
    if (collective.name == CollectiveName::kAlltoall ||
        collective.name == CollectiveName::kAlltoalls) {
        return alltoall(collective, element_bytes);
    }
    // The result of every member.
    std::vector<unsigned char> result;
    for (int i = 0; i < members.size(); ++i) {
        std::uint32_t nelems = collective.nelems;
        if (collective.name == CollectiveName::kCollect) {
            nelems = collective.counts[static_cast<std::size_t>(i)];
        } else if (collective.name == CollectiveName::kBroadcast && i != collective.root) {
            nelems = 0;
        }
        if (nelems == 0) continue;
        const unsigned char* source = memory(members[i], collective.source);
        result.insert(result.end(), source, source + nelems * element_bytes);
    }
    if (result.empty()) return;
    for (int i = 0; i < members.size(); ++i) {
        // The root of an active set keeps its dest.
        if (collective.name == CollectiveName::kBroadcast && routines.is_active_set &&
            i == collective.root) {
            continue;
        }
        std::memcpy(change(members[i], collective.dest), result.data(), result.size());
    }
}

void Model::alltoall(const Collective& collective, std::uint32_t element_bytes) {
    const PeList& members = collective.members;
    const std::uint32_t nelems = collective.nelems;
    for (int to = 0; to < members.size(); ++to) {
        for (int from = 0; from < members.size(); ++from) {
            const unsigned char* source = memory(members[from], collective.source);
            unsigned char* dest = change(members[to], collective.dest);
            for (std::uint32_t e = 0; e < nelems; ++e) {
                const std::uint32_t at = static_cast<std::uint32_t>(from) * nelems + e;
                const std::uint32_t of = static_cast<std::uint32_t>(to) * nelems + e;
                std::memcpy(dest + at * collective.dst * element_bytes,
                            source + of * collective.sst * element_bytes, element_bytes);
            }
        }
    }
}

void Model::reduce(const Collective& collective) {
    const PeList& members = collective.members;
    const ReduceRoutines& routines = reduce_routines()[static_cast<std::size_t>(collective.row)];
    const std::size_t bytes = std::size_t{collective.nelems} * routines.element_bytes;
    const bool is_inscan = collective.reduce == ReduceName::kInscan;
    const bool is_exscan = collective.reduce == ReduceName::kExscan;
    std::vector<unsigned char> result(bytes);
    for (int i = 0; i < members.size(); ++i) {
        unsigned char* dest = change(members[i], collective.dest);
        const unsigned char* source = memory(members[i], collective.source);
        scratch_.assign(source, source + bytes);
        if (is_exscan) std::memcpy(dest, result.data(), bytes);
        if (i == 0) {
            result = scratch_;
        } else {
            routines.combine(collective.reduce, result.data(), scratch_.data(), collective.nelems);
        }
        if (is_inscan) std::memcpy(dest, result.data(), bytes);
    }
    if (is_inscan || is_exscan) return;
    for (int pe : members) std::memcpy(change(pe, collective.dest), result.data(), bytes);
}

}  // namespace tessera::random

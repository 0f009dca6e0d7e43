// SPDX-License-Identifier: BSD-3-Clause
//
// See select.hpp.
#include "collectives/select.hpp"

#include "collectives/runtime_calls.hpp"
#include "core/sync_copies.hpp"

namespace tessera::collectives {
namespace {

// Runs a call of the specification: by `direct(algorithm)`, or, where the algorithm takes calls in
// the form of the runtime layer, by the one that `make()` returns.
template <class Kind, class Direct, class Make>
void run(const Group& group, const Call& call, Direct direct, Make make) {
    const Algorithm<Kind>& algorithm = pick<Kind>(group, call);
    if (!algorithm.takes_runtime_calls()) [[likely]]
        return direct(algorithm);
    Call facts = call;
    perform<Kind>(group, facts, make(), [&](const Algorithm<Kind>& other) {
        direct(other);
        return true;
    });
}

}  // namespace

void broadcast(const Group& group, void* dest, const void* source, std::size_t bytes, int root,
               RootDest root_dest) {
    if (bytes == 0) return;
    run<Broadcast>(
        group, {.bytes = bytes},
        [&](const Algorithm<Broadcast>& algorithm) {
            algorithm.run.run(group, dest, source, bytes, root, root_dest);
        },
        [&] {
            const bool is_untouched = root_dest == RootDest::kUntouched && group.my_index() == root;
            void* const written = is_untouched ? const_cast<void*>(source) : dest;
            return broadcast_call(group.team(), written, source, bytes, root);
        });
}

void collect(const Group& group, void* dest, const void* source, std::size_t bytes) {
    pick<Collect>(group, {.bytes = kNominalCollectBytes}).run(group, dest, source, bytes);
}

void fcollect(const Group& group, void* dest, const void* source, std::size_t bytes) {
    if (bytes == 0) return;
    run<Fcollect>(
        group, {.bytes = bytes},
        [&](const Algorithm<Fcollect>& algorithm) {
            algorithm.run.run(group, dest, source, bytes);
        },
        [&] { return allgather_call(group.team(), dest, source, bytes); });
}

void alltoall(const Group& group, void* dest, const void* source, std::size_t bytes) {
    if (bytes == 0) return;
    run<Alltoall>(
        group, {.bytes = bytes},
        [&](const Algorithm<Alltoall>& algorithm) {
            algorithm.run.contiguous(group, dest, source, bytes);
        },
        [&] { return alltoall_call(group.team(), dest, source, bytes); });
}

void alltoalls(const Group& group, void* dest, const void* source, const StridedBlocks& blocks) {
    const std::size_t bytes = blocks.block_elements * blocks.element_bytes;
    if (bytes == 0) return;
    pick<Alltoall>(group, {.is_strided = true, .bytes = bytes})
        .run.strided(group, dest, source, blocks);
}

void scan(const Group& group, void* dest, const void* source, std::size_t nelems, const Kernel& sum,
          OrderDependence dependence, ScanKind kind) {
    if (nelems == 0) return;
    const Call call{.dependence = dependence, .bytes = nelems * sum.element_bytes};
    pick<Scan>(group, call).run(group, dest, source, nelems, sum, kind);
}

void reduce(const Group& group, void* dest, const void* source, std::size_t nelems,
            const Kernel& kernel, OrderDependence dependence) {
    if (nelems == 0) return;
    const std::size_t bytes = nelems * kernel.element_bytes;
    run<Reduce>(
        group, {.dependence = dependence, .bytes = bytes},
        [&](const Algorithm<Reduce>& algorithm) {
            algorithm.run({.group = group,
                           .dest = static_cast<char*>(dest),
                           .source = static_cast<const char*>(source),
                           .nelems = nelems,
                           .kernel = kernel});
        },
        [&] {
            return vector_call(group.team(), dest, source, bytes, kernel.element_bytes,
                               {.kernel = &kernel,
                                .is_commutative = dependence != OrderDependence::kSpecialValues,
                                .dependence = dependence});
        });
}

void prepare(Team& team) {
    if (team.sync != nullptr) return;  // A further shmem_init changes no team that is in use.
    find_partners(team);
    team.sync = choose_barrier(team).run;
    team.plain_sync = team.sync_after_quiet = team.sync;
    if (memory_is_coherent()) return;
    team.sync = [](Team& of, const char* where) {
        sync_copies(SyncPoint::kSyncBegin);
        of.sync_after_quiet(of, where);
    };
    team.sync_after_quiet = [](Team& of, const char* where) {
        of.plain_sync(of, where);
        sync_copies(SyncPoint::kSyncEnd);
    };
}

}  // namespace tessera::collectives

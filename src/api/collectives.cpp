// SPDX-License-Identifier: BSD-3-Clause
//
// Barriers, syncs and the collectives that move data (OpenSHMEM 1.6, 9.10): team forms, and the
// deprecated active-set forms. Types end here: below, a block is bytes. Reductions: reductions.cpp.
#include "shmem/collectives.h"

#include "api/entry.hpp"
#include "api/extents.hpp"
#include "api/groups.hpp"
#include "base/fatal.hpp"
#include "collectives/select.hpp"
#include "shmem/deprecated.h"

using tessera::api::Array;
using tessera::api::check_array;
using tessera::api::Elements;
using tessera::api::group_of;
using tessera::api::in_active_set;
using tessera::api::Layout;
using tessera::api::team_of;
using tessera::collectives::alltoall;
using tessera::collectives::barrier;
using tessera::collectives::collect;
using tessera::collectives::fcollect;
using tessera::collectives::Group;
using tessera::collectives::RootDest;
using tessera::collectives::StridedBlocks;
using tessera::collectives::sync;

SHMEM_ENTRY(void, shmem_barrier_all, void) {
    tessera::check_initialized(SHMEM_WHERE);
    barrier(tessera::world_team, SHMEM_WHERE);
}

SHMEM_ENTRY(void, shmem_sync_all, void) {
    tessera::check_initialized(SHMEM_WHERE);
    sync(tessera::world_team, SHMEM_WHERE);
}

SHMEM_ENTRY(int, shmem_team_sync, shmem_team_t team) {
    sync(team_of(team, SHMEM_WHERE), SHMEM_WHERE);
    return 0;
}

// Deprecated since 1.5: shmem_barrier, shmem_sync
SHMEM_ENTRY(void, shmem_barrier, int PE_start, int logPE_stride, int PE_size, long* pSync) {
    in_active_set({PE_start, logPE_stride, PE_size}, pSync, SHMEM_WHERE, [](const Group& group) {
        tessera::default_context.quiet();
        group.sync();
    });
}
SHMEM_ENTRY(void, shmem_sync, int PE_start, int logPE_stride, int PE_size, long* pSync) {
    in_active_set({PE_start, logPE_stride, PE_size}, pSync, SHMEM_WHERE,
                  [](const Group& group) { group.sync(); });
}

namespace {

// The names of the arguments, for messages.
Array named_dest(const void* dest) { return {"dest", dest}; }
Array named_source(const void* source) { return {"source", source}; }

void checked_broadcast(const Group& group, void* dest, const void* source, const Elements& elements,
                       int root, RootDest root_dest) {
    if (root < 0 || root >= group.npes())
        tessera::fatal("%s: PE_root %d is not in [0, %d)", group.where(), root, group.npes());
    const bool is_root = group.my_index() == root;
    group.note_root(root);
    if (is_root) check_array(named_source(source), elements, group.where());
    if (!is_root || root_dest == RootDest::kWritten)
        check_array(named_dest(dest), elements, group.where());
    tessera::collectives::broadcast(group, dest, source, elements.count * elements.bytes, root,
                                    root_dest);
}

// The size of dest can be checked when all members have shown their counts (collectives/collect/).
void checked_collect(const Group& group, void* dest, const void* source, const Elements& elements) {
    check_array(named_source(source), elements, group.where());
    check_array(named_dest(dest), elements, group.where());
    collect(group, dest, source, elements.count * elements.bytes);
}

// A block for each PE of the group.
Layout for_each_pe(const Group& group, std::ptrdiff_t stride = 1) {
    return {.blocks = static_cast<std::size_t>(group.npes()), .stride = stride};
}

void checked_fcollect(const Group& group, void* dest, const void* source,
                      const Elements& elements) {
    check_array(named_source(source), elements, group.where());
    check_array(named_dest(dest), elements, group.where(), for_each_pe(group));
    fcollect(group, dest, source, elements.count * elements.bytes);
}

void checked_alltoall(const Group& group, void* dest, const void* source,
                      const Elements& elements) {
    check_array(named_source(source), elements, group.where(), for_each_pe(group));
    check_array(named_dest(dest), elements, group.where(), for_each_pe(group));
    alltoall(group, dest, source, elements.count * elements.bytes);
}

void checked_alltoalls(const Group& group, void* dest, const void* source,
                       const StridedBlocks& blocks) {
    if (blocks.dest_stride < 1 || blocks.source_stride < 1) {
        tessera::fatal("%s: strides dst %td and sst %td must be at least 1", group.where(),
                       blocks.dest_stride, blocks.source_stride);
    }
    const Elements elements{.count = blocks.block_elements, .bytes = blocks.element_bytes};
    check_array(named_source(source), elements, group.where(),
                for_each_pe(group, blocks.source_stride));
    check_array(named_dest(dest), elements, group.where(), for_each_pe(group, blocks.dest_stride));
    tessera::collectives::alltoalls(group, dest, source, blocks);
}

}  // namespace

// Team forms: shmem_TYPENAME_{broadcast,collect,fcollect,alltoall,alltoalls} and with mem
#define DEFINE_TEAM(BROADCAST, COLLECT, FCOLLECT, ALLTOALL, ALLTOALLS, T, BYTES)                 \
    SHMEM_ENTRY(int, BROADCAST, shmem_team_t team, T* dest, const T* source, size_t nelems,      \
                int PE_root) {                                                                   \
        checked_broadcast(group_of(team, SHMEM_WHERE), dest, source, {nelems, BYTES}, PE_root,   \
                          RootDest::kWritten);                                                   \
        return 0;                                                                                \
    }                                                                                            \
    SHMEM_ENTRY(int, COLLECT, shmem_team_t team, T* dest, const T* source, size_t nelems) {      \
        checked_collect(group_of(team, SHMEM_WHERE), dest, source, {nelems, BYTES});             \
        return 0;                                                                                \
    }                                                                                            \
    SHMEM_ENTRY(int, FCOLLECT, shmem_team_t team, T* dest, const T* source, size_t nelems) {     \
        checked_fcollect(group_of(team, SHMEM_WHERE), dest, source, {nelems, BYTES});            \
        return 0;                                                                                \
    }                                                                                            \
    SHMEM_ENTRY(int, ALLTOALL, shmem_team_t team, T* dest, const T* source, size_t nelems) {     \
        checked_alltoall(group_of(team, SHMEM_WHERE), dest, source, {nelems, BYTES});            \
        return 0;                                                                                \
    }                                                                                            \
    SHMEM_ENTRY(int, ALLTOALLS, shmem_team_t team, T* dest, const T* source, ptrdiff_t dst,      \
                ptrdiff_t sst, size_t nelems) {                                                  \
        checked_alltoalls(group_of(team, SHMEM_WHERE), dest, source, {dst, sst, nelems, BYTES}); \
        return 0;                                                                                \
    }
#define DEFINE_TYPED(NAME, T)                                                              \
    DEFINE_TEAM(shmem_##NAME##_broadcast, shmem_##NAME##_collect, shmem_##NAME##_fcollect, \
                shmem_##NAME##_alltoall, shmem_##NAME##_alltoalls, T, sizeof(T))
SHMEM_INTERNAL_RMA_TYPES(DEFINE_TYPED)
#undef DEFINE_TYPED
DEFINE_TEAM(shmem_broadcastmem, shmem_collectmem, shmem_fcollectmem, shmem_alltoallmem,
            shmem_alltoallsmem, void, 1)
#undef DEFINE_TEAM

// Deprecated since 1.5: shmem_{broadcast,collect,fcollect,alltoall,alltoalls}SIZE
#define DEFINE_ACTIVE_SET(BITS, BYTES)                                                          \
    SHMEM_ENTRY(void, shmem_broadcast##BITS, void* dest, const void* source, size_t nelems,     \
                int PE_root, int PE_start, int logPE_stride, int PE_size, long* pSync) {        \
        in_active_set({PE_start, logPE_stride, PE_size}, pSync, SHMEM_WHERE, checked_broadcast, \
                      dest, source, Elements{nelems, BYTES}, PE_root, RootDest::kUntouched);    \
    }                                                                                           \
    SHMEM_ENTRY(void, shmem_collect##BITS, void* dest, const void* source, size_t nelems,       \
                int PE_start, int logPE_stride, int PE_size, long* pSync) {                     \
        in_active_set({PE_start, logPE_stride, PE_size}, pSync, SHMEM_WHERE, checked_collect,   \
                      dest, source, Elements{nelems, BYTES});                                   \
    }                                                                                           \
    SHMEM_ENTRY(void, shmem_fcollect##BITS, void* dest, const void* source, size_t nelems,      \
                int PE_start, int logPE_stride, int PE_size, long* pSync) {                     \
        in_active_set({PE_start, logPE_stride, PE_size}, pSync, SHMEM_WHERE, checked_fcollect,  \
                      dest, source, Elements{nelems, BYTES});                                   \
    }                                                                                           \
    SHMEM_ENTRY(void, shmem_alltoall##BITS, void* dest, const void* source, size_t nelems,      \
                int PE_start, int logPE_stride, int PE_size, long* pSync) {                     \
        in_active_set({PE_start, logPE_stride, PE_size}, pSync, SHMEM_WHERE, checked_alltoall,  \
                      dest, source, Elements{nelems, BYTES});                                   \
    }                                                                                           \
    SHMEM_ENTRY(void, shmem_alltoalls##BITS, void* dest, const void* source, ptrdiff_t dst,     \
                ptrdiff_t sst, size_t nelems, int PE_start, int logPE_stride, int PE_size,      \
                long* pSync) {                                                                  \
        in_active_set({PE_start, logPE_stride, PE_size}, pSync, SHMEM_WHERE, checked_alltoalls, \
                      dest, source, StridedBlocks{dst, sst, nelems, BYTES});                    \
    }
SHMEM_INTERNAL_COLLECTIVE_SIZES(DEFINE_ACTIVE_SET)
#undef DEFINE_ACTIVE_SET

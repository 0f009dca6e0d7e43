// SPDX-License-Identifier: BSD-3-Clause
//
// The steps of init in their order: start() (live.hpp).
#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>

#include "base/copy.hpp"
#include "base/fatal.hpp"
#include "base/inherited.hpp"
#include "base/wait_trial.hpp"
#include "core/address_map.hpp"
#include "core/config.hpp"
#include "core/context.hpp"
#include "core/inline_maps.hpp"
#include "core/live.hpp"
#include "core/pe_record_lock.hpp"
#include "core/shared_copy.hpp"
#include "heap/static_data.hpp"
#include "shmem/setup.h"

namespace tessera {
namespace {

constexpr std::uint32_t kNodesPerHostMax = 1U << 20;

std::vector<const WaitTimes*> waits_of_others(const Node& node, const launch::Job& job) {
    std::vector<const WaitTimes*> waits;
    for (int i = 0; i < job.nlocal; ++i) {
        if (i != job.local_index) waits.push_back(&node.internal(i).waits);
    }
    return waits;
}

// For the waits of the routines from here on: other PEs and oshrun see them, and they help other
// PEs. All objects that waits touch exist now, and the nodes have agreed on the heap's size.
void enter_wait_environment(bool shares_copies) {
    const Node& node = *live->node;
    InternalSegment& internal = node.internal(live->job.local_index);
    heap::NodeHeader& header = node.header();
    live->waits_of_others = waits_of_others(node, live->job);
    set_wait_environment({.sleeper = &internal.sleeper,
                          .inline_limit = node.my_inline_limit(),
                          .inline_limit_bytes = inline_limit_of(header.heap_bytes),
                          .times = &internal.waits,
                          .times_of_others = live->waits_of_others,
                          .oversubscribed_until_ns = &header.oversubscribed_until_ns,
                          .label = node.wait_label(),
                          .sleep_note = shares_copies ? &internal.shared_copy.sleeping_on : nullptr,
                          .sleep_origin = reinterpret_cast<const char*>(&internal),
                          .progress = live->fabric ? drive_fabric : nullptr,
                          .help = shares_copies ? help_with_copies : nullptr});
}

void publish_address_map(const Live& life) {
    const heap::StaticData& statics = heap::static_data();
    address_map.my_pe = life.job.pe;
    address_map.heap_base = reinterpret_cast<std::uintptr_t>(life.node->heap(life.job.local_index));
    address_map.heap_bytes = life.node->header().heap_bytes;
    address_map.static_base = statics.base;
    address_map.static_bytes = statics.bytes;
    address_map.static_inline_limit = inline_limit_of(statics.bytes);
    address_map.peers = life.node->peers();
    address_map.transports = life.node->transport_table();
    address_map.fabric = life.fabric.get();
    address_map.needs_transport = !life.node->statics_are_mapped() || life.fabric != nullptr;
    address_map.npes = static_cast<std::uint32_t>(life.job.npes);
}

// Neighbours try in pairs. A PE without a neighbour keeps the choice that is best on most machines.
void try_pauses_with_neighbour(const Live& life) {
    const int me = life.job.local_index;
    const int partner = me ^ 1;
    if (partner >= life.job.nlocal) return;
    try_pauses(life.node->internal(me).trial, life.node->internal(partner).trial, me < partner);
}

bool any_pe_has_many_threads(const Live& life) {
    for (int i = 0; i < life.job.nlocal; ++i) {
        if (life.node->record(i).thread_level == SHMEM_THREAD_MULTIPLE) return true;
    }
    return false;
}

void set_pe_prefix(int pe) {
    char prefix[32];
    std::snprintf(prefix, sizeof prefix, "[pe %d] ", pe);
    set_message_prefix(prefix);
}

}  // namespace

void start(int level, const char* where) {
    if (phase.load(std::memory_order_relaxed) == Phase::kForkedChild) {
        fatal("%s: called in a child of fork(); only the parent is a PE", where);
    }
    config();  // A bad setting is reported before anything else happens.
    live = new Live;
    launch::prepare_abort();
    if (const Inherited* inherited_job = inherited()) set_pe_prefix(inherited_job->pe);
    lock_pe_record(where);
    live->job =
        launch::join(static_cast<int>(std::min(config().virtual_nodes.value, kNodesPerHostMax)));
    set_pe_prefix(live->job.pe);
    const bool by_oshrun = live->job.launcher == launch::Launcher::kOshrun;
    // oshrun has warned of names, but knows no algorithms.
    if (live->job.pe == 0) by_oshrun ? warn_about_values(config()) : warn_about_settings(config());
    if (!by_oshrun) make_files(live->job);
    live->node = std::make_unique<Node>(live->job, where);
    heap::NodeHeader& header = live->node->header();
    connect_nodes(level);
    live->node->my_record().thread_level = level;
    live->node->meet(where);
    live->allocator = std::make_unique<heap::Allocator>(header.heap_bytes,
                                                        heap::heap_alignment(header.heap_bytes));
    // From here on every PE may reach this one, and the facts are complete.
    choose_wait_policy(live->job.npes_of_host, header.usable_cores);
    const bool core_each = live->job.npes_of_host <= static_cast<int>(header.usable_cores);
    if (core_each) try_pauses_with_neighbour(*live);
    choose_copy_routine(live->node->facts().l3_bytes);
    make_predefined_teams();
    live->node->open_heaps();
    publish_address_map(*live);
    world_serves_active_sets = !live->fabric && !any_pe_has_many_threads(*live);
    const bool shares_copies =
        config().shared_copies == SharedCopies::kAlways ||
        (config().shared_copies == SharedCopies::kAuto && core_each && live->job.nlocal > 1);
    if (shares_copies) start_sharing_copies();
    open_inline_maps(live->job.node_file.get(), header.inline_limits_offset, live->job.local_pes);
    enter_wait_environment(shares_copies);
    watch_fork_and_exit();
}

}  // namespace tessera

// SPDX-License-Identifier: BSD-3-Clause
//
// The steps of init in their order: start() (session.hpp).
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/copy.hpp"
#include "base/fatal.hpp"
#include "base/inherited.hpp"
#include "core/address_map.hpp"
#include "core/context.hpp"
#include "heap/static_data.hpp"
#include "locks/lock_queue.hpp"
#include "memory/inline_maps.hpp"
#include "progress/offload.hpp"
#include "session/checker.hpp"
#include "session/coherence.hpp"
#include "session/crash_report.hpp"
#include "session/hang_report.hpp"
#include "session/locations.hpp"
#include "session/pe_record_lock.hpp"
#include "session/session.hpp"
#include "settings/config.hpp"
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

void check_helpers(const char* where) {
    if (config().progress.kind != Progress::kHelpers) return;
    if (!config().heap.is_coherent()) {
        fatal(
            "%s: SHMEM_PROGRESS=%s: helpers do not keep memory coherent by software; take "
            "SHMEM_HEAP=shared, or SHMEM_PROGRESS=thread",
            where, print_progress(config().progress).c_str());
    }
    if (session->fabric) check_fabric_thread(where);
}

// Whether blocking copies are shared with actors of which each has a core or not.
bool shares_copies(bool core_each) {
    return config().heap.is_coherent() &&
           (config().shared_copies == SharedCopies::kAlways ||
            (config().shared_copies == SharedCopies::kAuto && core_each));
}

// Makes the object by which this PE leaves transfers to others.
void find_others(bool has_many_threads, bool core_each, const char* where) {
    check_helpers(where);
    const bool has_helpers = config().progress.kind == Progress::kHelpers;
    const bool is_by_oshrun = session->job.launcher == launch::Launcher::kOshrun;
    if (has_helpers && !is_by_oshrun && session->job.local_index == 0)
        session->helper_threads = start_helper_threads(*session->node, session->job, where);
    const bool invites_peers = shares_copies(core_each) && session->job.nlocal > 1;
    if (!has_helpers && !invites_peers) return;
    const Node& node = *session->node;
    std::vector<std::int32_t> pids;
    for (int i = 0; i < session->job.nlocal; ++i) pids.push_back(node.record(i).pid);
    session->offload = std::make_unique<Offload>(Offload::Setup{
        .board = node.offload_board(),
        .local_index = session->job.local_index,
        .local_pes = session->job.local_pes,
        .pids = pids,
        .maps = node.maps(),
        .heap_stride = node.header().heap_stride,
        .has_helpers = has_helpers,
        .invites_peers = invites_peers,
        .invites_helpers = has_helpers && shares_copies(node.offload_board().plan.have_cores != 0),
        .has_many_threads = has_many_threads,
        .parent = is_by_oshrun ? inherited()->launcher_pid : pids.front(),
        .fabric = has_helpers ? session->fabric.get() : nullptr,
        .excluded = {session->collective_transport_context.get(),
                     session->stream_transport_context.get()}});
    // Without a size of the user the layers above read that of the node from the profile first
    // (use_measured_helper_sizes()).
    const std::size_t bytes = helper_bytes_min(config().helper_size);
    session->offload->set_bytes_min(config().helper_size != 0 ? bytes : 0, bytes);
}

// For the waits of the routines from here on: other PEs and oshrun see them, and they help other
// PEs. All objects that waits touch exist now, and the nodes have agreed on the heap's size.
void enter_wait_environment() {
    const Node& node = *session->node;
    InternalSegment& internal = node.internal(session->job.local_index);
    heap::NodeHeader& header = node.header();
    session->waits_of_others = waits_of_others(node, session->job);
    internal.heaps_differ = session->node->has_one_heap_address() ? 0 : 1;
    internal.facts.pe = session->job.pe;
    internal.facts.node_base = reinterpret_cast<std::uint64_t>(&header);
    internal.facts.heap_base = address_map.heap_base;
    internal.facts.mailboxes_bytes = TeamMailboxes::stride();
    internal.held_locks = reinterpret_cast<std::uint64_t>(session->held_locks.get());
    // Release: osh_hang, which copies the segment by pread, finds the facts behind this mark.
    internal.facts.is_complete.store(1, std::memory_order_release);
    set_hang_report_word(&header.hang_report_at_ns);
    set_wait_environment({.sleeper = &internal.sleeper,
                          .inline_limit = node.my_inline_limit(),
                          .inline_limit_bytes = node.peers()[session->job.pe].heap_inline_limit,
                          .times = &internal.waits,
                          .times_of_others = session->waits_of_others,
                          .oversubscribed_until_ns = &header.oversubscribed_until_ns,
                          .label = node.wait_label(),
                          .sleep_note = session->offload ? &internal.offload.sleeping_on : nullptr,
                          .sleep_origin = reinterpret_cast<const char*>(&internal),
                          .progress = session->coherence ? drive_coherence
                                      : session->fabric  ? drive_fabric
                                                         : nullptr,
                          .help = session->offload ? help_others : nullptr,
                          .note = &internal.wait_note,
                          .hang_nanoseconds = hang_report_nanoseconds(),
                          .report_hang = report_hang,
                          .arrivals = session->fabric ? session->fabric->arrivals() : nullptr});
}

void publish_address_map() {
    const heap::StaticData& statics = heap::static_data();
    address_map.my_pe = session->job.pe;
    address_map.heap_base = reinterpret_cast<std::uintptr_t>(session->node->own_heap());
    const heap::MemoryRange& range = session->node->header().range;
    address_map.heap_bytes = range.bytes();
    address_map.team_begin = range.team_begin();
    address_map.local_begin = range.local_begin();
    address_map.static_base = statics.base;
    address_map.static_bytes = statics.bytes;
    address_map.static_inline_limit = inline_limit_of(statics.bytes);
    address_map.peers = session->node->peers();
    address_map.transports = session->node->transport_table();
    address_map.coherence = session->coherence.get();
    address_map.fabric = session->fabric.get();
    address_map.needs_transport =
        !session->node->statics_are_mapped() || session->fabric != nullptr;
    address_map.expects_completion.store(address_map.needs_transport, std::memory_order_relaxed);
    address_map.offload = session->offload.get();
    if (session->offload && session->offload->has_helpers())
        address_map.helper_bytes_min = helper_bytes_min(config().helper_size);
    address_map.serves_in_calls =
        session->fabric != nullptr && config().progress.kind == Progress::kNone;
    address_map.npes = static_cast<std::uint32_t>(session->job.npes);
    address_map.direct_npes = address_map.serves_in_calls ? 0 : address_map.npes;
}

bool any_pe_has_many_threads() {
    for (int i = 0; i < session->job.nlocal; ++i) {
        if (session->node->record(i).thread_level == SHMEM_THREAD_MULTIPLE) return true;
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
    if (phase.load(std::memory_order_relaxed) == Phase::kForkedChild)
        fatal("%s: called in a child of fork(); only the parent is a PE", where);
    config();  // A bad setting is reported before anything else happens.
    session = new Session;
    launch::prepare_abort();
    // oshrun gives the advice itself, once for all of its PEs.
    if (inherited() == nullptr) set_fatal_advice(kStartAdvice);
    if (const Inherited* inherited_job = inherited()) set_pe_prefix(inherited_job->pe);
    lock_pe_record(where);
    const InitWatch watch;
    watch_for_crashes();
    session->job =
        launch::join(static_cast<int>(std::min(config().virtual_nodes.value, kNodesPerHostMax)));
    set_pe_prefix(session->job.pe);
    require_checker(where);
    const bool by_oshrun = session->job.launcher == launch::Launcher::kOshrun;
    // oshrun has warned of names, but knows no algorithms.
    if (session->job.pe == 0)
        by_oshrun ? warn_about_values(config()) : warn_about_settings(config());
    if (!by_oshrun) make_files(session->job);
    session->node = std::make_unique<Node>(session->job, where);
    heap::NodeHeader& header = session->node->header();
    pe_state = {.pe = session->job.pe,
                .npes = session->job.npes,
                .npes_of_host = session->job.npes_of_host,
                .thread_level = level,
                .peers = session->node->peers(),
                .node_names = &session->job.node_names,
                .internal = &session->node->internal(session->job.local_index),
                .header = &header,
                .background = &session->background,
                .dumped_ends = &session->dumped_ends,
                .team_slots = &session->team_slots,
                .shared_team = &session->shared_team,
                .node_team = &session->node_team,
                .describe_fabric = describe_fabric};
    connect_nodes(level, where);
    make_copies(where);
    session->node->my_record().thread_level = level;
    session->node->barrier(where);
    session->allocator = std::make_unique<heap::Allocator>(
        header.range.heap_bytes, heap::heap_alignment(header.range.heap_bytes));
    session->team_memory =
        std::make_unique<heap::TeamMemory>(header.range.team_begin(), header.range.team_bytes);
    // From here on every PE may reach this one, and the facts are complete.
    choose_wait_policy(session->job.npes_of_host, header.usable_cores);
    const bool core_each = session->job.npes_of_host <= static_cast<int>(header.usable_cores);
    choose_copy_routine(session->node->facts().l3_bytes);
    const bool has_many_threads = level == SHMEM_THREAD_MULTIPLE;
    session->epochs = std::make_unique<Epochs>(session->job.npes, has_many_threads);
    pe_state.allocator = session->allocator.get();
    pe_state.team_memory = session->team_memory.get();
    pe_state.epochs = session->epochs.get();
    pe_state.cache_bytes = session->node->facts().caches_bytes();
    publish_my_place();
    make_predefined_teams();
    session->node->open_heaps();
    find_others(has_many_threads, core_each, where);
    publish_address_map();
    session->held_locks = std::make_unique<HeldLocks>(has_many_threads, &my_queue_node(0));
    pe_state.held_locks = session->held_locks.get();
    pe_state.world_serves_active_sets = !session->fabric && !any_pe_has_many_threads();
    open_inline_maps(session->job.node_file.get(), header.inline_limits_offset,
                     session->job.local_pes);
    enter_wait_environment();
    watch_fork_and_exit();
    set_fatal_advice(nullptr);
}

}  // namespace tessera

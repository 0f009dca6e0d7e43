// SPDX-License-Identifier: BSD-3-Clause
//
// See runtime.hpp. One object, `live`, holds everything that exists between init and finalize.
#include "core/runtime.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/copy.hpp"
#include "base/fatal.hpp"
#include "base/inherited.hpp"
#include "base/wait_trial.hpp"
#include "core/config.hpp"
#include "core/context.hpp"
#include "core/exit_meeting.hpp"
#include "core/external_heap.hpp"
#include "core/info.hpp"
#include "core/inline_maps.hpp"
#include "core/node.hpp"
#include "core/place.hpp"
#include "core/shared_copy.hpp"
#include "launch/exchange.hpp"
#include "launch/job.hpp"
#include "shmem/setup.h"

namespace tessera {
namespace {

constexpr std::uint32_t kNodesPerHostMax = 1U << 20;

struct Live {
    launch::Job job;
    std::unique_ptr<Node> node;
    std::unique_ptr<heap::Allocator> allocator;
    std::unique_ptr<FabricTransport> fabric;  // to other nodes; nullptr: there are none
    std::unique_ptr<TransportContext> default_transport_context;
    std::unique_ptr<TransportContext> collective_transport_context;
};

// Not owned by a static object: exit() must not take apart what other threads, or the parent of a
// forked child, still use. Only close_runtime() deletes it.
Live* live = nullptr;
std::atomic<Phase> phase{Phase::kBeforeInit};
std::mutex lifecycle;  // init and finalize by several threads; never on the data path
int init_count = 0;
int provided_thread_level = 0;
pid_t thread_of_init = 0;
bool has_met_at_exit = false;

std::vector<const WaitTimes*> waits_of_others(const Node& node, const launch::Job& job) {
    std::vector<const WaitTimes*> waits;
    for (int i = 0; i < job.nlocal; ++i) {
        if (i != job.local_index) waits.push_back(&node.internal(i).waits);
    }
    return waits;
}

// A child of fork() is not a PE: its calls must fail, and its exit must not look like ours.
void disown_in_child() {
    address_map.npes = 0;
    close_inline_maps();
    if (phase.load(std::memory_order_relaxed) == Phase::kInitialized) {
        phase.store(Phase::kForkedChild, std::memory_order_relaxed);
    }
    set_job_abort(nullptr);
    set_wait_label(nullptr, 0);
    set_wait_times(nullptr, {});
    set_my_sleeper(nullptr);
    set_message_prefix("[child of a PE] ");
}

// A foreign launcher gives no shared files; the first PE of the node makes them.
void make_files(launch::Job& job) {
    Fd node_file;
    Fd heap_file;
    if (job.local_index == 0) {
        topology::Facts facts = topology::discover();
        std::size_t heap_bytes = config().symmetric_size;
        if (heap_bytes == 0)
            heap_bytes = heap::default_heap_bytes(facts.memory_bytes, job.npes_of_host);
        std::string error =
            heap::heap_size_complaint(heap_bytes, facts.memory_bytes, job.npes_of_host);
        if (!error.empty()) fatal("shmem_init: %s", error.c_str());
        heap::NodeFiles files = heap::create_node_files({.npes = job.nlocal,
                                                         .npes_of_job = job.npes,
                                                         .heap_bytes = heap_bytes,
                                                         .try_huge_pages = config().huge_pages,
                                                         .facts_bytes = sizeof facts,
                                                         .usable_cores = facts.usable_cores},
                                                        error);
        if (!files.node) fatal("shmem_init: %s", error.c_str());
        heap::NodeLayout header;
        if (::pread(files.node.get(), static_cast<void*>(&header), sizeof header, 0) < 0 ||
            ::pwrite(files.node.get(), &facts, sizeof facts,
                     static_cast<off_t>(header.facts_offset)) < 0) {
            fatal("shmem_init: cannot write the node's shared file");
        }
        node_file = std::move(files.node);
        heap_file = std::move(files.heap);
    }
    if (job.npes > 1) {
        launch::share_files(job, std::move(node_file), std::move(heap_file),
                            heap::static_data().fd);
    } else {
        job.node_file = std::move(node_file);
        job.heap_file = std::move(heap_file);
    }
}

// A predefined team: the same slot on all members. `members` is empty for the world.
void make_team(Team& team, std::span<const int> members, std::uint32_t slot) {
    const bool is_world = members.empty();
    team = {};
    team.npes = is_world ? live->job.npes : static_cast<int>(members.size());
    team.slot = slot;
    team.more_members_than_cores =
        static_cast<std::uint32_t>(live->job.npes_of_host) > live->node->header().usable_cores;
    team.members.assign(members.begin(), members.end());
    team.world_pes = is_world ? nullptr : team.members.data();
    team.my_index = team.index_of(live->job.pe);
}

void make_predefined_teams() {
    forget_team_slots();
    slot_bytes = kSlotBytesMin << static_cast<unsigned>(config().collective_buffer);
    make_team(world_team, {}, kWorldTeamSlot);
    make_team(shared_team, live->job.local_pes, kSharedTeamSlot);
    make_team(node_team, live->job.local_pes, kNodeTeamSlot);
}

void make_transport_contexts(int level) {
    const bool is_shared = level == SHMEM_THREAD_MULTIPLE;
    live->default_transport_context = make_transport_context({.is_shared = is_shared});
    live->collective_transport_context =
        make_transport_context({.is_shared = is_shared, .is_internal = true});
    Context::default_transport_context = live->default_transport_context.get();
    collective_context = Context(*live->collective_transport_context);
}

FabricSetup describe_fabric() {
    const heap::StaticData& statics = heap::static_data();
    const heap::NodeHeader& header = live->node->header();
    const int me = live->job.local_index;
    InternalSegment& internal = live->node->internal(me);
    const Config& settings = config();
    return {.pe = live->job.pe,
            .npes = live->job.npes,
            .index_on_host = me,
            .is_one_host = live->job.nnodes == live->job.nodes_of_host,
            .segments = {.heap = {live->node->heap(me), header.heap_bytes},
                         .statics = {reinterpret_cast<char*>(statics.base), statics.bytes},
                         .internal = {reinterpret_cast<char*>(&internal), header.internal_bytes}},
            .unchanging = &internal.unchanging,
            .static_lock = live->node->statics_are_mapped() ? nullptr : &internal.static_lock,
            .sleeper = &internal.sleeper,
            .settings_digest = live->node->my_record().settings_digest,
            .setting_marks = internal.setting_marks,
            .difference = settings_difference,
            .program_digest = live->node->my_record().program_digest ^ statics.bytes,
            .address = launch::launcher_address(),
            .provider_atomics = settings.amo_path == AmoPath::kFabric,
            .has_progress_thread = settings.progress != Progress::kNone,
            .timeout_s = settings.network_timeout.value,
            .is_oversubscribed =
                static_cast<std::uint32_t>(live->job.npes_of_host) > header.usable_cores,
            .endpoint_table = live->node->endpoint_table(),
            .endpoint_info_of = launch::endpoint_info_of,
            .values = fabric_setting};
}

void drive_fabric() { live->fabric->progress(); }

// An atomic on a word of PE 0's internal segment, `word` in this PE's.
std::uint64_t atomic_at_first_pe(AtomicRequest request) {
    if (!is_on_this_node(0))
        return live->fabric->atomic(*live->default_transport_context, request, 0);
    const auto* mine = reinterpret_cast<char*>(&live->node->internal(live->job.local_index));
    char* theirs = reinterpret_cast<char*>(&live->node->internal_of(0));
    auto* word =
        reinterpret_cast<std::uint64_t*>(theirs + (static_cast<char*>(request.dest) - mine));
    std::atomic_ref<std::uint64_t> shared(*word);
    if (request.op == AtomicOp::kFetch) return shared.load();
    shared.compare_exchange_strong(request.condition, request.operand);
    return request.condition;
}

// The default heap depends on a node's memory and PEs, but must be the same everywhere: all nodes
// take the smallest. The rest of a larger one is left alone.
void agree_on_heap() {
    if (config().symmetric_size != 0 || live->job.launcher != launch::Launcher::kPmix) return;
    heap::NodeHeader& header = live->node->header();
    std::uint64_t* word = &live->node->internal(live->job.local_index).smallest_heap_bytes;
    if (live->job.local_index == 0) {
        std::uint64_t seen = 0;
        while (seen == 0 || seen > header.heap_bytes) {
            const std::uint64_t before = seen;
            seen = atomic_at_first_pe({.dest = word,
                                       .op = AtomicOp::kCompareSwap,
                                       .operand = header.heap_bytes,
                                       .condition = before});
            if (seen == before) break;
        }
    }
    launch::meet_job(drive_fabric);
    if (live->job.local_index == 0) {
        header.heap_bytes = atomic_at_first_pe({.dest = word, .op = AtomicOp::kFetch});
    }
    launch::meet_job(drive_fabric);  // PE 0 answers until all have asked.
}

// RETURNS when: all PEs of the job can reach this one.
void connect_nodes(int level) {
    if (live->job.nnodes == 1) return make_transport_contexts(level);
    live->fabric = make_fabric(fabric_choice_name(), describe_fabric());
    launch::publish_endpoint_info(live->fabric->endpoint_info());
    launch::meet_job(nullptr);
    live->fabric->start();
    make_transport_contexts(level);
    agree_on_heap();
}

void publish_address_map(const Live& life) {
    const heap::StaticData& statics = heap::static_data();
    address_map.my_pe = life.job.pe;
    address_map.heap_base = reinterpret_cast<std::uintptr_t>(life.node->heap(life.job.local_index));
    address_map.heap_bytes = life.node->header().heap_bytes;
    address_map.static_base = statics.base;
    address_map.static_bytes = statics.bytes;
    address_map.static_room = room_of(statics.bytes);
    address_map.peers = life.node->peers();
    address_map.transports = life.node->transport_table();
    address_map.fabric = life.fabric.get();
    address_map.needs_transport = !life.node->statics_are_mapped() || life.fabric != nullptr;
    address_map.npes = static_cast<std::uint32_t>(life.job.npes);
}

// RETURNS when: no PE of another node reaches this one any more.
void leave_nodes() {
    if (!live->fabric) return;
    default_context.quiet();
    collective_context.quiet();
    live->fabric->leave();
    launch::meet_job(drive_fabric);
    set_progress_hook(nullptr);
    live->default_transport_context.reset();
    live->collective_transport_context.reset();
    address_map.fabric = nullptr;
    live->fabric.reset();
}

void report_leaks() {
    if (!config().debug) return;
    std::size_t blocks = 0;
    std::size_t bytes = 0;
    live->allocator->for_each_live([&](const heap::LiveBlock& block) {
        ++blocks;
        bytes += block.bytes;
        if (blocks <= 10) {
            warn("shmem_finalize: not freed: %zu bytes at heap offset %zu", block.bytes,
                 block.offset);
        }
    });
    if (blocks > 0)
        warn("shmem_finalize: %zu symmetric blocks, %zu bytes, not freed", blocks, bytes);
}

// Neighbours try in pairs. A PE without one keeps what is best on most machines.
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

// Runs before the handlers and destructors that the program had made before init: these may still
// call shmem_finalize.
void meet_others_at_exit(int status, void*) {
    if (status != 0 || phase.load(std::memory_order_acquire) != Phase::kInitialized) return;
    if (!is_plain_exit(thread_of_init)) return;
    default_context.quiet();
    has_met_at_exit = meet_at_exit({.job = live->job,
                                    .node = *live->node,
                                    .fabric = live->fabric.get(),
                                    .transport_context = *live->collective_transport_context,
                                    .atomic_at_first_pe = atomic_at_first_pe});
    if (!has_met_at_exit || !live->fabric) return;
    live->fabric->leave();
    launch::meet_job(drive_fabric);  // PE 0 answers until all have asked.
}

// The last thing: shmem_finalize has not been called after all.
void end_without_finalize(int, void*) {
    if (!has_met_at_exit || phase.load(std::memory_order_acquire) != Phase::kInitialized) return;
    if (live->job.pe == 0) {
        warn(
            "the program ends without shmem_finalize; its PEs end as if each had called it, which "
            "the specification asks for");
    }
    live->node->my_record().state.store(heap::PeState::kFinalized, std::memory_order_release);
    launch::leave(live->job);
}

// Before main, so that it runs after what the program registers; but before pmix_client.cpp's.
[[gnu::constructor]] void watch_exit() { ::on_exit(end_without_finalize, nullptr); }

void set_pe_prefix(int pe) {
    char prefix[32];
    std::snprintf(prefix, sizeof prefix, "[pe %d] ", pe);
    set_message_prefix(prefix);
}

void start(int level, const char* where) {
    if (phase.load(std::memory_order_relaxed) == Phase::kForkedChild) {
        fatal("%s: called in a child of fork(); only the parent is a PE", where);
    }
    config();  // A bad setting is reported before anything else happens.
    live = new Live;
    launch::prepare_abort();
    if (const Inherited* inherited_job = inherited()) set_pe_prefix(inherited_job->pe);
    take_place(where);
    live->job =
        launch::join(static_cast<int>(std::min(config().virtual_nodes.value, kNodesPerHostMax)));
    set_pe_prefix(live->job.pe);
    const bool by_oshrun = live->job.launcher == launch::Launcher::kOshrun;
    // oshrun has warned of names, but knows no algorithms.
    if (live->job.pe == 0) by_oshrun ? warn_about_values(config()) : warn_about_settings(config());
    if (!by_oshrun) make_files(live->job);
    live->node = std::make_unique<Node>(live->job, where);
    heap::NodeHeader& header = live->node->header();
    set_wait_times(&live->node->internal(live->job.local_index).waits,
                   waits_of_others(*live->node, live->job));
    set_my_sleeper(&live->node->internal(live->job.local_index).sleeper, live->node->my_room(),
                   room_of(header.heap_bytes));
    connect_nodes(level);
    live->node->my_record().thread_level = level;
    live->node->meet(where);
    live->allocator = std::make_unique<heap::Allocator>(header.heap_bytes,
                                                        heap::heap_alignment(header.heap_bytes));
    // From here on every PE may reach this one, and the facts are complete.
    choose_wait_policy(live->job.npes_of_host, header.usable_cores, &header.crowded_until_ns);
    const bool core_each = live->job.npes_of_host <= static_cast<int>(header.usable_cores);
    if (core_each) try_pauses_with_neighbour(*live);
    if (live->fabric) set_progress_hook(drive_fabric);
    choose_copy_routine(live->node->facts().l3_bytes);
    make_predefined_teams();
    live->node->open_heaps();
    publish_address_map(*live);
    world_serves_active_sets = !live->fabric && !any_pe_has_many_threads(*live);
    if (config().shared_copies == SharedCopies::kAlways ||
        (config().shared_copies == SharedCopies::kAuto && core_each && live->job.nlocal > 1)) {
        start_sharing_copies();
    }
    open_inline_maps(live->job.node_file.get(), header.rooms_offset, live->job.local_pes);
    provided_thread_level = level;
    live->node->label_waits();
    thread_of_init = ::gettid();
    static const int registered = ::pthread_atfork(nullptr, nullptr, disown_in_child) +
                                  ::on_exit(meet_others_at_exit, nullptr);
    static_cast<void>(registered);
    phase.store(Phase::kInitialized, std::memory_order_release);
}

}  // namespace

Phase runtime_phase() { return phase.load(std::memory_order_acquire); }
bool is_initialized() { return runtime_phase() == Phase::kInitialized; }
int thread_level() { return provided_thread_level; }

void initialize(int level, const char* where) {
    std::lock_guard guard(lifecycle);
    if (init_count++ == 0) start(level, where);
}

void print_startup_info(std::span<const Outcome> outcomes) {
    if (live->job.pe == 0 && init_count == 1) print_info(*live->node, live->job, outcomes);
}

bool finalize_is_last() {
    std::lock_guard guard(lifecycle);
    return --init_count == 0;
}

void close_runtime() {
    std::lock_guard guard(lifecycle);
    report_leaks();
    stop_sharing_copies();
    leave_nodes();
    live->node->meet("shmem_finalize");
    // Nobody touches anybody's memory from here on.
    phase.store(Phase::kFinalized, std::memory_order_release);
    address_map = {};
    close_inline_maps();
    forget_external_heaps();
    set_wait_label(nullptr, 0);
    set_wait_times(nullptr, {});
    set_my_sleeper(nullptr);
    choose_wait_policy(live->job.npes_of_host, live->node->header().usable_cores, nullptr);
    live->node->release_memory();
    live->node->my_record().state.store(heap::PeState::kFinalized, std::memory_order_release);
    live->node.reset();
    launch::leave(live->job);
    delete live;
    live = nullptr;
}

void global_exit(int code) {
    if (runtime_phase() == Phase::kForkedChild) fail_not_initialized("shmem_global_exit");
    std::fflush(nullptr);
    launch::request_global_exit(code);
    ::_exit(code);
}

heap::Allocator& heap_allocator() { return *live->allocator; }

char* heap_address(std::size_t offset) {
    return reinterpret_cast<char*>(address_map.heap_base) + offset;
}

std::size_t heap_offset(const void* address) {
    return reinterpret_cast<std::uintptr_t>(address) - address_map.heap_base;
}

double cores_per_pe() {
    return static_cast<double>(live->node->header().usable_cores) / live->job.npes_of_host;
}

std::string_view fabric_provider() {
    if (live->fabric == nullptr) return {};
    return live->fabric->provider();
}

std::size_t cache_bytes() { return live->node->facts().caches_bytes(); }

bool is_on_this_node(int world_pe) { return live->node->peers()[world_pe].heap != nullptr; }

int first_pe_of_node(int world_pe) {
    const std::vector<int>& names = live->job.first_pes;
    return names.empty() ? 0 : names[static_cast<std::size_t>(world_pe)];
}

TeamFlags* team_flags(std::uint32_t slot) {
    return team_flags_of(live->node->internal(live->job.local_index), slot);
}

TeamFlags* mapped_team_flags(int world_pe, std::uint32_t slot) {
    if (!is_on_this_node(world_pe)) return nullptr;
    return team_flags_of(live->node->internal_of(world_pe), slot);
}

TeamMailboxes* team_mailboxes(std::uint32_t slot) {
    return team_mailboxes_of(live->node->internal(live->job.local_index), slot);
}

TeamMailboxes* mapped_team_mailboxes(int world_pe, std::uint32_t slot) {
    Sleeper* sleeper = address_map.peers[world_pe].sleeper;
    if (sleeper == nullptr) return nullptr;
    return team_mailboxes_of(segment_of(sleeper), slot);
}

std::unique_ptr<TransportContext> make_transport_context(const TransportContext::Options& options) {
    if (live->fabric) return live->fabric->make_context(options);
    return std::make_unique<TransportContext>();
}

void publish_allocation_digest(std::uint64_t digest) {
    live->node->internal(live->job.local_index).allocation_digest = digest;
}

int pe_with_other_allocation(std::uint64_t digest) {
    const InternalSegment& mine = live->node->internal(live->job.local_index);
    for (int pe = 0; pe < live->job.npes; ++pe) {
        std::uint64_t other = 0;
        if (is_on_this_node(pe)) {
            other = live->node->internal_of(pe).allocation_digest;
        } else {
            live->fabric->get(*live->collective_transport_context, &other, &mine.allocation_digest,
                              sizeof other, pe);
        }
        if (other != digest) return pe;
    }
    return -1;
}

}  // namespace tessera

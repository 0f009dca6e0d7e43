// SPDX-License-Identifier: BSD-3-Clause
//
// Connects this PE to the PEs of other nodes, and disconnects it (session.hpp).
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "base/fatal.hpp"
#include "base/log.hpp"
#include "base/random_number.hpp"
#include "core/context.hpp"
#include "heap/static_data.hpp"
#include "launch/exchange.hpp"
#include "launch/launcher_address.hpp"
#include "memory/segments.hpp"
#include "progress/background.hpp"
#include "session/session.hpp"
#include "settings/config.hpp"
#include "shmem/setup.h"
#include "teams/stream_blocks.hpp"

namespace tessera {
namespace {

void make_transport_contexts(int level) {
    const bool is_shared = level == SHMEM_THREAD_MULTIPLE;
    session->default_transport_context = make_transport_context({.is_shared = is_shared});
    session->collective_transport_context =
        make_transport_context({.is_shared = is_shared, .is_internal = true});
    // Also the progress thread uses it.
    session->stream_transport_context = make_transport_context({.is_internal = true});
    Context::default_transport_context = session->default_transport_context.get();
    collective_context = Context(*session->collective_transport_context);
    stream_context = Context(*session->stream_transport_context);
}

// The default heap depends on a node's memory and PEs, but must be the same everywhere: all nodes
// take the smallest, and the default sizes of team and local memory follow from it. The rest of a
// larger range is left alone.
void agree_on_heap() {
    if (config().symmetric_size != 0 || session->job.launcher == launch::Launcher::kOshrun) return;
    heap::NodeHeader& header = session->node->header();
    std::uint64_t* word = &session->node->internal(session->job.local_index).smallest_heap_bytes;
    if (session->job.local_index == 0) {
        std::uint64_t seen = 0;
        while (seen == 0 || seen > header.range.heap_bytes) {
            const std::uint64_t before = seen;
            seen = atomic_at_first_pe({.dest = word,
                                       .op = AtomicOp::kCompareSwap,
                                       .operand = header.range.heap_bytes,
                                       .condition = before});
            if (seen == before) break;
        }
    }
    launch::meet_job(drive_fabric);
    if (session->job.local_index == 0) {
        header.range =
            heap::memory_range(atomic_at_first_pe({.dest = word, .op = AtomicOp::kFetch}),
                               config().team_memory_size, config().local_memory_size);
    }
    launch::meet_job(drive_fabric);  // PE 0 answers until all have asked.
}

// PE 0's word becomes `value` unless it is larger.
void raise_at_first_pe(std::uint64_t* word, std::uint64_t value) {
    for (std::uint64_t seen = 0; seen < value;) {
        const std::uint64_t before = seen;
        seen = atomic_at_first_pe(
            {.dest = word, .op = AtomicOp::kCompareSwap, .operand = value, .condition = before});
        if (seen == before) return;
    }
}

// By oshrun the fabric's thread runs where the helpers of the node do. Other launchers give each PE
// the processors for both.
void move_to_helpers() {
    const cpu_set_t& processors = session->node->offload_board().plan.processors;
    if (CPU_COUNT(&processors) == 0) return;
    if (::sched_setaffinity(0, sizeof processors, &processors) != 0) {
        log(Subsystem::kFabric, "the fabric's thread stays beside its PE: %s",
            std::strerror(errno));
    }
}

using PublishedNote = Node::HeapNote;

// A PE publishes a note, and behind it the fabric's EndpointInfo.
void publish_this_pe() {
    const PublishedNote note = session->node->heap_note();
    const auto note_bytes = std::as_bytes(std::span(&note, 1));
    std::vector<std::byte> all(note_bytes.begin(), note_bytes.end());
    const std::vector<std::byte> endpoint = session->fabric->endpoint_info();
    all.insert(all.end(), endpoint.begin(), endpoint.end());
    launch::publish_endpoint_info(all);
}

std::vector<std::byte> endpoint_info_of(int pe) {
    std::vector<std::byte> all = launch::endpoint_info_of(pe);
    all.erase(all.begin(), all.begin() + std::min(all.size(), sizeof(PublishedNote)));
    return all;
}

// REQUIRES: all nodes' PEs have published theirs.
Node::HeapTries read_heap_tries() {
    Node::HeapTries tries{.first = heap::kNoHeapAddress, .last = 0};
    for (int pe = 0; pe < session->job.npes; ++pe) {
        if (session->job.node_names.first_pe(pe) != pe) continue;
        const std::vector<std::byte> bytes = launch::endpoint_info_of(pe);
        PublishedNote note;
        if (bytes.size() < sizeof note)
            fatal("PE %d uses another version of Tessera; link all PEs with the same library", pe);
        std::memcpy(&note, bytes.data(), sizeof note);
        tries.first = std::min(tries.first, note.last_try);
        tries.last = std::max(tries.last, note.last_try);
        if (note.pe >= 0) session->node->note_other_node(note);
    }
    return tries;
}

// Whether the heaps of all nodes' PEs lie at different addresses that the PEs can change. The first
// PE of a node reads what the nodes have published and tells the others.
bool must_connect_again(std::size_t round, const char* where) {
    if (config().heap_address.kind == HeapAddressKind::kAny) return false;
    constexpr std::uint32_t kRadix = heap::kNoHeapAddress + 1;
    std::atomic<std::uint32_t>& word = session->node->internal(0).heap_tries[round];
    if (session->job.local_index == 0) {
        const Node::HeapTries tries = read_heap_tries();
        // Pairs with session/connect.cpp:must_connect_again of the node's other PEs.
        word.store(1 + tries.first * kRadix + tries.last, std::memory_order_release);
    }
    std::uint32_t told = 0;
    wait_until(
        [&] {
            // Pairs with session/connect.cpp:must_connect_again of the node's first PE.
            told = word.load(std::memory_order_acquire);
            return told != 0;
        },
        where);
    return session->node->follow_heap_tries(
        {.first = (told - 1) / kRadix, .last = (told - 1) % kRadix}, where);
}

// The cores of this PE, of which another launcher than oshrun may give it several.
std::size_t count_my_cores() {
    const std::vector<std::uint32_t> mine = topology::affinity_of(0);
    const topology::Facts& facts = session->node->facts();
    return static_cast<std::size_t>(
        std::ranges::count_if(topology::cores_of(facts), [&](const topology::CoreFacts& core) {
            return std::ranges::any_of(topology::pus_of(facts, core), [&](std::uint32_t pu) {
                return std::ranges::binary_search(mine, pu);
            });
        }));
}

}  // namespace

void check_fabric_thread(const char* where) {
    const bool is_by_oshrun = session->job.launcher == launch::Launcher::kOshrun;
    if (!is_by_oshrun && !config().progress.is_forced && count_my_cores() < 2) {
        fatal(
            "%s: SHMEM_PROGRESS=%s: the thread that transfers to other nodes needs a core beside "
            "that of its PE; give each PE two (srun -c 2, mpirun --map-by slot:PE=2), or let both "
            "share one by SHMEM_PROGRESS='helpers!'",
            where, print_progress(config().progress).c_str());
    }
}

FabricSetup describe_fabric() {
    const heap::StaticData& statics = heap::static_data();
    const heap::NodeHeader& header = session->node->header();
    const int me = session->job.local_index;
    InternalSegment& internal = session->node->internal(me);
    const Config& settings = config();
    const bool is_one_host = session->job.nnodes == session->job.nodes_of_host;
    return {
        .pe = session->job.pe,
        .npes = session->job.npes,
        .index_on_host = me,
        .is_one_host = is_one_host,
        .segments = {.heap = {session->node->own_heap(), header.range.bytes()},
                     .statics = {reinterpret_cast<char*>(statics.base), statics.bytes},
                     .internal = {reinterpret_cast<char*>(&internal), header.internal_bytes},
                     .names = &segments()},
        .confirmation_word = &internal.confirmation_word,
        .static_lock = session->node->statics_are_mapped() ? nullptr : &internal.static_lock,
        .element_lock = &internal.element_lock,
        .sleeper = &internal.sleeper,
        .background = advance_background,
        .prepare_thread = settings.progress.kind == Progress::kHelpers ? move_to_helpers : nullptr,
        .fingerprint = {.settings_digest = session->node->my_record().settings_digest,
                        .setting_marks = internal.setting_marks,
                        .program_digest =
                            session->node->my_record().program_digest ^ statics.bytes},
        .difference = settings_difference,
        .address = launch::launcher_address(is_one_host),
        .provider_atomics = settings.amo_path == AmoPath::kFabric,
        .has_progress_thread = settings.progress.kind != Progress::kNone,
        // On one host the launcher sees deaths, and a silent PE has got no core.
        .timeout_s = is_one_host ? 0 : settings.network_timeout.value,
        .is_oversubscribed =
            static_cast<std::uint32_t>(session->job.npes_of_host) > header.usable_cores,
        .endpoint_table = session->node->endpoint_table(),
        .endpoint_info_of = endpoint_info_of,
        .values = fabric_setting};
}

void drive_fabric() {
    session->fabric->progress();
    advance_background();
}

// Pairs with session/connect.cpp:atomic_at_first_pe of the other PEs.
std::uint64_t atomic_at_first_pe(AtomicRequest request) {
    if (!is_on_this_node(0))
        return session->fabric->atomic(*session->default_transport_context, request, 0);
    const auto* mine = reinterpret_cast<char*>(&session->node->internal(session->job.local_index));
    char* theirs = reinterpret_cast<char*>(&session->node->internal_of(0));
    auto* word =
        reinterpret_cast<std::uint64_t*>(theirs + (static_cast<char*>(request.dest) - mine));
    // Pairs with session/connect.cpp:atomic_at_first_pe of the other PEs.
    std::atomic_ref<std::uint64_t> shared(*word);
    if (request.op == AtomicOp::kFetch) return shared.load();
    shared.compare_exchange_strong(request.condition, request.operand);
    return request.condition;
}

void meet_all(const char* where) {
    session->fabric ? launch::meet_job(drive_fabric) : session->node->barrier(where);
}

PublicFileFacts agree_on_public_file(const char* where) {
    const Node& node = *session->node;
    InternalSegment& mine = node.internal(session->job.local_index);
    if (session->job.pe == 0) mine.public_file_job = random_number();
    if (session->job.local_index == 0) {
        std::uint64_t largest = 0;
        for (int i = 0; i < session->job.nlocal; ++i)
            largest = std::max(largest, node.record(i).static_bytes);
        raise_at_first_pe(&mine.static_bytes_max, largest);
    }
    meet_all(where);
    return {.job = atomic_at_first_pe({.dest = &mine.public_file_job, .op = AtomicOp::kFetch}),
            .static_bytes_max =
                atomic_at_first_pe({.dest = &mine.static_bytes_max, .op = AtomicOp::kFetch})};
}

void connect_nodes(int level, const char* where) {
    if (session->job.nnodes == 1) return make_transport_contexts(level);
    std::size_t round = 0;
    do {
        session->fabric.reset();  // The fabric has registered the heap at its former address.
        session->fabric = make_fabric(fabric_choice_name(), describe_fabric());
        publish_this_pe();
        launch::meet_job(nullptr);
    } while (must_connect_again(round++, where));
    pe_state.fabric = session->fabric.get();
    session->fabric->start();
    make_transport_contexts(level);
    agree_on_heap();
}

void leave_nodes() {
    if (!session->fabric) return;
    default_context.quiet();
    collective_context.quiet();
    stream_context.quiet();
    session->fabric->leave();
    launch::meet_job(drive_fabric);
}

}  // namespace tessera

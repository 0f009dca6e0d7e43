// SPDX-License-Identifier: BSD-3-Clause
//
// Connects this PE to the PEs of other nodes, and disconnects it (live.hpp).
#include <atomic>

#include "base/fatal.hpp"
#include "core/config.hpp"
#include "core/context.hpp"
#include "core/live.hpp"
#include "heap/static_data.hpp"
#include "launch/exchange.hpp"
#include "launch/launcher_address.hpp"
#include "shmem/setup.h"

namespace tessera {
namespace {

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

}  // namespace

void drive_fabric() { live->fabric->progress(); }

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

void connect_nodes(int level) {
    if (live->job.nnodes == 1) return make_transport_contexts(level);
    live->fabric = make_fabric(fabric_choice_name(), describe_fabric());
    launch::publish_endpoint_info(live->fabric->endpoint_info());
    launch::meet_job(nullptr);
    live->fabric->start();
    make_transport_contexts(level);
    agree_on_heap();
}

void leave_nodes() {
    if (!live->fabric) return;
    default_context.quiet();
    collective_context.quiet();
    live->fabric->leave();
    launch::meet_job(drive_fabric);
}

}  // namespace tessera

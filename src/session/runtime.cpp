// SPDX-License-Identifier: BSD-3-Clause
//
// See runtime.hpp: the begin and the end of the life of this PE. session.hpp names the steps.
#include "session/runtime.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <memory>
#include <mutex>
#include <span>

#include "base/cancellation.hpp"
#include "base/fatal.hpp"
#include "base/mutexes.hpp"
#include "core/address_map.hpp"
#include "memory/external_heap.hpp"
#include "memory/inline_maps.hpp"
#include "memory/local_memory.hpp"
#include "memory/segments.hpp"
#include "session/failures.hpp"
#include "session/hang_report.hpp"
#include "session/info.hpp"
#include "session/session.hpp"
#include "settings/config.hpp"
#include "shmem/setup.h"

namespace tessera {

constinit Session* session = nullptr;

namespace {

LongMutex lifecycle;  // init and finalize by several threads; never on the data path
int init_count = 0;

void report_leaks() {
    if (!config().debug) return;
    std::size_t blocks = 0;
    std::size_t bytes = 0;
    session->allocator->for_each_live([&](const heap::LiveBlock& block) {
        ++blocks;
        bytes += block.bytes;
        if (blocks <= 10) {
            warn("shmem_finalize: not freed: %zu bytes at heap offset %zu", block.bytes,
                 block.offset);
        }
    });
    if (blocks > 0)
        warn("shmem_finalize: %zu symmetric blocks, %zu bytes, not freed", blocks, bytes);
    report_local_leaks();
}

// RETURNS: whether all PEs of the node have come. Otherwise some may still wait in the program's
// last barrier, and read this PE's flags.
bool meet_before_end() {
    if (ends_alone()) {
        if (session->fabric) session->fabric->leave();
        return false;
    }
    leave_nodes();
    session->node->barrier("shmem_finalize");
    return true;
}

}  // namespace

bool is_initialized() { return runtime_phase() == Phase::kInitialized; }

void initialize(int level, const char* where) {
    std::lock_guard guard(lifecycle);
    if (init_count++ > 0) return;
    may_be_cancelled = level != SHMEM_THREAD_SINGLE;
    const NoCancellation no_cancellation;
    start(level, where);
    // Pairs with core/phase.hpp:runtime_phase.
    phase.store(Phase::kInitialized, std::memory_order_release);
}

void print_startup_info(std::span<const Outcome> outcomes) {
    if (session->job.pe == 0 && init_count == 1) print_info(*session->node, session->job, outcomes);
}

bool finalize_is_last() {
    std::lock_guard guard(lifecycle);
    return --init_count == 0;
}

void close_runtime() {
    std::lock_guard guard(lifecycle);
    const NoCancellation no_cancellation;
    report_leaks();
    if (session->offload) session->offload->complete_all();
    const bool have_met = meet_before_end();
    // No PE touches another PE's heap from here on. Pairs with core/phase.hpp:runtime_phase.
    phase.store(Phase::kFinalized, std::memory_order_release);
    session->node->my_record().survives_failures.store(0, std::memory_order_relaxed);
    forget_failures();
    reset_wait_environment();
    set_hang_report_word(nullptr);
    std::construct_at(&address_map);
    close_inline_maps();
    segments().close();
    close_local_memory();
    session->default_transport_context.reset();
    session->collective_transport_context.reset();
    session->stream_transport_context.reset();
    session->offload.reset();
    session->fabric.reset();
    session->helper_threads.reset();
    session->coherence.reset();
    if (have_met) session->node->release_memory();
    if (session->public_file) {
        session->public_file->show_life("shmem_finalize");
        if (have_met) {
            session->public_file->empty_my_part();
        } else {
            session->public_file->remove_signature();
        }
    }
    session->public_file.reset();
    // Pairs with tools/oshrun/verdict.cpp:state_of.
    session->node->my_record().state.store(heap::PeState::kFinalized, std::memory_order_release);
    session->node.reset();
    launch::leave(session->job);
    forget_external_heaps();
    pe_state = {};
    delete session;
    session = nullptr;
}

void global_exit(int code) {
    if (runtime_phase() == Phase::kForkedChild) fail_not_initialized("shmem_global_exit");
    std::fflush(nullptr);
    launch::request_global_exit(code);
    ::_exit(code);
}

}  // namespace tessera

// SPDX-License-Identifier: BSD-3-Clause
//
// The objects of this PE between init and finalize, and the steps of both. For runtime.cpp and the
// files of those steps; other files see runtime.hpp. THREADS: one at a time, under the mutex
// of init and finalize.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/wait.hpp"
#include "core/pe_state.hpp"
#include "core/phase.hpp"
#include "heap/allocator.hpp"
#include "heap/team_memory.hpp"
#include "launch/job.hpp"
#include "locks/held_locks.hpp"
#include "memory/core_files.hpp"
#include "progress/background.hpp"
#include "progress/epochs.hpp"
#include "progress/offload.hpp"
#include "session/helper_threads.hpp"
#include "session/node.hpp"
#include "session/public_file.hpp"
#include "teams/team_arrays.hpp"
#include "teams/team_slots.hpp"
#include "transports/fabric_transport.hpp"
#include "transports/noncoherent_transport.hpp"

namespace tessera {

struct Session {
    launch::Job job;
    std::unique_ptr<Node> node;
    std::unique_ptr<heap::Allocator> allocator;
    std::unique_ptr<heap::TeamMemory> team_memory;
    std::unique_ptr<FabricTransport> fabric;  // to other nodes; nullptr: there are none
    // nullptr: the hardware keeps the PEs' memory coherent.
    std::unique_ptr<noncoherent::NoncoherentTransport> coherence;
    std::unique_ptr<PublicFile> public_file;  // SHMEM_HEAP=noncoherent:PATH
    std::unique_ptr<TransportContext> default_transport_context;
    std::unique_ptr<TransportContext> collective_transport_context;
    std::unique_ptr<TransportContext> stream_transport_context;
    // nullptr: they are processes of oshrun, or this PE is not the first one of the node.
    std::unique_ptr<HelperThreads> helper_threads;
    std::unique_ptr<Offload> offload;  // nullptr: no one does transfers for this PE
    std::unique_ptr<HeldLocks> held_locks;
    std::unique_ptr<Epochs> epochs;
    BackgroundList background;
    DumpedEnds dumped_ends;
    std::vector<const WaitTimes*> waits_of_others;  // the wait environment points to them
    ListBlocksPointer list_blocks;                  // lists of irregular teams that this PE owns
    TeamSlots team_slots;
    Team shared_team;
    Team node_team;
    pid_t thread_of_init = 0;
    bool has_met_at_exit = false;
};

// Not owned by a static object: exit() must not destroy objects that other threads, or the parent
// of a forked child, still use. Only close_runtime() deletes it.
extern Session* session;

// startup.cpp. RETURNS when: every PE of the job can use this one.
void start(int level, const char* where);
// node_files.cpp. A foreign launcher gives no shared files; the first PE of the node makes them.
void make_files(launch::Job& job);
// connect.cpp. RETURNS when: all PEs of the job can reach this one.
void connect_nodes(int level, const char* where);
// RETURNS when: all PEs of the job have come. Drives the fabric.
void meet_all(const char* where);
// Before the PEs map a file for their public copies.
struct PublicFileFacts {
    std::uint64_t job = 0;               // a random number
    std::uint64_t static_bytes_max = 0;  // static data of the PE that has most
};
PublicFileFacts agree_on_public_file(const char* where);
// coherence.cpp. Where software keeps memory coherent: makes the copies of all PEs' memory.
// REQUIRES: the nodes have agreed on the heap's size.
void make_copies(const char* where);
// The set-up of a fabric that reaches this PE's memory.
FabricSetup describe_fabric();
// SHMEM_PROGRESS=helpers: ends the job where the fabric's thread has no core. REQUIRES:
// session->fabric.
void check_fabric_thread(const char* where);
// Gives other nodes the CPU. REQUIRES: session->fabric.
void drive_fabric();
// An atomic on a word of PE 0's internal segment; request.dest is the word in this PE's.
std::uint64_t atomic_at_first_pe(AtomicRequest request);
// RETURNS when: no PE of another node reaches this one any more. Waits still drive the fabric.
void leave_nodes();
// predefined_teams.cpp.
void make_predefined_teams();
// exit.cpp. Registers, once, the handlers for fork() and for exit() without shmem_finalize.
void watch_fork_and_exit();

}  // namespace tessera

// SPDX-License-Identifier: BSD-3-Clause
//
// The state of one PE at this moment, read from outside: its record, wait and teams from the node
// file, its stack and variables from the process. All are hints: the PE goes on meanwhile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.hpp"
#include "base/wait_list.hpp"
#include "base/wait_subject.hpp"
#include "core/diagnosis.hpp"
#include "heap/node_file.hpp"
#include "locks/held_locks.hpp"
#include "tools/call_sites/call_sites.hpp"
#include "tools/osh_hang/images.hpp"
#include "tools/osh_hang/processes.hpp"

namespace tessera::osh_hang {

// A team as one of its members sees it. PEs of one team have the same slot, size, first and last.
struct TeamView {
    std::uint32_t slot = 0;
    int npes = 0;
    int my_index = 0;
    int first_pe = 0;
    int last_pe = 0;
    std::uint64_t calls = 0;                 // collectives since the team was made
    std::string routines[TeamCalls::kLast];  // call n, counted from 1, stands at [n % kLast]
    int roots[TeamCalls::kLast] = {};

    bool is_same_team(const TeamView& other) const {
        return slot == other.slot && npes == other.npes && first_pe == other.first_pe &&
               last_pe == other.last_pe;
    }
    std::string name() const;
    // "" when it is too long ago.
    std::string routine_of(std::uint64_t call) const;
    std::optional<int> root_of(std::uint64_t call) const;
};

// The place of a word in shared memory that a PE waits at, as an offset in its node file.
enum class GatePlace { kUnknown, kStart, kTeam, kLockQueue, kEpoch };

struct Wait {
    std::string routine;  // "" when it waits in none
    double seconds = 0;
    WaitKind kind = WaitKind::kUnknown;
    int comparison = 0;
    std::uint64_t address = 0;
    std::uint64_t value = 0;
    std::uint32_t word_bytes = 0;
    std::uint32_t count = 0;
    GatePlace place = GatePlace::kUnknown;
    std::uint32_t slot = 0;        // kTeam: slot of the team
    int behind = -1;               // the PE before it, for kLockQueue, or the one of the epoch
    std::uint32_t node = 0;        // kLockQueue: node of the queue
    std::optional<WaitList> list;  // list of a wait on several words
};

// A mutex or reader-writer lock that a PE has or waits for.
struct PeLock {
    std::uint64_t address = 0;  // address on this PE
    int pe = 0;                 // whose instance
    LockUse use = LockUse::kMutex;
    std::uint32_t node = 0;
};

struct Snapshot {
    PeProcess process;
    int node = 0;             // the same number for PEs that share a node file
    bool has_record = false;  // it has begun shmem_init
    heap::PeState state = heap::PeState::kNotStarted;
    int thread_level = 0;
    Wait wait;
    std::vector<TeamView> teams;
    std::vector<PeLock> locks;
    std::uint64_t heap_base = 0;  // 0: not known
    heap::MemoryRange range{};
    std::uint64_t static_base = 0;
    std::uint64_t static_bytes = 0;
    std::optional<call_sites::Entry> entry;  // the routine it is in, and its caller
    bool is_in_runtime = false;              // the routine is a statement, or one of DART
    std::optional<Image> image;              // image of a coarray program
    std::string place;                       // place in the program's own code
    std::string complaint;                   // the reason why there is no stack
    std::string ended;                       // "exited with code 0": it has no process any more

    bool is_waiting() const { return !wait.routine.empty(); }
    // The routine that it is in, or the statement of Fortran; "": in none.
    std::string routine() const;
    // The team whose collective it is in; nullptr: none.
    const TeamView* team_of_wait() const;
    bool waits_at(const PeLock& lock) const {
        return !wait.routine.empty() && wait.place == GatePlace::kLockQueue &&
               wait.node == lock.node;
    }
    bool is_stopped() const { return process.state == 'T' || process.state == 't'; }
};

// The files of the nodes that have been opened, so that PEs of one node are known as such.
class NodeFiles {
  public:
    // Reads everything about the PE. `npes` gets the number of PEs of the job.
    Snapshot read(const PeProcess& process, int& npes);

  private:
    struct Node {
        std::uint64_t inode;
        Fd file;
        heap::NodeLayout layout;
    };
    int open(const PeProcess& process);
    std::vector<Node> nodes_;
};

// "ev", "ev+8": the coarray that holds the byte of the symmetric heap; "": not known. The compiler
// keeps the address of a coarray in a static variable with the coarray's name.
std::string coarray_at(const Snapshot& pe, std::uint64_t address);

// "flag (static)", "word+8 of the symmetric heap (0x40)"; by the PE's own addresses.
std::string name_of(const Snapshot& pe, std::uint64_t address);

// The same symmetric byte in another PE, or 0.
std::uint64_t same_byte_in(const Snapshot& other, const Snapshot& pe, std::uint64_t address);

}  // namespace tessera::osh_hang

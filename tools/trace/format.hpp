// SPDX-License-Identifier: BSD-3-Clause
//
// The file in which one thread of one PE keeps its part of a trace. The PE maps the file and writes
// by plain stores, so the part survives a PE that crashes or is killed. tools/osh_report/parts.py
// reads it: a change here needs a new kVersion there.
//
//   header | operations | cells | sizes | matched | long calls | heap | teams | choices |
//   releases | maps
//
// Each table begins at a multiple of kLineBytes.
// A PE has one part for each thread that calls the library. `heap`, `teams`, `choices`, `maps`
// are in the part of thread 0 only. `maps` has the lines of /proc/PID/maps that name files: by them
// the report finds the lines of the program behind the addresses of calls. Numbers are those of the
// machine, which writes and reads them alike. Times are nanoseconds of CLOCK_MONOTONIC of the PE's
// host.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::trace {

inline constexpr char kMagic[8] = {'T', 'E', 'S', 'S', 'T', 'R', 'C', '\0'};
inline constexpr std::uint64_t kLineBytes = 64;
inline constexpr std::uint32_t kVersion = 4;

// kRunning in a file that no process writes any more: the PE crashed or was killed. kExited: it
// ended without shmem_finalize.
enum class State : std::uint32_t { kRunning, kFinalized, kExited };

// One table of the file.
struct Table {
    std::uint64_t offset;
    std::uint32_t entry_bytes;
    std::uint32_t capacity;  // entries
    std::uint64_t count;     // entries that are filled
};
static_assert(sizeof(Table) == 24);

enum TableNumber : std::uint32_t {
    kOperationTable,
    kCellTable,
    kSizeTable,
    kMatchedTable,
    kLongTable,
    kHeapTable,
    kTeamTable,
    kChoiceTable,
    kReleaseTable,
    kMapTable,
    kTableCount
};

struct Header {
    char magic[8];
    std::uint32_t version;
    std::int32_t pe;
    std::int32_t npes;
    std::uint32_t thread;  // number of this part within the PE
    State state;
    std::int32_t node;  // the lowest PE of the node
    std::uint64_t begin_ns, end_ns;
    // When all PEs left the same barrier, at the start and at the end; 0: not reached.
    std::uint64_t aligned_begin_ns, aligned_end_ns;
    std::uint64_t long_from_ns;    // shorter calls are in no record
    std::uint64_t matched_stride;  // collectives with a number that it does not divide are neither
    std::int32_t pid;
    std::uint32_t reserved;
    char host[64];
    char program[128];
    Table tables[kTableCount];
};
static_assert(offsetof(Header, begin_ns) == 32 && offsetof(Header, pid) == 80);
static_assert(offsetof(Header, host) == 88 && offsetof(Header, tables) == 280);
static_assert(sizeof(Header) == 280 + 24 * kTableCount);

struct OperationName {
    char text[24];
};

// The calls of an operation with one peer. The table has a row for each PE, and one for calls
// without a peer. A row is one line of use to the PE only, and a cell for each operation. The time
// of an operation is, summed over its cells, exact_ns + sampled_ns * (calls - exact) / covered.
//
// A call that is not timed changes `turn` only (tools/interpose/counted.hpp). A call of
// kCountedBytes or more leaves `turn` alone.
struct alignas(kLineBytes) Cell {
    std::int64_t turn;
    std::uint64_t planned;  // calls up to the next timed one: all calls are planned - turn / kTurn
    std::uint64_t bytes;    // without those in `turn`
    std::uint64_t sampled_ns;
    std::uint64_t covered;  // calls for which the samples stand
    std::uint64_t exact_ns;
    std::uint64_t exact;  // calls
    std::uint64_t timed;  // calls
};
static_assert(sizeof(Cell) == 64);

// The timed blocking transfers of one direction and route, with 2^k to 2^(k+1)-1 bytes.
struct SizeClass {
    std::uint64_t count;
    std::uint64_t bytes;
    std::uint64_t ns;
    double best;  // bytes per nanosecond
};
static_assert(sizeof(SizeClass) == 32);
inline constexpr std::uint32_t kSizeClasses = 48;
inline constexpr std::uint32_t kRoutes = 2;  // on the node, to other nodes
inline constexpr std::uint32_t kDirections = 2;

// One call. In `matched`: a collective, by which the PEs' parts are compared.
struct Record {
    std::uint64_t start_ns;
    std::uint64_t duration_ns;
    std::uint64_t bytes;
    std::int32_t peer;  // a PE; the root's PE of a broadcast; -1: none
    std::uint16_t operation;
    std::uint16_t flags;
    std::uint32_t team;      // index in `teams`
    std::uint32_t sequence;  // the number of this collective within the team
    std::uint64_t site;      // address behind the call in the program
    // Of a wait for words: the global pointer (shmemx_gptr_of) to the first one, of `bytes` in all,
    // and the value to compare with. `flags` has the comparison (SHMEM_CMP_) and, times 256, the
    // bytes of a word; 0: the words have different values. `word` 0: another call.
    std::uint64_t word;
    std::uint64_t value;
};
static_assert(sizeof(Record) == 64);

// A call that changed words for which a PE of the same host waited at that time.
struct Release {
    std::uint64_t start_ns;
    std::uint64_t duration_ns;
    std::uint64_t waited_ns;  // so long the PE had waited then
    std::uint64_t word;       // global pointer to the first one
    std::uint64_t bytes;
    std::uint64_t value;
    std::uint64_t site;
    std::int32_t peer;  // the PE that waited
    std::uint16_t operation;
    std::uint16_t has_value;  // 0: several words, or what the word became is not known
};
static_assert(sizeof(Release) == 64);

// The bytes of the symmetric heap in use from this time on.
struct HeapUse {
    std::uint64_t ns;
    std::uint64_t bytes;
};
static_assert(sizeof(HeapUse) == 16);

// A team or active set. The key is the same on all members, and follows from the list of members.
struct TeamEntry {
    std::uint64_t key;
    std::int32_t npes;
    std::int32_t my_index;
};
static_assert(sizeof(TeamEntry) == 16);

// The algorithm that a collective took, for 2^k to 2^(k+1)-1 bytes.
struct ChoiceEntry {
    char collective[32];
    char algorithm[40];
    std::int32_t npes;
    std::uint32_t size_class;
    std::uint64_t calls;
};
static_assert(sizeof(ChoiceEntry) == 88);

}  // namespace tessera::trace

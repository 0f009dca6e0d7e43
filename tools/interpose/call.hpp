// SPDX-License-Identifier: BSD-3-Clause
//
// The calls of a program as an observer sees them. tools/interpose defines every shmem_ and shmemx_
// routine: it describes the call in a Call, tells the observer, goes on to the pshmem_ routine of
// the library, and tells the observer again. The library that a PE preloads (the checker, the
// tracer) defines the two functions of the observer; one program has one observer.
//
// The observer calls pshmem_ routines only: they do not come back here.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pshmem.h"
#include "pshmemx.h"
#include "tools/interpose/counted.hpp"

namespace tessera::interpose {

enum class Kind : std::uint8_t {
    kInit,            // init in any form; `after` comes when the PE is initialized
    kFinalize,        // one finalization; the PE may have others to come
    kGlobalExit,      // has no `after`
    kQuery,           // only returns information
    kAddress,         // shmem_ptr, shmemx_public_ptr: the observer may change `result`
    kControl,         // shmem_pcontrol: `value` is the level
    kPut,             // also with a signal, and p (`source` is null)
    kGet,             // also g (`dest` is null, `result` has up to 8 bytes)
    kAtomic,          // `operation` on the word `dest` of `pe`
    kAccumulate,      // shmemx_accumulate and so on: `operation` is kOther
    kSignal,          // shmem_signal_add, shmem_signal_set
    kWait,            // returns when `comparison` holds
    kTest,            // `result` says whether it holds
    kBarrier,         // synchronizes, and completes operations of the default context
    kSync,            // synchronizes only
    kCollective,      // moves data between the members of `team` or `set`
    kFence,           //
    kQuiet,           // towards all PEs, or those of `pes`
    kLock,            // takes `lock` on `pe`; `pe` is -1 for shmem_set_lock, whose lock is global
    kTryLock,         // `result` 0: the PE has the lock; of shmemx.h: 1
    kUnlock,          //
    kAllocate,        // `size` bytes; `result` is the address
    kReallocate,      // `dest` is the old address
    kFree,            // frees `dest`
    kTeamCreate,      // from `team`: `new_teams`
    kTeamDestroy,     // destroys `team`
    kContextCreate,   // on `team`: `new_context`
    kContextDestroy,  // destroys `context`
    kSession,         // start or stop
    kRequestWait,     // for `requests`: all, any, some; see `routine`
    kRequestTest,     //
    kRequestFree,     //
    kEpoch,           // the synchronizing routines of shmemx/epochs.h: `epoch`, `pes`
    kCoherence,       // writeback, invalidate
    kRegister,        // and deregister a segment
};

enum class AtomicOperation : std::uint8_t {
    kNone,
    kFetch,
    kSet,
    kSwap,
    kCompareSwap,
    kAdd,  // also inc, with the value 1
    kAnd,
    kOr,
    kXor,
    kOther,
};

// The memory that allocation and free belong to. Team and local memory: shmemx.h.
enum class Memory : std::uint8_t { kSymmetric, kTeam, kLocal };

// The code that makes a call: the program's own, or that of a runtime of this project.
enum class Caller : std::uint8_t { kProgram, kCoarrays, kDart };

// An active set; a call on a team has none, so its `size` is 0.
struct ActiveSet {
    int start = 0;
    int log_stride = 0;
    int size = 0;
};

// The data of a put-with-signal beside the copy, or of kSignal.
struct Signal {
    std::uint64_t* word = nullptr;  // on the target; null: the call has no signal
    std::uint64_t value = 0;
    int operation = SHMEM_SIGNAL_SET;
};

// The condition of a wait or test: "words[i] cmp value" for the elements whose status is 0. The
// words are `source` of the call.
struct Comparison {
    int cmp = 0;                     // 0: the call has no comparison
    const void* values = nullptr;    // values of the words' type
    bool has_many_values = false;    // one for each word
    const int* status = nullptr;     // null: all elements count
    std::size_t* indices = nullptr;  // "some": the elements found, `result` of them
};

// The shape of a transfer of shmemx_..._strided: NDIMS extents, and strides in bytes.
struct Section {
    const ptrdiff_t* dest_strides = nullptr;
    const ptrdiff_t* source_strides = nullptr;
    const std::size_t* extents = nullptr;  // null: the call has no section
    int ndims = 0;
};

// The shape of a transfer of shmemx_..._indexed.
struct Blocks {
    const shmemx_block_t* dest = nullptr;  // null: the call has no blocks
    std::size_t dest_count = 0;
    const shmemx_block_t* source = nullptr;
    std::size_t source_count = 0;
};

// Blocks of the members in a collective of shmemx.h: elements, and their places. nullptr: the side
// has one block for each member, or only this PE's own.
struct Lists {
    const std::size_t* dest_counts = nullptr;
    const std::size_t* dest_displs = nullptr;
    const std::size_t* source_counts = nullptr;
    const std::size_t* source_displs = nullptr;
};

// One call of the program. Members that a call does not have keep their initial values. Addresses
// are those of the calling PE: of a put, `dest` is the symmetric address whose object on `pe` is
// written; of a get, `source`; of an atomic, `dest`.
struct Call {
    const char* routine = "";    // the name in the program: "shmem_int_put"
    const void* site = nullptr;  // the return address: behind the call in the program
    shmem_ctx_t context = SHMEM_CTX_DEFAULT;
    Counted column = Counted::kNone;  // the observer sees some of these calls only (counted.hpp)
    Kind kind = Kind::kQuery;
    AtomicOperation operation = AtomicOperation::kNone;
    bool is_nbi = false;       // complete after quiet, or when `requests` is
    bool is_fetching = false;  // an atomic gives the old value
    shmem_team_t team = SHMEM_TEAM_INVALID;
    ActiveSet set = {};
    void* dest = nullptr;
    const void* source = nullptr;  // put, get, collective, wait; null for p
    std::size_t element_bytes = 0;
    std::size_t count = 0;  // elements, or blocks; per PE for a collective
    std::size_t block = 1;  // elements in a block: ibput, ibget
    ptrdiff_t dst = 1;      // strides in elements between elements, or blocks
    ptrdiff_t sst = 1;
    int pe = -1;    // the target
    int root = -1;  // counts in the team or set
    Section section = {};
    Blocks blocks = {};
    Lists lists = {};
    void* fetched = nullptr;      // nonblocking atomics: local address for the old value
    std::uint64_t value = 0;      // atomics: operand, up to 8 bytes, zero-extended
    std::uint64_t condition = 0;  // compare_swap
    Signal signal = {};
    Comparison comparison = {};
    const int* pes = nullptr;  // pe_quiet (they count in the context's team), team_create,
    std::size_t pe_count = 0;  // epochs
    long* sync = nullptr;      // pSync
    void* work = nullptr;      // pWrk
    void* lock = nullptr;      // long*, shmemx_mutex_t* or shmemx_rwlock_t*
    bool has_waited = false;   // kLock with `tries_first`: the lock was not free
    bool tries_first = false;  // set by the observer
    // Memory: the observer may change `size` and `dest` before the call, and `result` after it.
    Memory memory = Memory::kSymmetric;
    std::size_t size = 0;
    std::size_t alignment = 0;     // 0: the routine has none
    long options = 0;              // hints of memory, options of a context, session or epoch
    int arguments[3] = {0, 0, 0};  // team creation: start, stride, size; xrange; color, key
    shmem_team_t* new_teams[2] = {nullptr, nullptr};
    shmem_ctx_t* new_context = nullptr;
    shmemx_req_t* requests = nullptr;
    std::size_t request_count = 0;
    int completion = SHMEMX_REMOTE;  // the completion of kRequestWait and kRequestTest
    shmemx_epoch_t* epoch = nullptr;
    std::uint64_t result = 0;  // result of the routine, after the call; up to 8 bytes
    // The observer's own, from `before` to `after`.
    std::uint64_t note = 0;
    Caller caller = Caller::kProgram;
};

// ---- The observer ---------------------------------------------------------------------------

// The program makes a call; the library has not seen it.
void before(Call& call);

// The library is done with it.
void after(Call& call);

}  // namespace tessera::interpose

// SPDX-License-Identifier: BSD-3-Clause
//
// The routines of the specification behind one signature for all types, so that a step of a random
// program can name its routine by a row of these tables. The tables are written from the type
// tables of tests/support/spec_types.hpp, in {rma,atomic,collective}_routines.cpp.
#pragma once

#include <shmem.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace tessera::random {

// nullptr: the form without a context argument.
using OptionalContext = const shmem_ctx_t*;

// ---- RMA and put-with-signal: the 24 types, then the sizes, then mem ---------------------------

struct Strides {
    std::ptrdiff_t dest;
    std::ptrdiff_t source;
    std::size_t block;  // elements; iput and iget have blocks of one
    std::size_t blocks;
};

struct SignalArguments {
    std::uint64_t* word;
    std::uint64_t value;
    int op;
};

struct RmaRoutines {
    using Move = void (*)(OptionalContext, void* dest, const void* source, std::size_t nelems,
                          int pe);
    using MoveStrided = void (*)(OptionalContext, void* dest, const void* source, const Strides&,
                                 int pe);
    using PutSignal = void (*)(OptionalContext, void* dest, const void* source, std::size_t nelems,
                               const SignalArguments&, int pe);

    const char* name;  // TYPENAME, bits, or "mem"
    std::uint32_t element_bytes;
    std::uint32_t alignment;
    bool has_values;  // p and g, and no padding that they could lose
    bool has_strides;
    Move put, put_nbi, get, get_nbi;
    void (*p)(OptionalContext, void* dest, const void* value, int pe);
    void (*g)(OptionalContext, void* value, const void* source, int pe);
    MoveStrided iput, iget, ibput, ibget;
    PutSignal put_signal, put_signal_nbi;
};
std::span<const RmaRoutines> rma_routines();

// ---- Atomics and waits: the 14 types; float and double have three atomics and no waits ----------

enum class AtomicName : std::uint8_t {
    kFetch,
    kSet,
    kSwap,  // all types
    kCompareSwap,
    kFetchInc,
    kInc,
    kFetchAdd,
    kAdd,  // standard types
    kFetchAnd,
    kAnd,
    kFetchOr,
    kOr,
    kFetchXor,
    kXor,  // bitwise types
};
inline constexpr int kExtendedAtomics = 3;
inline constexpr int kStandardAtomics = 8;
inline constexpr int kAllAtomics = 14;
extern const char* const kAtomicNames[kAllAtomics];
bool returns_value(AtomicName name);

struct AtomicArguments {
    void* dest;  // symmetric
    std::uint64_t operand;
    std::uint64_t condition;
    int pe;
};

// Elements of one type, as many as the call takes.
struct WaitArguments {
    void* words;
    std::size_t count;
    const int* status;
    int cmp;
    const void* values;  // one, or one per word for the _vector forms
    std::size_t* indices;
};
enum class WaitName : std::uint8_t {
    kWaitUntil,
    kTest,  // tests one word
    kAll,
    kAny,
    kSome,
    kTestAll,
    kTestAny,
    kTestSome,
};
inline constexpr int kWaitNames = 8;
extern const char* const kWaitNameTexts[kWaitNames];

struct AtomicRoutines {
    const char* name;
    std::uint32_t bytes;
    bool is_signed;
    int atomics;  // the type has so many of AtomicName
    bool has_waits;
    // Values travel as bits. RETURNS: the result of the routine, or 0.
    std::uint64_t (*call)(OptionalContext, AtomicName, const AtomicArguments&);
    void (*call_nbi)(OptionalContext, AtomicName, void* fetch, const AtomicArguments&);
    // RETURNS: the result of the routine, or 0.
    std::size_t (*wait)(WaitName, bool is_vector, const WaitArguments&);
};
std::span<const AtomicRoutines> atomic_routines();

// ---- Collectives -------------------------------------------------------------------------------

struct ActiveSet {
    int start = 0;
    int log_stride = 0;
    int size = 0;
};

// The participants: a team, or an active set with its pSync and pWrk.
struct Group {
    shmem_team_t team = SHMEM_TEAM_INVALID;
    ActiveSet set;
    long* psync = nullptr;
    void* pwrk = nullptr;
};

// The collectives that move data: the 24 types and mem on teams, then 32 and 64 on active sets.
// RETURNS, all of them: the result of the team form, 0 for active sets.
struct MoveRoutines {
    using Move = int (*)(const Group&, void* dest, const void* source, std::size_t nelems);

    const char* name;
    std::uint32_t element_bytes;
    std::uint32_t alignment;
    bool is_active_set;
    int (*broadcast)(const Group&, void* dest, const void* source, std::size_t nelems, int root);
    Move collect, fcollect, alltoall;
    int (*alltoalls)(const Group&, void* dest, const void* source, std::ptrdiff_t dst,
                     std::ptrdiff_t sst, std::size_t nelems);
};
std::span<const MoveRoutines> move_routines();

enum class ReduceName : std::uint8_t { kAnd, kOr, kXor, kMax, kMin, kSum, kProd, kInscan, kExscan };
inline constexpr int kReduceNames = 9;
extern const char* const kReduceNameTexts[kReduceNames];

// Reductions and scans: the 26 types, with what the model needs to know about their arithmetic.
struct ReduceRoutines {
    const char* name;
    std::uint32_t element_bytes;
    bool is_floating;     // not every bit pattern will do: fill() makes operands with exact results
    unsigned team_names;  // bit set of ReduceName
    unsigned active_names;  // with _to_all
    int (*call)(ReduceName, const Group&, void* dest, const void* source, std::size_t nelems);
    // accumulator[i] = accumulator[i] op operand[i]; scans add.
    void (*combine)(ReduceName, void* accumulator, const void* operand, std::size_t nelems);
    void (*fill)(void* elements, std::size_t nelems, std::uint64_t pattern);
    bool (*equal)(const void* a, const void* b, std::size_t nelems);
};
std::span<const ReduceRoutines> reduce_routines();
inline unsigned bit_of(ReduceName name) { return 1U << static_cast<unsigned>(name); }

}  // namespace tessera::random

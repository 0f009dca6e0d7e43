// SPDX-License-Identifier: BSD-3-Clause
//
// A random program: the calls of all PEs in one global order. Every PE makes the same program from
// the seed, goes through it from start to end, makes the calls that are its own, and follows all
// the others in the model. The order is one of many that the calls may really take; the generator
// (claims.hpp) sees to it that the result is the same in all of them. A call only waits for calls
// before it in the order, so no program can hang.
//
// PE numbers are those of the world everywhere; the executor translates them for teams.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "random/routine_table.hpp"

namespace tessera::random {

inline constexpr int kPesMax = 64;  // bits of a context's targets

class PeList {
  public:
    void push(int pe) { pes_[count_++] = static_cast<std::uint8_t>(pe); }
    int size() const { return count_; }
    bool empty() const { return count_ == 0; }
    int operator[](int i) const { return pes_[i]; }
    int index_of(int pe) const {
        for (int i = 0; i < count_; ++i) {
            if (pes_[i] == pe) return i;
        }
        return -1;
    }
    bool contains(int pe) const { return index_of(pe) >= 0; }
    const std::uint8_t* data() const { return pes_; }
    const std::uint8_t* begin() const { return pes_; }
    const std::uint8_t* end() const { return pes_ + count_; }

  private:
    int count_ = 0;
    std::uint8_t pes_[kPesMax] = {};
};

// ---- Memory ------------------------------------------------------------------------------------

// Symmetric memory comes in blocks: some are static data, the others come from the heap.
inline constexpr int kStaticData = 0;
inline constexpr int kPsyncs = 1;  // pSync arrays in static data; the model says: never changed
inline constexpr int kFirstHeapBlock = 2;
inline constexpr std::uint32_t kStaticBytes = 8192;
inline constexpr std::uint32_t kPsyncCount = 8;
inline constexpr std::uint32_t kPsyncBytes = SHMEM_SYNC_SIZE * sizeof(long);
inline constexpr int kPrivate = -1;  // instead of a block: memory of one call of one PE

struct BlockOffset {
    int block = kPrivate;
    std::uint32_t offset = 0;
};

// `runs` runs of `run` elements, whose starts lie `stride` elements apart.
struct Layout {
    std::uint32_t element_bytes = 1;
    std::uint32_t run = 0;
    std::uint32_t stride = 0;
    std::uint32_t runs = 1;

    static Layout contiguous(std::uint32_t element_bytes, std::uint32_t nelems) {
        return {element_bytes, nelems, nelems, 1};
    }
    std::uint32_t run_bytes() const { return run * element_bytes; }
    std::uint32_t packed_bytes() const { return run_bytes() * runs; }
    std::uint32_t run_offset(std::uint32_t i) const { return i * stride * element_bytes; }
    // From the first element to behind the last one.
    std::uint32_t span_bytes() const {
        return packed_bytes() == 0 ? 0 : run_offset(runs - 1) + run_bytes();
    }
};

// ---- Calls -------------------------------------------------------------------------------------

// Contexts by number: the PE's own, in the order in which it creates them, or one of these.
inline constexpr int kNoContextArgument = -2;
inline constexpr int kDefaultContext = -1;
inline bool is_default(int context) { return context < 0; }

enum class TransferName : std::uint8_t {
    kPut,
    kPutNbi,
    kGet,
    kGetNbi,
    kP,
    kG,
    kIput,
    kIget,
    kIbput,
    kIbget,
    kPutSignal,
    kPutSignalNbi,
    kStore,
    kLoad,  // through shmem_ptr
};
inline bool reads_remote(TransferName name) {
    return name == TransferName::kGet || name == TransferName::kGetNbi ||
           name == TransferName::kG || name == TransferName::kIget ||
           name == TransferName::kIbget || name == TransferName::kLoad;
}
inline bool has_signal(TransferName name) {
    return name == TransferName::kPutSignal || name == TransferName::kPutSignalNbi;
}

struct Signal {
    BlockOffset word = {};
    std::uint64_t value = 0;
    int op = SHMEM_SIGNAL_SET;
};

// Between `remote` on `target` and `local` on `pe`. Private memory holds `pattern` as a source.
struct Transfer {
    TransferName name = TransferName::kPut;
    int pe = 0;
    int context = kNoContextArgument;
    int target = 0;
    int row = 0;  // index in rma_routines()
    BlockOffset remote = {};
    Layout remote_layout = {};
    BlockOffset local = {};
    Layout local_layout = {};
    std::uint64_t pattern = 0;
    Signal signal = {};
};

struct SignalUpdate {
    int pe = 0;
    int context = kNoContextArgument;
    int target = 0;
    Signal signal = {};
};

struct AtomicCall {
    AtomicName name = AtomicName::kFetch;
    bool is_nbi = false;
    bool is_contended = false;  // its result depends on the other PEs
    int pe = 0;
    int context = kNoContextArgument;
    int target = 0;
    int row = 0;  // index in atomic_routines()
    BlockOffset word = {};
    std::uint64_t operand = 0;
    std::uint64_t condition = 0;
};

enum class OrderName : std::uint8_t { kFence, kQuiet, kPeQuiet };
struct Order {
    OrderName name = OrderName::kQuiet;
    int pe = 0;
    int context = kNoContextArgument;
    PeList targets = {};  // kPeQuiet
};

// Waits until "words[i] cmp values[i]" holds for all i whose bit is set in `included`. Tests are
// repeated until they say so. kAtomicFetch looks at a word of `target`, until it has the value.
struct Wait {
    static constexpr int kWordsMax = 6;
    enum class Form : std::uint8_t { kRoutine, kSignalWait, kSignalFetch, kAtomicFetch };
    Form form = Form::kRoutine;
    WaitName name = WaitName::kWaitUntil;
    bool is_vector = false;
    int pe = 0;
    int target = 0;
    int row = 0;  // index in atomic_routines(), kRoutine
    BlockOffset words = {};
    int count = 1;
    unsigned included = 1;
    int cmp = SHMEM_CMP_EQ;
    std::array<std::uint64_t, kWordsMax> values{};
};

// Stores by the PE itself of elements with exact sums and products, before a reduction.
struct StoreValues {
    int pe = 0;
    int row = 0;  // index in reduce_routines()
    BlockOffset place = {};
    std::uint32_t nelems = 0;
    std::uint64_t pattern = 0;
};

// ---- What several PEs do together, with a result that no order changes -------------------------

// Each PE draws count[i] tickets from a counter at `target`, and marks each in the array there.
// Two PEs with one ticket, or a lost ticket, leave an element unmarked.
struct Tickets {
    enum class How : std::uint8_t { kFetchInc, kFetchAdd, kCompareSwap, kFetchIncNbi };
    How how = How::kFetchInc;
    PeList pes = {};
    std::array<std::uint8_t, kPesMax> counts{};
    int target = 0;
    int row = 0;  // index in atomic_routines()
    BlockOffset counter = {};
    BlockOffset marks = {};  // uint64_t each
};
inline std::uint64_t mark_of_ticket(std::uint64_t ticket) {
    return ticket * 0x9E3779B97F4A7C15U + 1;
}

// Words at `target`: a token, a sum and a count. Each PE swaps its own token in and adds the one it
// gets to the sum; the last one replaces the token by 0. No token may get lost.
struct TokenSwap {
    PeList pes = {};
    int target = 0;
    int row = 0;             // index in atomic_routines()
    BlockOffset words = {};  // three of the row's type
    std::uint64_t pattern = 0;
    std::uint64_t token(int pe) const { return pattern + static_cast<std::uint64_t>(pe) * 1000; }
};

// Each PE adds to words at `target` under a lock, several times: by get and put, and the target
// itself by loads and stores.
struct LockedAdd {
    static constexpr std::uint32_t kWords = 3;
    PeList pes = {};
    std::array<std::uint8_t, kPesMax> counts{};
    int target = 0;
    int lock = 0;  // index in the executor's locks
    bool by_test = false;
    BlockOffset words = {};  // long each
};

// ---- Teams and contexts ------------------------------------------------------------------------

// Teams by number, in the order in which they are created.
inline constexpr int kWorldTeam = 0;
inline constexpr int kSharedTeam = 1;
inline constexpr int kFirstTeam = 2;

struct SplitStrided {
    int parent = kWorldTeam;
    PeList parent_members = {};
    int start = 0;
    int stride = 1;
    int size = 1;
    int team = 0;
    PeList members = {};  // empty: the split must fail on all PEs
    int num_contexts = 0;
};

// Row i becomes team `first_team` + i, column i `first_team` + rows + i.
struct Split2d {
    int parent = kWorldTeam;
    PeList parent_members = {};
    int xrange = 1;
    int first_team = 0;
    std::vector<PeList> rows = {};
    std::vector<PeList> columns = {};
};

struct DestroyTeam {
    int team = 0;
    PeList members = {};
};

struct TranslatePe {
    int pe = 0;
    int source = kWorldTeam;
    int dest = kWorldTeam;
    PeList source_members = {};
    PeList dest_members = {};
};

struct CreateContext {
    int pe = 0;
    int context = 0;
    int team = kWorldTeam;
    PeList members = {};
    long options = 0;
};
struct DestroyContext {
    int pe = 0;
    int context = 0;
};
struct Session {
    int pe = 0;
    int context = 0;
    bool starts = true;
    long options = 0;
    bool has_total = false;
    std::uint64_t total = 0;
};

enum class CollectiveName : std::uint8_t {
    kSync,
    kBarrier,
    kBroadcast,
    kCollect,
    kFcollect,
    kAlltoall,
    kAlltoalls,
    kReduce,
};
struct Collective {
    CollectiveName name = CollectiveName::kSync;
    ReduceName reduce = ReduceName::kSum;
    PeList members = {};
    int team = kWorldTeam;  // or, with a pSync, the active set
    int psync = -1;
    ActiveSet set = {};
    int row = 0;  // index in move_routines() or reduce_routines()
    BlockOffset dest = {};
    BlockOffset source = {};  // equal to dest: in place
    std::uint32_t nelems = 0;
    std::array<std::uint16_t, kPesMax> counts{};  // kCollect: by index in the team
    int root = 0;                                 // index in the team
    std::uint32_t dst = 1;
    std::uint32_t sst = 1;
    bool has_null = false;  // nelems is 0, and so are dest and source

    // The call writes dest in this shape on each member. REQUIRES: it moves data.
    Layout dest_layout(std::uint32_t element_bytes) const {
        const auto all = nelems * static_cast<std::uint32_t>(members.size());
        std::uint32_t counted = 0;
        for (int i = 0; i < members.size(); ++i) counted += counts[static_cast<std::size_t>(i)];
        switch (name) {
            case CollectiveName::kBroadcast: return Layout::contiguous(element_bytes, nelems);
            case CollectiveName::kCollect: return Layout::contiguous(element_bytes, counted);
            case CollectiveName::kAlltoalls: return {element_bytes, 1, dst, all};
            default: return Layout::contiguous(element_bytes, all);
        }
    }
};

// ---- Time and memory ---------------------------------------------------------------------------

struct Pause {
    int pe = 0;
    int yields = 0;
};

enum class MemoryName : std::uint8_t { kMalloc, kCalloc, kAlign, kHints, kRealloc, kFree };
struct MemoryCall {
    MemoryName name = MemoryName::kMalloc;
    int block = 0;
    std::uint32_t bytes = 0;       // size of the block afterwards
    std::uint32_t kept_bytes = 0;  // kRealloc: these keep their value
    std::uint32_t alignment = 16;
    long hints = 0;
};

// Everything issued before is complete (the generator has put the quiets of contexts before it) and
// every PE compares its memory with the model. Then no PE goes on before all have compared.
struct EpochEnd {
    enum class Kind : std::uint8_t {
        kBarrierAll,
        kQuietSyncAll,
        kQuietTeamSync,
        kActiveBarrier,
        kInitFinalize,
        kMemory,
    };
    Kind kind = Kind::kBarrierAll;
    bool syncs_by_team = false;  // how all wait for the comparison
    MemoryCall memory = {};      // kMemory; its barrier ends the epoch
};

using Call = std::variant<Transfer, SignalUpdate, AtomicCall, Order, Wait, StoreValues, Tickets,
                          TokenSwap, LockedAdd, SplitStrided, Split2d, DestroyTeam, TranslatePe,
                          CreateContext, DestroyContext, Session, Collective, Pause, EpochEnd>;

// A step is a few calls that belong together.
struct Step {
    int number = 0;
    Call call = {};
};

struct Program {
    int npes = 0;
    std::uint64_t seed = 0;
    std::vector<Step> steps;
};

// The call in words.
std::string words_of(const Call& call);

}  // namespace tessera::random

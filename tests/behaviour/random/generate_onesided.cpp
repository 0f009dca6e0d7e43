// SPDX-License-Identifier: BSD-3-Clause
//
// See generator.hpp: puts, gets, atomics, signals and flags.
#include <algorithm>

#include "random/generator.hpp"

namespace tessera::random {
namespace {

constexpr std::uint32_t kWordBytes = 8;

Layout words(std::uint32_t bytes, std::uint32_t count = 1) {
    return Layout::contiguous(bytes, count);
}

const RmaRoutines& rma_row(int row) { return rma_routines()[static_cast<std::size_t>(row)]; }
const AtomicRoutines& atomic_row(int row) {
    return atomic_routines()[static_cast<std::size_t>(row)];
}

// As a number that compares like the type does.
std::int64_t ordered(std::uint64_t value, const AtomicRoutines& row) {
    if (row.bytes == 4) {
        return row.is_signed ? static_cast<std::int32_t>(value)
                             : static_cast<std::int64_t>(value & 0xFFFFFFFFU);
    }
    constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;
    return static_cast<std::int64_t>(row.is_signed ? value : value ^ kSignBit);
}
std::uint64_t unordered(std::int64_t value, const AtomicRoutines& row) {
    if (row.bytes == 4) return static_cast<std::uint32_t>(value);
    constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;
    return static_cast<std::uint64_t>(value) ^ (row.is_signed ? 0 : kSignBit);
}
std::int64_t least(const AtomicRoutines& row) {
    if (row.bytes == 8) return INT64_MIN;
    return row.is_signed ? INT32_MIN : 0;
}
std::int64_t greatest(const AtomicRoutines& row) {
    if (row.bytes == 8) return INT64_MAX;
    return row.is_signed ? INT32_MAX : UINT32_MAX;
}

}  // namespace

// ---- Transfers ---------------------------------------------------------------------------------

void Generator::transfers() {
    const int pe = any_pe();
    const int count = random_.between(1, 4);
    for (int i = 0; i < count; ++i) transfer(pe, any_pe());
}

// A row that has the routine, and the shape of both sides.
void Generator::choose_layouts(Transfer& transfer, std::uint32_t most_bytes) {
    using enum TransferName;
    const TransferName name = transfer.name;
    const bool is_value = name == kP || name == kG;
    const bool is_strided = name == kIput || name == kIget;
    const bool is_block_strided = name == kIbput || name == kIbget;
    const auto rows = static_cast<int>(rma_routines().size());
    do {
        transfer.row = random_.below(rows);
    } while ((is_value && !rma_row(transfer.row).has_values) ||
             ((is_strided || is_block_strided) && !rma_row(transfer.row).has_strides));
    if (name == kStore || name == kLoad) transfer.row = rows - 1;  // mem
    const std::uint32_t bytes = rma_row(transfer.row).element_bytes;
    const std::uint32_t nelems = is_value ? 1 : any_nelems(bytes, most_bytes);
    if (!is_strided && !is_block_strided) {
        transfer.remote_layout = transfer.local_layout = Layout::contiguous(bytes, nelems);
        return;
    }
    const auto run = static_cast<std::uint32_t>(is_strided ? 1 : random_.between(1, 4));
    const std::uint32_t runs = (nelems + run - 1) / run;
    const auto longest = static_cast<int>(run) + 3;
    for (Layout* layout : {&transfer.remote_layout, &transfer.local_layout}) {
        const int stride = random_.between(static_cast<int>(run), longest);
        *layout = {bytes, run, static_cast<std::uint32_t>(stride), runs};
    }
}

void Generator::transfer(int pe, int target) {
    using enum TransferName;
    constexpr TransferName kNames[] = {kPut, kPut,  kPutNbi, kGet,   kGet,   kGetNbi, kP,
                                       kG,   kIput, kIget,   kIbput, kIbget, kStore,  kLoad};
    Transfer call{.name = random_.pick(kNames), .pe = pe, .target = target};
    choose_layouts(call, most_bytes_);
    const bool is_get = reads_remote(call.name);
    const bool is_nbi = call.name == kPutNbi || call.name == kGetNbi;
    const bool is_plain = call.name == kStore || call.name == kLoad;
    const bool is_own_store = call.name == kStore && pe == target;
    const std::uint32_t alignment = rma_row(call.row).alignment;
    const bool is_private = call.name == kP || call.name == kG || is_plain || random_.chance(60);
    call.pattern = random_.next();

    // The source comes first, so that dest cannot overlap it.
    std::optional<BlockOffset> remote;
    std::optional<BlockOffset> local = BlockOffset{};
    if (is_get) {
        const unsigned readable = pe == target ? kReadByOwner : kReadByAll;
        remote = find(target, call.remote_layout, alignment, readable);
        if (!remote) return;
        if (pe == target) {
            claims_.read_by_owner(pe, *remote, call.remote_layout, is_nbi);
        } else {
            claims_.set(Claim::kRead, target, *remote, call.remote_layout);
        }
        if (!is_private) {
            local = find(pe, call.local_layout, alignment,
                         pe == target ? kChangedByAll : kChangedByOwner);
        }
        if (!local) return;
        if (!is_private)
            claims_.set(is_nbi ? Claim::kBusy : Claim::kOwned, pe, *local, call.local_layout);
    } else {
        if (!is_private) local = find(pe, call.local_layout, alignment, kReadByOwner);
        if (!local) return;
        if (!is_private) claims_.read_by_owner(pe, *local, call.local_layout, is_nbi);
        remote = find(target, call.remote_layout, alignment,
                      is_own_store ? kChangedByOwner : kChangedByAll);
        if (!remote) return;
        claims_.set(is_own_store ? Claim::kOwned : Claim::kBusy, target, *remote,
                    call.remote_layout);
    }
    call.remote = *remote;
    call.local = *local;
    if (!is_plain) call.context = any_context(pe, target);
    emit(call);
}

// ---- One PE writes the same memory again and again, in order ----------------------------------

void Generator::overwrites() {
    const int pe = any_pe();
    const int target = any_pe();
    const auto bytes = static_cast<std::uint32_t>(random_.between(16, 96));
    const std::optional<BlockOffset> region = find(target, words(1, bytes), 16, kChangedByAll);
    if (!region) return;
    claims_.set(Claim::kBusy, target, *region, words(1, bytes));
    const int context = any_context(pe, target);
    const int count = random_.between(2, 5);
    for (int i = 0; i < count; ++i) {
        if (i > 0) order(pe, context, random_.chance(70) ? OrderName::kFence : OrderName::kQuiet);
        overwrite({.pe = pe, .context = context, .target = target}, *region, bytes);
    }
    if (random_.chance(50)) return;
    order(pe, context, random_.chance(70) ? OrderName::kQuiet : OrderName::kPeQuiet);
    Transfer get = plain_transfer(TransferName::kGet, pe, target, *region, bytes);
    get.context = context;
    emit(get);
}

// Something into a part of the region.
void Generator::overwrite(Transfer transfer, BlockOffset region, std::uint32_t bytes) {
    using enum TransferName;
    constexpr TransferName kNames[] = {kPut, kPutNbi, kP, kIput, kIbput, kStore};
    do {
        transfer.name = random_.pick(kNames);
        choose_layouts(transfer, bytes);
    } while (transfer.remote_layout.span_bytes() > bytes ||
             (transfer.name == kStore && !is_default(transfer.context)));
    if (transfer.name == kStore) transfer.context = kNoContextArgument;
    const std::uint32_t alignment = rma_row(transfer.row).alignment;
    const std::uint32_t choices = (bytes - transfer.remote_layout.span_bytes()) / alignment + 1;
    transfer.remote = {region.block, region.offset + static_cast<std::uint32_t>(
                                                         random_.below(static_cast<int>(choices))) *
                                                         alignment};
    transfer.pattern = random_.next();
    emit(transfer);
}

// ---- Atomics -----------------------------------------------------------------------------------

// One PE has the word for itself, so that every result is known.
void Generator::atomics_of_one() {
    AtomicCall call{.pe = any_pe(), .target = any_pe()};
    call.row = random_.below(static_cast<int>(atomic_routines().size()));
    const AtomicRoutines& row = atomic_row(call.row);
    const std::optional<BlockOffset> word =
        find(call.target, words(row.bytes), row.bytes, kChangedByAll);
    if (!word) return;
    claims_.set(Claim::kBusy, call.target, *word, words(row.bytes));
    call.word = *word;
    call.context = any_context(call.pe, call.target);
    const bool is_own = call.pe == call.target;
    if (is_own && random_.chance(50))
        emit(plain_transfer(TransferName::kStore, call.pe, call.target, *word, row.bytes));
    const int count = random_.between(1, 7);
    for (int i = 0; i < count; ++i) {
        call.name = static_cast<AtomicName>(random_.below(row.atomics));
        call.is_nbi = returns_value(call.name) && random_.chance(40);
        call.operand =
            random_.chance(50) ? random_.next() : static_cast<std::uint64_t>(random_.below(9));
        call.condition =
            random_.chance(60) ? model_.word(call.target, call.word, row.bytes) : random_.next();
        emit(call);
        // A blocking fetching atomic is done when it returns.
        if (returns_value(call.name) && !call.is_nbi) continue;
        const bool is_last = i == count - 1;
        order(call.pe, call.context,
              !is_last && random_.chance(60) ? OrderName::kFence : OrderName::kQuiet);
    }
    if (is_own) emit(plain_transfer(TransferName::kLoad, call.pe, call.target, *word, row.bytes));
}

// Several PEs, with operations whose order does not matter.
void Generator::atomics_of_many() {
    using enum AtomicName;
    constexpr AtomicName kFamilies[][4] = {{kInc, kFetchInc, kAdd, kFetchAdd},
                                           {kAnd, kFetchAnd, kAnd, kFetchAnd},
                                           {kOr, kFetchOr, kOr, kFetchOr},
                                           {kXor, kFetchXor, kXor, kFetchXor}};
    AtomicCall call{.is_contended = true, .target = any_pe()};
    const auto& family = kFamilies[random_.below(4)];
    do {
        call.row = random_.below(static_cast<int>(atomic_routines().size()));
    } while (atomic_row(call.row).atomics <= static_cast<int>(family[1]));
    const std::uint32_t bytes = atomic_row(call.row).bytes;
    const std::optional<BlockOffset> word = find(call.target, words(bytes), bytes, kChangedByAll);
    if (!word) return;
    claims_.set(Claim::kBusy, call.target, *word, words(bytes));
    call.word = *word;
    for (int pe : some_pes(2, npes_)) {
        call.pe = pe;
        call.context = any_context(pe, call.target);
        const int count = random_.between(1, 4);
        for (int i = 0; i < count; ++i) {
            call.name = random_.pick(family);
            call.is_nbi = returns_value(call.name) && random_.chance(30);
            call.operand = random_.next();
            emit(call);
        }
    }
}

// ---- Signals -----------------------------------------------------------------------------------

// Data and a signal from one PE to another, which waits for it.
// RETURNS: where the data is on `to`, which then knows it.
std::optional<BlockOffset> Generator::signalled_put(int from, int to,
                                                    std::optional<BlockOffset> source,
                                                    const Layout& layout) {
    const auto rows = static_cast<int>(rma_routines().size());
    Transfer call{
        .name = random_.chance(50) ? TransferName::kPutSignal : TransferName::kPutSignalNbi,
        .pe = from,
        .target = to};
    do {
        call.row = random_.below(rows);
    } while (rma_row(call.row).element_bytes != layout.element_bytes);
    const std::optional<BlockOffset> dest =
        find(to, layout, rma_row(call.row).alignment, kChangedByAll);
    if (!dest) return std::nullopt;
    claims_.set(Claim::kBusy, to, *dest, layout);
    const std::optional<BlockOffset> word = find(to, words(kWordBytes), kWordBytes, kChangedByAll);
    if (!word) return std::nullopt;
    claims_.set(Claim::kBusy, to, *word, words(kWordBytes));
    call.remote = *dest;
    call.remote_layout = call.local_layout = layout;
    if (source) call.local = *source;
    if (source) claims_.read_by_owner(from, *source, layout, true);
    call.pattern = random_.next();
    call.context = any_context(from, to);
    const std::uint64_t old = model_.word(to, *word, kWordBytes);
    call.signal = {*word, random_.next() | 1,
                   random_.chance(50) ? SHMEM_SIGNAL_SET : SHMEM_SIGNAL_ADD};
    if (call.signal.op == SHMEM_SIGNAL_SET && call.signal.value == old) call.signal.value += 2;
    emit(call);
    if (call.name == TransferName::kPutSignalNbi || in_session(from, call.context))
        order(from, call.context, OrderName::kQuiet);
    const std::uint64_t value = model_.word(to, *word, kWordBytes);
    Wait wait{.form = static_cast<Wait::Form>(random_.below(3)), .pe = to, .words = *word};
    const bool is_any_change = random_.chance(40);
    wait.cmp = is_any_change ? SHMEM_CMP_NE : SHMEM_CMP_EQ;
    wait.values[0] = is_any_change ? old : value;
    do {
        wait.row = random_.below(static_cast<int>(atomic_routines().size()));
    } while (!atomic_row(wait.row).has_waits || atomic_row(wait.row).bytes != kWordBytes);
    wait.name = static_cast<WaitName>(random_.below(kWaitNames));
    wait.is_vector = random_.chance(50);
    emit(wait);
    claims_.set(Claim::kOwned, to, *dest, layout);
    return dest;
}

// From PE to PE along a path; each passes the data on, or only a signal.
void Generator::signal_chain() {
    const PeList path = some_pes(2, 4);
    constexpr std::uint32_t kElements[] = {1, 2, 4, 8, 16};
    const std::uint32_t bytes = random_.pick(kElements);
    const Layout layout = Layout::contiguous(bytes, any_nelems(bytes, most_bytes_));
    std::optional<BlockOffset> source;
    for (int i = 0; i + 1 < path.size(); ++i) {
        const bool passes_on = source.has_value() && source->offset % bytes == 0;
        source = signalled_put(path[i], path[i + 1], passes_on ? source : std::nullopt, layout);
        if (!source) return;
    }
    if (npes_ == 1) signalled_put(0, 0, std::nullopt, layout);
    // A signal alone, with which another PE's epoch ends.
    const int target = any_pe();
    const std::optional<BlockOffset> word =
        find(target, words(kWordBytes), kWordBytes, kChangedByAll);
    if (!word) return;
    claims_.set(Claim::kBusy, target, *word, words(kWordBytes));
    const int op = random_.chance(50) ? SHMEM_SIGNAL_SET : SHMEM_SIGNAL_ADD;
    for (int pe : some_pes(1, op == SHMEM_SIGNAL_SET ? 1 : npes_)) {
        emit(SignalUpdate{.pe = pe,
                          .context = any_context(pe, target),
                          .target = target,
                          .signal = {*word, random_.next(), op}});
    }
}

// ---- Flags -------------------------------------------------------------------------------------

// Conditions that do not hold now and do when all words have their final values, for all words
// alike or (_vector) for each. RETURNS: false when the words' values leave no room.
bool Generator::choose_condition(Wait& wait, std::array<std::uint64_t, Wait::kWordsMax>& finals) {
    const AtomicRoutines& row = atomic_row(wait.row);
    constexpr int kComparisons[] = {SHMEM_CMP_EQ, SHMEM_CMP_NE, SHMEM_CMP_LT,
                                    SHMEM_CMP_LE, SHMEM_CMP_GT, SHMEM_CMP_GE};
    wait.cmp = random_.pick(kComparisons);
    if (wait.cmp == SHMEM_CMP_NE && !wait.is_vector && wait.count > 1) wait.cmp = SHMEM_CMP_EQ;
    const bool is_greater =
        wait.cmp == SHMEM_CMP_GE || wait.cmp == SHMEM_CMP_GT || random_.chance(50);
    const bool is_smaller = wait.cmp == SHMEM_CMP_LE || wait.cmp == SHMEM_CMP_LT;
    const std::int64_t step = is_greater && !is_smaller ? 1 : -1;
    std::int64_t low = INT64_MAX;
    std::int64_t high = INT64_MIN;
    for (int i = 0; i < wait.count; ++i) {
        const BlockOffset place{wait.words.block,
                                wait.words.offset + static_cast<std::uint32_t>(i) * row.bytes};
        const std::int64_t now = ordered(model_.word(wait.pe, place, row.bytes), row);
        low = wait.is_vector ? now : std::min(low, now);
        high = wait.is_vector ? now : std::max(high, now);
        constexpr std::int64_t kSlack = 100;
        if (high > greatest(row) - kSlack || low < least(row) + kSlack) return false;
        // The last word has seen them all; the others are done again below.
        const std::int64_t edge = step > 0 ? high : low;
        const bool is_strict =
            wait.cmp == SHMEM_CMP_NE || wait.cmp == SHMEM_CMP_GT || wait.cmp == SHMEM_CMP_LT;
        wait.values[static_cast<std::size_t>(i)] = unordered(is_strict ? edge : edge + step, row);
        const std::int64_t more = wait.cmp == SHMEM_CMP_EQ ? 1 : random_.between(1, 50);
        finals[static_cast<std::size_t>(i)] = unordered(edge + more * step, row);
    }
    if (wait.is_vector) return true;
    const std::int64_t edge = step > 0 ? high : low;
    for (int i = 0; i < wait.count; ++i) {
        const auto index = static_cast<std::size_t>(i);
        wait.values[index] = wait.values[static_cast<std::size_t>(wait.count) - 1];
        const std::int64_t more = wait.cmp == SHMEM_CMP_EQ ? 1 : random_.between(1, 50);
        finals[index] = unordered(edge + more * step, row);
    }
    return true;
}

// Some PE puts data and then changes word i to `value`.
void Generator::raise_flag(const Wait& wait, int i, std::uint64_t value) {
    using enum AtomicName;
    const int pe = any_pe();
    const int context = any_context(pe, wait.pe);
    if (random_.chance(50)) {
        const Layout layout = Layout::contiguous(1, any_nelems(1, 64));
        if (const std::optional<BlockOffset> dest = find(wait.pe, layout, 1, kChangedByAll)) {
            Transfer put =
                plain_transfer(TransferName::kPut, pe, wait.pe, *dest, layout.packed_bytes());
            put.context = context;
            emit(put);
            claims_.set(Claim::kBusy, wait.pe, *dest, layout);
            order(pe, context, random_.chance(70) ? OrderName::kFence : OrderName::kQuiet);
        }
    }
    const AtomicRoutines& row = atomic_row(wait.row);
    AtomicCall call{.pe = pe, .context = context, .target = wait.pe, .row = wait.row};
    call.word = {wait.words.block, wait.words.offset + static_cast<std::uint32_t>(i) * row.bytes};
    const std::uint64_t old = model_.word(wait.pe, call.word, row.bytes);
    constexpr AtomicName kNames[] = {kSet, kSet, kSwap, kCompareSwap, kAdd, kFetchAdd};
    call.name = random_.pick(kNames);
    const bool adds = call.name == kAdd || call.name == kFetchAdd;
    if (adds && value == old + 1) call.name = random_.chance(50) ? kInc : kFetchInc;
    call.is_nbi = returns_value(call.name) && random_.chance(30);
    call.operand = adds ? value - old : value;
    call.condition = old;
    emit(call);
    if (call.is_nbi || in_session(pe, context)) order(pe, context, OrderName::kQuiet);
}

// A PE waits for words that others change, each after some data.
void Generator::flags() {
    Wait wait{.pe = any_pe()};
    do {
        wait.row = random_.below(static_cast<int>(atomic_routines().size()));
    } while (!atomic_row(wait.row).has_waits);
    wait.name = static_cast<WaitName>(random_.below(kWaitNames));
    const bool is_array = wait.name != WaitName::kWaitUntil && wait.name != WaitName::kTest;
    if (is_array) {
        wait.count = random_.between(1, Wait::kWordsMax);
        wait.included = 0;
        for (int i = 0; i < wait.count; ++i) wait.included |= (random_.chance(80) ? 1U : 0U) << i;
        wait.is_vector = random_.chance(50);
    }
    const AtomicRoutines& row = atomic_row(wait.row);
    const Layout layout = words(row.bytes, static_cast<std::uint32_t>(wait.count));
    const std::optional<BlockOffset> place = find(wait.pe, layout, row.bytes, kChangedByAll);
    if (!place) return;
    claims_.set(Claim::kBusy, wait.pe, *place, layout);
    wait.words = *place;
    std::array<std::uint64_t, Wait::kWordsMax> finals{};
    if (!choose_condition(wait, finals)) return;
    for (int i = 0; i < wait.count; ++i) {
        if ((wait.included >> i & 1) != 0) raise_flag(wait, i, finals[static_cast<std::size_t>(i)]);
    }
    emit(wait);
    claims_.set(Claim::kOwned, wait.pe, *place, layout);
}

// ---- Own memory --------------------------------------------------------------------------------

Transfer Generator::plain_transfer(TransferName name, int pe, int target, BlockOffset place,
                                   std::uint32_t bytes) {
    return {.name = name,
            .pe = pe,
            .target = target,
            .row = static_cast<int>(rma_routines().size()) - 1,  // mem
            .remote = place,
            .remote_layout = words(1, bytes),
            .local = {},
            .local_layout = words(1, bytes),
            .pattern = random_.next()};
}

// A PE stores to its own memory, or puts to another one's, and raises a flag; the other one gets
// what is there. A fence is enough where the flag is a word of the same PE.
void Generator::hand_over() {
    const PeList pes = some_pes(2, 2);
    const int from = pes[0];
    const int to = pes[pes.size() - 1];
    const int owner = random_.chance(70) ? from : to;
    const int holder = random_.chance(50) ? from : to;  // the PE that has the flag
    const std::uint32_t bytes = any_nelems(1, most_bytes_);
    // The other PE may change the byte behind at the same time.
    const bool has_neighbour = random_.chance(40);
    const Layout layout = words(1, bytes + (has_neighbour ? 1 : 0));
    const std::optional<BlockOffset> place =
        find(owner, layout, 1, owner == from && !has_neighbour ? kChangedByOwner : kChangedByAll);
    if (!place) return;
    claims_.set(Claim::kBusy, owner, *place, layout);
    const std::optional<BlockOffset> word =
        find(holder, words(kWordBytes), kWordBytes, kChangedByAll);
    if (!word) return;
    claims_.set(Claim::kBusy, holder, *word, words(kWordBytes));

    if (has_neighbour) {
        emit(plain_transfer(TransferName::kPut, to, owner, {place->block, place->offset + bytes},
                            1));
    }
    emit(plain_transfer(owner == from ? TransferName::kStore : TransferName::kPut, from, owner,
                        *place, bytes));
    order(from, kNoContextArgument,
          owner == holder && random_.chance(70) ? OrderName::kFence : OrderName::kQuiet);
    AtomicCall flag{.name = AtomicName::kSet, .pe = from, .target = holder, .word = *word};
    do {
        flag.row = random_.below(static_cast<int>(atomic_routines().size()));
    } while (!atomic_row(flag.row).has_waits || atomic_row(flag.row).bytes != kWordBytes);
    flag.operand = model_.word(holder, *word, kWordBytes) + 1;
    emit(flag);
    const bool waits = holder == to && random_.chance(50);
    Wait wait{.form = waits ? Wait::Form::kRoutine : Wait::Form::kAtomicFetch,
              .pe = to,
              .target = holder,
              .row = flag.row,
              .words = *word};
    wait.values[0] = flag.operand;
    emit(wait);
    Transfer get = plain_transfer(TransferName::kGet, to, owner, *place, bytes);
    get.context = any_context(to, owner);
    emit(get);
}

}  // namespace tessera::random

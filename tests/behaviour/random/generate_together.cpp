// SPDX-License-Identifier: BSD-3-Clause
//
// See generator.hpp: calls that several PEs make together.
#include <algorithm>
#include <bit>

#include "random/generator.hpp"

namespace tessera::random {
namespace {

Layout words(std::uint32_t bytes, std::uint32_t count = 1) {
    return Layout::contiguous(bytes, count);
}

const AtomicRoutines& atomic_row(int row) {
    return atomic_routines()[static_cast<std::size_t>(row)];
}

}  // namespace

// ---- Contention
// ----------------------------------------------------------------------------------

void Generator::tickets() {
    Tickets call{.how = static_cast<Tickets::How>(random_.below(4)), .pes = some_pes(1, npes_)};
    call.target = any_pe();
    do {
        call.row = random_.below(static_cast<int>(atomic_routines().size()));
    } while (atomic_row(call.row).atomics < kStandardAtomics);
    std::uint32_t total = 0;
    for (int i = 0; i < call.pes.size(); ++i) {
        const int count = random_.between(1, 4);
        call.counts[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(count);
        total += static_cast<std::uint32_t>(count);
    }
    const std::uint32_t bytes = atomic_row(call.row).bytes;
    const auto counter = find(call.target, words(bytes), bytes, kChangedByAll);
    if (!counter) return;
    claims_.set(Claim::kBusy, call.target, *counter, words(bytes));
    const auto marks = find(call.target, words(8, total), 8, kChangedByAll);
    if (!marks) return;
    claims_.set(Claim::kBusy, call.target, *marks, words(8, total));
    call.counter = *counter;
    call.marks = *marks;
    emit(call);
}

void Generator::token_swap() {
    TokenSwap call{.pes = some_pes(2, npes_), .target = any_pe()};
    do {
        call.row = random_.below(static_cast<int>(atomic_routines().size()));
    } while (atomic_row(call.row).atomics < kStandardAtomics);
    const std::uint32_t bytes = atomic_row(call.row).bytes;
    const auto place = find(call.target, words(bytes, 3), bytes, kChangedByAll);
    if (!place) return;
    claims_.set(Claim::kBusy, call.target, *place, words(bytes, 3));
    call.words = *place;
    call.pattern = random_.next();
    emit(call);
}

void Generator::locked_add() {
    LockedAdd call{.pes = some_pes(1, npes_), .target = any_pe()};
    const auto place = find(call.target, words(8, LockedAdd::kWords), 8, kChangedByAll);
    if (!place) return;
    claims_.set(Claim::kBusy, call.target, *place, words(8, LockedAdd::kWords));
    call.words = *place;
    for (int i = 0; i < call.pes.size(); ++i)
        call.counts[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(random_.between(1, 3));
    call.lock = random_.below(4);
    call.by_test = random_.chance(30);
    emit(call);
}

// ---- Syncs
// ---------------------------------------------------------------------------------------

bool Generator::choose_active_set(Collective& call) {
    if (random_.chance(60)) return false;
    const PeList& pes = call.members;
    const int stride = pes.size() > 1 ? pes[1] - pes[0] : 1;
    if (stride < 1 || !std::has_single_bit(static_cast<unsigned>(stride))) return false;
    for (int i = 1; i < pes.size(); ++i) {
        if (pes[i] - pes[i - 1] != stride) return false;
    }
    for (int psync = 0; psync < static_cast<int>(kPsyncCount); ++psync) {
        if ((psyncs_used_ >> psync & 1) != 0) continue;
        psyncs_used_ |= 1U << psync;
        call.psync = psync;
        call.set = {pes[0], std::countr_zero(static_cast<unsigned>(stride)), pes.size()};
        return true;
    }
    return false;
}

void Generator::sync(int team) {
    Collective call{.name = CollectiveName::kSync, .members = members(team), .team = team};
    if (choose_active_set(call) && random_.chance(50)) call.name = CollectiveName::kBarrier;
    emit(call);
}

// Members put to each other, complete that, and sync; then all may read it.
void Generator::exchange() {
    const int team = any_team();
    const PeList& pes = members(team);
    struct Sent {
        int to;
        BlockOffset place;
        Layout layout;
    };
    std::vector<Sent> sent;
    const int count = random_.between(1, 4);
    for (int i = 0; i < count; ++i) {
        const int from = random_.pick(pes);
        const int to = random_.pick(pes);
        Transfer call{.name = TransferName::kPut, .pe = from, .target = to};
        if (random_.chance(30)) call.name = TransferName::kPutNbi;
        call.row = random_.below(static_cast<int>(rma_routines().size()));
        const RmaRoutines& row = rma_routines()[static_cast<std::size_t>(call.row)];
        call.remote_layout = call.local_layout =
            Layout::contiguous(row.element_bytes, any_nelems(row.element_bytes, most_bytes_));
        const auto place = find(to, call.remote_layout, row.alignment, kChangedByAll);
        if (!place) continue;
        claims_.set(Claim::kBusy, to, *place, call.remote_layout);
        call.remote = *place;
        call.pattern = random_.next();
        call.context = any_context(from, to);
        emit(call);
        order(from, call.context, random_.chance(75) ? OrderName::kQuiet : OrderName::kPeQuiet);
        sent.push_back({to, *place, call.remote_layout});
    }
    sync(team);
    for (const Sent& it : sent) {
        const int reader = random_.chance(50) ? it.to : random_.pick(pes);
        Transfer call{.name = TransferName::kGet, .pe = reader, .target = it.to};
        if (reader == it.to) call.name = TransferName::kLoad;
        call.row = static_cast<int>(rma_routines().size()) - 1;
        call.remote = it.place;
        call.remote_layout = call.local_layout = words(1, it.layout.packed_bytes());
        if (reader != it.to) call.context = any_context(reader, it.to);
        emit(call);
        if (reader == it.to) claims_.set(Claim::kOwned, it.to, it.place, it.layout);
    }
}

// ---- Collectives
// ---------------------------------------------------------------------------------

void Generator::collectives() {
    const int count = random_.between(1, 4);
    const int team = any_team();
    for (int i = 0; i < count; ++i) collective(random_.chance(50) ? team : any_team());
}

void Generator::collective(int team) {
    Collective call{.members = members(team), .team = team};
    switch (random_.below(9)) {
        case 0: return sync(team);
        case 1: call.name = CollectiveName::kBroadcast; return move(call);
        case 2: call.name = CollectiveName::kCollect; return move(call);
        case 3: call.name = CollectiveName::kFcollect; return move(call);
        case 4: call.name = CollectiveName::kAlltoall; return move(call);
        case 5: call.name = CollectiveName::kAlltoalls; return move(call);
        default: call.name = CollectiveName::kReduce; return reduce(call);
    }
}

// Finds memory for dest and source on all members, or nothing is claimed.
bool Generator::place_collective(Collective& call, const Layout& dest, const Layout& source,
                                 std::uint32_t alignment) {
    const PeList& pes = call.members;
    if (dest.packed_bytes() == 0 && random_.chance(50)) {
        call.has_null = true;
        call.dest = call.source = {kStaticData, 0};
        return true;
    }
    if (const auto place = find(pes, source, alignment, kReadByOwner)) {
        call.source = *place;
    } else {
        return false;
    }
    for (int pe : pes) {
        if (random_.chance(60)) {
            claims_.own(pe, call.source, source);
        } else {
            claims_.read_by_owner(pe, call.source, source, false);
        }
    }
    const auto place = find(pes, dest, alignment, kChangedByAll);
    if (!place) return false;
    call.dest = *place;
    for (int pe : pes) claims_.set(Claim::kOwned, pe, call.dest, dest);
    return true;
}

void Generator::move(Collective& call) {
    constexpr int kTeamRows = 25;  // The rest is for active sets.
    const bool is_active_set = choose_active_set(call);
    call.row = is_active_set ? kTeamRows + random_.below(2) : random_.below(kTeamRows);
    const MoveRoutines& row = move_routines()[static_cast<std::size_t>(call.row)];
    const auto npes = static_cast<std::uint32_t>(call.members.size());
    const std::uint32_t bytes = row.element_bytes;
    call.nelems = any_nelems(bytes, std::max(most_bytes_ / npes, 2 * bytes));
    call.root = random_.below(call.members.size());
    Layout source = words(bytes, call.nelems);
    switch (call.name) {
        case CollectiveName::kBroadcast: {
            if (!random_.chance(15)) break;
            const auto place = find(call.members, source, row.alignment, kChangedByAll);
            if (!place) return;
            call.dest = call.source = *place;
            for (int pe : call.members) claims_.set(Claim::kOwned, pe, *place, source);
            return emit(call);
        }
        case CollectiveName::kCollect:
            for (std::uint32_t i = 0; i < npes; ++i) {
                const int count = random_.below(static_cast<int>(call.nelems) + 1);
                call.counts[i] = static_cast<std::uint16_t>(count);
            }
            break;
        case CollectiveName::kAlltoall: source = words(bytes, call.nelems * npes); break;
        case CollectiveName::kAlltoalls:
            call.dst = static_cast<std::uint32_t>(random_.between(1, 3));
            call.sst = static_cast<std::uint32_t>(random_.between(1, 3));
            source = {bytes, 1, call.sst, call.nelems * npes};
            break;
        default: break;
    }
    const Layout dest = call.dest_layout(bytes);
    if (!place_collective(call, dest, source, row.alignment)) return;
    emit(call);
    reuse_source(call, source);
}

void Generator::reduce(Collective& call) {
    const bool is_active_set = choose_active_set(call);
    unsigned names = 0;
    do {
        call.row = random_.below(static_cast<int>(reduce_routines().size()));
        call.reduce = static_cast<ReduceName>(random_.below(kReduceNames));
        const ReduceRoutines& row = reduce_routines()[static_cast<std::size_t>(call.row)];
        names = is_active_set ? row.active_names : row.team_names;
    } while ((names & bit_of(call.reduce)) == 0);
    const ReduceRoutines& row = reduce_routines()[static_cast<std::size_t>(call.row)];
    const std::uint32_t bytes = row.element_bytes;
    call.nelems = any_nelems(bytes, most_bytes_);
    const Layout layout = words(bytes, call.nelems);
    const bool is_in_place = random_.chance(35);
    if (is_in_place) {
        const auto place = find(call.members, layout, bytes, kChangedByAll);
        if (!place) return;
        call.dest = call.source = *place;
        for (int pe : call.members) claims_.set(Claim::kOwned, pe, *place, layout);
    } else if (!row.is_floating) {
        if (!place_collective(call, layout, layout, bytes)) return;
        emit(call);
        return reuse_source(call, layout);
    } else {
        const auto source = find(call.members, layout, bytes, kChangedByOwner);
        if (!source) return;
        for (int pe : call.members) claims_.set(Claim::kOwned, pe, *source, layout);
        const auto dest = find(call.members, layout, bytes, kChangedByAll);
        if (!dest) return;
        for (int pe : call.members) claims_.set(Claim::kOwned, pe, *dest, layout);
        call.source = *source;
        call.dest = *dest;
    }
    if (row.is_floating) {
        for (int pe : call.members) {
            emit(StoreValues{.pe = pe,
                             .row = call.row,
                             .place = call.source,
                             .nelems = call.nelems,
                             .pattern = random_.next()});
        }
        // Dest, which is source, must be ready on all PEs when the first one enters.
        if (is_in_place) sync(call.team);
    }
    emit(call);
    if (!is_in_place) reuse_source(call, layout);
}

// A PE that has returned may change its source, whether others are still inside or not.
void Generator::reuse_source(const Collective& call, const Layout& layout) {
    if (call.has_null || layout.packed_bytes() == 0 || random_.chance(60)) return;
    Transfer put{.name = TransferName::kIput};
    const auto rows = rma_routines();
    while (rows[static_cast<std::size_t>(put.row)].element_bytes != layout.element_bytes) ++put.row;
    const bool is_strided = layout.runs > 1;
    const std::uint32_t nelems = is_strided ? layout.runs : layout.run;
    put.remote = call.source;
    put.remote_layout = {layout.element_bytes, 1, is_strided ? layout.stride : 1, nelems};
    put.local_layout = {layout.element_bytes, 1, 1, nelems};
    for (int pe : call.members) {
        if (!claims_.are(kChangedByOwner, pe, call.source, layout)) continue;
        put.pe = put.target = pe;
        put.pattern = random_.next();
        emit(put);
        claims_.set(Claim::kBusy, pe, call.source, layout);
    }
}

}  // namespace tessera::random

// SPDX-License-Identifier: BSD-3-Clause
//
// Calls in words, for messages and for --print.
#include <cstdarg>
#include <cstdio>

#include "random/program.hpp"

namespace tessera::random {
namespace {

[[gnu::format(printf, 1, 2)]] std::string text(const char* format, ...) {
    char buffer[600];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(buffer, sizeof buffer, format, arguments);
    va_end(arguments);
    return buffer;
}

std::string of(BlockOffset place) {
    if (place.block == kPrivate) return "private memory";
    if (place.block == kStaticData) return text("static data + %u", place.offset);
    return text("block %d + %u", place.block, place.offset);
}

std::string of(const Layout& layout) {
    if (layout.runs == 1) return text("%u x %u bytes", layout.run, layout.element_bytes);
    return text("%u runs of %u x %u bytes with stride %u", layout.runs, layout.run,
                layout.element_bytes, layout.stride);
}

std::string of(const PeList& pes) {
    std::string list = "{";
    for (int pe : pes) list += text(list.size() > 1 ? " %d" : "%d", pe);
    return list + "}";
}

std::string context_text(int context) {
    if (context == kNoContextArgument) return "";
    if (context == kDefaultContext) return " on SHMEM_CTX_DEFAULT";
    return text(" on context %d", context);
}

std::string team_text(int team) {
    if (team == kWorldTeam) return "SHMEM_TEAM_WORLD";
    if (team == kSharedTeam) return "SHMEM_TEAM_SHARED";
    return text("team %d", team);
}

std::string of(const Signal& signal) {
    return text("%s signal at %s by %#lx", signal.op == SHMEM_SIGNAL_ADD ? "add to" : "set",
                of(signal.word).c_str(), signal.value);
}

const char* const kComparisonTexts[] = {"==", "!=", "<", "<=", ">", ">="};
const char* comparison_text(int cmp) {
    constexpr int kComparisons[] = {SHMEM_CMP_EQ, SHMEM_CMP_NE, SHMEM_CMP_LT,
                                    SHMEM_CMP_LE, SHMEM_CMP_GT, SHMEM_CMP_GE};
    for (std::size_t i = 0; i < std::size(kComparisons); ++i) {
        if (kComparisons[i] == cmp) return kComparisonTexts[i];
    }
    return "?";
}

std::string words(const Transfer& it) {
    constexpr const char* kNames[] = {"put",        "put_nbi",        "get",   "get_nbi", "p",
                                      "g",          "iput",           "iget",  "ibput",   "ibget",
                                      "put_signal", "put_signal_nbi", "store", "load"};
    std::string signal = has_signal(it.name) ? ", then " + of(it.signal) : "";
    return text("PE %d: %s %s: %s of PE %d (%s) %s %s here (%s)%s%s", it.pe,
                rma_routines()[static_cast<std::size_t>(it.row)].name,
                kNames[static_cast<std::size_t>(it.name)], of(it.remote).c_str(), it.target,
                of(it.remote_layout).c_str(), reads_remote(it.name) ? "to" : "from",
                of(it.local).c_str(), of(it.local_layout).c_str(), context_text(it.context).c_str(),
                signal.c_str());
}

std::string words(const SignalUpdate& it) {
    return text("PE %d: %s of PE %d%s", it.pe, of(it.signal).c_str(), it.target,
                context_text(it.context).c_str());
}

std::string words(const AtomicCall& it) {
    return text("PE %d: %s atomic_%s%s at %s of PE %d, operand %#lx, condition %#lx%s%s", it.pe,
                atomic_routines()[static_cast<std::size_t>(it.row)].name,
                kAtomicNames[static_cast<std::size_t>(it.name)], it.is_nbi ? "_nbi" : "",
                of(it.word).c_str(), it.target, it.operand, it.condition,
                it.is_contended ? ", others too" : "", context_text(it.context).c_str());
}

std::string words(const Order& it) {
    constexpr const char* kNames[] = {"fence", "quiet", "pe_quiet"};
    return text("PE %d: %s%s%s", it.pe, kNames[static_cast<std::size_t>(it.name)],
                context_text(it.context).c_str(),
                it.name == OrderName::kPeQuiet ? (" for " + of(it.targets)).c_str() : "");
}

std::string words(const Wait& it) {
    const char* name = "signal_wait_until";
    std::string type;
    if (it.form == Wait::Form::kSignalFetch) name = "signal_fetch";
    if (it.form == Wait::Form::kAtomicFetch) {
        return text("PE %d: uint64 atomic_fetch of %s of PE %d until it is %#lx", it.pe,
                    of(it.words).c_str(), it.target, it.values[0]);
    }
    if (it.form == Wait::Form::kRoutine) {
        name = kWaitNameTexts[static_cast<std::size_t>(it.name)];
        type = atomic_routines()[static_cast<std::size_t>(it.row)].name;
    }
    return text("PE %d: %s %s%s for %d words at %s, included %#x, %s %#lx%s", it.pe, type.c_str(),
                name, it.form == Wait::Form::kRoutine && it.is_vector ? "_vector" : "", it.count,
                of(it.words).c_str(), it.included, comparison_text(it.cmp), it.values[0],
                it.count > 1 ? "..." : "");
}

std::string words(const StoreValues& it) {
    return text("PE %d: store %u values of type %s at %s", it.pe, it.nelems,
                reduce_routines()[static_cast<std::size_t>(it.row)].name, of(it.place).c_str());
}

std::string words(const Tickets& it) {
    constexpr const char* kHows[] = {"fetch_inc", "fetch_add", "compare_swap", "fetch_inc_nbi"};
    return text("PEs %s: draw tickets by %s %s at %s of PE %d, mark them at %s", of(it.pes).c_str(),
                atomic_routines()[static_cast<std::size_t>(it.row)].name,
                kHows[static_cast<std::size_t>(it.how)], of(it.counter).c_str(), it.target,
                of(it.marks).c_str());
}

std::string words(const TokenSwap& it) {
    return text("PEs %s: swap tokens by %s atomics at %s of PE %d", of(it.pes).c_str(),
                atomic_routines()[static_cast<std::size_t>(it.row)].name, of(it.words).c_str(),
                it.target);
}

std::string words(const LockedAdd& it) {
    return text("PEs %s: %s lock %d and add to %s of PE %d", of(it.pes).c_str(),
                it.by_test ? "test" : "set", it.lock, of(it.words).c_str(), it.target);
}

std::string words(const SplitStrided& it) {
    return text("PEs %s: split %s into team %d: start %d, stride %d, size %d, members %s",
                of(it.parent_members).c_str(), team_text(it.parent).c_str(), it.team, it.start,
                it.stride, it.size, of(it.members).c_str());
}

std::string words(const Split2d& it) {
    return text("PEs %s: split %s in rows of %d: %zu rows from team %d on, then %zu columns",
                of(it.parent_members).c_str(), team_text(it.parent).c_str(), it.xrange,
                it.rows.size(), it.first_team, it.columns.size());
}

std::string words(const DestroyTeam& it) {
    return text("PEs %s: destroy %s", of(it.members).c_str(), team_text(it.team).c_str());
}

std::string words(const TranslatePe& it) {
    return text("PE %d: translate numbers of %s %s to %s %s", it.pe, team_text(it.source).c_str(),
                of(it.source_members).c_str(), team_text(it.dest).c_str(),
                of(it.dest_members).c_str());
}

std::string words(const CreateContext& it) {
    return text("PE %d: create context %d on %s %s with options %#lx", it.pe, it.context,
                team_text(it.team).c_str(), of(it.members).c_str(), it.options);
}

std::string words(const DestroyContext& it) {
    return text("PE %d: destroy context %d", it.pe, it.context);
}

std::string words(const Session& it) {
    return text("PE %d: %s a session on context %d", it.pe, it.starts ? "start" : "stop",
                it.context);
}

std::string words(const Collective& it) {
    constexpr const char* kNames[] = {"sync",     "barrier",  "broadcast", "collect",
                                      "fcollect", "alltoall", "alltoalls"};
    const auto row = static_cast<std::size_t>(it.row);
    std::string name;
    if (it.name == CollectiveName::kReduce) {
        name = std::string(reduce_routines()[row].name) + " " +
               kReduceNameTexts[static_cast<std::size_t>(it.reduce)];
    } else {
        name = kNames[static_cast<std::size_t>(it.name)];
        if (it.name >= CollectiveName::kBroadcast)
            name = std::string(move_routines()[row].name) + " " + name;
    }
    std::string group = team_text(it.team);
    if (it.psync >= 0) {
        group = text("active set %d %d %d with pSync %d", it.set.start, it.set.log_stride,
                     it.set.size, it.psync);
    }
    std::string call =
        text("PEs %s: %s of %s", of(it.members).c_str(), name.c_str(), group.c_str());
    if (it.name < CollectiveName::kBroadcast) return call;
    call += text(", %u elements, dest %s, source %s", it.nelems,
                 it.has_null ? "NULL" : of(it.dest).c_str(),
                 it.has_null ? "NULL" : of(it.source).c_str());
    if (it.name == CollectiveName::kBroadcast) call += text(", root %d", it.root);
    if (it.name == CollectiveName::kAlltoalls) call += text(", dst %u, sst %u", it.dst, it.sst);
    if (it.name == CollectiveName::kCollect) {
        call += ", counts";
        for (int i = 0; i < it.members.size(); ++i)
            call += text(" %d", it.counts[static_cast<std::size_t>(i)]);
    }
    return call;
}

std::string words(const Pause& it) { return text("PE %d: yield %d times", it.pe, it.yields); }

std::string words(const EpochEnd& it) {
    constexpr const char* kKinds[] = {"barrier_all",
                                      "quiet and sync_all",
                                      "quiet and team_sync",
                                      "barrier of an active set",
                                      "init and finalize once more",
                                      ""};
    constexpr const char* kMemory[] = {"malloc",  "calloc", "align", "malloc_with_hints",
                                       "realloc", "free"};
    if (it.kind != EpochEnd::Kind::kMemory)
        return text("all: %s, then compare", kKinds[static_cast<std::size_t>(it.kind)]);
    return text("all: %s block %d, %u bytes, then compare",
                kMemory[static_cast<std::size_t>(it.memory.name)], it.memory.block,
                it.memory.bytes);
}

}  // namespace

std::string words_of(const Call& call) {
    return std::visit([](const auto& it) { return words(it); }, call);
}

}  // namespace tessera::random

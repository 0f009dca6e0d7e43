// SPDX-License-Identifier: BSD-3-Clause
//
// See snapshot.hpp. The node file is read by pread(): loads from a mapping would make pages where
// there are none.
#include "tools/osh_hang/snapshot.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include "base/clock.hpp"
#include "core/internal_segment.hpp"

namespace tessera::osh_hang {
namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::uint64_t kCoarrayBytesMax = std::uint64_t{1} << 20;  // for a name behind the start

// A copy of an object with atomics, as it lies in the file.
template <class T>
struct Copy {
    alignas(T) char bytes[sizeof(T)];
    bool read(int file, std::uint64_t offset) {
        return ::pread(file, bytes, sizeof bytes, static_cast<off_t>(offset)) ==
               static_cast<ssize_t>(sizeof bytes);
    }
    const T& operator*() const { return *reinterpret_cast<const T*>(bytes); }
    const T* operator->() const { return reinterpret_cast<const T*>(bytes); }
};

std::string text_at(pid_t pid, std::uint64_t address) {
    char text[64] = "";
    if (address == 0) return "";
    // The string may end shortly before the end of the mapped memory.
    if (!read_memory(pid, address, text, sizeof text - 1)) {
        const std::size_t rest = kPageBytes - address % kPageBytes;
        if (rest >= sizeof text || !read_memory(pid, address, text, rest)) return "";
    }
    text[sizeof text - 1] = '\0';
    return text;
}

struct Reader {
    int file;
    const heap::NodeLayout& layout;
    std::uint64_t segment;  // place of this PE's internal segment in the file
    pid_t pid;
};

// The offset of a member of slot `slot` of the flags.
std::uint64_t calls_offset(const Reader& reader, std::uint32_t slot) {
    return reader.segment + sizeof(InternalSegment) + slot * sizeof(TeamFlags) +
           offsetof(TeamFlags, calls);
}

std::vector<TeamView> read_teams(const Reader& reader) {
    std::vector<TeamView> teams;
    for (std::uint32_t slot = 0; slot < kTeamSlots; ++slot) {
        const std::uint64_t offset = calls_offset(reader, slot);
        if (slot % 8 == 7) {  // Skip what was never written.
            const off_t data = ::lseek(reader.file, static_cast<off_t>(offset), SEEK_DATA);
            if (data < 0) break;
            const std::uint64_t next =
                (static_cast<std::uint64_t>(data) - reader.segment - sizeof(InternalSegment)) /
                sizeof(TeamFlags);
            if (next >= kTeamSlots) break;
            if (next > slot) slot = static_cast<std::uint32_t>(next);
        }
        Copy<TeamCalls> calls;
        if (!calls.read(reader.file, calls_offset(reader, slot)) || calls->npes == 0) continue;
        TeamView team{.slot = slot,
                      .npes = calls->npes,
                      .my_index = calls->my_index,
                      .first_pe = calls->first_pe,
                      .last_pe = calls->last_pe,
                      .calls = calls->calls.load(std::memory_order_relaxed) - calls->first_call,
                      .routines = {}};
        for (std::uint64_t back = 0; back < TeamCalls::kLast && back < team.calls; ++back) {
            const std::uint64_t stored =
                (calls->calls.load(std::memory_order_relaxed) - back) % TeamCalls::kLast;
            const std::uint64_t mine = (team.calls - back) % TeamCalls::kLast;
            const char* routine = calls->routines[stored].load(std::memory_order_relaxed);
            team.routines[mine] = text_at(reader.pid, reinterpret_cast<std::uint64_t>(routine));
            team.roots[mine] = calls->roots[stored].load(std::memory_order_relaxed);
        }
        teams.push_back(std::move(team));
    }
    return teams;
}

// The meaning of a gate at `offset` behind the start of an internal segment of the node.
void place_in_segment(const Reader& reader, std::uint64_t offset, const PeFacts& facts,
                      Wait& wait) {
    if (offset < sizeof(InternalSegment)) {
        wait.place = GatePlace::kStart;
    } else if (offset < kBoardOffset) {
        wait.place = GatePlace::kTeam;
        wait.slot =
            static_cast<std::uint32_t>((offset - sizeof(InternalSegment)) / sizeof(TeamFlags));
    } else if (offset >= kMailboxesOffset && offset < kStreamsOffset &&
               facts.mailboxes_bytes != 0) {
        wait.place = GatePlace::kTeam;
        wait.slot = static_cast<std::uint32_t>((offset - kMailboxesOffset) / facts.mailboxes_bytes);
    } else if (offset >= kStreamsOffset && offset < kQueueNodesOffset) {
        wait.place = GatePlace::kTeam;
        wait.slot = stream_slot_of(offset - kStreamsOffset);
    } else if (offset >= kQueueNodesOffset && offset < kEpochSlotsOffset) {
        wait.place = GatePlace::kLockQueue;
        wait.node = static_cast<std::uint32_t>((offset - kQueueNodesOffset) / sizeof(QueueNode));
        Copy<QueueNode> node;
        const std::uint64_t begin = offset / sizeof(QueueNode) * sizeof(QueueNode);
        if (node.read(reader.file, reader.segment + begin)) {
            const NodeName before = NodeState(node->state.load(std::memory_order_relaxed)).before();
            if (before.index() != 0) wait.behind = before.pe();
        }
    } else if (offset >= kEpochSlotsOffset) {
        wait.place = GatePlace::kEpoch;
        wait.behind = static_cast<int>((offset - kEpochSlotsOffset) / sizeof(heap::EpochSlot) %
                                       reader.layout.npes_of_job);
    }
}

void read_wait(const Reader& reader, const heap::PeRecord& record, const InternalSegment& internal,
               Wait& wait) {
    char label[sizeof record.waiting_in + 1] = "";
    std::memcpy(label, record.waiting_in, sizeof record.waiting_in);
    wait.routine = label;
    if (wait.routine.empty()) return;
    const std::uint64_t entered = internal.waits.entered.load(std::memory_order_relaxed);
    if (entered != 0) wait.seconds = static_cast<double>(now_ns() - entered) * 1e-9;
    const WaitNote& note = internal.wait_note;
    wait.kind = note.kind.load(std::memory_order_relaxed);
    wait.comparison = note.comparison.load(std::memory_order_relaxed);
    wait.address = note.address.load(std::memory_order_relaxed);
    wait.value = note.value.load(std::memory_order_relaxed);
    wait.word_bytes = note.word_bytes.load(std::memory_order_relaxed);
    wait.count = note.count.load(std::memory_order_relaxed);
    if (wait.kind == WaitKind::kWords && wait.word_bytes == 0) {
        WaitList list;
        if (read_memory(reader.pid, wait.address, &list, sizeof list)) wait.list = list;
    }
    if (wait.kind != WaitKind::kGate ||
        internal.facts.is_complete.load(std::memory_order_relaxed) == 0) {
        return;
    }
    const std::uint64_t offset = wait.address - internal.facts.node_base;
    if (wait.address < internal.facts.node_base || offset >= reader.layout.static_offset) return;
    if (offset < reader.layout.internal_offset) {
        wait.place = GatePlace::kStart;
        return;
    }
    place_in_segment(reader,
                     (offset - reader.layout.internal_offset) % reader.layout.internal_bytes,
                     internal.facts, wait);
}

std::vector<PeLock> read_locks(pid_t pid, std::uint64_t address) {
    std::vector<PeLock> locks;
    if (address == 0) return locks;
    const auto read = [=](std::uint64_t at, void* to, std::size_t bytes) {
        return read_memory(pid, at, to, bytes);
    };
    HeldLocks::visit_in(address, read, [&](const LockKey& key, LockUse use, std::uint32_t node) {
        locks.push_back({.address = reinterpret_cast<std::uint64_t>(key.lock),
                         .pe = key.pe,
                         .use = use,
                         .node = node});
    });
    return locks;
}

// The innermost call in the program's own code: its file is the main program, or has a source line
// and is not this library. Not libc: where Debian's debug information is installed it has lines.
std::string own_place(const call_sites::Stack& stack, const std::string& program) {
    for (const call_sites::Site& site : stack.calls) {
        if (site.module == program) return call_sites::text_of(site);
    }
    return stack.calls.empty() ? "" : call_sites::text_of(stack.calls.front());
}

std::string program_path(pid_t pid) {
    char path[4096] = "";
    const std::string link = "/proc/" + std::to_string(pid) + "/exe";
    return ::readlink(link.c_str(), path, sizeof path - 1) > 0 ? path : "";
}

// The compiler may have made the call inside a routine a jump, so that the routine has no frame.
// Then functions of the library stand right above the program's.
std::optional<call_sites::Entry> entry_without_frame(const call_sites::Stack& stack,
                                                     const std::string& program) {
    for (std::size_t i = 0; i + 1 < stack.calls.size(); ++i) {
        const std::string& function = stack.calls[i].function;
        if (!function.starts_with("tessera::") || stack.calls[i + 1].module != program) continue;
        const bool is_init = function.find("::start") != std::string::npos ||
                             function.find("::init") != std::string::npos;
        return call_sites::Entry{.routine = is_init ? "shmem_init" : "a SHMEM routine",
                                 .caller = stack.calls[i + 1]};
    }
    return {};
}

// A PE that ends while others wait for it asks for the report from its exit handler
// (session/exit.cpp).
std::optional<call_sites::Entry> exit_of(const call_sites::Stack& stack,
                                         const std::string& program) {
    for (std::size_t i = 0; i + 1 < stack.calls.size(); ++i) {
        if (stack.calls[i].function != "exit") continue;
        const bool is_call = stack.calls[i + 1].module == program;
        return call_sites::Entry{.routine = is_call
                                                ? "exit() without shmem_finalize"
                                                : "exit() without shmem_finalize, behind main()",
                                 .caller = is_call ? stack.calls[i + 1] : call_sites::Site{}};
    }
    return {};
}

void read_stack(Snapshot& pe) {
    call_sites::Process process(pe.process.pid);
    std::vector<call_sites::Stack> stacks = process.stacks(pe.complaint);
    for (const call_sites::Stack& stack : stacks) {
        pe.entry = call_sites::entry_of(
            stack, {"shmem_", "pshmem_", "shmemx_", "pshmemx_", "_gfortran_caf_", "dart_"});
        if (pe.entry) break;
    }
    if (pe.entry && pe.entry->routine.starts_with("p")) pe.entry->routine.erase(0, 1);
    pe.is_in_runtime = pe.entry && is_of_runtime(pe.entry->routine);
    if (pe.is_in_runtime) pe.entry->routine = statement_of(pe.entry->routine);
    pe.image = read_image(process, pe.process.pid);
    for (const call_sites::Stack& stack : stacks) {
        if (stack.thread != pe.process.pid) continue;
        if (!pe.entry) pe.entry = exit_of(stack, program_path(pe.process.pid));
        if (!pe.entry) pe.entry = entry_without_frame(stack, program_path(pe.process.pid));
        pe.place = own_place(stack, program_path(pe.process.pid));
    }
    if (!stacks.empty()) pe.complaint.clear();
}

}  // namespace

std::string TeamView::name() const {
    if (slot == kWorldTeamSlot) return "SHMEM_TEAM_WORLD";
    if (slot == kSharedTeamSlot) return "SHMEM_TEAM_SHARED";
    if (slot == kNodeTeamSlot) return "SHMEMX_TEAM_NODE";
    return "a team of " + std::to_string(npes) + " PEs (" + std::to_string(first_pe) + " to " +
           std::to_string(last_pe) + ")";
}

std::string TeamView::routine_of(std::uint64_t call) const {
    if (call == 0 || call > calls || calls - call >= TeamCalls::kLast) return "";
    return routines[call % TeamCalls::kLast];
}

std::optional<int> TeamView::root_of(std::uint64_t call) const {
    if (routine_of(call).find("broadcast") == std::string::npos) return {};
    return roots[call % TeamCalls::kLast];
}

std::string Snapshot::routine() const {
    if (is_in_runtime) return entry->routine;
    if (!wait.routine.empty()) return wait.routine;
    return entry ? entry->routine : "";
}

const TeamView* Snapshot::team_of_wait() const {
    if (!wait.routine.empty() && wait.place == GatePlace::kTeam) {
        const auto found = std::ranges::find(teams, wait.slot, &TeamView::slot);
        return found != teams.end() ? &*found : nullptr;
    }
    // In a part of a collective that does not wait at a gate of the team, a transfer for example.
    const std::string name = !wait.routine.empty() ? wait.routine : routine();
    const auto is_last = [&](const TeamView& team) {
        return team.calls != 0 && !name.empty() && team.routine_of(team.calls) == name;
    };
    const auto found = std::ranges::find_if(teams, is_last);
    const bool is_known = found != teams.end() && std::ranges::count_if(teams, is_last) == 1;
    return is_known ? &*found : nullptr;
}

int NodeFiles::open(const PeProcess& process) {
    Fd file = open_node_file(process);
    struct stat status {};
    if (!file || ::fstat(file.get(), &status) != 0) return -1;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (nodes_[i].inode == status.st_ino) return static_cast<int>(i);
    }
    Copy<heap::NodeLayout> layout;
    if (!layout.read(file.get(), 0) || layout->magic != heap::kNodeMagic) return -1;
    nodes_.push_back({.inode = status.st_ino, .file = std::move(file), .layout = *layout});
    return static_cast<int>(nodes_.size()) - 1;
}

Snapshot NodeFiles::read(const PeProcess& process, int& npes) {
    Snapshot pe;
    pe.process = process;
    pe.node = open(process);
    read_stack(pe);
    if (pe.node < 0) return pe;
    Node& node = nodes_[static_cast<std::size_t>(pe.node)];
    npes = std::max(npes, static_cast<int>(node.layout.npes_of_job));
    pe.range = node.layout.range;
    for (int i = 0; i < node.layout.npes; ++i) {
        const auto index = static_cast<std::uint64_t>(i);
        Copy<heap::PeRecord> record;
        if (!record.read(node.file.get(),
                         node.layout.records_offset + index * sizeof(heap::PeRecord))) {
            continue;
        }
        if (record->pid != process.pid) continue;
        const Reader reader{
            .file = node.file.get(),
            .layout = node.layout,
            .segment = node.layout.internal_offset + index * node.layout.internal_bytes,
            .pid = process.pid};
        pe.has_record = true;
        pe.state = record->state.load(std::memory_order_relaxed);
        pe.static_base = record->static_base;
        pe.static_bytes = record->static_bytes;
        Copy<InternalSegment> internal;
        if (!internal.read(reader.file, reader.segment)) continue;
        read_wait(reader, *record, *internal, pe.wait);
        if (internal->facts.is_complete.load(std::memory_order_relaxed) == 0) continue;
        pe.process.pe = internal->facts.pe;
        pe.heap_base = internal->facts.heap_base;
        pe.teams = read_teams(reader);
        if (pe.state == heap::PeState::kFinalized) continue;
        pe.locks = read_locks(process.pid, internal->held_locks);
    }
    return pe;
}

std::string coarray_at(const Snapshot& pe, std::uint64_t address) {
    std::string best;
    std::uint64_t distance = kCoarrayBytesMax;
    call_sites::Process process(pe.process.pid);
    process.for_each_variable([&](const char* name, std::uint64_t variable, std::uint64_t bytes) {
        const bool is_inner =
            name[0] == '_' && std::string_view(name).find("_MOD_") == std::string_view::npos;
        const bool is_static = variable - pe.static_base < pe.static_bytes;
        const std::string_view text = name;
        if (!is_static || bytes < sizeof address || is_inner) return;
        if (text.find("caf_token") != std::string_view::npos) return;
        std::uint64_t base = 0;  // address of the coarray: a pointer, or the start of a descriptor
        if (!read_memory(pe.process.pid, variable, &base, sizeof base)) return;
        if (base < pe.heap_base || address - base >= distance) return;
        distance = address - base;
        best = call_sites::readable_name(name);
    });
    if (best.empty() || distance == 0) return best;
    return best + "+" + std::to_string(distance);
}

std::string name_of(const Snapshot& pe, std::uint64_t address) {
    char text[96];
    if (address - pe.static_base < pe.static_bytes) {
        if (auto symbol = call_sites::Process(pe.process.pid).symbol_of(address))
            return call_sites::text_of(*symbol);
        std::snprintf(text, sizeof text, "static data + 0x%llx",
                      static_cast<unsigned long long>(address - pe.static_base));
        return text;
    }
    const std::uint64_t offset = address - pe.heap_base;
    if (pe.heap_base != 0 && offset < pe.range.bytes()) {
        if (const std::string coarray = pe.image ? coarray_at(pe, address) : ""; !coarray.empty())
            return coarray;
        const char* part = offset < pe.range.team_begin()    ? "symmetric heap"
                           : offset < pe.range.local_begin() ? "team memory"
                                                             : "local memory";
        const std::uint64_t begin = offset < pe.range.team_begin()    ? 0
                                    : offset < pe.range.local_begin() ? pe.range.team_begin()
                                                                      : pe.range.local_begin();
        std::snprintf(text, sizeof text, "%s + 0x%llx", part,
                      static_cast<unsigned long long>(offset - begin));
        return text;
    }
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
    return text;
}

std::uint64_t same_byte_in(const Snapshot& other, const Snapshot& pe, std::uint64_t address) {
    if (address - pe.static_base < pe.static_bytes) {
        return other.static_bytes == pe.static_bytes ? address - pe.static_base + other.static_base
                                                     : 0;
    }
    if (pe.heap_base == 0 || other.heap_base == 0) return 0;
    return address - pe.heap_base + other.heap_base;
}

}  // namespace tessera::osh_hang

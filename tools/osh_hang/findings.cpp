// SPDX-License-Identifier: BSD-3-Clause
//
// See findings.hpp. A graph says which PE waits for which: a collective waits for the members that
// have not called it, a lock for its holder and those before in the queue.
#include "tools/osh_hang/findings.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "locks/lock.hpp"

namespace tessera::osh_hang {
namespace {

class Analysis {
  public:
    explicit Analysis(const std::vector<Snapshot>& pes) : pes_(pes) {}

    std::vector<std::string> run() {
        look_at_init();
        look_at_teams();
        look_at_active_sets();
        look_at_locks();
        look_at_queues();
        look_at_images();
        look_for_cycle();
        look_for_culprits();
        return lines_;
    }

  private:
    void look_at_init();
    void look_at_teams();
    void look_at_team(const TeamView& team);
    void look_at_calls(const TeamView& team, const std::vector<const Snapshot*>& members);
    bool say_difference(const TeamView& team, std::uint64_t call,
                        const std::map<std::string, std::vector<int>>& by_text);
    void look_at_active_sets();
    void look_at_locks();
    void look_at_lock(const Snapshot& waiter);
    std::vector<int> holders_of(const PeLock& lock, const Snapshot& waiter) const;
    void look_at_queues();
    void look_at_place_in_queue(const Snapshot& pe);
    std::vector<int> awaited_by(const Snapshot& image) const;
    void look_at_images();
    void look_for_cycle();
    void look_for_culprits();
    bool find_cycle(int pe, std::vector<int>& path, std::set<int>& done) const;

    const Snapshot* snapshot_of(int pe) const {
        for (const Snapshot& one : pes_) {
            if (one.process.pe == pe) return &one;
        }
        return nullptr;
    }
    const TeamView* view_of(const Snapshot& pe, const TeamView& team) const {
        for (const TeamView& view : pe.teams) {
            if (view.is_same_team(team)) return &view;
        }
        return nullptr;
    }
    void add_wait(int waiter, int waited_for, const std::string& reason) {
        if (waiter == waited_for) return;
        waits_[waiter].insert(waited_for);
        reasons_[{waiter, waited_for}] = reason;
    }

    const std::vector<Snapshot>& pes_;
    std::vector<std::string> lines_;
    std::map<int, std::set<int>> waits_;
    std::map<std::pair<int, int>, std::string> reasons_;
};

bool is_in_init(const Snapshot& pe) {
    const auto is_init = [](const std::string& name) {
        return name.starts_with("shmem_init") || name.starts_with("shmemx_init") ||
               name == "start_pes";
    };
    return is_init(pe.wait.routine) || (pe.entry && is_init(pe.entry->routine)) ||
           (pe.has_record && pe.state == heap::PeState::kStarting);
}

// Whether the routine is a collective on an active set (deprecated). It is no collective of a team,
// though PEs of one node may do it with the flags of SHMEM_TEAM_WORLD.
bool is_of_active_set(const std::string& routine) {
    constexpr std::string_view kRoutines[] = {"shmem_barrier", "shmem_sync"};
    if (std::ranges::find(kRoutines, routine) != std::end(kRoutines)) return true;
    if (routine.ends_with("_to_all")) return true;
    if (!routine.ends_with("32") && !routine.ends_with("64")) return false;
    constexpr std::string_view kBeginnings[] = {"shmem_broadcast", "shmem_collect",
                                                "shmem_fcollect", "shmem_alltoall"};
    return std::ranges::any_of(kBeginnings,
                               [&](std::string_view begin) { return routine.starts_with(begin); });
}

bool has_not_come_to_init(const Snapshot& pe) {
    return !is_in_init(pe) && (!pe.has_record || pe.state == heap::PeState::kNotStarted);
}

void Analysis::look_at_init() {
    std::vector<int> inside;
    std::vector<int> missing;
    for (const Snapshot& pe : pes_) {
        if (is_in_init(pe)) inside.push_back(pe.process.pe);
        if (has_not_come_to_init(pe)) missing.push_back(pe.process.pe);
    }
    if (inside.empty() || missing.empty()) return;
    lines_.push_back("shmem_init: " + ranges(inside) + " wait there for " + ranges(missing));
    for (int waiter : inside) {
        for (int pe : missing) add_wait(waiter, pe, "shmem_init");
    }
}

void Analysis::look_at_teams() {
    std::vector<TeamView> seen;
    for (const Snapshot& pe : pes_) {
        const TeamView* team = pe.team_of_wait();
        if (team == nullptr) continue;
        if (std::ranges::any_of(seen, [&](const TeamView& o) { return o.is_same_team(*team); }))
            continue;
        seen.push_back(*team);
        look_at_team(*team);
    }
}

// Says which collective each member is in.
void Analysis::look_at_team(const TeamView& team) {
    std::vector<const Snapshot*> members;
    std::uint64_t newest = 0;
    for (const Snapshot& pe : pes_) {
        const TeamView* view = view_of(pe, team);
        if (view == nullptr) continue;
        members.push_back(&pe);
        newest = std::max(newest, view->calls);
    }
    std::map<std::string, std::vector<int>> groups;
    for (const Snapshot* pe : members) {
        const TeamView& view = *view_of(*pe, team);
        const std::string number = ordinal(view.calls);
        const TeamView* of_wait = pe->team_of_wait();
        const bool is_inside = of_wait != nullptr && of_wait->is_same_team(team);
        std::string text;
        if (is_of_active_set(pe->wait.routine)) {
            text = "in " + pe->wait.routine + " of an active set";
        } else if (is_inside) {
            text = "in the " + number + " collective, " + pe->routine() + called_by(*pe);
        } else {
            const std::string last = view.routine_of(view.calls);
            text = view.calls == 0
                       ? "in none of its collectives yet"
                       : "past the " + number + " one" + (last.empty() ? "" : ", " + last);
        }
        groups[text].push_back(pe->process.pe);
        for (const Snapshot* other : members) {
            if (is_inside && !is_of_active_set(pe->wait.routine) &&
                view_of(*other, team)->calls < view.calls) {
                add_wait(pe->process.pe, other->process.pe,
                         "the " + number + " collective of " + team.name());
            }
        }
    }
    std::string line = team.name() + ": ";
    bool is_first = true;
    for (const auto& [text, pes] : groups) {
        line += (is_first ? "" : "; ") + ranges(pes) + (pes.size() == 1 ? " is " : " are ") + text;
        is_first = false;
    }
    lines_.push_back(line);
    look_at_calls(team, members);
}

// Compares the last collectives of the members: routine, and root of broadcasts.
void Analysis::look_at_calls(const TeamView& team, const std::vector<const Snapshot*>& members) {
    std::uint64_t newest = 0;
    for (const Snapshot* pe : members) newest = std::max(newest, view_of(*pe, team)->calls);
    const std::uint64_t first = newest > TeamCalls::kLast ? newest - TeamCalls::kLast + 1 : 1;
    for (std::uint64_t call = first; call <= newest; ++call) {
        std::map<std::string, std::vector<int>> by_routine;
        std::map<std::string, std::vector<int>> by_root;
        for (const Snapshot* pe : members) {
            const TeamView& view = *view_of(*pe, team);
            const std::string routine = view.routine_of(call);
            if (!routine.empty()) by_routine[routine].push_back(pe->process.pe);
            if (auto root = view.root_of(call))
                by_root["root " + std::to_string(*root)].push_back(pe->process.pe);
        }
        // Later calls of members that have parted differ for that reason alone.
        if (say_difference(team, call, by_routine) || say_difference(team, call, by_root)) return;
    }
}

bool Analysis::say_difference(const TeamView& team, std::uint64_t call,
                              const std::map<std::string, std::vector<int>>& by_text) {
    if (by_text.size() < 2) return false;
    std::string line = "The " + ordinal(call) + " collective of " + team.name() + " differs: ";
    bool is_first = true;
    for (const auto& [text, pes] : by_text) {
        line += (is_first ? "" : ", ") + text + " on " + ranges(pes);
        is_first = false;
    }
    lines_.push_back(line + "; all members must call the same routine with the same root");
    return true;
}

// Names the call and the PEs that may be missing. The members are known to the caller alone.
void Analysis::look_at_active_sets() {
    std::map<std::string, std::vector<int>> callers;
    std::vector<int> others;
    for (const Snapshot& pe : pes_) {
        if (is_of_active_set(pe.wait.routine)) {
            callers[pe.wait.routine + called_by(pe)].push_back(pe.process.pe);
        } else {
            others.push_back(pe.process.pe);
        }
    }
    for (const auto& [call, pes] : callers) {
        std::string line =
            "An active set: " + ranges(pes) + (pes.size() == 1 ? " is in " : " are in ") + call;
        if (!others.empty())
            line += "; " + ranges(others) + (others.size() == 1 ? " is not" : " are not");
        lines_.push_back(line);
    }
}

void Analysis::look_at_locks() {
    for (const Snapshot& pe : pes_) {
        if (pe.wait.routine.empty() || pe.wait.kind != WaitKind::kLock) continue;
        look_at_lock(pe);
    }
}

// Every PE's copy of a lock has an entry behind its first word (locks/lock.hpp).
void Analysis::look_at_lock(const Snapshot& waiter) {
    const std::string name = name_of(waiter, waiter.wait.address);
    for (const Snapshot& other : pes_) {
        const std::uint64_t address = same_byte_in(other, waiter, waiter.wait.address);
        std::uint32_t entry = 0;
        if (address == 0 || !read_memory(other.process.pid, address + 4, &entry, sizeof entry))
            continue;
        if ((entry & kLockHeld) != 0) {
            lines_.push_back("Lock " + name + ": " + name_of_pe(other.process.pe) +
                             " has it, and " + name_of_pe(waiter.process.pe) + " waits for it");
            add_wait(waiter.process.pe, other.process.pe, "lock " + name);
        } else if ((entry & kLockNextMask) == static_cast<std::uint32_t>(waiter.process.pe) + 1) {
            lines_.push_back("Lock " + name + ": " + name_of_pe(waiter.process.pe) +
                             " comes behind " + name_of_pe(other.process.pe));
        }
    }
}

// The PEs that have the lock that `waiter` waits for: they have a node for it, and do not wait at
// it.
std::vector<int> Analysis::holders_of(const PeLock& lock, const Snapshot& waiter) const {
    std::vector<int> holders;
    for (const Snapshot& other : pes_) {
        const std::uint64_t address = same_byte_in(other, waiter, lock.address);
        const bool has_it = std::ranges::any_of(other.locks, [&](const PeLock& its) {
            return its.address == address && its.pe == lock.pe && !other.waits_at(its);
        });
        if (has_it && address != 0) holders.push_back(other.process.pe);
    }
    return holders;
}

// Mutexes and reader-writer locks, a line for each; epochs.
void Analysis::look_at_queues() {
    std::map<std::string, std::vector<int>> waiters;
    std::map<std::string, std::vector<int>> holders;
    for (const Snapshot& pe : pes_) {
        const auto lock =
            std::ranges::find_if(pe.locks, [&](const PeLock& one) { return pe.waits_at(one); });
        if (lock == pe.locks.end()) {
            look_at_place_in_queue(pe);
            continue;
        }
        const std::string name = (lock->use == LockUse::kMutex ? "mutex " : "rwlock ") +
                                 name_of(pe, lock->address) + " of " + name_of_pe(lock->pe);
        waiters[name].push_back(pe.process.pe);
        holders[name] = holders_of(*lock, pe);
        for (int holder : holders[name]) add_wait(pe.process.pe, holder, name);
        if (holders[name].empty()) look_at_place_in_queue(pe);
    }
    for (const auto& [name, pes] : waiters) {
        const std::vector<int>& have = holders[name];
        std::string line = name;
        line[0] = static_cast<char>(std::toupper(line[0]));
        line += have.empty() ? ": no PE here has it"
                             : ": " + ranges(have) + (have.size() == 1 ? " has it" : " have it");
        lines_.push_back(line + ", and " + ranges(pes) + (pes.size() == 1 ? " waits" : " wait") +
                         " for it");
    }
}

void Analysis::look_at_place_in_queue(const Snapshot& pe) {
    if (pe.wait.routine.empty() || pe.wait.behind < 0) return;
    add_wait(pe.process.pe, pe.wait.behind, pe.wait.routine);
    lines_.push_back(name_of_pe(pe.process.pe) + " waits in " + pe.wait.routine + " for " +
                     name_of_pe(pe.wait.behind));
}

// The PEs that an image waits for: the partner of sync images; for a statement that is collective
// over a team, its images that are in none.
std::vector<int> Analysis::awaited_by(const Snapshot& image) const {
    if (!image.image || !image.is_waiting() || !image.entry) return {};
    const std::string& statement = image.entry->routine;
    if (statement == "sync images" && image.wait.kind == WaitKind::kWords) {
        const std::uint64_t offset = image.wait.address - image.image->arrived;
        const std::uint64_t index = offset / sizeof(std::uint64_t);
        if (index < kImagesMax) return {static_cast<int>(index)};
    }
    std::vector<int> awaited;
    if (!is_collective(statement)) return awaited;
    for (int pe : image.image->team) {
        const Snapshot* other = snapshot_of(pe);
        const bool is_in_one =
            other != nullptr && other->entry && is_collective(other->entry->routine);
        if (other == nullptr || (other->ended.empty() && !is_in_one)) awaited.push_back(pe);
    }
    return awaited;
}

void Analysis::look_at_images() {
    std::map<std::pair<std::string, std::vector<int>>, std::vector<int>> waiters;
    for (const Snapshot& pe : pes_) {
        const std::vector<int> awaited = awaited_by(pe);
        if (awaited.empty()) continue;
        for (int other : awaited) add_wait(pe.process.pe, other, pe.routine());
        waiters[{pe.routine(), awaited}].push_back(pe.process.pe);
    }
    for (const auto& [statement, pes] : waiters) {
        lines_.push_back(ranges(pes) + (pes.size() == 1 ? " waits in " : " wait in ") +
                         statement.first + " for " + ranges(statement.second));
    }
}

bool Analysis::find_cycle(int pe, std::vector<int>& path, std::set<int>& done) const {
    const auto again = std::ranges::find(path, pe);
    if (again != path.end()) {
        path.erase(path.begin(), again);
        std::rotate(path.begin(), std::ranges::min_element(path), path.end());
        return true;
    }
    if (!done.insert(pe).second) return false;
    const auto next = waits_.find(pe);
    if (next == waits_.end()) return false;
    path.push_back(pe);
    for (int other : next->second) {
        if (find_cycle(other, path, done)) return true;
    }
    path.pop_back();
    return false;
}

void Analysis::look_for_cycle() {
    std::set<int> done;
    for (const auto& [pe, others] : waits_) {
        std::vector<int> path;
        if (!find_cycle(pe, path, done)) continue;
        std::string line = "A cycle: ";
        for (std::size_t i = 0; i < path.size(); ++i) {
            const int next = path[(i + 1) % path.size()];
            line += (i > 0 ? ", " : "") + name_of_pe(path[i]) + " waits for " + name_of_pe(next) +
                    " (" + reasons_.at({path[i], next}) + ")";
        }
        lines_.push_back(line);
        return;
    }
}

// A PE that others wait for, and that waits for none of them.
void Analysis::look_for_culprits() {
    std::set<int> waited_for;
    for (const auto& [pe, others] : waits_) waited_for.insert(others.begin(), others.end());
    for (int pe : waited_for) {
        if (waits_.contains(pe)) continue;
        const Snapshot* snapshot = snapshot_of(pe);
        std::vector<int> waiters;
        for (const auto& [waiter, others] : waits_) {
            if (others.contains(pe)) waiters.push_back(waiter);
        }
        lines_.push_back(name_of_pe(pe) + " holds up " + ranges(waiters) + ": it " +
                         (snapshot != nullptr ? activity(*snapshot)
                                              : "has no process on this host: it has ended, or "
                                                "runs on another host"));
    }
}

}  // namespace

std::vector<std::string> find(const std::vector<Snapshot>& pes) { return Analysis(pes).run(); }

}  // namespace tessera::osh_hang

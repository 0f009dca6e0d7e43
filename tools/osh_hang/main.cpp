// SPDX-License-Identifier: BSD-3-Clause
//
// osh_hang: says what the PEs of a job on this host wait for, and which one holds up the others
// (docs/run/hangs.md). It only reads: the job goes on. Started by users, by oshrun on SIGQUIT and
// --timeout, and by PEs (session/hang_report.hpp).
//   processes.cpp  the PEs of a job        snapshot.cpp  one PE from outside
//   activity.cpp   texts about PEs         findings.cpp  what follows from all of them
//   calls.cpp      names of places in the code of a PE that ends, for that PE
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "tools/osh_hang/calls.hpp"
#include "tools/osh_hang/findings.hpp"
#include "tools/osh_hang/processes.hpp"
#include "tools/osh_hang/snapshot.hpp"

namespace tessera::osh_hang {
namespace {

// By SHMEM_CMP_EQ to SHMEM_CMP_LE, which count from 1.
constexpr const char* kComparisons[] = {"?", "==", "!=", ">", ">=", "<", "<="};
constexpr std::size_t kWordsMax = 16;     // most words of a wait on several
constexpr std::size_t kTeamLinesMax = 8;  // for a PE
constexpr unsigned kAnswerSeconds = 30;
constexpr const char* kFooter =
    "Without PID: all jobs of this user on this host. The report goes to stderr. "
    "docs/run/hangs.md.";

void print(const std::string& line) {
    const std::string text = line + "\n";
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

std::string seconds_text(double seconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f s", seconds);
    return text;
}

// "flag >= 7; it is 0", for the word at `address`.
std::string condition_text(const Snapshot& pe, std::uint64_t address, std::uint32_t word_bytes,
                           std::uint64_t value) {
    const Wait& wait = pe.wait;
    const char* comparison =
        wait.comparison > 0 && wait.comparison <= 6 ? kComparisons[wait.comparison] : "?";
    std::uint64_t now = 0;
    if (word_bytes == 0 || word_bytes > sizeof now) return name_of(pe, address);
    const auto number = [&](std::uint64_t bits) {
        const unsigned shift = 64 - 8 * word_bytes;
        return std::to_string(static_cast<std::int64_t>(bits << shift) >> shift);
    };
    const std::string text = name_of(pe, address) + " " + comparison + " " + number(value);
    const bool is_known = read_memory(pe.process.pid, address, &now, word_bytes);
    return is_known ? text + "; it is " + number(now) : text;
}

// A line for each of several words that count.
void print_list(const Snapshot& pe, const WaitList& list) {
    const std::string& routine = pe.wait.routine;
    const bool needs_all = routine.find("_all") != std::string::npos;
    print(std::string("      for ") + (needs_all ? "all" : "one") + " of " +
          std::to_string(list.count) + " words:");
    std::size_t count = 0;
    for (std::size_t i = 0; i < list.count; ++i) {
        const auto at = [=](const void* start, std::size_t bytes) {
            return reinterpret_cast<std::uint64_t>(start) + bytes;
        };
        int status = 0;
        if (list.status != nullptr)
            read_memory(pe.process.pid, at(list.status, i * sizeof status), &status, sizeof status);
        if (status != 0) continue;
        if (++count > kWordsMax) return print("          ...");
        std::uint64_t value = 0;
        const std::size_t bytes = std::min<std::size_t>(list.word_bytes, sizeof value);
        read_memory(pe.process.pid, at(list.values, i * list.value_step * bytes), &value, bytes);
        print("          " + condition_text(pe, at(list.words, i * bytes), list.word_bytes, value));
    }
}

void print_wait(const Snapshot& pe) {
    if (pe.wait.routine.empty() || pe.wait.kind != WaitKind::kWords) return;
    // The runtime's own words say nothing to the user.
    if (pe.image && coarray_at(pe, pe.wait.address).empty()) return;
    if (pe.wait.list) return print_list(pe, *pe.wait.list);
    print("      for " + condition_text(pe, pe.wait.address, pe.wait.word_bytes, pe.wait.value));
}

// A line for each team; one for all teams of which it would be the same, as of a program that makes
// many; the team that the PE waits in comes first.
void print_teams(const Snapshot& pe) {
    std::vector<std::pair<std::string, std::size_t>> lines;
    const TeamView* waited = pe.team_of_wait();
    for (const TeamView& team : pe.teams) {
        if (team.calls == 0) continue;
        const std::string last = team.routine_of(team.calls);
        const std::string line =
            "      " + team.name() + ": " + std::to_string(team.calls) +
            (team.calls == 1 ? " collective called, " : " collectives called, the last one ") +
            (last.empty() ? "unknown" : last);
        const auto same =
            std::ranges::find(lines, line, &std::pair<std::string, std::size_t>::first);
        if (&team == waited) {
            lines.insert(lines.begin(), {line, 1});
        } else if (same != lines.end()) {
            ++same->second;
        } else {
            lines.emplace_back(line, 1);
        }
    }
    for (std::size_t i = 0; i < lines.size() && i < kTeamLinesMax; ++i) {
        const auto& [line, count] = lines[i];
        print(count == 1 ? line : line + " (" + std::to_string(count) + " such teams)");
    }
    if (lines.size() > kTeamLinesMax)
        print("      and " + std::to_string(lines.size() - kTeamLinesMax) + " other teams");
}

void print_pe(const Snapshot& pe) {
    std::string line = "  " + name_of_pe(pe.process.pe);
    line[2] = static_cast<char>(std::toupper(line[2]));
    if (pe.ended.empty()) line += " (pid " + std::to_string(pe.process.pid) + ")";
    line += " " + activity(pe);
    if (!pe.wait.routine.empty() && pe.wait.seconds > 0)
        line += ", since " + seconds_text(pe.wait.seconds);
    print(line);
    print_wait(pe);
    if (!pe.image) print_teams(pe);  // Collectives of coarray programs are not those of teams.
    if (!pe.complaint.empty() && pe.ended.empty()) print("      no stack: " + pe.complaint);
}

// For a PE that waits for names of places in its code. The 0 ends the answer.
int answer(int file, const std::string& text) {
    const std::size_t bytes = text.size() + 1;
    return ::write(file, text.c_str(), bytes) == static_cast<ssize_t>(bytes) ? 0 : 1;
}

// One report on a job at a time: PEs that find the same hang ask at once.
bool claim(const std::string& job) {
    const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string name = "tessera-hang " + job;
    const std::size_t length = std::min(name.size(), sizeof address.sun_path - 2);
    std::memcpy(address.sun_path + 1, name.data(), length);
    return ::bind(socket, reinterpret_cast<const sockaddr*>(&address),
                  static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length)) == 0;
}

struct Ended {
    int pe;
    std::string text;
};

// RETURNS: false: another process reports on the job.
bool report(const PeProcess& any, const std::vector<Ended>& ended) {
    if (!claim(any.job)) return false;
    NodeFiles files;
    std::vector<Snapshot> pes;
    int npes = 0;
    for (const PeProcess& process : find_job(any)) pes.push_back(files.read(process, npes));
    for (const Ended& one : ended) {
        std::erase_if(pes, [&](const Snapshot& pe) { return pe.process.pe == one.pe; });
        Snapshot gone{};
        gone.process.pe = one.pe;
        gone.ended = one.text;
        pes.push_back(std::move(gone));
    }
    std::ranges::sort(pes, {}, [](const Snapshot& pe) { return pe.process.pe; });
    call_pes_images(std::ranges::any_of(pes, [](const Snapshot& pe) { return !!pe.image; }));
    char host[256] = "";
    ::gethostname(host, sizeof host - 1);
    print("osh_hang: " + std::to_string(pes.size()) + " PEs on host " + host +
          (npes > static_cast<int>(pes.size())
               ? " (of " + std::to_string(npes) + ": the others have ended, or are elsewhere)"
               : ""));
    for (const Snapshot& pe : pes) print_pe(pe);
    for (const std::string& line : find(pes)) print("  => " + line);
    return true;
}

}  // namespace
}  // namespace tessera::osh_hang

int main(int argc, char** argv) {
    namespace hang = tessera::osh_hang;
    CLI::App parser("Says what the PEs of jobs on this host wait for.", "osh_hang");
    std::vector<int> pids;
    std::vector<std::string> ended_texts;
    int asking = 0;
    parser.add_option("PID", pids, "Any process of a job");
    parser.add_option("--asked-by", asking, "As PID, for PEs that ask")->type_name("PID");
    parser.add_option("--ended", ended_texts, "A PE that has no process any more, for oshrun")
        ->type_name("PE:TEXT");
    int answer_to = -1;
    std::string caller_in;
    std::string calls;
    parser.add_option("--answer-to", answer_to, "For PEs that end")->type_name("FD")->group("");
    parser.add_option("--caller-in", caller_in, "For PEs that end")->type_name("LIST")->group("");
    parser.add_option("--calls", calls, "For PEs that end")->type_name("LIST")->group("");
    std::string maps;
    parser.add_option("--maps", maps, "For osh_report")->type_name("FILE")->group("");
    parser.set_version_flag("--version", "osh_hang (Tessera) " TESSERA_VERSION);
    parser.footer(hang::kFooter);
    CLI11_PARSE(parser, argc, argv);
    if (!maps.empty()) return std::fputs(hang::lines_text(maps, calls).c_str(), stdout) < 0 ? 1 : 0;
    if (answer_to >= 0 && pids.size() == 1) {
        const pid_t pid = pids.front();
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // The PE waits for the answer.
        ::alarm(hang::kAnswerSeconds);
        return hang::answer(answer_to, caller_in.empty() ? hang::calls_text(pid, calls)
                                                         : hang::caller_text(pid, caller_in));
    }
    if (asking != 0) pids.push_back(asking);
    std::vector<hang::Ended> ended;
    for (const std::string& text : ended_texts) {
        const std::size_t colon = text.find(':');
        if (colon == std::string::npos) continue;
        ended.push_back({.pe = std::atoi(text.c_str()), .text = text.substr(colon + 1)});
    }
    std::vector<hang::PeProcess> jobs;
    if (pids.empty()) {
        for (hang::PeProcess& process : hang::find_pes()) {
            if (std::ranges::none_of(jobs, [&](const auto& job) { return job.job == process.job; }))
                jobs.push_back(process);
        }
    }
    for (int pid : pids) {
        hang::PeProcess process = hang::look_at(pid);
        if (process.pid == 0) {
            hang::print("osh_hang: process " + std::to_string(pid) +
                        " is no PE of a Tessera job, or may not be read");
            return 1;
        }
        jobs.push_back(std::move(process));
    }
    if (jobs.empty()) hang::print("osh_hang: there are no PEs of this user on this host");
    int code = jobs.empty() ? 1 : 0;
    for (const hang::PeProcess& job : jobs) {
        if (!hang::report(job, ended)) code = 1;
    }
    return code;
}

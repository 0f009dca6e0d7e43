// SPDX-License-Identifier: BSD-3-Clause
//
// osh_hang: says what the PEs of a job on this host wait for, and which one holds up the others
// (docs/hangs.md). It only reads: the job goes on. Started by users, by oshrun on SIGQUIT and
// --timeout, and by PEs (core/hang_report.hpp).
//   processes.cpp  the PEs of a job        snapshot.cpp  one PE from outside
//   activity.cpp   texts about PEs         findings.cpp  what follows from all of them
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "tools/osh_hang/findings.hpp"
#include "tools/osh_hang/processes.hpp"
#include "tools/osh_hang/snapshot.hpp"

namespace tessera::osh_hang {
namespace {

// By SHMEM_CMP_EQ to SHMEM_CMP_LE, which count from 1.
constexpr const char* kComparisons[] = {"?", "==", "!=", ">", ">=", "<", "<="};
constexpr const char* kFooter =
    "Without PID: all jobs of this user on this host. The report goes to stderr. docs/hangs.md.";

void print(const std::string& line) {
    const std::string text = line + "\n";
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

std::string seconds_text(double seconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f s", seconds);
    return text;
}

// The condition of a wait on words, with the word's value now.
std::string condition_text(const Snapshot& pe) {
    const Wait& wait = pe.wait;
    const char* comparison =
        wait.comparison > 0 && wait.comparison <= 6 ? kComparisons[wait.comparison] : "?";
    std::string text = name_of(pe, wait.address);
    if (wait.count > 1) text = "one or all of " + std::to_string(wait.count) + " words at " + text;
    std::uint64_t now = 0;
    const bool is_known = wait.word_bytes <= sizeof now &&
                          read_memory(pe.process.pid, wait.address, &now, wait.word_bytes);
    const auto number = [&](std::uint64_t bits) {
        const unsigned shift = 64 - 8 * wait.word_bytes;
        return std::to_string(static_cast<std::int64_t>(bits << shift) >> shift);
    };
    text += std::string(" ") + comparison + " " + number(wait.value);
    if (is_known && wait.count <= 1) text += "; it is " + number(now);
    return text;
}

void print_pe(const Snapshot& pe) {
    std::string line = "  PE " + std::to_string(pe.process.pe);
    if (pe.ended.empty()) line += " (pid " + std::to_string(pe.process.pid) + ")";
    line += " " + activity(pe);
    if (!pe.wait.routine.empty() && pe.wait.seconds > 0) {
        line += ", since " + seconds_text(pe.wait.seconds);
    }
    print(line);
    if (!pe.wait.routine.empty() && pe.wait.kind == WaitKind::kWords) {
        print("      for " + condition_text(pe));
    }
    for (const TeamView& team : pe.teams) {
        if (team.calls == 0) continue;
        const std::string last = team.routine_of(team.calls);
        print("      " + team.name() + ": " + std::to_string(team.calls) +
              (team.calls == 1 ? " collective called, " : " collectives called, the last one ") +
              (last.empty() ? "unknown" : last));
    }
    if (!pe.complaint.empty() && pe.ended.empty()) print("      no stack: " + pe.complaint);
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

void report(const PeProcess& any, const std::vector<Ended>& ended) {
    if (!claim(any.job)) return;
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
    char host[256] = "";
    ::gethostname(host, sizeof host - 1);
    print("osh_hang: " + std::to_string(pes.size()) + " PEs on host " + host +
          (npes > static_cast<int>(pes.size())
               ? " (of " + std::to_string(npes) + ": the others have ended, or are elsewhere)"
               : ""));
    for (const Snapshot& pe : pes) print_pe(pe);
    for (const std::string& line : find(pes)) print("  => " + line);
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
    parser.set_version_flag("--version", "osh_hang (Tessera) " TESSERA_VERSION);
    parser.footer(hang::kFooter);
    CLI11_PARSE(parser, argc, argv);
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
    for (const hang::PeProcess& job : jobs) hang::report(job, ended);
    return jobs.empty() ? 1 : 0;
}

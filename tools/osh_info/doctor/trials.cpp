// SPDX-License-Identifier: BSD-3-Clause
//
// See checks.hpp: small jobs of this program's own parts (parts.cpp), started as a user starts a
// job. They find what no other check looks for, and report the message that a user would see.
#include <algorithm>
#include <cstdio>
#include <sstream>

#include "tools/osh_info/doctor/checks.hpp"
#include "tools/osh_info/doctor/command.hpp"
#include "tools/osh_info/doctor/launchers.hpp"
#include "tools/osh_info/doctor/parts.hpp"

namespace tessera::osh_info {
namespace {

constexpr int kTrialPes = 2;
// oshrun ends the job itself; the second limit is for an oshrun that hangs.
constexpr int kTrialSeconds = 30;
constexpr int kHostsSeconds = 60;
constexpr int kEndSeconds = 15;
constexpr int kLinesShown = 12;
constexpr double kClockSecondsMax = 1;
constexpr const char* kTrialRemedy =
    "see the findings above, then the message; SHMEM_LOG=setup,launch,fabric oshrun --verbose ... "
    "shows the steps of a start";

Outcome run_job(std::vector<std::string> options, const char* part, int seconds) {
    std::vector<std::string> words = {oshrun_path(), "--timeout", std::to_string(seconds)};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {own_path(), "--doctor-part", part});
    return run(words, seconds + kEndSeconds);
}

std::string failure_text(const Outcome& outcome, const std::string& job) {
    if (outcome.exit_code == -1) return job + " does not start: there is no oshrun";
    const std::string how = outcome.timed_out ? " hangs" : " fails";
    return job + how + " (exit code " + std::to_string(outcome.exit_code) + "):\n" +
           last_lines(outcome.out, kLinesShown);
}

Finding trial(const Outcome& outcome, const std::string& job) {
    if (outcome.exit_code == 0) return ok(job + " runs");
    return problem(failure_text(outcome, job), kTrialRemedy);
}

// --host a:1,b:1 -n 2: a PE on each host.
std::vector<std::string> options_of_hosts(const Subject& subject, std::size_t& count) {
    std::string ignored;  // launcher_of() has complained before.
    std::vector<oshrun::Host> hosts = hosts_of(subject, ignored);
    for (oshrun::Host& host : hosts) host.slots = 1;
    count = hosts.empty() ? static_cast<std::size_t>(hosts_of_allocation()) : hosts.size();
    std::vector<std::string> words = {"-n", std::to_string(count), "--ntasks-per-node", "1"};
    if (!hosts.empty()) words.insert(words.end(), {"--host", host_list(hosts)});
    return words;
}

// The lines of the self test (parts.hpp) as findings. `hosts` counts those that have answered.
Findings judge_connections(const std::string& output, std::size_t& hosts) {
    Findings findings;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string kind;
        std::string host;
        words >> kind >> host;
        if (kind == kReachedWord) ++hosts;
        if (kind == kBlockedWord) {
            std::string other;
            std::string address;
            std::string reason;
            words >> other >> address;
            std::getline(words >> std::ws, reason);
            findings.push_back(problem(
                host + " cannot connect to " + other + " at " + address + ": " + reason,
                "open TCP between the hosts in both directions (firewall-cmd --zone=trusted "
                "--add-source=NETWORK, iptables -A INPUT -s NETWORK -j ACCEPT); to open few ports, "
                "set FI_TCP_PORT_LOW_RANGE and FI_TCP_PORT_HIGH_RANGE; SHMEM_OFI_INTERFACE takes "
                "another network"));
        }
        double seconds = 0;
        if (kind == kClockWord && words >> seconds && std::abs(seconds) > kClockSecondsMax) {
            char text[64];
            std::snprintf(text, sizeof text, "%.1f s %s", std::abs(seconds),
                          seconds > 0 ? "ahead" : "behind");
            findings.push_back(note("the clock of " + host + " is " + text,
                                    "start chronyd or ntpd on every host; munge of Slurm refuses "
                                    "credentials of hosts whose clocks differ"));
        }
    }
    return findings;
}

}  // namespace

Findings check_start(const Subject& subject) {
    const int npes = std::clamp(subject.npes, 1, kTrialPes);
    const Outcome outcome =
        run_job({"--launcher", "local", "-n", std::to_string(npes)}, "pe", kTrialSeconds);
    return {trial(outcome, "a job of " + std::to_string(npes) + " PEs on this host")};
}

Findings check_start_on_nodes(const Subject& subject) {
    const Outcome outcome =
        run_job({"--launcher", "local", "--virtual-nodes", "2", "-n", "2"}, "pe", kTrialSeconds);
    const std::string job = "a job of 2 virtual nodes, through PMIx and libfabric,";
    if (outcome.exit_code == 0) return {ok(job + " runs")};
    return {hosts_problem(subject, failure_text(outcome, job), kTrialRemedy)};
}

Findings check_connections(const Subject& subject) {
    std::string error;
    launcher_of(subject, error);
    if (!is_for_several_hosts(subject)) return {ok("not tried: no hosts are named")};
    if (!error.empty()) return {problem("not tried: " + error, "see launchers above")};
    std::size_t wanted = 0;
    const std::vector<std::string> options = options_of_hosts(subject, wanted);
    if (wanted == 1)
        return {trial(run_job(options, "pe", kHostsSeconds), "a job on " + subject.hosts)};
    const Outcome outcome = run_job(options, "connections", kHostsSeconds);
    const std::string count = std::to_string(wanted) + " hosts";
    if (outcome.exit_code != 0) {
        return {problem(failure_text(outcome, "a job on " + count),
                        "try the launcher with a plain command on these hosts (mpirun --host "
                        "a,b hostname; srun -N 2 hostname), and ssh between them without a "
                        "password")};
    }
    std::size_t hosts = 0;
    Findings findings = judge_connections(outcome.out, hosts);
    if (hosts < wanted) {
        findings.push_back(problem("only " + std::to_string(hosts) + " of " + count +
                                       " took part:\n" + last_lines(outcome.out, kLinesShown),
                                   "give each host once, and by one name"));
    }
    if (!findings.empty()) return findings;
    const Outcome start = run_job(options, "pe", kHostsSeconds);
    return {ok("each of " + count + " reaches every other one"), trial(start, "a job on " + count)};
}

}  // namespace tessera::osh_info

// SPDX-License-Identifier: BSD-3-Clause
//
// See doctor.hpp. To add a check: a function in checks.hpp, a row here and one in
// docs/run/doctor.md.
#include "tools/osh_info/doctor/doctor.hpp"

#include <algorithm>
#include <cstdio>

#include "tools/osh_info/doctor/checks.hpp"

namespace tessera::osh_info {
namespace {

struct Check {
    const char* name;
    Findings (*look)(const Subject& subject);
};

// Limits first: the last checks start jobs, whose failures the earlier findings explain.
constexpr Check kChecks[] = {
    {"open files", check_open_files},
    {"processes", check_processes},
    {"address space", check_address_space},
    {"heap address", check_heap_address},
    {"file size", check_file_size},
    {"locked memory", check_locked_memory},
    {"memory", check_memory},
    {"cores", check_cores},
    {"huge pages", check_huge_pages},
    {"/dev/shm", check_shared_memory},
    {"left files", check_left_files},
    {"public memory", check_public_memory},
    {"temporary folder", check_temporary_folder},
    {"process access", check_process_access},
    {"launchers", check_launchers},
    {"PMIx library", check_pmix_library},
    {"library path", check_library_path},
    {"host name", check_host_name},
    {"hosts", check_hosts},
    {"fabric", check_fabric},
    {"start", check_start},
    {"start on nodes", check_start_on_nodes},
    {"connections", check_connections},
};

constexpr const char* kVerdictNames[] = {"ok", "note", "problem"};
constexpr const char* kContinuation = "                            ";

// "name              verdict  text", then "do: remedy" below the text.
void print_finding(const char* name, const Finding& finding) {
    const auto indented = [](std::string text) {
        for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos;)
            text.insert(++at, kContinuation);
        return text;
    };
    std::printf("%-17s  %-7s  %s\n", name, kVerdictNames[static_cast<int>(finding.verdict)],
                indented(finding.text).c_str());
    if (!finding.remedy.empty())
        std::printf("%sdo: %s\n", kContinuation, indented(finding.remedy).c_str());
    std::fflush(stdout);
}

}  // namespace

int run_doctor(const Config& config, const std::string& hosts, int npes) {
    Subject subject{.hosts = hosts, .npes = npes, .config = config, .facts = topology::discover()};
    if (npes == 0) subject.npes = std::max(1, static_cast<int>(subject.facts.usable_cores));
    int counts[3] = {};
    for (const Check& check : kChecks) {
        for (const Finding& finding : check.look(subject)) {
            ++counts[static_cast<int>(finding.verdict)];
            print_finding(check.name, finding);
        }
    }
    const int problems = counts[static_cast<int>(Verdict::kProblem)];
    std::printf("%d problem%s, %d note%s\n", problems, problems == 1 ? "" : "s",
                counts[static_cast<int>(Verdict::kNote)],
                counts[static_cast<int>(Verdict::kNote)] == 1 ? "" : "s");
    return problems > 0 ? 1 : 0;
}

}  // namespace tessera::osh_info

// SPDX-License-Identifier: BSD-3-Clause
//
// See checks.hpp: the programs that start PEs, and the libraries that PEs load.
#include "tools/osh_info/doctor/launchers.hpp"

#include <unistd.h>

#include "base/environment.hpp"
#include "tools/osh_info/doctor/checks.hpp"
#include "tools/osh_info/doctor/command.hpp"
#include "tools/osh_info/doctor/text.hpp"
#include "tools/osh_info/report.hpp"
#include "tools/oshrun/launcher_command.hpp"

namespace tessera::osh_info {
namespace {

constexpr int kAnswerSeconds = 20;

// A launcher's answer about itself.
struct LauncherFacts {
    std::string text;
    bool has_pmix = false;
    const char* remedy = "";
};

LauncherFacts look_at_srun() {
    const Outcome list = run({"srun", "--mpi=list"}, kAnswerSeconds);
    const Outcome version = run({"srun", "--version"}, kAnswerSeconds);
    if (list.exit_code != 0) {
        return {.text = "does not know its cluster: " + last_lines(list.out, 1),
                .remedy =
                    "none, unless this machine belongs to a Slurm cluster: then correct "
                    "slurm.conf, or SLURM_CONF"};
    }
    LauncherFacts facts{.text = last_lines(version.out, 1),
                        .has_pmix = list.out.find("pmix") != std::string::npos,
                        .remedy =
                            "install Slurm's PMIx plugin (mpi_pmix.so; Debian: "
                            "slurm-wlm-mpi-plugins) on all hosts; until then use mpirun"};
    if (facts.has_pmix) {
        facts.text += " with PMIx";
    } else {
        facts.text += " offers no PMIx; srun --mpi=list says:\n" + last_lines(list.out, 5);
    }
    return facts;
}

LauncherFacts look_at_mpirun(const std::string& program) {
    const Outcome version = run({program, "--version"}, kAnswerSeconds);
    const std::string first = version.out.substr(0, version.out.find('\n'));
    const bool is_known = oshrun::mpirun_kind(version.out) != oshrun::MpirunKind::kUnknown;
    if (program == "prterun" || is_known) return {.text = first + ", with PMIx", .has_pmix = true};
    return {.text = "is not Open MPI's, and other ones offer no PMIx; it says: " + first,
            .remedy =
                "put mpirun of Open MPI 4 or later before it in PATH (Debian: openmpi-bin), "
                "or start by srun --mpi=pmix"};
}

// A library that the loader finds by LD_LIBRARY_PATH before its own places.
std::string picked_by_variable(const std::string& library) {
    const char* value = environment("LD_LIBRARY_PATH");
    std::string_view folders = value != nullptr ? value : "";
    while (!folders.empty()) {
        const std::string folder(folders.substr(0, folders.find(':')));
        folders.remove_prefix(std::min(folders.size(), folder.size() + 1));
        const std::string path = folder + "/" + library;
        if (!folder.empty() && ::access(path.c_str(), R_OK) == 0) return path;
    }
    return "";
}

// In a child: constructors of such libraries start threads and install handlers.
Outcome load(const std::string& library) {
    return run({own_path(), "--doctor-part", "load=" + library}, kAnswerSeconds);
}

}  // namespace

oshrun::Surroundings surroundings() {
    return {.variable = environment,
            .has_program = [](const std::string& name) { return !path_of(name).empty(); }};
}

int hosts_of_allocation() { return oshrun::nodes_of_allocation(surroundings()); }

bool is_for_several_hosts(const Subject& subject) {
    return !subject.hosts.empty() || hosts_of_allocation() > 1;
}

Finding hosts_problem(const Subject& subject, std::string text, std::string remedy) {
    if (is_for_several_hosts(subject)) return problem(std::move(text), std::move(remedy));
    return note(text + "; only jobs on several hosts need it", std::move(remedy));
}

std::vector<oshrun::Host> hosts_of(const Subject& subject, std::string& error) {
    std::vector<oshrun::Host> hosts;
    error = subject.hosts.empty() ? "" : oshrun::add_hosts(subject.hosts, hosts);
    return hosts;
}

oshrun::Launcher launcher_of(const Subject& subject, std::string& error) {
    oshrun::Options options;
    options.hosts = hosts_of(subject, error);
    if (!error.empty()) return oshrun::Launcher::kLocal;
    return oshrun::choose_launcher(options, surroundings(), error);
}

Findings check_launchers(const Subject& subject) {
    Findings findings;
    if (oshrun_path().empty()) {
        findings.push_back(problem("there is no oshrun beside osh_info, and none in PATH",
                                   "install all of Tessera's tools (Debian: tessera-tools)"));
    }
    std::string error;
    const std::string_view chosen = launcher_name(launcher_of(subject, error));
    if (is_for_several_hosts(subject) && !error.empty()) {
        findings.push_back(problem(error,
                                   "apt-get install openmpi-bin, or start inside a Slurm "
                                   "allocation (salloc)"));
    }
    int found = 0;
    for (const std::string name : {"srun", "prterun", "mpirun"}) {
        const std::string path = path_of(name);
        if (path.empty()) continue;
        ++found;
        const LauncherFacts facts = name == "srun" ? look_at_srun() : look_at_mpirun(name);
        const std::string text = path + ": " + facts.text;
        if (facts.has_pmix) {
            findings.push_back(ok(text + (chosen == name ? " (oshrun would use it)" : "")));
        } else if (chosen == name) {
            findings.push_back(problem(text, facts.remedy));
        } else {
            findings.push_back(note(text, facts.remedy));
        }
    }
    if (found == 0 && error.empty())
        findings.push_back(ok("oshrun only; jobs on several hosts need srun, prterun or mpirun"));
    return findings;
}

Findings check_pmix_library(const Subject& subject) {
    std::string errors;
    for (const char* name : {"libpmix.so.2", pmix_library()}) {
        const Outcome loaded = load(name);
        if (loaded.exit_code == 0) return {ok(last_lines(loaded.out, 1))};
        if (!errors.empty()) errors += "\n";
        errors += last_lines(loaded.out, 1);
    }
    return {hosts_problem(subject, errors, "apt-get install libpmix2, or repair the file")};
}

Findings check_library_path(const Subject& subject) {
    Findings findings;
    for (const std::string name : {"libpmix.so.2", "libfabric.so.1", "libhwloc.so.15"}) {
        const std::string path = picked_by_variable(name);
        if (path.empty()) continue;
        const char* const remedy = "take its folder out of LD_LIBRARY_PATH, unless you mean it";
        const Outcome loaded = load(path);
        const std::string text = "LD_LIBRARY_PATH picks " + path;
        if (loaded.exit_code == 0) {
            findings.push_back(note(text + " instead of the system's", remedy));
        } else {
            findings.push_back(hosts_problem(
                subject, text + ", which cannot be loaded: " + last_lines(loaded.out, 1), remedy));
        }
    }
    if (findings.empty()) findings.push_back(ok("picks none of the libraries that PEs load"));
    return findings;
}

}  // namespace tessera::osh_info

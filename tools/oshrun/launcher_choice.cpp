// SPDX-License-Identifier: BSD-3-Clause
//
// See launcher_choice.hpp.
#include "launcher_choice.hpp"

#include <cstdlib>

namespace tessera::oshrun {
namespace {

// Step numbers from here on are no steps with tasks: batch scripts, shells of salloc.
constexpr unsigned long kFirstSpecialStep = 0xfffffff0UL;

constexpr const char* kNoMpirun =
    "--host and --hostfile need prterun or mpirun, and neither is in PATH; install PRRTE or Open "
    "MPI (package openmpi-bin), or use Slurm: in an allocation (salloc, sbatch) oshrun needs no "
    "hosts";

// Whether this process is itself a task of a job; oshrun must not use that job's hosts.
bool is_inside_job(const Surroundings& surroundings) {
    if (surroundings.variable("PMIX_RANK") != nullptr) return true;
    const char* step = surroundings.variable("SLURM_STEP_ID");
    return step != nullptr && std::strtoul(step, nullptr, 10) < kFirstSpecialStep;
}

Launcher find_launcher_of_hosts(const Surroundings& surroundings, std::string& error) {
    if (surroundings.has_program("prterun")) return Launcher::kPrterun;
    if (surroundings.has_program("mpirun")) return Launcher::kMpirun;
    bool is_allocated = nodes_of_allocation(surroundings) > 0;
    if (is_allocated && surroundings.has_program("srun")) return Launcher::kSrun;
    error = kNoMpirun;
    return Launcher::kLocal;
}

Launcher find_launcher(const Options& options, const Surroundings& surroundings,
                       std::string& error) {
    if (!options.hosts.empty()) return find_launcher_of_hosts(surroundings, error);
    int nodes = nodes_of_allocation(surroundings);
    if (nodes < 2 || is_inside_job(surroundings)) return Launcher::kLocal;
    if (surroundings.has_program("srun")) return Launcher::kSrun;
    error = "this Slurm allocation has " + std::to_string(nodes) +
            " nodes, but there is no srun in PATH; to run on this host only, use --launcher local";
    return Launcher::kLocal;
}

}  // namespace

int nodes_of_allocation(const Surroundings& surroundings) {
    for (const char* name : {"SLURM_JOB_NUM_NODES", "SLURM_NNODES"}) {
        const char* text = surroundings.variable(name);
        if (text != nullptr) return std::atoi(text);
    }
    return 0;
}

std::string_view launcher_name(Launcher launcher) {
    return kLauncherNames[static_cast<std::size_t>(launcher)];
}

Launcher choose_launcher(const Options& options, const Surroundings& surroundings,
                         std::string& error) {
    error.clear();
    switch (options.launcher) {
        case Launcher::kAuto: return find_launcher(options, surroundings, error);
        case Launcher::kLocal:
            if (!options.hosts.empty())
                error = "--launcher local runs all PEs on this host, and cannot use --host";
            return Launcher::kLocal;
        case Launcher::kSrun:
        case Launcher::kPrterun:
        case Launcher::kMpirun: break;
    }
    std::string name(launcher_name(options.launcher));
    if (!surroundings.has_program(name))
        error = "--launcher " + name + ": there is no " + name + " in PATH";
    return options.launcher;
}

}  // namespace tessera::oshrun

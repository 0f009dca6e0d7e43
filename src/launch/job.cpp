// SPDX-License-Identifier: BSD-3-Clause
//
// See job.hpp. The environment alone decides which launcher it is. The library never tries one
// after another, because a failed attempt would silently turn N PEs into N jobs of one PE.
#include "launch/job.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "base/environment.hpp"
#include "base/fatal.hpp"
#include "base/inherited.hpp"
#include "launch/exchange.hpp"
#include "launch/group.hpp"
#include "launch/nodes.hpp"
#include "launch/oshrun_client.hpp"
#include "launch/pmix_client.hpp"

namespace tessera::launch {
namespace {

Launcher joined_by = Launcher::kNone;

bool has_pmix_environment() {
    return environment("PMIX_NAMESPACE") != nullptr && environment("PMIX_RANK") != nullptr;
}

// Line-buffers stdout where it is a launcher's pipe, as on a terminal: the lines of a PE appear at
// once, and none is lost when it is killed. A buffer that the program sets later counts. std::cout
// goes through stdout; gfortran's library writes each record to a pipe at once. 102: in a static
// program stdout is among the data that heap/static_data.cpp maps anew with priority 101.
[[gnu::constructor(102)]] void show_lines_at_once() {
    if (inheritance() != Inheritance::kPe && !has_pmix_environment()) return;
    struct stat status {};
    if (::fstat(STDOUT_FILENO, &status) != 0) return;
    if (!S_ISFIFO(status.st_mode) && !S_ISSOCK(status.st_mode)) return;
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
}

// The PMIx variables of a process whose TESSERA_JOB is stale come from the same oshrun, unless
// another launcher was started inside the job.
bool has_foreign_pmix_environment() {
    return has_pmix_environment() &&
           !std::string_view(environment("PMIX_NAMESPACE")).starts_with(kOshrunNamespacePrefix);
}

// A launcher that numbers its processes but offers no PMIx.
struct LauncherTrace {
    const char* rank_variable;
    const char* size_variable;
    const char* name;
    const char* remedy;
};

constexpr LauncherTrace kLauncherTraces[] = {
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "srun", "srun --mpi=pmix"},
    {"PMI_RANK", "PMI_SIZE", "a launcher that speaks PMI-1 or PMI-2",
     "oshrun, mpirun of Open MPI, srun --mpi=pmix, or beside MPI shmemx_init_with"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "mpirun of Open MPI",
     "an mpirun whose PMIx variables reach the program, or oshrun"},
};

// oshrun sets PMI_RANK and PMI_SIZE for scripts. Launchers that speak PMI also name a connection.
bool is_from_oshrun(const LauncherTrace& trace) {
    return std::string_view(trace.rank_variable) == "PMI_RANK" &&
           environment("SHMEM_N_PES") != nullptr && environment("PMI_FD") == nullptr &&
           environment("PMI_PORT") == nullptr;
}

void refuse_launcher_without_pmix() {
    for (const LauncherTrace& trace : kLauncherTraces) {
        if (is_from_oshrun(trace)) continue;
        const char* rank = environment(trace.rank_variable);
        const char* size = environment(trace.size_variable);
        if (rank == nullptr || size == nullptr || std::atoi(size) < 2) continue;
        fatal(
            "shmem_init: %s started this process as one of %s (%s=%s), but offers no PMIx "
            "(PMIX_NAMESPACE and PMIX_RANK are not set), so the PEs cannot find each other; use "
            "%s; to run one PE on purpose, unset %s",
            trace.name, size, trace.size_variable, size, trace.remedy, trace.size_variable);
    }
}

Launcher find_launcher() {
    if (group::is_chosen()) return Launcher::kGroup;
    switch (inheritance()) {
        case Inheritance::kPe: return Launcher::kOshrun;
        case Inheritance::kStale:
            if (has_foreign_pmix_environment()) return Launcher::kPmix;
            fatal(
                "shmem_init: %s is set, but the descriptors it names are not open here: this "
                "program was started by a PE, or by a wrapper that closes descriptors; a PE's "
                "children are not PEs. To run it as a job of its own, use `env -u %s oshrun -n N "
                "...`, or without oshrun for one PE `env -u %s -u PMIX_NAMESPACE ...`",
                kJobVariable, kJobVariable, kJobVariable);
        case Inheritance::kNone: break;
    }
    if (has_pmix_environment()) return Launcher::kPmix;
    refuse_launcher_without_pmix();
    return Launcher::kNone;
}

Fd duplicate(int fd) { return Fd(::fcntl(fd, F_DUPFD_CLOEXEC, 0)); }

// PEs of several nodes find each other through oshrun's PMIx server.
void connect_to_oshrun() {
    if (!has_pmix_environment()) {
        fatal(
            "shmem_init: with SHMEM_VIRTUAL_NODES the PEs need the PMIx server of oshrun, but "
            "PMIX_NAMESPACE and PMIX_RANK are not set; do not remove them from the environment");
    }
    pmix::connect();
}

Job join_oshrun() {
    const Inherited& inherited_job = *inherited();
    Job job{.launcher = Launcher::kOshrun, .pe = inherited_job.pe, .npes = inherited_job.npes};
    place_on_only_host(job, inherited_job.nodes);
    if (job.nnodes > 1) connect_to_oshrun();
    // Copies: the originals serve the next init.
    job.node_file = duplicate(inherited_job.node_fd);
    job.heap_file = duplicate(inherited_job.heap_fd);
    if (!job.node_file || !job.heap_file) {
        fatal(
            "shmem_init: cannot duplicate the descriptors from oshrun: %s; raise the limit of open "
            "files (ulimit -n)",
            std::strerror(errno));
    }
    die_with_oshrun(inherited_job);
    return job;
}

[[noreturn]] void refuse_peers(const Job& job, const std::string& peers) {
    fatal(
        "shmem_init: the launcher says that PE %d is one of %d, with the PEs \"%s\" on this host, "
        "which is impossible; its PMIx lacks the job size or the local peers",
        job.pe, job.npes, peers.c_str());
}

// The PEs of all hosts, as the launcher lists them.
std::vector<std::vector<int>> find_hosts(const Job& job) {
    std::vector<std::vector<int>> hosts;
    std::size_t count = 0;
    for (const std::string& host : pmix::hosts()) {
        std::vector<int>& pes = hosts.emplace_back(pmix::pes_of(host));
        std::sort(pes.begin(), pes.end());
        count += pes.size();
    }
    if (are_hosts_of_job(hosts, job.npes)) return hosts;
    fatal(
        "shmem_init: the launcher knows the hosts of %zu PEs, but the job has %d, each on one "
        "host; its PMIx must answer PMIx_Resolve_peers for every host of the job",
        count, job.npes);
}

Job join_pmix(int nodes_per_host) {
    Job job{.launcher = Launcher::kPmix, .pe = pmix::connect()};
    job.npes = pmix::job_number(pmix::kJobSize);
    std::string peers = pmix::job_text(pmix::kLocalPeers);
    std::vector<int> host_pes = parse_pe_list(peers);
    if (job.npes < 1 || !std::binary_search(host_pes.begin(), host_pes.end(), job.pe))
        refuse_peers(job, peers);
    place_on_host(job, host_pes, nodes_per_host);
    bool is_one_host = job.npes_of_host == job.npes;
    if (is_one_host && !are_hosts_of_job({{host_pes}}, job.npes)) refuse_peers(job, peers);
    const std::vector<std::vector<int>> hosts =
        is_one_host ? std::vector<std::vector<int>>{host_pes} : find_hosts(job);
    if (!is_one_host) place_among_hosts(job, hosts, nodes_per_host);
    if (job.nnodes > 1) name_nodes(job, hosts, nodes_per_host);
    pmix::owe_finalize(true);
    return job;
}

Job join_group(int nodes_per_host) {
    const group::Member member = group::connect();
    Job job{.launcher = Launcher::kGroup, .pe = member.pe, .npes = member.npes};
    const std::vector<std::vector<int>> hosts = group::hosts();
    const auto mine = std::ranges::find_if(hosts, [&](const std::vector<int>& pes) {
        return std::ranges::binary_search(pes, job.pe);
    });
    place_on_host(job, *mine, nodes_per_host);
    if (hosts.size() > 1) place_among_hosts(job, hosts, nodes_per_host);
    if (job.nnodes > 1) name_nodes(job, hosts, nodes_per_host);
    return job;
}

// Other launchers take the first PE that calls PMIx_Abort for the culprit. A PE that only complains
// about another PE waits this time, so that they find the PE that has died and report its code.
constexpr int kDeathSeenMs = 2000;

void abort_job(int code, Cause cause) {
    const bool is_complaint = cause == Cause::kLostPeer;
    switch (joined_by) {
        case Launcher::kOshrun:
            tell_oshrun(is_complaint ? ControlMessage::kLostPeer : ControlMessage::kAbort, code);
            break;
        case Launcher::kPmix:
            if (is_complaint) ::poll(nullptr, 0, kDeathSeenMs);
            pmix::abort(code, "fatal error in a SHMEM program");
            break;
        case Launcher::kGroup:
            if (is_complaint) ::poll(nullptr, 0, kDeathSeenMs);
            group::abort(code);
            break;
        case Launcher::kNone: break;
    }
}

}  // namespace

void prepare_abort() {
    // Before the search: a process that cannot join must still end the PEs that can.
    if (inheritance() == Inheritance::kPe) joined_by = Launcher::kOshrun;
    set_job_abort(abort_job);
}

Job join(int nodes_per_host) {
    prepare_abort();
    Launcher launcher = find_launcher();
    joined_by = launcher;
    switch (launcher) {
        case Launcher::kOshrun: return join_oshrun();
        case Launcher::kPmix: return join_pmix(nodes_per_host);
        case Launcher::kGroup: return join_group(nodes_per_host);
        case Launcher::kNone: break;
    }
    return Job{};
}

void request_global_exit(int code) {
    // Before shmem_init no PE has joined yet, but the other PEs must end all the same.
    if (joined_by == Launcher::kNone && inheritance() == Inheritance::kPe) {
        joined_by = Launcher::kOshrun;
    } else if (joined_by == Launcher::kNone && inheritance() == Inheritance::kNone &&
               has_pmix_environment()) {
        pmix::connect();
        joined_by = Launcher::kPmix;
    }
    switch (joined_by) {
        case Launcher::kOshrun: tell_oshrun(ControlMessage::kGlobalExit, code); break;
        case Launcher::kPmix: pmix::abort(code, "shmem_global_exit"); break;
        case Launcher::kGroup: group::abort(code); break;
        case Launcher::kNone: break;
    }
}

void leave(Job& job) {
    pmix::owe_finalize(false);
    group::leave();
    job = Job{};
}

}  // namespace tessera::launch

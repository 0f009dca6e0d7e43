// SPDX-License-Identifier: BSD-3-Clause
//
// See job.hpp: from the command line to running PEs. The order matters: oshrun checks the user's
// options first; it forks the keeper before there are threads; the PMIx server starts on its thread
// while oshrun prepares the memory.
#include <fcntl.h>
#include <limits.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/environment.hpp"
#include "base/fatal.hpp"
#include "base/inherited.hpp"
#include "base/virtual_nodes.hpp"
#include "debugger.hpp"
#include "fabric_files.hpp"
#include "helpers.hpp"
#include "job.hpp"
#include "launch/oshrun_client.hpp"
#include "limits.hpp"
#include "memory.hpp"
#include "programs.hpp"
#include "settings/config.hpp"
#include "spawn.hpp"
#include "topology/drawing.hpp"

namespace tessera::oshrun {
namespace {

// A busy machine gives a process no processor for many seconds.
constexpr int kPmixStartMsMax = 60'000;
constexpr int kPmixCloseMsMax = 10'000;
constexpr int kPmixWaitStepMs = 100;
// Open MPI 4 asks PMIx only under launchers that it knows by their variables, and would start as N
// jobs of one process under any other. Of those variables this one, IBM's, has the fewest
// consequences: "ask PMIx, and leave the binding alone".
constexpr const char* kOpenMpiHint = "JSM_JSRUN_PORT=0";

topology::Share share_of(const Placement& placement) {
    return {.cores_per_pe = std::max(1, placement.cores_per_pe),
            .pes_per_part = std::max(1, placement.pes_per_part)};
}

// The number of PEs where the user gives none.
int default_npes(const Placement& placement, const topology::Facts& facts) {
    if (placement.pes_per_part > 0)
        return placement.pes_per_part * topology::part_count(facts, placement.map_by);
    if (placement.pes_per_host > 0) return placement.pes_per_host;
    return std::max(1, static_cast<int>(facts.usable_cores) / share_of(placement).cores_per_pe);
}

void check_pe(const Job& job, int pe, const char* option) {
    if (pe < job.npes) return;
    fatal("%s: there is no PE %d in a job of %d PEs, whose numbers begin with 0", option, pe,
          job.npes);
}

void number_pes(Job& job, const topology::Facts& facts) {
    const Placement& placement = job.options.placement;
    for (std::size_t app = 0; app < job.options.apps.size(); ++app) {
        int count = job.options.apps[app].npes;
        if (count == 0) count = default_npes(placement, facts);
        for (int i = 0; i < count; ++i) job.pes.push_back({.app = static_cast<int>(app)});
    }
    job.npes = static_cast<int>(job.pes.size());
    if (placement.pes_per_host > 0 && job.npes > placement.pes_per_host) {
        fatal("--ntasks-per-node %d: %d PEs need more hosts than this one; name them with --host",
              placement.pes_per_host, job.npes);
    }
    check_pe(job, job.options.input_pe, "--stdin");
    for (const int pe : job.options.debugged_pes) check_pe(job, pe, "--debug");
}

PmixJob pmix_job(const Job& job) {
    PmixJob result{.nspace = launch::kOshrunNamespacePrefix + std::to_string(::getpid()),
                   .host = job.host,
                   .directory = job.session.path(),
                   .app_of_pe = {},
                   .app_first_pe = std::vector<int>(job.options.apps.size(), 0),
                   .is_verbose = job.options.verbose};
    for (int pe = job.npes - 1; pe >= 0; --pe) {
        result.app_first_pe[static_cast<std::size_t>(job.pes[static_cast<std::size_t>(pe)].app)] =
            pe;
    }
    for (const Pe& pe : job.pes) result.app_of_pe.push_back(pe.app);
    return result;
}

void start_pmix(Job& job) {
    job.session = SessionDirectory::make();
    if (job.session.path().empty()) {
        warn(
            "no PMIx server, MPI programs will not find each other: cannot make a directory in "
            "TMPDIR or /tmp: %s",
            std::strerror(errno));
        return;
    }
    job.keeper->set_directory(job.session.path());
    job.pmix.start(pmix_job(job));
    job.has_pmix = true;
}

// Whether a signal has arrived for oshrun; the supervisor will handle it.
// PEs of several nodes cannot find each other without the server.
void refuse_nodes_without_pmix(const Job& job) {
    if (job.nodes.size() < 2) return;
    fatal("--virtual-nodes needs the PMIx server, which does not run: %s",
          job.pmix.error().c_str());
}

void finish_pmix(Job& job) {
    if (!job.has_pmix) return refuse_nodes_without_pmix(job);
    for (int waited_ms = 0; waited_ms < kPmixStartMsMax; waited_ms += kPmixWaitStepMs) {
        job.pmix.wait_until_ready(kPmixWaitStepMs);
        if (!job.pmix.is_starting() || end_signal_is_pending()) break;
    }
    if (job.pmix.wait_until_ready(0)) return;
    job.has_pmix = false;
    refuse_nodes_without_pmix(job);
    warn(
        "no PMIx server, MPI programs will not find each other (SHMEM programs do not need it): %s",
        job.pmix.error().c_str());
}

// The ends of the control pipe and the life pipe that PEs inherit.
struct InheritedPipes {
    Fd control_write;
    Fd life_read;
};

InheritedPipes make_inherited_pipes(Job& job) {
    int control[2];
    if (::pipe2(control, O_CLOEXEC) != 0) fatal("pipe: %s", std::strerror(errno));
    job.control_read = Fd(control[0]);
    ::fcntl(control[0], F_SETFL, O_NONBLOCK);
    // dup() makes descriptors that stay open in the programs.
    InheritedPipes pipes{.control_write = Fd(::dup(control[1])),
                         .life_read = Fd(::dup(job.keeper->life_fd()))};
    ::close(control[1]);
    if (!pipes.control_write || !pipes.life_read) fatal("dup: %s", std::strerror(errno));
    return pipes;
}

[[noreturn]] void abandon_start(Job& job, int failed_pe, const Started& failure) {
    for (const Pe& pe : job.pes) {
        if (pe.is_running) ::kill(-pe.pid, SIGKILL);
    }
    for (const Pe& pe : job.pes) {
        if (pe.is_running) ::waitpid(pe.pid, nullptr, 0);
    }
    kill_helpers(job);
    const App& app =
        job.options
            .apps[static_cast<std::size_t>(job.pes[static_cast<std::size_t>(failed_pe)].app)];
    warn("cannot start pe %d (%s): %s: %s", failed_pe, app.command[0].c_str(), failure.failed_step,
         std::strerror(failure.error));
    if (failure.error != ENOENT) warn("%s", kStartAdvice);
    end_job(failure.error == ENOENT ? kExitNotFound : kExitNotExecutable);
}

void report_pe(const Job& job, int pe, const std::vector<std::uint32_t>& pus) {
    std::string text = pe_text(job, pe) + ": started, ";
    text += pus.empty() ? "not bound" : "bound to PUs";
    for (std::uint32_t pu : pus) text.append(" ").append(std::to_string(pu));
    job.output->message("oshrun: " + text);
}

// For --report-bindings: the PEs' heaps and flags get their pages where the PE runs that touches
// them first, which is their owner.
void report_bindings(const Job& job, const topology::Facts& facts, const topology::Plan& binding) {
    for (int pe = 0; pe < job.npes; ++pe) {
        const std::vector<std::uint32_t>& pus = binding.pus[static_cast<std::size_t>(pe)];
        std::string text = "oshrun: PE " + std::to_string(pe) + " on " + job.host + ": " +
                           topology::binding_text(facts, pus);
        job.output->message(text);
    }
    for (const HelperProcess& helper : job.helpers) {
        job.output->message("oshrun: helper of node " + std::to_string(helper.node) + " on " +
                            job.host + ": " + topology::binding_text(facts, helper.pus));
    }
}

VirtualNode place_of(const Job& job, int pe) {
    return virtual_node_of(pe, job.npes, static_cast<int>(job.nodes.size()));
}

const NodeMemory& node_of(const Job& job, int pe) {
    return job.nodes[static_cast<std::size_t>(place_of(job, pe).number)];
}

// The parts of a plan that all PEs share.
struct CommonPlan {
    std::vector<Program> programs;  // by app
    std::vector<std::string> environment;
    topology::Plan binding;
    SavedLimits limits;
    Fd null;
};

void start_pe(Job& job, int pe, Inherited& inherited, CommonPlan& common) {
    auto index = static_cast<std::size_t>(pe);
    auto app_index = static_cast<std::size_t>(job.pes[index].app);
    const App& app = job.options.apps[app_index];
    ProcessPlan plan{.path = common.programs[app_index].path,
                     .directory = app.directory,
                     .arguments = app.command,
                     .environment = common.environment,
                     .pus = {},
                     .kept_fds = {},
                     .signal_mask = job.signals.mask_before,
                     .ignore_sigpipe = job.signals.pipe_was_ignored,
                     .no_aslr = job.options.no_aslr,
                     .limits = common.limits};
    add_place(plan.environment, pe, job.npes);
    if (!common.binding.pus.empty()) plan.pus = common.binding.pus[index];
    if (job.has_pmix) {
        plan.environment.emplace_back(kOpenMpiHint);
        for (std::string& entry : job.pmix.environment_of(pe))
            plan.environment.push_back(std::move(entry));
    }
    inherited.pe = pe;
    const heap::NodeFiles& files = node_of(job, pe).files;
    inherited.node_fd = files.node.get();
    inherited.heap_fd = files.heap.get();
    plan.kept_fds = {inherited.node_fd, inherited.heap_fd};
    plan.environment.push_back(std::string(kJobVariable) + "=" + job_variable_value(inherited));
    Output::PeEnds ends = job.output->open(pe);
    Fd typed;
    if (!ends.out || !ends.error)
        abandon_start(job, pe, {.failed_step = "making pipes for its output", .error = errno});
    const bool gets_input = pe == job.options.input_pe;
    if (gets_input && TerminalInput::is_needed()) typed = job.input.open();
    int standard_input = !gets_input ? common.null.get() : typed ? typed.get() : STDIN_FILENO;
    plan.standard_fds[0] = standard_input;
    plan.standard_fds[1] = ends.out.get();
    plan.standard_fds[2] = ends.error.get();
    if (is_debugged(job.options, pe)) wait_for_debugger(plan);
    Started started = spawn(plan);
    if (started.pid < 0) abandon_start(job, pe, started);
    job.pes[index].pid = started.pid;
    job.pes[index].is_running = true;
    job.keeper->set_group(pe, started.pid);
    if (job.options.verbose) report_pe(job, pe, plan.pus);
}

// The processes that were PEs; oshrun may have started a shell around them. A number may belong to
// another process by now.
std::vector<pid_t> ended_processes(const Job& job) {
    std::vector<pid_t> ended;
    for (int pe = 0; pe < job.npes; ++pe) {
        if (job.pes[static_cast<std::size_t>(pe)].pid == 0) continue;  // not started
        const pid_t pid = record_of(job, pe).pid;
        if (pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH) ended.push_back(pid);
    }
    return ended;
}

// An error while the job starts must clean up as well as an error at its end.
Job* starting_job = nullptr;
void close_starting_job(int /*code*/, Cause /*cause*/) { close_job(*starting_job); }

std::string host_name() {
    char name[HOST_NAME_MAX + 1] = "localhost";
    ::gethostname(name, sizeof name - 1);
    return name;
}

}  // namespace

heap::PeRecord& record_of(const Job& job, int pe) {
    return node_of(job, pe).records[pe - place_of(job, pe).first];
}

std::string pe_text(const Job& job, int pe) {
    const Pe& entry = job.pes[static_cast<std::size_t>(pe)];
    return "pe " + std::to_string(pe) + " (host " + job.host + ", pid " +
           std::to_string(entry.pid) + ", " +
           job.options.apps[static_cast<std::size_t>(entry.app)].command[0] + ")";
}

void close_job(Job& job) {
    if (job.options.debug) close_debuggers();
    // Its thread may still be making files.
    if (job.has_pmix) job.pmix.wait_until_ready(kPmixCloseMsMax);
    remove_session_directory(job.session.path());
    remove_fabric_files(ended_processes(job));
    job.keeper->dismiss();
}

void start_job(Job& job) {
    warn_about_settings(config());  // Bad values are reported once, here.
    CommonPlan common{.programs = find_programs(job.options),
                      .environment = base_environment(),
                      .binding = {},
                      .limits = {},
                      .null = Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC))};
    // Plugins of hwloc are of no use here and slow; the PEs have their environment already.
    ::setenv("HWLOC_PLUGINS_PATH", "/dev/null", 0);
    topology::Facts facts = topology::discover();
    number_pes(job, facts);
    if (job.options.debug) check_debugger(job.options, job.npes);
    check_static_data(job.options, common.programs, facts.memory_bytes);
    set_fatal_advice(kStartAdvice);
    common.limits = raise_limits(job.npes);
    const Placement& placement = job.options.placement;
    common.binding =
        topology::plan(facts, job.npes, placement.bind_to, placement.map_by, share_of(placement));
    if (!common.binding.error.empty()) fatal("%s", common.binding.error.c_str());
    job.host = host_name();
    // Orphans of the PEs become our children, so that none escapes.
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    const int nodes = virtual_node_count(job.npes, config().virtual_nodes.value);
    std::vector<std::vector<std::uint32_t>> places =
        place_helpers(facts, common.binding, job.npes, nodes);
    job.keeper = std::make_unique<Keeper>(job.npes + static_cast<int>(places.size()));
    starting_job = &job;
    set_job_abort(close_starting_job);
    start_pmix(job);
    job.nodes = make_memory(facts, job.npes, nodes, plan_of_nodes(places, nodes));
    job.output = std::make_unique<Output>(job.options);
    InheritedPipes pipes = make_inherited_pipes(job);
    Inherited inherited{.npes = job.npes,
                        .nodes = nodes,
                        .launcher_pid = ::getpid(),
                        .control_fd = pipes.control_write.get(),
                        .life_fd = pipes.life_read.get()};
    finish_pmix(job);
    if (job.options.verbose) job.output->message("oshrun: " + memory_text(job.nodes));
    start_helpers(job, std::move(places));
    if (job.options.report_bindings) report_bindings(job, facts, common.binding);
    for (int pe = 0; pe < job.npes; ++pe) start_pe(job, pe, inherited, common);
    if (job.options.debug) start_debuggers(job);
    set_fatal_advice(nullptr);
}

}  // namespace tessera::oshrun

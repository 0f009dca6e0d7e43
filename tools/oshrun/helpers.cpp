// SPDX-License-Identifier: BSD-3-Clause
//
// See helpers.hpp: where helpers run, and their start.
#include "helpers.hpp"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <utility>

#include "base/environment.hpp"
#include "base/fatal.hpp"
#include "base/virtual_nodes.hpp"
#include "programs.hpp"
#include "settings/config.hpp"
#include "spawn.hpp"

namespace tessera::oshrun {

std::vector<std::vector<std::uint32_t>> place_helpers(const topology::Facts& facts,
                                                      const topology::Plan& pes, int npes,
                                                      int nodes) {
    const ProgressMode& mode = config().progress;
    if (mode.kind != Progress::kHelpers) return {};
    std::vector<int> neighbours;
    for (int number = 0; number < nodes; ++number) {
        const VirtualNode node = virtual_node(number, npes, nodes);
        for (std::uint32_t i = 0; i < mode.helpers; ++i) {
            const auto share = static_cast<std::uint32_t>(node.npes) * i / mode.helpers;
            neighbours.push_back(node.first + static_cast<int>(share));
        }
    }
    topology::Plan plan = topology::plan_helpers(facts, pes, neighbours);
    if (plan.error.empty()) return std::move(plan.pus);
    if (!mode.is_forced) {
        ProgressMode forced = mode;
        forced.is_forced = true;
        fatal("SHMEM_PROGRESS=%s: %s, or let helpers share cores with PEs by SHMEM_PROGRESS='%s'",
              print_progress(mode).c_str(), plan.error.c_str(), print_progress(forced).c_str());
    }
    return std::vector<std::vector<std::uint32_t>>(neighbours.size());
}

std::vector<heap::HelperPlan> plan_of_nodes(const std::vector<std::vector<std::uint32_t>>& places,
                                            int nodes) {
    if (places.empty()) return {};
    const std::size_t of_node = places.size() / static_cast<std::size_t>(nodes);
    const std::vector<std::uint32_t> everywhere = topology::affinity_of(0);
    std::vector<heap::HelperPlan> plans(static_cast<std::size_t>(nodes));
    for (std::size_t i = 0; i < places.size(); ++i) {
        heap::HelperPlan& plan = plans[i / of_node];
        const bool is_bound = !places[i].empty();
        plan.helpers = static_cast<std::uint32_t>(of_node);
        plan.have_cores = is_bound ? 1 : 0;
        for (const std::uint32_t pu : is_bound ? places[i] : everywhere) {
            if (pu < CPU_SETSIZE) CPU_SET(pu, &plan.processors);
        }
    }
    return plans;
}

void start_helpers(Job& job, std::vector<std::vector<std::uint32_t>> places) {
    if (places.empty()) return;
    const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    const std::size_t of_node = places.size() / job.nodes.size();
    for (std::size_t i = 0; i < places.size(); ++i) {
        const heap::NodeFiles& files = job.nodes[i / of_node].files;
        ProcessPlan plan{
            .path = "/proc/self/exe",
            .directory = "/",
            .arguments = {kHelperName, std::to_string(files.node.get()),
                          std::to_string(files.heap.get()), std::to_string(i % of_node)},
            .environment = base_environment(),
            .pus = places[i],
            .standard_fds = {null.get(), null.get(), STDERR_FILENO},
            .kept_fds = {files.node.get(), files.heap.get()},
            .signal_mask = job.signals.mask_before,
            .ignore_sigpipe = true,
            .limits = {}};
        const Started started = spawn(plan);
        if (started.pid < 0) {
            fatal("cannot start a progress helper: %s: %s", started.failed_step,
                  std::strerror(started.error));
        }
        job.helpers.push_back({.pid = started.pid,
                               .node = static_cast<int>(i / of_node),
                               .pus = std::move(places[i]),
                               .is_running = true});
        job.keeper->set_group(job.npes + static_cast<int>(i), started.pid);
    }
}

void kill_helpers(Job& job) {
    for (HelperProcess& helper : job.helpers) {
        if (std::exchange(helper.is_running, false)) ::kill(-helper.pid, SIGKILL);
    }
}

}  // namespace tessera::oshrun

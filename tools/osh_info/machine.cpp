// SPDX-License-Identifier: BSD-3-Clause
//
// See machine.hpp.
#include "tools/osh_info/machine.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <numeric>
#include <vector>

#include "base/environment.hpp"
#include "base/fatal.hpp"
#include "tools/named_values.hpp"
#include "topology/drawing.hpp"
#include "topology/topology.hpp"

namespace tessera::osh_info {

const std::map<std::string, topology::BindTo> kBindings =
    named_values<topology::BindTo>(topology::kBindToNames);
const std::map<std::string, topology::MapBy> kMappings =
    named_values<topology::MapBy>(topology::kMapByNames);

namespace {

// hwloc's tool, with and without graphics.
const char* const kDrawers[] = {"lstopo", "lstopo-no-graphics"};

// A machine that is made up may have all its PUs.
topology::Facts look_at(const std::string& synthetic) {
    if (synthetic.empty()) return topology::discover();
    std::vector<std::uint32_t> all(topology::kListedPusMax);
    std::iota(all.begin(), all.end(), 0U);
    const topology::Facts facts = topology::discover(
        {.allowed_pus = all, .proc = "/nonexistent", .synthetic = synthetic, .xml = ""});
    if (facts.allowed_cores == facts.allowed_pus && facts.allowed_pus == all.size()) {
        fatal(
            "hwloc does not understand the machine \"%s\"; an example is "
            "\"package:2 numa:2 l3:1 core:8 pu:2\" (hwloc's synthetic topologies)",
            synthetic.c_str());
    }
    return facts;
}

int draw(const MachineRequest& request) {
    const std::string file = request.svg;
    for (const char* drawer : kDrawers) {
        std::vector<const char*> words = {drawer, "--of", "svg", "--force", file.c_str()};
        if (!request.synthetic.empty())
            words.insert(words.end(), {"--input", request.synthetic.c_str()});
        words.push_back(nullptr);
        pid_t pid = -1;
        if (::posix_spawnp(&pid, drawer, nullptr, nullptr, const_cast<char* const*>(words.data()),
                           const_cast<char* const*>(environment_entries())) != 0) {
            continue;
        }
        int status = 0;
        ::waitpid(pid, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return 0;
        fatal("%s could not draw the machine in %s", drawer, file.c_str());
    }
    fatal("--svg needs hwloc's program lstopo, which is not installed (Debian: hwloc-nox)");
}

}  // namespace

int show_machine(const MachineRequest& request, int npes) {
    const topology::Facts facts = look_at(request.synthetic);
    if (!request.svg.empty()) return draw(request);
    std::string text = "Machine\n" + topology::drawing(facts) + "PEs\n";
    if (npes == 0) npes = static_cast<int>(facts.usable_cores);
    const topology::Plan plan =
        topology::plan(facts, npes, kBindings.at(request.bind_to), kMappings.at(request.map_by));
    if (!plan.error.empty()) fatal("%s", plan.error.c_str());
    for (int pe = 0; pe < npes; ++pe) {
        text += "  PE " + std::to_string(pe) + " ";
        text += topology::binding_text(facts, plan.pus[static_cast<std::size_t>(pe)]) + "\n";
    }
    std::fwrite(text.data(), 1, text.size(), stdout);
    return 0;
}

}  // namespace tessera::osh_info

// SPDX-License-Identifier: BSD-3-Clause
//
// Runs one OpenSHMEM program with very many PEs in a simulated world, and prints what each of its
// phases costs (docs/run/scaling.md).
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "../real_calls.hpp"
#include "../world.hpp"
#include "scale.hpp"

namespace {

using sim::world;

struct Options {
    int npes = 1024;
    int npes_of_node = 128;
    std::size_t heap_bytes = std::size_t{2} << 20;
    double limit_s = 60;
    std::string program;
    std::vector<std::string> trace;  // a phase, a file
};

char* no_arguments[] = {nullptr};

Options parse(int argc, char** argv) {
    Options options;
    CLI::App app("Simulates a job of very many PEs, and prints what it costs.");
    app.add_option("-n,--pes", options.npes, "number of PEs")->check(CLI::Range(1, 1 << 20));
    app.add_option("--pes-of-node", options.npes_of_node, "PEs of each node");
    app.add_option("--limit", options.limit_s, "virtual seconds that the job may take");
    sim::scale::Network& network = sim::scale::network;
    app.add_option("-L,--latency", network.latency, "LogGP: L in ns");
    app.add_option("-o,--overhead", network.overhead, "LogGP: o in ns");
    app.add_option("-g,--gap", network.gap, "LogGP: g in ns");
    app.add_option("-G,--gap-of-byte", network.gap_of_byte, "LogGP: G in ns");
    app.add_option("--on-node", network.on_node, "ns until another PE of the node sees a store");
    app.add_option("--trace", options.trace, "PHASE FILE: write the steps of a phase to a file")
        ->expected(2);
    app.add_option("program", options.program, "built for this simulation")->required();
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        std::exit(app.exit(error));
    }
    return options;
}

void set_environment() {
    ::setenv("SHMEM_STATIC_DATA", "cma", 1);
    ::setenv("SHMEM_HEAP_ADDRESS", "any", 1);
    ::setenv("SHMEM_FABRIC", "sim", 1);
    ::setenv("SHMEM_PROGRESS", "none", 1);
    ::setenv("SHMEM_HANG_REPORT", "0", 1);
    ::setenv("PMIX_NAMESPACE", "tessera-oshrun-sim", 1);
    ::setenv("PMIX_RANK", "0", 1);
}

void* run_main(void* pe) { std::exit(static_cast<sim::Pe*>(pe)->main(0, no_arguments, environ)); }

}  // namespace

int main(int argc, char** argv) {
    new (&world) sim::World;
    const Options options = parse(argc, argv);
    if (!options.trace.empty())
        sim::scale::trace_phase(options.trace.front(), options.trace.back());
    set_environment();
    world.seed(1);
    world.nodes = (options.npes + options.npes_of_node - 1) / options.npes_of_node;
    world.time_max = 1'000'000'000 + static_cast<std::uint64_t>(options.limit_s * 1e9);
    for (int i = 0; i < options.npes; ++i) world.pes.emplace_back().number = i;
    sim::scale::make_network(options.npes, world.nodes);
    sim::scale::load_program(options.program);
    sim::scale::make_files(options.heap_bytes);
    for (sim::Pe& pe : world.pes) world.add_fiber(pe, run_main, &pe);
    world.run();
}

// SPDX-License-Identifier: BSD-3-Clause
//
// tests/sim: runs an OpenSHMEM program in a simulated world, once for each seed
// (docs/code/simulation.md). Each run is a process, which the seed alone decides about.
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <string>
#include <vector>

#include "real_calls.hpp"
#include "world.hpp"

namespace {

using sim::kBeginNs;
using sim::world;

struct Options {
    int npes = 4;
    int nodes = 1;
    std::uint64_t seed = 0;
    std::uint64_t seeds = 1;
    double minutes = 0;
    double limit_s = 300;
    std::size_t heap_bytes = std::size_t{64} << 20;
    int deaths = 0;
    bool ends_at_first = false;
    bool is_in_this_process = false;
    bool shrinks = false;
    bool is_verbose = false;
    std::string right_end;  // a run that prints this has ended as it should
    std::vector<std::string> environment;
    std::vector<std::string> arguments;  // the program and its arguments
};

std::vector<char*> arguments_of_program;

// Addresses that no run chooses by chance, and room for the variables of threads of all copies.
void start_again(char** argv) {
    constexpr char kTunables[] = "GLIBC_TUNABLES";
    constexpr char kTlsTunable[] = "glibc.rtld.optional_static_tls=4194304";
    const char* tunables = std::getenv(kTunables);
    const bool has_room = tunables != nullptr && std::strcmp(tunables, kTlsTunable) == 0;
    const int persona = ::personality(0xffffffff);
    if (has_room && (persona & ADDR_NO_RANDOMIZE) != 0) return;
    if (has_room) {
        std::fprintf(stderr, "sim: the system refuses addresses without chance\n");
        std::exit(2);
    }
    ::personality(static_cast<unsigned long>(persona) | ADDR_NO_RANDOMIZE);
    ::setenv(kTunables, kTlsTunable, 1);
    ::execv("/proc/self/exe", argv);
    std::perror("sim: execv");
    std::exit(2);
}

Options parse(int argc, char** argv) {
    Options options;
    CLI::App app("Runs an OpenSHMEM program in a simulated world, once for each seed.");
    CLI::App* run = app.add_subcommand("run", "run a program that was built for the simulation");
    app.require_subcommand(1);
    run->add_option("-n,--pes", options.npes, "number of PEs")->check(CLI::Range(1, 64));
    run->add_option("--nodes", options.nodes, "number of nodes")->check(CLI::Range(1, 16));
    run->add_option("--seed", options.seed, "the first seed");
    run->add_option("--seeds", options.seeds, "number of seeds, one after the other");
    run->add_option("--minutes", options.minutes, "end after so many minutes");
    run->add_option("--limit", options.limit_s, "virtual seconds that a run may take");
    run->add_option("--env", options.environment, "NAME=VALUE for the PEs")
        ->allow_extra_args(false);
    run->add_option("--deaths", options.deaths, "PEs that die, where the program survives it");
    run->add_option("--right-end", options.right_end,
                    "a run that prints this text has not failed, whatever its status");
    run->add_flag("--first", options.ends_at_first, "end with the first seed that fails");
    run->add_flag("--here", options.is_in_this_process,
                  "run the first seed without a fork: for gdb");
    run->add_flag("--shrink", options.shrinks,
                  "find the shortest run of random switches that fails");
    run->add_flag("-v,--verbose", options.is_verbose, "show the output of all runs");
    run->prefix_command();  // The rest is the program, a shared object, and its arguments.
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        std::exit(app.exit(error));
    }
    options.arguments = run->remaining();
    if (options.arguments.empty()) {
        std::fprintf(stderr, "sim run: name a program that was built for the simulation\n");
        std::exit(2);
    }
    if (options.nodes > options.npes) {
        std::fprintf(stderr, "sim: --nodes %d: there are only %d PEs\n", options.nodes,
                     options.npes);
        std::exit(2);
    }
    return options;
}

void set_environment(const Options& options) {
    ::setenv("SHMEM_STATIC_DATA", "cma", 1);
    ::setenv("SHMEM_HEAP_ADDRESS", "any", 1);
    ::setenv("SHMEM_FABRIC", "sim", 1);
    ::setenv("PMIX_NAMESPACE", "tessera-oshrun-sim", 1);
    ::setenv("PMIX_RANK", "0", 1);
    for (const std::string& setting : options.environment) {
        const std::size_t end = setting.find('=');
        if (end == std::string::npos) {
            std::fprintf(stderr, "sim: --env %s: write NAME=VALUE\n", setting.c_str());
            std::exit(2);
        }
        ::setenv(setting.substr(0, end).c_str(), setting.c_str() + end + 1, 1);
    }
}

// All that the seed decides beside the order of the steps.
void choose_character() {
    constexpr std::uint64_t kMeans[] = {2, 5, 20, 100, 1000};
    constexpr std::uint64_t kLatencies[] = {100, 1000, 10'000};
    const auto one_of = [](int out_of) {
        return world.random_below(static_cast<std::uint64_t>(out_of)) == 0;
    };
    sim::Character& character = world.character;
    character.steps_mean = kMeans[world.random_below(std::size(kMeans))];
    character.counts_plain = one_of(3);
    character.latency_ns = kLatencies[world.random_below(std::size(kLatencies))];
    character.jitter_ns = character.latency_ns * (1 + world.random_below(8));
    character.letters_max = one_of(4) ? 2 : 64;
    if (one_of(3)) character.slow_pe = static_cast<int>(world.random_below(world.pes.size()));
    constexpr std::uint64_t kStops[] = {0, 10, 100, 1000};
    character.stops_one_in = kStops[world.random_below(std::size(kStops))];
    character.usable_cores = one_of(2) ? 1 : static_cast<int>(world.pes.size());
    constexpr std::uint64_t kYields[] = {300, 3000, 20'000};
    character.yield_ns = kYields[world.random_below(std::size(kYields))];
    if (one_of(4)) {
        character.cut_from = kBeginNs + (1'000ULL << world.random_below(16));
        character.cut_to = character.cut_from + (1'000ULL << world.random_below(16));
    }
    constexpr const char* kProgress[] = {"none", "thread", "auto", "helpers!", "helpers:2!"};
    ::setenv("SHMEM_PROGRESS", kProgress[world.random_below(std::size(kProgress))], 0);
    ::setenv("SHMEM_HELPER_SIZE", "4K", 0);  // the smallest one
    sim::choose_algorithms();
}

void* run_main(void* argument) {
    const auto& pe = *static_cast<sim::Pe*>(argument);
    std::vector<char*> arguments = arguments_of_program;  // The program may take some out of it.
    const int argc = static_cast<int>(arguments.size()) - 1;
    char** argv = arguments.data();
    for (auto* constructor : pe.constructors) constructor(argc, argv, environ);
    std::exit(pe.main(argc, argv, environ));
}

[[noreturn]] void run_seed(const Options& options, std::uint64_t seed) {
    __libc_single_threaded = 0;  // Fibers are threads: the C++ library counts by atomics then.
    world.seed(seed);
    choose_character();
    world.is_verbose = options.is_verbose;
    world.time_max = kBeginNs + static_cast<std::uint64_t>(options.limit_s * 1e9);
    sim::make_node_files(options.heap_bytes);
    for (sim::Pe& pe : world.pes) world.add_fiber(pe, run_main, &pe);
    sim::add_helpers();
    for (int i = 0; i < options.deaths; ++i) {
        world.at(
            kBeginNs + (1'000ULL << world.random_below(18)) + world.random_below(100'000),
            [](void*) { sim::kill_some_pe(); }, nullptr);
    }
    world.run();
}

std::string read_all(int file) {
    std::string all;
    char text[4096];
    ssize_t bytes = 0;
    ::lseek(file, 0, SEEK_SET);
    while ((bytes = ::read(file, text, sizeof text)) > 0)
        all.append(text, static_cast<std::size_t>(bytes));
    return all;
}

struct Window {
    std::uint64_t from = 0;
    std::uint64_t to = sim::kNever;
};

struct Result {
    int status = 0;  // as of waitpid()
    std::string output;
    bool is_right = false;
};

// Runs the seed in a process of its own.
Result fork_seed(const Options& options, std::uint64_t seed, Window random = {}) {
    const int file = ::memfd_create("sim-output", 0);
    std::fflush(stdout);
    const pid_t child = ::fork();
    if (child < 0) {
        std::perror("sim: fork");
        std::exit(2);
    }
    if (child == 0) {
        ::syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
        ::dup2(file, STDOUT_FILENO);
        ::dup2(file, STDERR_FILENO);
        world.random_from = random.from;
        world.random_to = random.to;
        run_seed(options, seed);
    }
    Result result;
    ::waitpid(child, &result.status, 0);
    result.output = read_all(file);
    ::close(file);
    result.is_right =
        result.status == 0 ||
        (!options.right_end.empty() && result.output.find(options.right_end) != std::string::npos);
    return result;
}

// Cuts the window of random switches as long as the run still fails, and shows the switches left.
void shrink(const Options& options, std::uint64_t seed) {
    constexpr std::uint64_t kSwitchesMax = std::uint64_t{1} << 22;
    const auto fails = [&](Window window) { return !fork_seed(options, seed, window).is_right; };
    Window window{0, kSwitchesMax};
    if (!fails(window)) {
        std::printf("sim: seed %llu does not fail within %llu switches\n",
                    static_cast<unsigned long long>(seed),
                    static_cast<unsigned long long>(kSwitchesMax));
        return;
    }
    for (std::uint64_t cut = kSwitchesMax / 2; cut > 0; cut /= 2) {
        while (window.to - window.from > cut && fails({window.from, window.to - cut}))
            window.to -= cut;
        while (window.to - window.from > cut && fails({window.from + cut, window.to}))
            window.from += cut;
    }
    std::printf("sim: seed %llu fails with the random switches %llu to %llu alone:\n",
                static_cast<unsigned long long>(seed), static_cast<unsigned long long>(window.from),
                static_cast<unsigned long long>(window.to - 1));
    world.shows_switches = true;
    std::fputs(fork_seed(options, seed, window).output.c_str(), stdout);
}

// RETURNS: whether the run ended as it should.
bool check_seed(const Options& options, std::uint64_t seed) {
    const Result result = fork_seed(options, seed);
    if (!result.is_right || options.is_verbose) std::fputs(result.output.c_str(), stdout);
    if (result.is_right) return true;
    const int status = result.status;
    const char* how = WIFSIGNALED(status) ? "signal" : "status";
    const int number = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    std::printf("sim: seed %llu, %d PEs, %d nodes: %s %d\n", static_cast<unsigned long long>(seed),
                options.npes, options.nodes, how, number);
    if (options.shrinks) shrink(options, seed);
    std::fflush(stdout);
    return false;
}

double seconds_now() {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace

int main(int argc, char** argv) {
    new (&world) sim::World;
    const Options options = parse(argc, argv);
    start_again(argv);
    set_environment(options);
    for (const std::string& argument : options.arguments)
        arguments_of_program.push_back(const_cast<char*>(argument.c_str()));
    arguments_of_program.push_back(nullptr);
    world.nodes = options.nodes;
    for (int i = 0; i < options.npes; ++i) world.pes.emplace_back().number = i;
    sim::load(options.arguments.front(), options.is_in_this_process);
    if (options.is_in_this_process) run_seed(options, options.seed);
    const double begin = seconds_now();
    std::uint64_t done = 0;
    std::uint64_t failed = 0;
    while (done < options.seeds || options.minutes > 0) {
        if (options.minutes > 0 && seconds_now() - begin > options.minutes * 60) break;
        if (failed > 0 && options.ends_at_first) break;
        if (!check_seed(options, options.seed + done++)) ++failed;
    }
    std::printf("sim: %llu seeds from %llu, %d PEs, %d nodes, %.1f s: %llu failed\n",
                static_cast<unsigned long long>(done),
                static_cast<unsigned long long>(options.seed), options.npes, options.nodes,
                seconds_now() - begin, static_cast<unsigned long long>(failed));
    return failed == 0 ? 0 : 1;
}

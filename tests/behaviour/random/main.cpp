// SPDX-License-Identifier: BSD-3-Clause
//
// Random programs over the whole interface, checked against a sequential model (README.md). Breaks
// when any routine moves the wrong bytes, returns the wrong value, orders too little, mixes up two
// teams or contexts, or hangs.
#include <shmem.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "random/execute.hpp"
#include "random/generator.hpp"

namespace {

using tessera::random::Executor;
using tessera::random::Generator;
using tessera::random::Program;
using tessera::random::SharedObjects;
using tessera::random::Step;

struct Options {
    std::uint64_t seed = 1;
    std::uint64_t sequences = 1;
    int steps = 0;
    int from = 0;
    bool seed_from_time = false;
    bool print = false;
};

constexpr const char* kUsage =
    "random_test [--seed S|time] [--sequences K] [--steps N] [--from F] [--print]\n"
    "  Runs the random programs of the seeds S to S + K - 1 (default: 1, of seed 1).\n"
    "  --steps N   programs of N steps; the first steps are the same for every N\n"
    "  --from F    leave steps before F out, but for teams, contexts and allocations\n"
    "  --print     PE 0 prints each program before it runs\n"
    "A sequence that hangs for two minutes ends the job.\n";

[[noreturn]] void fail_usage() {
    std::fputs(kUsage, stderr);
    std::exit(2);
}

Options parse(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const bool has_value = i + 1 < argc;
        auto is = [&](const char* name) { return std::strcmp(argv[i], name) == 0; };
        if (is("--print")) {
            options.print = true;
        } else if (!has_value) {
            fail_usage();
        } else if (is("--seed")) {
            ++i;
            options.seed_from_time = is("time");
            options.seed = std::strtoull(argv[i], nullptr, 0);
        } else if (is("--sequences")) {
            options.sequences = std::strtoull(argv[++i], nullptr, 0);
        } else if (is("--steps")) {
            options.steps = std::atoi(argv[++i]);
        } else if (is("--from")) {
            options.from = std::atoi(argv[++i]);
        } else {
            fail_usage();
        }
    }
    return options;
}

// PE 0's clock, for all.
std::uint64_t seed_from_time() {
    static std::uint64_t seed;  // symmetric
    if (shmem_my_pe() == 0) {
        timespec now{};
        ::clock_gettime(CLOCK_REALTIME, &now);
        seed = static_cast<std::uint64_t>(now.tv_sec) * 1000 +
               static_cast<std::uint64_t>(now.tv_nsec / 1'000'000);
    }
    shmem_uint64_broadcast(SHMEM_TEAM_WORLD, &seed, &seed, 1, 0);
    return seed;
}

constexpr unsigned kHangSeconds = 120;
const Executor* running = nullptr;

void report_hang(int) {
    char text[200];
    const int bytes = std::snprintf(
        text, sizeof text, "[pe %d of %d] seed %lu hangs in step %d (--print shows it)\n",
        shmem_my_pe(), shmem_n_pes(), running != nullptr ? running->seed() : 0,
        running != nullptr ? running->step_number() : -1);
    static_cast<void>(!::write(STDERR_FILENO, text, static_cast<std::size_t>(bytes)));
    ::_exit(1);
}

void print(const Program& program) {
    for (const Step& step : program.steps)
        std::printf("%4d  %s\n", step.number, words_of(step.call).c_str());
    std::fflush(stdout);
}

void run(const Options& options) {
    const SharedObjects shared;
    const bool shared_is_world = shmem_team_n_pes(SHMEM_TEAM_SHARED) == shmem_n_pes();
    for (std::uint64_t i = 0; i < options.sequences; ++i) {
        ::alarm(kHangSeconds);
        const Program program = Generator({.npes = shmem_n_pes(),
                                           .seed = options.seed + i,
                                           .steps = options.steps,
                                           .shared_is_world = shared_is_world})
                                    .run();
        if (options.print && shmem_my_pe() == 0) print(program);
        Executor executor(program, shared, options.from, options.seed);
        running = &executor;
        executor.run();
        running = nullptr;
    }
    ::alarm(0);
}

}  // namespace

int main(int argc, char** argv) {
    Options options = parse(argc, argv);
    ::signal(SIGALRM, report_hang);
    int provided = 0;
    shmem_init_thread(static_cast<int>(options.seed % (SHMEM_THREAD_MULTIPLE + 1)), &provided);
    if (shmem_n_pes() > tessera::random::kPesMax) {
        std::fprintf(stderr, "random_test: at most %d PEs\n", tessera::random::kPesMax);
        shmem_global_exit(2);
    }
    if (options.seed_from_time) options.seed = seed_from_time();
    if (shmem_my_pe() == 0) {
        std::printf("random_test: seed %lu, %lu sequences, %d PEs\n", options.seed,
                    options.sequences, shmem_n_pes());
        std::fflush(stdout);
    }
    run(options);
    if (shmem_my_pe() == 0) std::printf("random_test: all as expected\n");
    shmem_finalize();
    return 0;
}

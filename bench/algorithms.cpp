// SPDX-License-Identifier: BSD-3-Clause
//
// How long does each algorithm of a collective take, compared with the others and with auto's
// choice? All run in one job, by turns, because jobs differ more from each other than algorithms do
// where PEs share cores. The program changes the library's settings between calls, so it is linked
// with the library's objects.
// Prints "algorithm bytes ns" on PE 0: medians over rounds, on the clock of PE 0; reductions as
// "algorithm access bytes ns", but for auto. The last line tells how often auto is as good as the
// best.
//   algorithms COLLECTIVE [--quick] [--step S] [--rounds R] [--most BYTES]
// Sizes are 8 B (reductions: 4 B, a sum of int as in Ravichandrasekaran 2015, chapter 3) times
// powers of 2^S.
#include <shmem.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/choice.hpp"
#include "settings/config.hpp"

namespace {

namespace collectives = tessera::collectives;
using tessera::AlgorithmSetting;
using tessera::Collective;
using tessera::Config;
using tessera::config;

struct Options {
    Collective collective = Collective::kReduce;
    int step = 2;
    int rounds = 9;
    std::size_t most_bytes = std::size_t{4} << 20;
    double budget_s = 1.0;  // for each size
};

constexpr double kCloseToBest = 1.1;  // such a ratio is as good

struct Variant {
    std::string name;  // as it is printed
    AlgorithmSetting algorithm;
    long calls = 1;  // in a batch
    std::vector<double> times = {};
};

struct Arrays {
    char* dest;
    char* source;
};

int me;
int npes;
std::vector<double> over_best;  // auto's times over the best ones

double now_s() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// PE 0's, for all.
long agree(long value) {
    static long shared;
    if (me == 0) shared = value;
    shmem_barrier_all();
    const long result = shmem_long_g(&shared, 0);
    shmem_barrier_all();
    return result;
}

AlgorithmSetting& setting_of(Collective collective) {
    return const_cast<Config&>(config()).algorithms[static_cast<std::size_t>(collective)];
}

// `bytes`: of a vector, a contribution or a block.
void call(Collective collective, const Arrays& arrays, std::size_t bytes, int number) {
    const shmem_team_t all = SHMEM_TEAM_WORLD;
    auto* dest = reinterpret_cast<double*>(arrays.dest);
    const auto* source = reinterpret_cast<const double*>(arrays.source);
    const std::size_t count = bytes / sizeof(double);
    switch (collective) {
        case Collective::kBroadcast:  // From another root each time: none can run ahead.
            shmem_double_broadcast(all, dest, source, count, number % npes);
            break;
        case Collective::kCollect: shmem_double_collect(all, dest, source, count); break;
        case Collective::kFcollect: shmem_double_fcollect(all, dest, source, count); break;
        case Collective::kAlltoall: shmem_double_alltoall(all, dest, source, count); break;
        case Collective::kScan: shmem_double_sum_inscan(all, dest, source, count); break;
        default:
            shmem_int_sum_reduce(all, reinterpret_cast<int*>(arrays.dest),
                                 reinterpret_cast<const int*>(arrays.source), bytes / sizeof(int));
    }
}

double batch_s(const Options& options, const Variant& variant, const Arrays& arrays,
               std::size_t bytes) {
    shmem_barrier_all();
    setting_of(options.collective) = variant.algorithm;
    call(options.collective, arrays, bytes, 0);
    shmem_barrier_all();
    const double start = now_s();
    for (long i = 0; i < variant.calls; ++i)
        call(options.collective, arrays, bytes, static_cast<int>(i % npes));
    shmem_barrier_all();
    return (now_s() - start) / static_cast<double>(variant.calls);
}

bool is_possible(const collectives::AlgorithmTraits& algorithm, std::size_t bytes) {
    const tessera::Team& world = tessera::world_team;
    return collectives::is_possible(algorithm.restriction, {.npes = npes,
                                                            .is_on_one_node = world.is_on_one_node,
                                                            .has_mailboxes = world.has_mailboxes,
                                                            .bytes = bytes});
}

std::vector<Variant> variants_of(const Options& options, std::size_t bytes) {
    std::vector<Variant> variants{{.name = "auto", .algorithm = {}}};
    const auto all = collectives::traits_of(options.collective);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!is_possible(*all[i], bytes)) continue;
        variants.push_back(
            {.name = std::string(all[i]->name), .algorithm = {static_cast<std::uint8_t>(i + 1)}});
    }
    return variants;
}

void measure(const Options& options, const Arrays& arrays, std::size_t bytes) {
    std::vector<Variant> variants = variants_of(options, bytes);
    const double share_s = options.budget_s / options.rounds / static_cast<double>(variants.size());
    for (Variant& variant : variants) {
        batch_s(options, variant, arrays, bytes);
        variant.calls = 3;
        const double once_s = batch_s(options, variant, arrays, bytes);
        variant.calls = agree(std::clamp(static_cast<long>(share_s / once_s), 1L, 100000L));
    }
    // In another order each time, the same on all PEs: the state of caches and queues that one
    // algorithm leaves can slow the next one.
    std::vector<Variant*> order;
    for (Variant& variant : variants) order.push_back(&variant);
    std::mt19937 random(1);
    for (int round = 0; round < options.rounds; ++round) {
        std::shuffle(order.begin(), order.end(), random);
        for (Variant* variant : order)
            variant->times.push_back(batch_s(options, *variant, arrays, bytes));
    }
    if (me != 0) return;
    std::vector<double> medians;
    for (Variant& variant : variants) {
        std::sort(variant.times.begin(), variant.times.end());
        medians.push_back(variant.times[variant.times.size() / 2]);
        std::printf("%s %zu %.1f\n", variant.name.c_str(), bytes, medians.back() * 1e9);
    }
    std::fflush(stdout);
    if (medians.size() == 1) return;
    over_best.push_back(medians.front() / *std::min_element(medians.begin() + 1, medians.end()));
}

void print_summary() {
    if (over_best.empty()) return;
    const auto close = std::count_if(over_best.begin(), over_best.end(),
                                     [](double ratio) { return ratio <= kCloseToBest; });
    std::printf("auto is within %.1f of the best at %td of %zu points; at worst %.2f\n",
                kCloseToBest, close, over_best.size(),
                *std::max_element(over_best.begin(), over_best.end()));
}

[[noreturn]] void explain(const char* program) {
    std::fprintf(stderr,
                 "usage: %s reduce|broadcast|collect|fcollect|alltoall|scan [--quick] [--step S]\n"
                 "       [--rounds R] [--most BYTES]\n",
                 program);
    std::exit(2);
}

Options parse(int argc, char** argv) {
    Options options;
    if (argc < 2) explain(argv[0]);
    const auto* name = std::find(std::begin(tessera::kCollectiveNames),
                                 std::end(tessera::kCollectiveNames), argv[1]);
    if (name == std::end(tessera::kCollectiveNames)) explain(argv[0]);
    options.collective = static_cast<Collective>(name - std::begin(tessera::kCollectiveNames));
    if (options.collective == Collective::kBarrier) explain(argv[0]);
    for (int i = 2; i < argc; ++i) {
        const std::string_view option = argv[i];
        if (option == "--quick") {
            options.rounds = 3;
            options.budget_s = 0.05;
            continue;
        }
        if (i + 1 == argc) explain(argv[0]);
        const long value = std::strtol(argv[++i], nullptr, 10);
        if (value < 1) explain(argv[0]);
        if (option == "--step") {
            options.step = static_cast<int>(value);
        } else if (option == "--rounds") {
            options.rounds = static_cast<int>(value);
        } else if (option == "--most") {
            options.most_bytes = static_cast<std::size_t>(value);
        } else {
            explain(argv[0]);
        }
    }
    return options;
}

}  // namespace

int main(int argc, char** argv) {
    const Options options = parse(argc, argv);
    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
    const bool is_reduce = options.collective == Collective::kReduce;
    const std::size_t least_bytes = is_reduce ? sizeof(int) : sizeof(double);
    const bool has_blocks = options.collective == Collective::kCollect ||
                            options.collective == Collective::kFcollect ||
                            options.collective == Collective::kAlltoall;
    // A GiB for all PEs together: longer arrays would not fit on every machine.
    const std::size_t blocks = has_blocks ? static_cast<std::size_t>(npes) : 1;
    const std::size_t array_bytes =
        std::min(options.most_bytes * blocks, (std::size_t{1} << 29) / blocks);
    Arrays arrays{.dest = static_cast<char*>(shmem_align(4096, array_bytes)),
                  .source = static_cast<char*>(shmem_align(4096, array_bytes))};
    if (arrays.dest == nullptr || arrays.source == nullptr) {
        std::fprintf(stderr, "algorithms: it needs %zu MiB of symmetric heap\n", array_bytes >> 19);
        shmem_global_exit(1);
    }
    std::fill_n(arrays.source, array_bytes, '\0');
    for (std::size_t bytes = least_bytes;
         bytes <= options.most_bytes && bytes * blocks <= array_bytes; bytes <<= options.step) {
        measure(options, arrays, bytes);
    }
    print_summary();
    shmem_finalize();
    return 0;
}

// SPDX-License-Identifier: BSD-3-Clause
//
// How close are the reduction kernels to the memory's bandwidth? One process, one core. Each row
// measures a kernel and, by turns on the same arrays, the loop of STREAM's add, a[i] = b[i] + c[i],
// which the build compiles with -O3 -march=native (kernels_stream.cpp). Bandwidth counts the
// bytes that the program reads and writes, without the reading of a line before it is overwritten.
//
// usage: kernels [--quick] [--sources] [--instruction-set NAME]
// --sources: combine_many of 2 to 8 sources instead of combine_two.
#include "collectives/kernels/kernel.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <span>
#include <string_view>
#include <vector>

#include "bench/kernels_stream.hpp"

namespace {

using tessera::collectives::Element;
using tessera::collectives::instruction_sets;
using tessera::collectives::InstructionSet;
using tessera::collectives::Kernel;
using tessera::collectives::Operator;

constexpr double kAim = 0.9;
// A ratio this far below the aim is as good as the aim, as in onnode.c.
constexpr double kNoise = 0.03;
constexpr std::size_t kKiB = 1024;
constexpr std::size_t kBytesMin = 4 * kKiB;
constexpr std::size_t kBytesMax = 64 * kKiB * kKiB;
constexpr std::size_t kQuickBytesMax = kKiB * kKiB;
constexpr std::size_t kSourcesMax = 8;

struct Options {
    bool is_quick = false;
    std::size_t bytes_max = kBytesMax;
    bool is_many = false;
    const InstructionSet* set = &instruction_sets().back();
};

// Vectors start at different places of a page, as those of different PEs do.
struct Arrays {
    char* at[kSourcesMax + 1];
};

// The time of this process only: on a busy machine other processes take turns, too.
double now_ns() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

template <class Body>
double time_of(Body body, long repeats) {
    const double start = now_ns();
    for (long i = 0; i < repeats; ++i) body();
    return (now_ns() - start) / static_cast<double>(repeats);
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2),
                     values.end());
    return values[values.size() / 2];
}

struct Row {
    double kernel_ns;
    double stream_ns;
    double ratio;  // median ratio of the bandwidths of neighbouring samples
};

template <class Ours, class Limit>
Row compare(const Options& options, std::size_t bytes, Ours ours, Limit limit) {
    const double sample_ns = options.is_quick ? 2e4 : 2e6;
    const int samples = options.is_quick ? 3 : 31;
    limit();
    const double once = std::max(time_of(limit, 1 + static_cast<long>(kKiB * kKiB / bytes)), 1.0);
    const long repeats = std::max(1L, static_cast<long>(sample_ns / once));
    std::vector<double> kernel_ns, stream_ns, ratio;
    for (int i = 0; i < samples; ++i) {
        // The second one finds the data that the first one left in the caches.
        double a = i % 2 == 0 ? time_of(ours, repeats) : 0;
        const double b = time_of(limit, repeats);
        if (i % 2 != 0) a = time_of(ours, repeats);
        kernel_ns.push_back(a);
        stream_ns.push_back(b);
        ratio.push_back(b / a);
    }
    return {median(kernel_ns), median(stream_ns), median(ratio)};
}

// `arrays`: how many of `bytes` each the kernel reads and writes; STREAM's add moves as much.
// `aim`: 0: none.
void print_row(const char* name, std::size_t bytes, std::size_t arrays, const Row& row,
               double aim) {
    const auto moved = static_cast<double>(arrays * bytes);
    std::printf("%-14s %8zu %10.1f %10.1f %8.2f", name, bytes / kKiB, moved / row.kernel_ns,
                moved / row.stream_ns, row.ratio);
    if (aim > 0) std::printf("   >= %.2f %s", aim, row.ratio >= aim * (1 - kNoise) ? "ok" : "miss");
    std::printf("\n");
    std::fflush(stdout);
}

template <class T>
void measure_two(const Options& options, const Arrays& arrays, const char* name, Element element) {
    const Kernel& kernel = options.set->table->at(Operator::kSum, element);
    auto* a = reinterpret_cast<T*>(arrays.at[0]);
    const auto* b = reinterpret_cast<const T*>(arrays.at[1]);
    const auto* c = reinterpret_cast<const T*>(arrays.at[2]);
    for (std::size_t bytes = kBytesMin; bytes <= options.bytes_max; bytes *= 2) {
        const std::size_t nelems = bytes / sizeof(T);
        const auto ours = [&] { kernel.combine_two(a, b, c, nelems); };
        const auto limit = [&] { tessera::bench::stream_add(a, b, c, nelems); };
        print_row(name, bytes, 3, compare(options, bytes, ours, limit), kAim);
    }
}

// combine_many of doubles, with as many sources as a node has PEs. STREAM's add works on the same
// memory, cut into three, so that both need the same caches.
void measure_many(const Options& options, const Arrays& arrays, std::size_t count) {
    const Kernel& kernel = options.set->table->at(Operator::kSum, Element::kDouble);
    char name[32];
    std::snprintf(name, sizeof name, "double x %zu", count);
    const std::vector<const void*> sources(arrays.at + 1, arrays.at + 1 + count);
    auto* a = reinterpret_cast<double*>(arrays.at[0]);
    for (std::size_t bytes = kBytesMin; bytes <= options.bytes_max; bytes *= 4) {
        const std::size_t nelems = bytes / sizeof(double);
        const std::size_t third = nelems * (count + 1) / 3;
        const auto ours = [&] { kernel.combine_many(a, sources.data(), count, nelems); };
        const auto limit = [&] { tessera::bench::stream_add(a, a + third, a + 2 * third, third); };
        print_row(name, bytes, count + 1, compare(options, bytes, ours, limit), 0);
    }
}

const InstructionSet* instruction_set_of(std::string_view wanted) {
    for (const InstructionSet& set : instruction_sets()) {
        if (wanted == set.name) return &set;
    }
    std::fputs("kernels: this processor has only", stderr);
    for (const InstructionSet& set : instruction_sets()) std::fprintf(stderr, " %s", set.name);
    std::fputs("\n", stderr);
    std::exit(2);
}

Options options_of(std::span<char*> arguments) {
    Options options;
    for (std::size_t i = 1; i < arguments.size(); ++i) {
        const std::string_view argument = arguments[i];
        if (argument == "--quick") {
            options.is_quick = true;
            options.bytes_max = kQuickBytesMax;
        } else if (argument == "--sources") {
            options.is_many = true;
        } else if (argument == "--instruction-set" && i + 1 < arguments.size()) {
            options.set = instruction_set_of(arguments[++i]);
        } else {
            std::fputs("usage: kernels [--quick] [--sources] [--instruction-set NAME]\n", stderr);
            std::exit(2);
        }
    }
    return options;
}

}  // namespace

int main(int argc, char** argv) {
    const Options options = options_of({argv, static_cast<std::size_t>(argc)});
    constexpr std::size_t kPageBytes = 4 * kKiB;
    const std::size_t room_bytes = options.bytes_max + 2 * kPageBytes;
    Arrays arrays{};
    const std::size_t used = options.is_many ? kSourcesMax + 1 : 3;
    auto* memory = static_cast<char*>(std::aligned_alloc(kPageBytes, used * room_bytes));
    if (memory == nullptr) {
        std::fputs("kernels: no memory for the arrays\n", stderr);
        return 1;
    }
    std::memset(memory, 0, used * room_bytes);
    for (std::size_t i = 0; i < used; ++i) arrays.at[i] = memory + i * (room_bytes + 5 * 64);
    std::printf("sum with %s; medians, kernel and STREAM add by turns; GB/s read and written\n",
                options.set->name);
    std::printf("%-14s %8s %10s %10s %8s   %s\n", "type", "KiB each", "kernel", "stream", "ratio",
                "aim");
    if (options.is_many) {
        for (std::size_t count : {2, 3, 4, 8}) measure_many(options, arrays, count);
    } else {
        measure_two<double>(options, arrays, "double", Element::kDouble);
        measure_two<float>(options, arrays, "float", Element::kFloat);
        measure_two<int>(options, arrays, "int", Element::kInt32);
    }
    return 0;
}

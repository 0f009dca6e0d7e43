// SPDX-License-Identifier: BSD-3-Clause
//
// Each simulated program has these functions, which the simulator calls.
#include <pthread.h>
#include <unistd.h>

#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/fatal.hpp"
#include "base/fd.hpp"
#include "collectives/choice.hpp"
#include "heap/helper_loop.hpp"
#include "heap/node_file.hpp"
#include "settings/config.hpp"
#include "settings/config_parse.hpp"
#include "settings/progress_mode.hpp"
#include "topology/topology.hpp"

#define EXPORTED extern "C" __attribute__((visibility("default"), used))

// The helpers of each node that SHMEM_PROGRESS asks for.
EXPORTED int tessera_sim_helpers() {
    const char* text = std::getenv("SHMEM_PROGRESS");
    const auto mode = tessera::parse_progress(text != nullptr ? text : "");
    return mode ? static_cast<int>(mode->helpers) : 0;
}

namespace {

// 0: the variable is not set.
std::size_t size_of(const char* variable) {
    const char* text = std::getenv(variable);
    return text != nullptr ? tessera::parse_size(text).value_or(0) : 0;
}

}  // namespace

// Makes the files of a node, which its launcher makes otherwise. RETURNS: whether that worked.
EXPORTED bool tessera_sim_make_files(int npes, int npes_of_job, std::size_t heap_bytes,
                                     unsigned usable_cores, int* node_file, int* heap_file) {
    static tessera::topology::Facts facts{};
    facts.usable_cores = facts.allowed_cores = facts.usable_pus = facts.allowed_pus = usable_cores;
    facts.memory_bytes = facts.machine_memory_bytes = std::size_t{1} << 45;
    const auto helpers = static_cast<std::uint32_t>(tessera_sim_helpers());
    tessera::heap::NodePlan plan{.npes = npes,
                                 .npes_of_job = npes_of_job,
                                 .heap_bytes = heap_bytes,
                                 .team_memory_bytes = size_of("SHMEM_TEAM_MEMORY_SIZE"),
                                 .local_memory_bytes = size_of("SHMEM_LOCAL_MEMORY_SIZE"),
                                 .try_huge_pages = false,
                                 .facts_bytes = sizeof facts,
                                 .usable_cores = usable_cores,
                                 .helpers = {.helpers = helpers}};
    std::string error = tessera::heap::choose_sizes(plan, facts.memory_bytes, npes_of_job);
    tessera::heap::NodeFiles files;
    if (error.empty()) files = tessera::heap::create_node_files(plan, error);
    tessera::heap::NodeLayout header;
    if (files.node &&
        ::pread(files.node.get(), static_cast<void*>(&header), sizeof header, 0) > 0 &&
        ::pwrite(files.node.get(), &facts, sizeof facts, static_cast<off_t>(header.facts_offset)) >
            0) {
        *node_file = files.node.release();
        *heap_file = files.heap.release();
        return true;
    }
    std::fprintf(stderr, "sim: cannot make a node's files: %s\n", error.c_str());
    return false;
}

// A helper, as its process under oshrun (tools/oshrun/helper_process.cpp), until the run ends.
EXPORTED void tessera_sim_help(int node_file, int heap_file, int number) {
    using tessera::Mapping;
    tessera::heap::NodeLayout layout;
    if (::pread(node_file, static_cast<void*>(&layout), sizeof layout, 0) < 0) std::abort();
    const auto npes = static_cast<std::size_t>(layout.npes);
    const Mapping node = Mapping::share(node_file, 0, layout.static_offset);
    const Mapping heaps = Mapping::share(heap_file, 0, npes * layout.heap_stride);
    auto& board = *reinterpret_cast<tessera::heap::OffloadBoard*>(
        node.data() + tessera::heap::offload_offset(layout));
    tessera::heap::HelperLoop({.board = board,
                               .maps = {.node = node.data(), .heaps = heaps.data()},
                               .npes = npes,
                               .number = static_cast<std::size_t>(number),
                               .fail = [](const char* why) { tessera::fatal("%s", why); }})
        .run();
}

// In place of the library's own weak one for static programs (heap/static_stack.cpp), which would
// make a thread of the system.
extern "C" int tessera_sim_create_thread(pthread_t* thread, void* (*body)(void*), void* argument);
EXPORTED int pthread_create(pthread_t* thread, const pthread_attr_t* /*attributes*/,
                            void* (*body)(void*), void* argument) noexcept {
    return tessera_sim_create_thread(thread, body, argument);
}

// The loader tells where the variables of threads lie once a call has asked for one.
EXPORTED void tessera_sim_touch_thread_locals() {
    [[maybe_unused]] static thread_local volatile int variable = 0;
    variable = 1;
}

// Sets the variables of some collectives to one of the algorithms; those that are set stay.
EXPORTED void tessera_sim_choose_algorithms(std::uint64_t (*random_below)(std::uint64_t)) {
    for (std::size_t i = 0; i < tessera::kCollectives; ++i) {
        const auto algorithms =
            tessera::collectives::traits_of(static_cast<tessera::Collective>(i));
        std::string variable = "SHMEM_" + std::string(tessera::kCollectiveNames[i]) + "_ALGORITHM";
        for (char& c : variable) c = static_cast<char>(std::toupper(c));
        const std::uint64_t chosen = random_below(2 * algorithms.size());
        if (chosen >= algorithms.size()) continue;
        ::setenv(variable.c_str(), std::string(algorithms[chosen]->name).c_str(), 0);
    }
}

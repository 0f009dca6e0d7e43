// SPDX-License-Identifier: BSD-3-Clause
//
// Loads the one copy of the program, and makes the nodes' files.
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "../real_calls.hpp"
#include "../world.hpp"
#include "base/inherited.hpp"
#include "base/virtual_nodes.hpp"
#include "phases.hpp"
#include "scale.hpp"

namespace sim {
namespace {

using MakeFiles = bool (*)(int, int, std::size_t, unsigned, int*, int*);

constexpr pid_t kLauncherPid = 99'999'999;

void* program = nullptr;
std::string program_name;
struct NodeFiles {
    int node = -1;
    int heap = -1;
};
std::vector<NodeFiles> files;

[[noreturn]] void give_up(const char* what, const char* why) {
    std::fprintf(stderr, "scale: %s: %s\n", what, why);
    std::exit(2);
}

template <class Function>
Function find(const char* name) {
    auto function = reinterpret_cast<Function>(::dlsym(program, name));
    if (function == nullptr) give_up("the program is no simulated one, it lacks", name);
    return function;
}

// The variables of threads lie where the loader has put them for this thread.
void find_thread_locals(Pe& pe) {
    find<void (*)()>("tessera_sim_touch_thread_locals")();
    ::dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* argument) {
            auto& mine = *static_cast<Pe*>(argument);
            if (mine.file != info->dlpi_name) return 0;
            for (int i = 0; i < info->dlpi_phnum; ++i) {
                const ElfW(Phdr)& header = info->dlpi_phdr[i];
                if (header.p_type != PT_TLS) continue;
                mine.thread_locals = static_cast<char*>(info->dlpi_tls_data);
                const auto* image = reinterpret_cast<const char*>(info->dlpi_addr + header.p_vaddr);
                mine.initial_thread_locals.assign(image, image + header.p_filesz);
                mine.initial_thread_locals.resize(header.p_memsz);
            }
            return 1;
        },
        &pe);
}

// Runs as the PE, before its main.
int begin(int argc, char** argv, char** environment) {
    scale::run_constructors(argc, argv, environment);
    return find<int (*)(int, char**, char**)>("main")(argc, argv, environment);
}

std::size_t bytes_of(int file) {
    constexpr std::size_t kBlockBytes = 512;
    struct stat status {};
    return ::fstat(file, &status) == 0 ? static_cast<std::size_t>(status.st_blocks) * kBlockBytes
                                       : 0;
}

}  // namespace

namespace scale {

void load_program(const std::string& name) {
    program = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (program == nullptr) give_up("cannot load the program", ::dlerror());
    world.pes.front().file = name;
    find_thread_locals(world.pes.front());
    for (Pe& pe : world.pes) {
        pe.file = name;
        pe.main = begin;
    }
}

void make_files(std::size_t heap_bytes) {
    int life[2];
    int control[2];
    if (::pipe(life) != 0 || ::pipe(control) != 0) give_up("pipe", std::strerror(errno));
    const int npes = static_cast<int>(world.pes.size());
    for (int i = 0; i < world.nodes; ++i) {
        NodeFiles& made = files.emplace_back();
        const int npes_of_node = tessera::virtual_node(i, npes, world.nodes).npes;
        if (!find<MakeFiles>("tessera_sim_make_files")(npes_of_node, npes, heap_bytes,
                                                       static_cast<unsigned>(npes), &made.node,
                                                       &made.heap)) {
            give_up("no files", "");
        }
    }
    for (Pe& pe : world.pes) {
        pe.node = tessera::virtual_node_of(pe.number, npes, world.nodes).number;
        pe.control_fd = control[1];
        pe.rank = std::to_string(pe.number);
        const NodeFiles& node = files[static_cast<std::size_t>(pe.node)];
        pe.job = tessera::job_variable_value({.pe = pe.number,
                                              .npes = npes,
                                              .nodes = world.nodes,
                                              .launcher_pid = kLauncherPid,
                                              .node_fd = node.node,
                                              .heap_fd = node.heap,
                                              .control_fd = control[1],
                                              .life_fd = life[0]});
    }
}

NodeBytes node_bytes() {
    NodeBytes bytes;
    for (const NodeFiles& node : files) {
        bytes.node_files += bytes_of(node.node);
        bytes.heap_files += bytes_of(node.heap);
    }
    return bytes;
}

}  // namespace scale

extern "C" __attribute__((visibility("default"))) bool tessera_scale_is_node_file(int file) {
    return file >= files.front().node && file <= files.back().heap;
}

void remove_copies() {}

void show_waits() {
    const auto label = find<const char* (*)()>("tessera_scale_wait_label");
    constexpr std::size_t kShownMax = 20;
    for (std::size_t i = 0; i < std::min(world.pes.size(), kShownMax); ++i) {
        if (world.pes[i].has_ended) continue;
        scale::load_image(static_cast<int>(i));
        std::fprintf(stderr, "scale: PE %zu waits in %s\n", i, label());
    }
}

}  // namespace sim

// SPDX-License-Identifier: BSD-3-Clause
//
// Loads a copy of the program for each PE. The loader of the system tells files by their inodes, so
// each copy is a file of its own, and has its own variables.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "base/inherited.hpp"
#include "base/virtual_nodes.hpp"
#include "real_calls.hpp"
#include "world.hpp"

namespace sim {
namespace {

using MakeFiles = bool (*)(int, int, std::size_t, unsigned, int*, int*);
using WaitLabel = const char* (*)();

constexpr pid_t kLauncherPid = 99'999'999;

struct NodeFiles {
    int node = -1;
    int heap = -1;
};
std::vector<NodeFiles> files;
std::vector<void*> copies;
std::string folder;

[[noreturn]] void give_up(const char* what, const char* why) {
    std::fprintf(stderr, "sim: %s: %s\n", what, why);
    remove_copies();
    std::exit(2);
}

template <class Function>
Function find(void* copy, const char* name) {
    auto function = reinterpret_cast<Function>(::dlsym(copy, name));
    if (function == nullptr) give_up("the program is no simulated one, it lacks", name);
    return function;
}

// The variables of threads lie where the loader has put them for this thread.
void find_thread_locals(Pe& pe, void* copy) {
    find<void (*)()>(copy, "tessera_sim_touch_thread_locals")();
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

std::string job_of(const Pe& pe, int life, int control) {
    const NodeFiles& node = files[static_cast<std::size_t>(pe.node)];
    return tessera::job_variable_value({.pe = pe.number,
                                        .npes = static_cast<int>(world.pes.size()),
                                        .nodes = world.nodes,
                                        .launcher_pid = kLauncherPid,
                                        .node_fd = node.node,
                                        .heap_fd = node.heap,
                                        .control_fd = control,
                                        .life_fd = life});
}

void load_copy(Pe& pe, const std::string& program) {
    pe.file = folder + "/pe" + std::to_string(pe.number) + ".so";
    std::error_code error;
    std::filesystem::copy_file(program, pe.file, error);
    if (error) give_up(pe.file.c_str(), error.message().c_str());
    world.loading = &pe;
    void* loaded = ::dlopen(pe.file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (loaded == nullptr) give_up("cannot load the program", ::dlerror());
    world.loading = nullptr;
    pe.main = find<int (*)(int, char**, char**)>(loaded, "main");
    find_thread_locals(pe, loaded);
    if (pe.thread_locals == nullptr) give_up(pe.file.c_str(), "no variables of threads");
    copies.push_back(loaded);
}

}  // namespace

void load(const std::string& program, bool keeps_files) {
    char name[] = "/tmp/tessera-sim-XXXXXX";
    if (::mkdtemp(name) == nullptr) give_up(name, std::strerror(errno));
    folder = name;
    int life[2];
    int control[2];
    if (::pipe(life) != 0 || ::pipe(control) != 0) give_up("pipe", std::strerror(errno));
    for (int i = 0; i < world.nodes; ++i)
        files.push_back({::memfd_create("sim-node", 0), ::memfd_create("sim-heap", 0)});
    const int npes = static_cast<int>(world.pes.size());
    for (Pe& pe : world.pes) {
        pe.node = tessera::virtual_node_of(pe.number, npes, world.nodes).number;
        pe.control_fd = control[1];
        pe.rank = std::to_string(pe.number);
        pe.job = job_of(pe, life[0], control[1]);
        load_copy(pe, program);
    }
    if (!keeps_files) remove_copies();
}

void make_node_files(std::size_t heap_bytes) {
    const int npes = static_cast<int>(world.pes.size());
    for (int i = 0; i < world.nodes; ++i) {
        NodeFiles made;
        const int npes_of_node = tessera::virtual_node(i, npes, world.nodes).npes;
        if (!find<MakeFiles>(copies[0], "tessera_sim_make_files")(
                npes_of_node, npes, heap_bytes, static_cast<unsigned>(world.character.usable_cores),
                &made.node, &made.heap)) {
            give_up("no files", "");
        }
        const NodeFiles& old = files[static_cast<std::size_t>(i)];
        ::dup2(made.node, old.node);
        ::dup2(made.heap, old.heap);
        ::close(made.node);
        ::close(made.heap);
    }
}

void remove_copies() {
    std::error_code error;
    if (!folder.empty()) std::filesystem::remove_all(folder, error);
    folder.clear();
}

void show_waits() {
    for (std::size_t i = 0; i < copies.size(); ++i) {
        if (world.pes[i].has_ended) {
            std::fprintf(stderr, "sim: PE %zu has ended\n", i);
            continue;
        }
        const char* label = find<WaitLabel>(copies[i], "tessera_sim_wait_label")();
        std::fprintf(stderr, "sim: PE %zu waits in %s\n", i, *label != '\0' ? label : "no routine");
    }
}

}  // namespace sim

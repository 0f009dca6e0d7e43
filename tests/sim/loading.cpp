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
#include <deque>
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

constexpr pid_t kLauncherPid = 99'999'999;

struct NodeFiles {
    int node = -1;
    int heap = -1;
};
std::vector<NodeFiles> files;
int life_fd = -1;  // the launcher's pipe
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

std::string job_of(const Pe& pe) {
    const NodeFiles& node = files[static_cast<std::size_t>(pe.node)];
    return tessera::job_variable_value({.pe = pe.number,
                                        .npes = static_cast<int>(world.pes.size()),
                                        .nodes = world.nodes,
                                        .launcher_pid = kLauncherPid,
                                        .node_fd = node.node,
                                        .heap_fd = node.heap,
                                        .control_fd = pe.control_fd,
                                        .life_fd = life_fd});
}

struct Constructors {
    std::uint64_t address = 0;
    std::size_t count = 0;
};

// The PE's first fiber calls the constructors, so that they may wait; the loader must not. Changes
// the file.
Constructors take_constructors(const std::string& path) {
    std::FILE* file = std::fopen(path.c_str(), "r+");
    ElfW(Ehdr) header{};
    Constructors found;
    const auto read_at = [&](std::uint64_t offset, auto& to) {
        return std::fseek(file, static_cast<long>(offset), SEEK_SET) == 0 &&
               std::fread(&to, sizeof to, 1, file) == 1;
    };
    if (file == nullptr || !read_at(0, header)) give_up(path.c_str(), "cannot read it");
    for (int i = 0; i < header.e_phnum; ++i) {
        ElfW(Phdr) segment{};
        if (!read_at(header.e_phoff + i * sizeof segment, segment)) break;
        if (segment.p_type != PT_DYNAMIC) continue;
        ElfW(Dyn) entry{};
        for (std::uint64_t at = segment.p_offset; read_at(at, entry); at += sizeof entry) {
            if (entry.d_tag == DT_NULL) break;
            if (entry.d_tag == DT_INIT_ARRAY) found.address = entry.d_un.d_ptr;
            if (entry.d_tag != DT_INIT_ARRAYSZ) continue;
            found.count = entry.d_un.d_val / sizeof(void*);
            entry.d_un.d_val = 0;
            std::fseek(file, static_cast<long>(at), SEEK_SET);
            std::fwrite(&entry, sizeof entry, 1, file);
            std::fseek(file, 0, SEEK_CUR);
        }
    }
    std::fclose(file);
    return found;
}

void load_copy(Pe& pe, const std::string& program) {
    pe.file = folder + "/pe" + std::to_string(pe.number) + ".so";
    std::error_code error;
    std::filesystem::copy_file(program, pe.file, error);
    if (error) give_up(pe.file.c_str(), error.message().c_str());
    const Constructors constructors = take_constructors(pe.file);
    void* loaded = ::dlopen(pe.file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (loaded == nullptr) give_up("cannot load the program", ::dlerror());
    const auto* map = static_cast<const link_map*>(loaded);
    pe.constructors = {
        reinterpret_cast<void (*const*)(int, char**, char**)>(map->l_addr + constructors.address),
        constructors.count};
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
    life_fd = life[0];
    const int npes = static_cast<int>(world.pes.size());
    for (Pe& pe : world.pes) {
        pe.node = tessera::virtual_node_of(pe.number, npes, world.nodes).number;
        pe.control_fd = control[1];
        pe.rank = std::to_string(pe.number);
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
        files.push_back(made);
    }
    for (Pe& pe : world.pes) pe.job = job_of(pe);
}

void add_helpers() {
    struct Helper {
        void (*help)(int, int, int);
        const NodeFiles* files;
        int number;
    };
    static std::deque<Helper> helpers;
    const int npes = static_cast<int>(world.pes.size());
    const int count = find<int (*)()>(copies[0], "tessera_sim_helpers")();
    for (int i = 0; i < count * world.nodes; ++i) {
        const int node = i % world.nodes;
        const int pe = tessera::virtual_node(node, npes, world.nodes).first;
        const auto index = static_cast<std::size_t>(pe);
        helpers.push_back({find<void (*)(int, int, int)>(copies[index], "tessera_sim_help"),
                           &files[static_cast<std::size_t>(node)], i / world.nodes});
        const auto run = [](void* argument) -> void* {
            const auto& mine = *static_cast<const Helper*>(argument);
            mine.help(mine.files->node, mine.files->heap, mine.number);
            return nullptr;
        };
        world.add_fiber(world.pes[index], run, &helpers.back()).is_helper = true;
    }
}

void choose_algorithms() {
    find<void (*)(std::uint64_t(*)(std::uint64_t))>(copies[0], "tessera_sim_choose_algorithms")(
        [](std::uint64_t bound) { return world.random_below(bound); });
}

void remove_copies() {
    std::error_code error;
    if (!folder.empty()) std::filesystem::remove_all(folder, error);
    folder.clear();
}

int node_file(const Pe& pe) { return files[static_cast<std::size_t>(pe.node)].node; }

}  // namespace sim

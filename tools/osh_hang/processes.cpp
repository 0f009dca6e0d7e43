// SPDX-License-Identifier: BSD-3-Clause
//
// See processes.hpp.
#include "tools/osh_hang/processes.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>

#include "base/inherited.hpp"

namespace tessera::osh_hang {
namespace {

std::string proc_path(pid_t pid, const char* file) {
    return "/proc/" + std::to_string(pid) + "/" + file;
}

std::string contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The value of NAME in an environment of /proc, or "".
std::string value_of(const std::string& environment, const std::string& name) {
    const std::string key = std::string(1, '\0') + name + "=";
    const std::size_t at = (std::string(1, '\0') + environment).find(key);
    if (at == std::string::npos) return "";
    return environment.c_str() + at + key.size() - 1;
}

std::vector<std::string> entries(const std::string& directory) {
    std::vector<std::string> names;
    std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(directory.c_str()), ::closedir);
    if (open == nullptr) return names;
    while (const dirent* entry = ::readdir(open.get())) names.emplace_back(entry->d_name);
    return names;
}

int find_node_fd(pid_t pid) {
    for (const std::string& name : entries(proc_path(pid, "fd"))) {
        char target[64] = "";
        const std::string path = proc_path(pid, "fd/") + name;
        if (::readlink(path.c_str(), target, sizeof target - 1) <= 0) continue;
        if (std::string(target).starts_with("/memfd:tessera-node")) return std::atoi(name.c_str());
    }
    return -1;
}

pid_t parent_of(pid_t pid) {
    const std::string text = contents(proc_path(pid, "stat"));
    const std::size_t name_end = text.rfind(')');
    return name_end == std::string::npos ? 0 : std::atoi(text.c_str() + name_end + 4);
}

bool is_number(const std::string& text) {
    return !text.empty() &&
           std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c); });
}

// The number of the PE and the name of its job, by the launcher's variables.
void read_environment(PeProcess& process) {
    const std::string environment = contents(proc_path(process.pid, "environ"));
    const std::string job = value_of(environment, kJobVariable);
    const std::string space = value_of(environment, "PMIX_NAMESPACE");
    const std::string rank = value_of(environment, "PMIX_RANK");
    if (!job.empty()) {
        // 2,<pe>,<npes>,<nodes>,<oshrun pid>,... (base/inherited.hpp)
        std::vector<std::string> words;
        for (std::size_t at = 0; at != std::string::npos && words.size() < 5;) {
            const std::size_t comma = job.find(',', at);
            words.push_back(job.substr(at, comma - at));
            at = comma == std::string::npos ? comma : comma + 1;
        }
        if (words.size() < 5) return;
        process.pe = std::atoi(words[1].c_str());
        process.job = "oshrun " + words[4];
    } else if (!space.empty() && !rank.empty()) {
        process.pe = std::atoi(rank.c_str());
        process.job = space;
    }
}

bool is_same_user(pid_t pid) { return ::access(proc_path(pid, "environ").c_str(), R_OK) == 0; }

// Whether the process may be a PE: it runs a program with the library, or one that is still to
// start it. oshrun's helpers and this program are none.
bool is_tool(const PeProcess& process) {
    return process.program == "osh_hang" || process.program == "oshrun";
}

}  // namespace

PeProcess look_at(pid_t pid) {
    PeProcess process{.pid = pid, .job = "", .program = ""};
    process.program = contents(proc_path(pid, "comm"));
    while (!process.program.empty() && process.program.back() == '\n') process.program.pop_back();
    if (process.program.empty() || !is_same_user(pid)) return {};
    read_environment(process);
    process.node_fd = find_node_fd(pid);
    if (process.job.empty()) {
        if (process.node_fd < 0) return {};
        process.job = "pid " + std::to_string(pid);  // A single PE, without a launcher.
    }
    if (is_tool(process)) return {};
    const std::string stat = contents(proc_path(pid, "stat"));
    const std::size_t name_end = stat.rfind(')');
    if (name_end != std::string::npos && name_end + 2 < stat.size())
        process.state = stat[name_end + 2];
    return process;
}

std::vector<PeProcess> find_pes() {
    std::vector<PeProcess> found;
    for (const std::string& name : entries("/proc")) {
        if (!is_number(name)) continue;
        PeProcess process = look_at(std::atoi(name.c_str()));
        if (process.pid != 0) found.push_back(std::move(process));
    }
    return found;
}

std::vector<PeProcess> find_job(const PeProcess& any) {
    std::vector<PeProcess> found = find_pes();
    std::erase_if(found, [&](const PeProcess& one) { return one.job != any.job; });
    // A wrapper is the parent of the program that it has started. A child that runs the same
    // program is a copy of the PE (fork), or one that is about to become osh_hang: the older one
    // counts.
    std::vector<PeProcess> leaves;
    for (const PeProcess& one : found) {
        const bool is_wrapper = std::ranges::any_of(found, [&](const PeProcess& other) {
            return other.pe == one.pe && other.program != one.program &&
                   parent_of(other.pid) == one.pid;
        });
        if (!is_wrapper) leaves.push_back(one);
    }
    std::ranges::sort(leaves, {}, [](const PeProcess& one) { return std::pair(one.pe, one.pid); });
    const auto has_same_pe = [](const PeProcess& one, const PeProcess& other) {
        return one.pe == other.pe;
    };
    leaves.erase(std::unique(leaves.begin(), leaves.end(), has_same_pe), leaves.end());
    return leaves;
}

Fd open_node_file(const PeProcess& process) {
    if (process.node_fd < 0) return {};
    const std::string file = "fd/" + std::to_string(process.node_fd);
    return Fd(::open(proc_path(process.pid, file.c_str()).c_str(), O_RDONLY | O_CLOEXEC));
}

bool read_memory(pid_t pid, std::uint64_t address, void* to, std::size_t bytes) {
    const iovec local{.iov_base = to, .iov_len = bytes};
    const iovec remote{.iov_base = reinterpret_cast<void*>(address), .iov_len = bytes};
    return ::process_vm_readv(pid, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(bytes);
}

}  // namespace tessera::osh_hang

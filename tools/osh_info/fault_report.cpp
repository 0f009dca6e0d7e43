// SPDX-License-Identifier: BSD-3-Clause
//
// See fault_report.hpp. Reports only facts found on this machine, and says so where one is missing.
#include "tools/osh_info/fault_report.hpp"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <rdma/fabric.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <string_view>
#include <vector>

#include "base/environment.hpp"
#include "tools/osh_info/doctor/command.hpp"
#include "tools/osh_info/report.hpp"

namespace tessera::osh_info {
namespace {

// The rest of the first line of `path` that begins with `start`, without blanks, colons and quotes
// around it.
std::string value_in_file(const char* path, std::string_view start) {
    std::ifstream file(path);
    for (std::string text; std::getline(file, text);) {
        if (!text.starts_with(start)) continue;
        const std::string value = text.substr(start.size());
        const std::size_t first = value.find_first_not_of(" \t:=\"");
        const std::size_t last = value.find_last_not_of(" \t\"");
        return first == std::string::npos ? "" : value.substr(first, last - first + 1);
    }
    return "";
}

std::string or_text(std::string text, const char* other) { return text.empty() ? other : text; }

std::string system_lines() {
    return line("distribution",
                or_text(value_in_file("/etc/os-release", "PRETTY_NAME"), "not known")) +
           line("C library", "glibc " + std::string(::gnu_get_libc_version())) +
           line("processor", or_text(value_in_file("/proc/cpuinfo", "model name"), "not known")) +
           line("ptrace scope", or_text(value_in_file("/proc/sys/kernel/yama/ptrace_scope", ""),
                                        "no Yama in this kernel")) +
           line("overcommit",
                or_text(value_in_file("/proc/sys/vm/overcommit_memory", ""), "not known")) +
           line("mappings", or_text(value_in_file("/proc/sys/vm/max_map_count", ""), "not known") +
                                " at most in a process");
}

std::string number_limit(decltype(RLIMIT_AS) resource) {
    rlimit limit{};
    if (::getrlimit(resource, &limit) != 0) return "not known";
    return limit.rlim_cur == RLIM_INFINITY ? "unlimited" : std::to_string(limit.rlim_cur);
}

std::string limit_lines() {
    return line("locked memory", number_limit(RLIMIT_MEMLOCK)) +
           line("stack", number_limit(RLIMIT_STACK)) + line("data", number_limit(RLIMIT_DATA)) +
           line("open files", number_limit(RLIMIT_NOFILE)) +
           line("processes", number_limit(RLIMIT_NPROC)) +
           line("core files", number_limit(RLIMIT_CORE));
}

// "tcp;ofi_rxm, shm", the providers that libfabric offers here.
std::string providers_text(void* library) {
    const auto get_info = reinterpret_cast<decltype(&::fi_getinfo)>(::dlsym(library, "fi_getinfo"));
    const auto free_info =
        reinterpret_cast<decltype(&::fi_freeinfo)>(::dlsym(library, "fi_freeinfo"));
    fi_info* all = nullptr;
    if (get_info == nullptr || free_info == nullptr ||
        get_info(FI_VERSION(1, 15), nullptr, nullptr, 0, nullptr, &all) != 0) {
        return "none found";
    }
    std::vector<std::string> names;
    for (const fi_info* info = all; info != nullptr; info = info->next) {
        const std::string name = info->fabric_attr->prov_name;
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    free_info(all);
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

// The library stays loaded, because its threads may outlive this call.
std::string fabric_lines() {
    void* library = ::dlopen("libfabric.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
        return line("libfabric", "not found; only jobs on several nodes need it");
    const auto version = reinterpret_cast<decltype(&::fi_version)>(::dlsym(library, "fi_version"));
    const std::uint32_t number = version != nullptr ? version() : 0;
    return line("libfabric",
                std::to_string(FI_MAJOR(number)) + "." + std::to_string(FI_MINOR(number))) +
           line("providers", providers_text(library));
}

std::string launcher_lines() {
    std::string text;
    for (const char* program : {"oshrun", "srun", "prterun", "mpirun"})
        text += line(program, or_text(path_of(program), "not found"));
    return text;
}

// Nothing else of the environment belongs in a report: it may hold secrets.
bool is_shown(std::string_view entry) {
    const std::string_view name = entry.substr(0, entry.find('='));
    for (std::string_view known : {"PMIX_VERSION", "SLURM_JOB_NUM_NODES", "SLURM_NTASKS",
                                   "SLURM_NTASKS_PER_NODE", "SLURM_MPI_TYPE"}) {
        if (name == known) return true;
    }
    // Also settings with an unknown name, which the list of settings does not have.
    return name.starts_with("SHMEM_") || name.starts_with("SMA_") || name.starts_with("FI_");
}

std::string environment_lines() {
    std::string text;
    for (const char* const* entry = environment_entries(); *entry != nullptr; ++entry) {
        if (is_shown(*entry)) text.append(*entry).append("\n");
    }
    return or_text(text, "no SHMEM_*, no FI_*, and no job of Slurm or PMIx\n");
}

// Values and origins, without the explanations.
std::string short_settings(const Config& config) {
    std::string text;
    const std::string all = settings_text(config);
    for (std::size_t start = 0; start < all.size();) {
        const std::size_t end = all.find('\n', start) + 1;
        if (all[start] != ' ') text += all.substr(start, end - start);
        start = end;
    }
    return text;
}

}  // namespace

std::string fault_report(const Config& config, const std::string& error) {
    return "### osh_info --report\n\n```\n" + version_text() + "Build\n" + build_text() +
           "Libraries\n" + libraries_text() + fabric_lines() + "Machine\n" + system_lines() +
           machine_text(config, Host::kHidden) + limit_lines() + "Launchers\n" + launcher_lines() +
           "Environment\n" + environment_lines() + "Settings\n" +
           (error.empty() ? short_settings(config) : error + "\n") + "```\n";
}

}  // namespace tessera::osh_info

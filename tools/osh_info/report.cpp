// SPDX-License-Identifier: BSD-3-Clause
//
// See report.hpp. Reports only facts found on this machine.
#include "tools/osh_info/report.hpp"

#include <dlfcn.h>
#include <hwloc.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include <cstdio>
#include <filesystem>
#include <system_error>

#include "build_info.hpp"
#include "heap/node_file.hpp"
#include "shmem/setup.h"
#include "small_file.hpp"
#include "topology/topology.hpp"

namespace tessera::osh_info {
namespace {

std::string or_unknown(const std::string& text) { return text.empty() ? "not known" : text; }

std::string mebibytes_text(std::uint64_t bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f MiB", static_cast<double>(bytes) / (1024.0 * 1024.0));
    return text;
}

std::string hwloc_version_text(unsigned version) {
    return std::to_string(version >> 16) + "." + std::to_string(version >> 8 & 0xff) + "." +
           std::to_string(version & 0xff);
}

// The version that libpmix reports; only launchers other than oshrun need the library.
std::string pmix_text() {
    using GetVersion = const char* (*)();
    for (const char* name : {"libpmix.so.2", kPmixLibrary}) {
        void* library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) continue;
        auto get_version = reinterpret_cast<GetVersion>(::dlsym(library, "PMIx_Get_version"));
        std::string text = get_version != nullptr ? get_version() : "of unknown version";
        // The library stays loaded: its version string and its own threads may outlive this call.
        return text;
    }
    return "not found; only mpirun and srun need it (Debian: libpmix2)";
}

std::string prefix() {
    std::error_code error;
    const auto commands = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    std::string text = (commands / kPrefixFromCommands).lexically_normal();
    if (text.size() > 1 && text.ends_with('/')) text.pop_back();
    return text;
}

std::string huge_pages_text() {
    const std::string folder = "/sys/kernel/mm/hugepages/hugepages-2048kB/";
    std::string all = first_line((folder + "nr_hugepages").c_str());
    if (all.empty()) return "none of 2 MiB in this kernel";
    std::string free = first_line((folder + "free_hugepages").c_str());
    return or_unknown(free) + " free of " + all + " (2 MiB)";
}

std::string limit_text(decltype(RLIMIT_AS) resource) {
    rlimit limit{};
    if (::getrlimit(resource, &limit) != 0) return "not known";
    if (limit.rlim_cur == RLIM_INFINITY) return "unlimited";
    return mebibytes_text(limit.rlim_cur);
}

std::string heap_text(const Config& config, const topology::Facts& facts) {
    if (config.symmetric_size != 0)
        return mebibytes_text(config.symmetric_size) + " per PE, by SHMEM_SYMMETRIC_SIZE";
    std::string text;
    auto cores = static_cast<int>(facts.usable_cores);
    for (int npes : {1, cores, 4 * cores}) {
        if (npes == 1 && cores == 1) continue;
        if (!text.empty()) text += ", ";
        text += mebibytes_text(heap::default_heap_bytes(facts.memory_bytes, npes)) + " for " +
                std::to_string(npes);
    }
    return text + " PEs on this node";
}

}  // namespace

std::string line(const char* name, const std::string& value) {
    std::string text = "  " + std::string(name);
    if (text.size() < 20) text.resize(20, ' ');
    return text + " " + value + "\n";
}

const char* pmix_library() { return kPmixLibrary; }

std::string version_text() {
    std::string text = "Tessera " + std::string(kVersion) + ", OpenSHMEM " +
                       std::to_string(SHMEM_MAJOR_VERSION) + "." +
                       std::to_string(SHMEM_MINOR_VERSION);
    if (*kCommit != '\0') text += " (commit " + std::string(kCommit) + ")";
    return text + "\n";
}

std::string build_text() {
    return line("compiler", kCompiler) + line("system", kSystem) +
           line("type", or_unknown(kBuildType)) + line("flags", or_unknown(kFlags)) +
           line("sanitizers", *kSanitizers != '\0' ? kSanitizers : "none") +
           line("install prefix", prefix());
}

std::string libraries_text() {
    return line("hwloc", "API " + hwloc_version_text(hwloc_get_api_version()) +
                             " (built with hwloc " HWLOC_VERSION ")") +
           line("PMIx", pmix_text());
}

std::string machine_text(const Config& config, Host host) {
    topology::Facts facts = topology::discover();
    utsname system{};
    ::uname(&system);
    return (host == Host::kShown ? line("host", system.nodename) : "") +
           line("kernel", std::string(system.sysname) + " " + system.release) +
           topology::describe(facts) + line("symmetric heap", heap_text(config, facts)) +
           line("reserved pages", huge_pages_text()) +
           line("transparent pages",
                or_unknown(first_line("/sys/kernel/mm/transparent_hugepage/shmem_enabled")) +
                    " (for shared memory)") +
           line("address space", limit_text(RLIMIT_AS)) +
           line("file size", limit_text(RLIMIT_FSIZE));
}

std::string transports_text() {
    return line("self", "a PE's own static data, where it is not shared") +
           line("shm", "static data of PEs of the node, where it is not shared") +
           line("fabric", "PEs of other nodes, over libfabric (SHMEM_INFO=1 shows the provider)");
}

}  // namespace tessera::osh_info

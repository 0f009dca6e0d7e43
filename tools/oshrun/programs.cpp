// SPDX-License-Identifier: BSD-3-Clause
//
// See programs.hpp.
#include "programs.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/environment.hpp"
#include "base/fatal.hpp"
#include "base/inherited.hpp"
#include "base/place_variables.hpp"
#include "static_size.hpp"

namespace tessera::oshrun {
namespace {

// Variables of other launchers, or of an oshrun around this one, would make an MPI program look for
// the wrong server. Users' PMIx settings (PMIX_MCA_*) stay.
bool is_of_another_launcher(std::string_view entry) {
    const std::string_view name = entry.substr(0, entry.find('='));
    return name == kJobVariable || name.starts_with("PMI_") ||
           (name.starts_with("PMIX_") && !name.starts_with("PMIX_MCA_")) ||
           std::ranges::find(kVariablesOfPe, name) != std::end(kVariablesOfPe);
}

[[noreturn]] void program_error(const App& app, int error) {
    if (error == ENOENT && app.command[0].find('/') == std::string::npos) {
        warn("there is no program %s in PATH; for one in the current directory write ./%s",
             app.command[0].c_str(), app.command[0].c_str());
    } else {
        warn("cannot run %s%s%s: %s", app.command[0].c_str(), app.directory.empty() ? "" : " in ",
             app.directory.c_str(), std::strerror(error));
    }
    end_job(error == ENOENT || error == ENOTDIR ? kExitNotFound : kExitNotExecutable);
}

}  // namespace

void export_variables(const Options& options) {
    for (const auto& [name, value] : options.exports) {
        if (::setenv(name.c_str(), value.c_str(), 1) != 0)
            fatal("-x %s: no valid name of a variable", name.c_str());
    }
}

std::vector<std::string> base_environment() {
    std::vector<std::string> entries;
    for (const char* const* entry = environment_entries(); *entry != nullptr; ++entry) {
        if (!is_of_another_launcher(*entry)) entries.emplace_back(*entry);
    }
    return entries;
}

void add_place(std::vector<std::string>& entries, int pe, int npes) {
    const std::string number = std::to_string(pe);
    const std::string count = std::to_string(npes);
    for (const char* name : {"SHMEM_MY_PE", "SHMEM_LOCAL_PE", "PMI_RANK"})
        entries.push_back(std::string(name) + "=" + number);
    for (const char* name : {"SHMEM_N_PES", "SHMEM_LOCAL_N_PES", "PMI_SIZE"})
        entries.push_back(std::string(name) + "=" + count);
}

std::vector<Program> find_programs(const Options& options) {
    std::vector<Program> programs;
    for (const App& app : options.apps) {
        if (!app.directory.empty() && ::access(app.directory.c_str(), X_OK) != 0)
            fatal("--wdir %s: %s", app.directory.c_str(), std::strerror(errno));
        Program program = find_program(app.command[0], app.directory);
        if (program.path.empty()) program_error(app, program.error);
        programs.push_back(std::move(program));
    }
    return programs;
}

void check_static_data(const Options& options, const std::vector<Program>& programs,
                       std::uint64_t memory_bytes) {
    constexpr double kGibi = 1024.0 * 1024.0 * 1024.0;
    for (std::size_t i = 0; i < programs.size(); ++i) {
        const std::string& path = programs[i].path;
        const std::string& directory = options.apps[i].directory;
        const bool is_relative = path[0] != '/' && !directory.empty();
        const std::uint64_t bytes = static_data_bytes(is_relative ? directory + "/" + path : path);
        const bool is_granted = bytes == 0 || system_grants(bytes);
        if (is_granted && (memory_bytes == 0 || bytes <= memory_bytes)) continue;
        warn("%s has %.1f GiB of static data, but the job may use only %.1f GiB of memory here%s",
             path.c_str(), static_cast<double>(bytes) / kGibi,
             static_cast<double>(memory_bytes) / kGibi,
             is_granted ? "; a PE that touches too much of it will be killed"
                        : ", so the system does not start it; make its global arrays smaller, or "
                          "raise ulimit -d and -v where they are set");
        if (!is_granted) end_job(kExitNotExecutable);
    }
}

}  // namespace tessera::oshrun

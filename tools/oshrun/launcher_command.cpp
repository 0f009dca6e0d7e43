// SPDX-License-Identifier: BSD-3-Clause
//
// See launcher_command.hpp. All launchers accept more PEs than cores or slots if the user asks for
// them, as oshrun itself does.
#include "launcher_command.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/inherited.hpp"

namespace tessera::oshrun {
namespace {

using Words = std::vector<std::string>;
using topology::BindTo;
using topology::MapBy;

// Beginnings of names, and whole names.
constexpr std::string_view kForwardedPrefixes[] = {"SHMEM_", "SMA_", "TESSERA_", "FI_", "OMP_"};
constexpr std::string_view kForwardedNames[] = {"PATH",         "LD_LIBRARY_PATH", "LD_PRELOAD",
                                                "ASAN_OPTIONS", "LSAN_OPTIONS",    "TSAN_OPTIONS",
                                                "UBSAN_OPTIONS"};

void add(Words& words, std::initializer_list<std::string> more) {
    words.insert(words.end(), more.begin(), more.end());
}

std::string absolute(const std::string& directory) {
    std::error_code error;
    std::filesystem::path path = std::filesystem::absolute(directory, error);
    return error ? directory : path.string();
}

// timeout(1) sends TERM to the launcher, which ends the job, and returns 124 like oshrun.
void add_timeout(Words& words, const Options& options) {
    if (options.timeout_seconds <= 0) return;
    add(words, {"timeout", "--foreground", "--verbose", "--kill-after=10",
                std::to_string(options.timeout_seconds)});
}

std::string mpirun_part(MapBy map_by, MpirunKind kind) {
    switch (map_by) {
        case MapBy::kCore: break;
        case MapBy::kHwthread: return "hwthread";
        case MapBy::kL3: return "l3cache";
        case MapBy::kNuma: return "numa";
        case MapBy::kPackage: return kind == MpirunKind::kOpenMpi4 ? "socket" : "package";
        case MapBy::kNode: return "node";
    }
    return "slot";
}

std::string mpirun_mapping(const Placement& placement, MpirunKind kind) {
    std::string mapping = mpirun_part(placement.map_by, kind);
    if (placement.pes_per_part > 0) {
        const std::string part = placement.map_by == MapBy::kCore ? "core" : mapping;
        mapping = "ppr:" + std::to_string(placement.pes_per_part) + ":" + part;
    }
    if (placement.pes_per_host > 0)
        mapping = "ppr:" + std::to_string(placement.pes_per_host) + ":node";
    if (placement.cores_per_pe > 0) mapping += ":PE=" + std::to_string(placement.cores_per_pe);
    return mapping + ":OVERSUBSCRIBE";
}

void add_mpirun_binding(Words& words, const Options& options, MpirunKind kind) {
    switch (options.placement.bind_to) {
        case BindTo::kAuto: break;  // The launcher's own default is similar.
        case BindTo::kHwthread: add(words, {"--bind-to", "hwthread"}); break;
        case BindTo::kCore: add(words, {"--bind-to", "core"}); break;
        case BindTo::kL3: add(words, {"--bind-to", "l3cache"}); break;
        case BindTo::kNuma: add(words, {"--bind-to", "numa"}); break;
        case BindTo::kPackage:
            add(words, {"--bind-to", kind == MpirunKind::kOpenMpi4 ? "socket" : "package"});
            break;
        case BindTo::kNone: add(words, {"--bind-to", "none"}); break;
    }
    if (options.report_bindings) add(words, {"--report-bindings"});
}

void add_mpirun_streams(Words& words, const Options& options, MpirunKind kind) {
    if (kind == MpirunKind::kOpenMpi4) {
        if (options.tag_output) add(words, {"--tag-output"});
        if (options.timestamp_output) add(words, {"--timestamp-output"});
    } else if (options.tag_output || options.timestamp_output) {
        const std::string both = options.tag_output && options.timestamp_output ? "," : "";
        add(words, {"--output", (options.tag_output ? "tag" : "") + both +
                                    (options.timestamp_output ? "timestamp" : "")});
    }
    if (!options.output_file.empty()) {
        // Into files of a folder, and not to mpirun's own output as well.
        add(words, {"--output-filename", absolute(options.output_file) + ":nocopy"});
    }
    if (options.input_pe != 0) {
        const bool is_none = options.input_pe == kNoInput;
        add(words, {"--stdin", is_none ? "none" : std::to_string(options.input_pe)});
    }
}

// Slurm has no word for an L3 cache; its words for the others come after "verbose,".
void add_srun_binding(Words& words, const Options& options) {
    std::string binding = options.report_bindings ? "verbose" : "";
    const auto add_word = [&](const char* word) {
        binding.append(binding.empty() ? "" : ",").append(word);
    };
    switch (options.placement.bind_to) {
        case BindTo::kAuto: break;  // As the cluster is set up.
        case BindTo::kHwthread: add_word("threads"); break;
        case BindTo::kCore: add_word("cores"); break;
        case BindTo::kL3:
        case BindTo::kNuma: add_word("ldoms"); break;
        case BindTo::kPackage: add_word("sockets"); break;
        case BindTo::kNone: add_word("none"); break;
    }
    if (!binding.empty()) add(words, {"--cpu-bind=" + binding});
}

void add_forwarded(Words& words, const Options& options, const CommandContext& context) {
    Words names;
    for (const std::string& name : context.variable_names) {
        if (is_for_all_hosts(name)) names.push_back(name);
    }
    for (const auto& [name, value] : options.exports) names.push_back(name);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    for (const std::string& name : names) add(words, {"-x", name});
}

// Without these options mpirun's daemons notice a lost host only after 15 minutes, with them after
// some 5 seconds. The user's own settings take precedence.
void add_keepalive(Words& words, const CommandContext& context) {
    constexpr std::pair<const char*, const char*> kKeepalive[] = {
        {"oob_tcp_keepalive_time", "2"},
        {"oob_tcp_keepalive_intvl", "1"},
        {"oob_tcp_keepalive_probes", "3"}};
    for (const auto& [name, value] : kKeepalive) {
        const std::string variable = std::string("OMPI_MCA_") + name;
        const Words& set = context.variable_names;
        if (std::find(set.begin(), set.end(), variable) != set.end()) continue;
        add(words, {"--mca", name, value});
    }
}

int total_npes(const Options& options) {
    int npes = 0;
    for (const App& app : options.apps) npes += app.npes;
    return npes;
}

void add_srun_hosts(Words& words, const Options& options) {
    if (options.hosts.empty()) {
        if (total_npes(options) > 0) add(words, {"-n", std::to_string(total_npes(options))});
        switch (options.placement.map_by) {
            case MapBy::kHwthread:
            case MapBy::kCore: add(words, {"--distribution=block"}); break;
            // Slurm deals out to sockets, whatever these are in its configuration.
            case MapBy::kL3:
            case MapBy::kNuma:
            case MapBy::kPackage: add(words, {"--distribution=block:cyclic"}); break;
            case MapBy::kNode: add(words, {"--distribution=cyclic"}); break;
        }
        return;
    }
    // Arbitrary: one name for each PE.
    Words hosts =
        hosts_of_pes(options.hosts, total_npes(options), options.placement.map_by == MapBy::kNode);
    std::string list;
    for (const std::string& host : hosts) list += (list.empty() ? "" : ",") + host;
    add(words,
        {"-n", std::to_string(hosts.size()), "--distribution=arbitrary", "--nodelist=" + list});
}

// srun has %t for the number of a PE where oshrun has %r, too.
std::string srun_file(std::string pattern) {
    for (std::size_t at = 0; (at = pattern.find("%r", at)) != std::string::npos;)
        pattern[at + 1] = 't';
    return pattern.find("%t") == std::string::npos ? pattern + ".%t" : pattern;
}

// srun splits the lines of the list at blanks and replaces %t and the like.
bool is_plain(const std::string& word) {
    return !word.empty() && word.find_first_of(" \t\n\"'\\%#*") == std::string::npos;
}

}  // namespace

MpirunKind mpirun_kind(const std::string& version) {
    if (version.find("PRRTE") != std::string::npos || version.find("prterun") != std::string::npos)
        return MpirunKind::kPrrte;
    // "mpirun (Open MPI) 4.1.4"
    constexpr std::string_view kName = "(Open MPI) ";
    std::size_t at = version.find(kName);
    if (at == std::string::npos) return MpirunKind::kUnknown;
    std::size_t major = static_cast<std::size_t>(std::atoi(version.c_str() + at + kName.size()));
    return major >= 5 ? MpirunKind::kPrrte : MpirunKind::kOpenMpi4;
}

bool is_for_all_hosts(const std::string& variable_name) {
    if (variable_name == kJobVariable) return false;
    for (std::string_view prefix : kForwardedPrefixes) {
        if (variable_name.starts_with(prefix)) return true;
    }
    return std::find(std::begin(kForwardedNames), std::end(kForwardedNames), variable_name) !=
           std::end(kForwardedNames);
}

std::vector<std::string> mpirun_command(const std::string& program, const Options& options,
                                        const CommandContext& context) {
    Words words;
    add_timeout(words, options);
    words.push_back(program);
    if (context.is_root) add(words, {"--allow-run-as-root"});
    if (!options.hosts.empty()) add(words, {"--host", host_list(options.hosts)});
    if (!options.hosts.empty() && context.mpirun_kind == MpirunKind::kOpenMpi4)
        add_keepalive(words, context);
    add(words, {"--map-by", mpirun_mapping(options.placement, context.mpirun_kind)});
    add_mpirun_binding(words, options, context.mpirun_kind);
    add_mpirun_streams(words, options, context.mpirun_kind);
    for (const auto& [name, value] : options.mca) add(words, {"--mca", name, value});
    add_forwarded(words, options, context);
    for (const App& app : options.apps) {
        if (&app != &options.apps.front()) words.emplace_back(":");
        if (app.npes > 0) add(words, {"-n", std::to_string(app.npes)});
        if (!app.directory.empty()) add(words, {"--wdir", absolute(app.directory)});
        words.insert(words.end(), app.command.begin(), app.command.end());
    }
    return words;
}

std::vector<std::string> srun_command(const Options& options, const CommandContext& context) {
    Words words;
    add_timeout(words, options);
    // Standard input goes to PE 0; the first PE that fails ends the job.
    const bool has_input = options.input_pe != kNoInput;
    const std::string input = has_input ? std::to_string(options.input_pe) : "none";
    add(words, {"srun", "--mpi=pmix", "--export=ALL", "--input=" + input, "--kill-on-bad-exit=1",
                "--overcommit"});
    add_srun_hosts(words, options);
    if (options.placement.pes_per_host > 0)
        add(words, {"--ntasks-per-node=" + std::to_string(options.placement.pes_per_host)});
    const Placement& placement = options.placement;
    if (placement.pes_per_part > 0)
        add(words, {"--ntasks-per-socket=" + std::to_string(placement.pes_per_part)});
    if (placement.cores_per_pe > 0)
        add(words, {"--cpus-per-task=" + std::to_string(placement.cores_per_pe)});
    add_srun_binding(words, options);
    if (!options.output_file.empty()) add(words, {"--output=" + srun_file(options.output_file)});
    if (!options.error_file.empty()) add(words, {"--error=" + srun_file(options.error_file)});
    if (options.tag_output) add(words, {"--label"});
    const App& first = options.apps.front();
    if (!first.directory.empty()) add(words, {"--chdir=" + absolute(first.directory)});
    if (options.apps.size() > 1) {
        add(words, {"--multi-prog", context.program_list_path});
    } else {
        words.insert(words.end(), first.command.begin(), first.command.end());
    }
    return words;
}

std::string srun_program_list(const std::vector<App>& apps, std::string& list) {
    int pe = 0;
    for (const App& app : apps) {
        if (app.directory != apps.front().directory)
            return "with srun all programs must have the same --wdir";
        list += std::to_string(pe) + "-" + std::to_string(pe + app.npes - 1);
        pe += app.npes;
        for (const std::string& word : app.command) {
            if (!is_plain(word)) {
                return "with srun and several programs no argument may be empty or have blanks, "
                       "quotes or any of \\ % # * in it: \"" +
                       word + "\"";
            }
            list += " " + word;
        }
        list += "\n";
    }
    return "";
}

std::string lost_in_handover(const Options& options, Launcher launcher) {
    const std::string name(kLauncherNames[static_cast<std::size_t>(launcher)]);
    const std::string end = "; leave it out, or run on this host by --launcher local";
    if (options.debug)
        return "--debug starts gdb on this host only, and " + name + " starts the PEs" + end;
    const bool is_srun = launcher == Launcher::kSrun;
    const Placement& placement = options.placement;
    if (is_srun && options.timestamp_output) return "srun has no --timestamp-output" + end;
    if (is_srun && placement.pes_per_part > 0 && placement.map_by != MapBy::kPackage)
        return "srun has no --map-by ppr:N:PART but for packages and hosts" + end;
    if (!is_srun && !options.error_file.empty()) return name + " has no --error-filename" + end;
    if (!is_srun && options.output_file.find('%') != std::string::npos)
        return name + " takes no % in --output-filename: it writes FILE/1/rank.N/stdout" + end;
    return "";
}

}  // namespace tessera::oshrun

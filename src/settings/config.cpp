// SPDX-License-Identifier: BSD-3-Clause
//
// The table of all environment variables, and the functions that walk it. config_fields.cpp has the
// kinds of values, config_parse.cpp their spelling, config_unknown.cpp the warnings for unknown
// names.
#include "settings/config.hpp"

#include <algorithm>
#include <utility>

#include "base/environment.hpp"
#include "base/fatal.hpp"
#include "transports/fabric_list.hpp"

namespace tessera {
namespace {

constexpr Variable kVariables[] = {
    {.name = "SHMEM_VERSION",
     .field = Switch{&Config::version},
     .help = "Print the version of the library at startup."},
    {.name = "SHMEM_INFO",
     .field = Switch{&Config::info},
     .help = "At startup, print all variables, their values and the choices that follow from "
             "these."},
    {.name = "SHMEM_DEBUG",
     .field = Switch{&Config::debug},
     .must_agree = true,
     .help = "Check the program's calls thoroughly; misuse ends the job with an explanation."},
    {.name = "SHMEM_CHECK",
     .field = &Config::check,
     .must_agree = true,
     .default_text = "0",
     .help = "Find misuse and races by the checker, which oshrun then loads into the PEs: 1 ends "
             "the job at the first mistake, warn goes on (docs/run/checking.md)."},
    {.name = "SHMEM_SYMMETRIC_SIZE",
     .field = &Config::symmetric_size,
     .must_agree = true,
     .default_text = "0: half of the usable memory, divided by the PEs of the node, from 2M to 64G",
     .help = "Size of each PE's symmetric heap. Memory is taken only when the program touches it."},
    {.name = "SHMEM_TEAM_MEMORY_SIZE",
     .field = &Config::team_memory_size,
     .must_agree = true,
     .default_text = "0: as the symmetric heap",
     .help = "Size of each PE's team memory, from which teams allocate. Memory is taken only when "
             "the program touches it."},
    {.name = "SHMEM_LOCAL_MEMORY_SIZE",
     .field = &Config::local_memory_size,
     .must_agree = true,
     .default_text = "0: as the symmetric heap",
     .help = "Size of each PE's local memory, from which it allocates for itself, and which other "
             "PEs reach by global pointers. Memory is taken only when the program touches it."},
    {.name = "SHMEM_SYMMETRIC_HEAP_USE_HUGE_PAGES",
     .field = &Config::huge_pages,
     .help = "Try to back the symmetric heaps, team and local memory by huge pages: reserved ones "
             "if they suffice for all three, then transparent ones, then small pages."},
    {.name = "SHMEM_HEAP",
     .field = &Config::heap,
     .must_agree = true,
     .help = "How PEs of a node reach each other's symmetric memory: shared maps it; "
             "noncoherent:PATH keeps private copies, and public ones in a file or device that all "
             "PEs map, also those of other hosts, coherent by software; noncoherent-emulated does "
             "so without a file, for tests."},
    {.name = "SHMEM_HEAP_ADDRESS",
     .field = &Config::heap_address,
     .must_agree = true,
     .help =
         "The address of each PE's own symmetric heap, team and local memory. same: PEs agree "
         "on one address that is free on all of them, so that they can use each other's "
         "pointers to symmetric memory, or the job ends; an address: this one, or the job ends; "
         "any: it differs from PE to PE. auto: same where that can be had, else any "
         "(docs/run/addresses.md)."},
    {.name = "SHMEM_NONCOHERENT_SEED",
     .field = &Config::eviction_seed,
     .help = "With a non-coherent heap: lines are evicted from the private copies at random, "
             "by numbers that follow from this one; 0: they are not."},
    {.name = "SHMEM_STATIC_DATA",
     .field = &Config::static_data,
     .must_agree = true,
     .help = "How other PEs reach global and static variables: shared maps them into all PEs of "
             "the node; cma leaves them where they are and copies through the kernel."},
    {.name = "SHMEM_SEGMENT_PAGES",
     .field = &Config::segment_pages,
     .help = "Replace whole pages of memory that the program registers by shared ones, so that PEs "
             "of the node load and store there. Without it, the kernel copies. Turn it off where "
             "the program registers memory that a device uses."},
    {.name = "SHMEM_BARRIER_ALGORITHM",
     .field = Collective::kBarrier,
     .must_agree = true,
     .help =
         "Algorithm of barriers and syncs of teams; auto takes the cheapest by the cost model."},
    {.name = "SHMEM_BROADCAST_ALGORITHM",
     .field = Collective::kBroadcast,
     .must_agree = true,
     .help = "Algorithm of broadcasts; auto takes the cheapest by the cost model."},
    {.name = "SHMEM_COLLECT_ALGORITHM",
     .field = Collective::kCollect,
     .must_agree = true,
     .help = "Algorithm of collect, where PEs contribute different sizes; auto takes the cheapest "
             "by the cost model."},
    {.name = "SHMEM_FCOLLECT_ALGORITHM",
     .field = Collective::kFcollect,
     .must_agree = true,
     .help = "Algorithm of fcollect; auto takes the cheapest by the cost model."},
    {.name = "SHMEM_ALLTOALL_ALGORITHM",
     .field = Collective::kAlltoall,
     .must_agree = true,
     .help = "Algorithm of alltoall and alltoalls; auto takes the cheapest by the cost model."},
    {.name = "SHMEM_SCAN_ALGORITHM",
     .field = Collective::kScan,
     .must_agree = true,
     .help =
         "Algorithm of inclusive and exclusive scans; auto takes the cheapest by the cost model."},
    {.name = "SHMEM_REDUCE_ALGORITHM",
     .field = Collective::kReduce,
     .must_agree = true,
     .help = "Algorithm of reductions; auto takes the cheapest by the cost model."},
    {.name = "SHMEM_REDUCE_TO_ROOT_ALGORITHM",
     .field = Collective::kReduceToRoot,
     .must_agree = true,
     .help = "Algorithm of shmemx_reduce, whose result goes to one PE; "
             "auto takes the cheapest by the cost model."},
    {.name = "SHMEM_REDUCE_SCATTER_ALGORITHM",
     .field = Collective::kReduceScatter,
     .must_agree = true,
     .help = "Algorithm of shmemx_reduce_scatter and shmemx_reduce_scatterv; "
             "auto takes the cheapest by the cost model."},
    {.name = "SHMEM_GATHER_ALGORITHM",
     .field = Collective::kGather,
     .must_agree = true,
     .help = "Algorithm of shmemx_gather and shmemx_gatherv; "
             "auto takes the cheapest by the cost model."},
    {.name = "SHMEM_SCATTER_ALGORITHM",
     .field = Collective::kScatter,
     .must_agree = true,
     .help = "Algorithm of shmemx_scatter and shmemx_scatterv; "
             "auto takes the cheapest by the cost model."},
    {.name = "SHMEM_ALLGATHERV_ALGORITHM",
     .field = Collective::kAllgatherv,
     .must_agree = true,
     .help = "Algorithm of shmemx_allgatherv; "
             "auto takes the cheapest by the cost model."},
    {.name = "SHMEM_ALLTOALLV_ALGORITHM",
     .field = Collective::kAlltoallv,
     .must_agree = true,
     .help = "Algorithm of shmemx_alltoallv; "
             "auto takes the cheapest by the cost model."},
    {.name = "SHMEM_REDUCE_REPRODUCIBLE",
     .field = &Config::reduce_reproducible,
     .must_agree = true,
     .help = "Combine floating-point numbers strictly in the order of the PEs, so that reductions "
             "have the same bits with any algorithm and layout over nodes. Only "
             "direct_reduce_scatter, flat_tree and eager do so."},
    {.name = "SHMEM_PROFILE",
     .field = &Config::profile,
     .default_text = "~/.config/tessera/HOST.profile, then /etc/tessera/profile, if they exist",
     .help =
         "File with the parameters of this machine that osh_tune has measured, for the choice "
         "of collective algorithms and the work of helpers. A team uses the parameters that its "
         "first PE reads."},
    {.name = "SHMEM_SHARED_COPIES",
     .field = &Config::shared_copies,
     .must_agree = true,
     .help = "Whether waiting PEs help other PEs of their node with puts and gets of 4 MiB and "
             "more between their symmetric heaps. auto: if each PE has a core of its own."},
    {.name = "SHMEM_VIRTUAL_NODES",
     .field = &Config::virtual_nodes,
     .must_agree = true,
     .help = "Cut the PEs of each host into this many nodes, whose PEs reach each other over the "
             "fabric only, as if the nodes were hosts. For trying a program on several nodes."},
    {.name = "SHMEM_FABRIC",
     .field = &Config::fabric,
     .must_agree = true,
     .help = "The transport between nodes: ofi is libfabric, loopback Unix sockets between virtual "
             "nodes of one host, for tests. auto takes the first that serves the job."},
    {.name = "SHMEM_AMO_PATH",
     .field = &Config::amo_path,
     .must_agree = true,
     .help = "How atomics reach other nodes: am sends messages that the target's CPU executes; "
             "fabric uses the provider's atomics, where these are known to work together with the "
             "CPU's. auto takes am."},
    {.name = "SHMEM_PROGRESS",
     .field = &Config::progress,
     .must_agree = true,
     .help = "Progress while a PE computes. thread: between nodes, a thread of each PE that "
             "sleeps when it is idle. none: no one; other nodes wait until the PE calls the "
             "library, and operations of PEs that call it all the time are a little quicker. "
             "helpers: on each node N processes of oshrun, or threads under other launchers, do "
             "long put_nbi, get_nbi and put_signal_nbi between its PEs, on cores that no PE uses; "
             "the thread of each PE, on these cores too, does those to other nodes "
             "(docs/run/progress.md). auto takes thread."},
    {.name = "SHMEM_HELPER_SIZE",
     .field = &Config::helper_size,
     .default_text = "0: on a node the size that osh_tune has measured (SHMEM_PROFILE), else 128K",
     .help =
         "With SHMEM_PROGRESS=helpers: the size from which on helpers, or the fabric's thread, do "
         "an operation. At least 4K."},
    {.name = "SHMEM_NETWORK_TIMEOUT",
     .field = &Config::network_timeout,
     .help = "End the job when another host has not answered for this many seconds; 0 waits for "
             "ever. Silent PEs of the same host, for which no core is free, do not end it."},
    {.name = "SHMEM_HANG_REPORT",
     .field = &Config::hang_report,
     .help = "Print a report on all PEs of the host when a PE has waited in one routine, or in "
             "shmem_init, for this many seconds; 0: only when asked (docs/run/hangs.md)."},
    {.name = "SHMEM_BACKTRACE",
     .field = Switch{&Config::backtrace},
     .help = "Print the calls with their lines when a PE crashes, and the line of the call behind "
             "a message that ends the job, where there is debug information "
             "(docs/run/reporting.md)."},
    {.name = "SHMEM_DEBUGGER_WAIT",
     .field = &Config::debugger_wait,
     .help = "Seconds that a PE that has crashed waits for a debugger before it dies."},
    {.name = "SHMEM_TRACE",
     .field = &Config::trace,
     .default_text = "none",
     .help = "Write a timeline of the PEs' calls to this file, for Perfetto and other viewers. "
             "oshrun makes the PEs preload libtessera-trace.so for it; under other launchers the "
             "user does (docs/run/timeline.md)."},
    {.name = "SHMEM_TRACE_EVENTS",
     .field = &Config::trace_events,
     .help = "With a trace: collectives, and other long calls, that each thread of a PE keeps. "
             "Where a program makes more, the trace keeps the longest, and a regular part of the "
             "collectives."},
    {.name = "SHMEM_LOG",
     .field = &Config::log,
     .help = "Log these parts of the library to stderr."},
};
static_assert(std::size(kVariables) + kFabricSettingsMax <= kVariableCountMax);

// kVariables, and the rows of the fabrics behind SHMEM_FABRIC.
std::vector<Variable> all_variables() {
    std::vector<Variable> rows;
    for (const Variable& variable : kVariables) {
        rows.push_back(variable);
        if (variable.name != "SHMEM_FABRIC") continue;
        std::uint8_t next = 0;
        for (const FabricSetting& row : fabric_settings()) {
            rows.push_back({.name = row.name,
                            .field = FabricValue{.row = next++, .is_switch = row.is_switch},
                            .must_agree = row.must_agree,
                            .default_text = row.default_text,
                            .help = row.help});
        }
    }
    const auto marks = std::ranges::count_if(rows, &Variable::must_agree);
    if (static_cast<std::size_t>(marks) > kSettingMarks) fatal("raise kSettingMarks");
    return rows;
}

std::size_t row_of(const Variable& variable) {
    return static_cast<std::size_t>(&variable - variables().data());
}

struct Found {
    std::string_view name;
    const char* value = nullptr;
};

Found find_value(const Variable& variable, const Lookup& lookup) {
    if (const char* value = lookup(variable.name.data())) return {variable.name, value};
    for (const OtherName& other : other_names()) {
        if (other.variable != variable.name) continue;
        if (const char* value = lookup(other.name.data())) return {other.name, value};
    }
    return {};
}

std::string bad_value_text(const Found& found, const Variable& variable) {
    return std::string(found.name) + "=" + found.value +
           " is not a valid setting; allowed: " + allowed_text(variable);
}

Config load_or_stop() {
    std::string error;
    Config loaded = load_config(environment, error);
    if (!error.empty()) fatal("%s", error.c_str());
    log_subsystems = loaded.log;
    return loaded;
}

}  // namespace

std::span<const Variable> variables() {
    static const std::vector<Variable>& rows = *new std::vector(all_variables());
    return rows;
}

const Variable& variable_of(Collective collective) {
    return *std::ranges::find_if(variables(), [=](const Variable& variable) {
        const auto* field = std::get_if<Collective>(&variable.field);
        return field != nullptr && *field == collective;
    });
}

Config load_config(const Lookup& lookup, std::string& error) {
    Config loaded;
    error.clear();
    for (const Variable& variable : variables()) {
        Found found = find_value(variable, lookup);
        if (found.value == nullptr || *found.value == '\0') continue;
        if (!set_value(loaded, variable.field, found.value)) {
            error = bad_value_text(found, variable);
            if (!std::holds_alternative<Collective>(variable.field)) return loaded;
            loaded.warnings.push_back(std::exchange(error, "") + "; taking auto");
            continue;
        }
        loaded.found_names[row_of(variable)] = found.name;
    }
    return loaded;
}

const Config& config() {
    static const Config& once = *new Config(load_or_stop());
    return once;
}

FabricValues initial_fabric_values() {
    FabricValues values;
    std::ranges::transform(fabric_settings(), values.begin(),
                           [](const FabricSetting& row) { return std::string(row.initial); });
    return values;
}

std::string_view fabric_choice_name() {
    return kFabricChoiceNames[static_cast<std::size_t>(config().fabric)];
}

std::string fabric_setting(std::string_view name) {
    return config().fabric_values[fabric_setting_index(name)];
}

std::string_view found_name_of(const Config& config, const Variable& variable) {
    return config.found_names[row_of(variable)];
}

Origin origin_of(const Config& config, const Variable& variable) {
    const std::string_view name = found_name_of(config, variable);
    if (name.empty()) return Origin::kDefault;
    return name == variable.name ? Origin::kEnvironment : Origin::kOtherName;
}

std::string settings_text(const Config& config, std::span<const Outcome> outcomes) {
    std::string text;
    for (const Variable& variable : variables()) {
        text += std::string(variable.name) + "=" + value_text(config, variable);
        for (const Outcome& outcome : outcomes) {
            if (outcome.name == variable.name) text.append(" -> ").append(outcome.text);
        }
        Origin origin = origin_of(config, variable);
        text += " (";
        text += kOriginNames[static_cast<std::size_t>(origin)];
        if (origin == Origin::kOtherName) text.append(" ").append(found_name_of(config, variable));
        text.append(")\n    ").append(variable.help);
        text.append("\n    Allowed: ").append(allowed_text(variable)).append(".\n");
    }
    return text;
}

}  // namespace tessera

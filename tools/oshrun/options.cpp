// SPDX-License-Identifier: BSD-3-Clause
//
// See options.hpp. The line is cut before it is parsed: at ":" into programs, and each part into
// oshrun's options and the command, so that CLI11 never sees an argument of the user's program.
#include "options.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>

#include "base/environment.hpp"
#include "base/fatal.hpp"
#include "tools/named_values.hpp"

namespace tessera::oshrun {
namespace {

constexpr int kPesMax = 65536;

constexpr const char* kFooter =
    "Examples:\n"
    "  oshrun -n 4 ./a.out            four PEs run ./a.out\n"
    "  oshrun -n 1 ./a : -n 3 ./b     one job of several programs: PE 0 runs ./a, PEs 1-3 run ./b\n"
    "  oshrun -n 8 --host a:4,b:4 ./a.out     PEs 0-3 on host a, 4-7 on host b\n"
    "  -n and --wdir belong to the program that follows; all other options to the job.\n"
    "\n"
    "QUIT (ctrl-\\\\) prints what the PEs wait for; the job goes on (docs/hangs.md).\n"
    "Exit code: 0, or the worst of the PEs' codes (128+N for a PE killed by signal N), 124 after\n"
    "--timeout, 126 or 127 when a program cannot be run. Environment: docs/environment.md, "
    "osh_info.";

const auto kBindings = named_values<topology::BindTo>(topology::kBindToNames);
const auto kMappings = named_values<topology::MapBy>(topology::kMapByNames);
const auto kLaunchers = named_values<Launcher>(kLauncherNames);

class Help : public CLI::Formatter {
  public:
    std::string make_usage(const CLI::App* /*parser*/, std::string /*name*/) const override {
        return "Usage: oshrun [options] program [arguments] [: [options] program [arguments]]...\n";
    }
};

struct Raw {
    App app;
    std::vector<std::string> exports;
    std::string bind_to;
    std::string map_by;
    int virtual_nodes = 0;
    std::vector<std::string> hosts;
    std::vector<std::string> host_files;
    std::string launcher;
    int pes_per_host = 0;
};

// Several hosts.
void describe_host_options(CLI::App& parser, Raw& raw) {
    auto add_list = [&](const char* names, std::vector<std::string>& list, const char* help) {
        return parser.add_option(names, list, help)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
            ->expected(1)
            ->allow_extra_args(false);
    };
    add_list("-H,--host", raw.hosts, "Run on these hosts, with N PEs on each")
        ->type_name("HOST[:N],...");
    add_list("--hostfile", raw.host_files, "Run on the hosts in this file, one on a line")
        ->type_name("FILE");
    parser.add_option("--ntasks-per-node", raw.pes_per_host, "Number of PEs on each host")
        ->check(CLI::Range(1, kPesMax).description(""))
        ->type_name("N");
    parser
        .add_option("--launcher", raw.launcher,
                    "The launcher of the PEs: oshrun itself on this host (local), or another one; "
                    "auto takes srun in a Slurm allocation of several nodes, prterun or mpirun "
                    "when hosts are given, else local")
        ->check(CLI::IsMember(&kLaunchers).description(""))
        ->type_name("auto|local|srun|prterun|mpirun");
}

void describe_options(CLI::App& parser, Options& options, Raw& raw) {
    parser.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    parser.set_version_flag("--version", "oshrun (Tessera) " TESSERA_VERSION);
    parser.add_option("-n,--np", raw.app.npes, "Number of PEs (default: one per usable core)")
        ->check(CLI::Range(1, kPesMax).description(""))
        ->type_name("N");
    parser.add_option("--wdir", raw.app.directory, "Working directory of the PEs")
        ->type_name("DIR");
    parser.add_option("-x", raw.exports, "Set a variable for the PEs (-x NAME: it must be set)")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->expected(1)
        ->allow_extra_args(false)
        ->type_name("NAME[=VALUE]");
    parser
        .add_option("--bind-to", raw.bind_to,
                    "Processors of a PE: auto (core while they fit, else none), or a part of the "
                    "machine")
        ->check(CLI::IsMember(&kBindings).description(""))
        ->type_name("auto|core|l3|numa|package|none");
    parser
        .add_option(
            "--map-by", raw.map_by,
            "Order in which PEs get cores: core (neighbours first), l3, numa or package (in "
            "turn over these parts of the machine), node (as core, on one host)")
        ->check(CLI::IsMember(&kMappings).description(""))
        ->type_name("core|l3|numa|package|node");
    parser.add_flag("--report-bindings", options.report_bindings,
                    "Print the processors and the memory of each PE");
    parser
        .add_option("--virtual-nodes", raw.virtual_nodes,
                    "Cut the PEs of each host into K nodes (SHMEM_VIRTUAL_NODES)")
        ->check(CLI::Range(1, kPesMax).description(""))
        ->type_name("K");
    parser.add_flag("--tag-output", options.tag_output, "Begin each line with [pe N]");
    parser
        .add_option("--timeout", options.timeout_seconds,
                    "End the job after S seconds and print what each PE waits for")
        ->check(CLI::Validator(
            [](std::string& text) {
                return std::strtod(text.c_str(), nullptr) > 0
                           ? ""
                           : "must be a number of seconds greater than 0, not " + text;
            },
            ""))
        ->type_name("S");
    parser
        .add_option("--trace", options.trace_file,
                    "Write a timeline of the PEs' calls, for Perfetto (SHMEM_TRACE)")
        ->type_name("FILE");
    parser
        .add_option("--report", options.report_file,
                    "Write a page (HTML): who waits for whom, traffic, times, heap, algorithms")
        ->type_name("FILE");
    parser.add_flag("--check", options.check,
                    "Find misuse and races of the program (SHMEM_CHECK; docs/checking.md)");
    parser.add_flag("--verbose", options.verbose,
                    "Print the host and the process of each PE, and how it ended");
    describe_host_options(parser, raw);
    parser.footer(kFooter);
}

// The single-dash spellings of long names that users know from other launchers.
std::string canonical(const std::string& token) {
    if (token == "-np") return "--np";
    if (token == "--hosts") return "--host";
    if (token == "--npernode" || token == "--ppn") return "--ntasks-per-node";
    if (token == "--machinefile" || token == "-machinefile") return "--hostfile";
    if (token == "-wdir" || token == "-host" || token == "-hostfile") return "-" + token;
    return token;
}

// Number of leading tokens that are oshrun's; the program's name comes after them.
std::size_t head_length(const CLI::App& parser, const std::vector<std::string>& tokens) {
    std::size_t at = 0;
    while (at < tokens.size() && tokens[at].size() > 1 && tokens[at][0] == '-') {
        if (tokens[at] == "--") return at;
        const CLI::Option* option = parser.get_option_no_throw(tokens[at]);
        bool takes_next = option != nullptr && option->get_items_expected_min() > 0;
        at += takes_next ? 2 : 1;
    }
    return std::min(at, tokens.size());
}

[[noreturn]] void usage_error(const std::string& message) {
    warn("%s; see oshrun --help", message.c_str());
    end_job(kUsageExitCode);
}

// Value of `-x NAME[=VALUE]`.
std::pair<std::string, std::string> parse_export(const std::string& text) {
    std::size_t equals = text.find('=');
    std::string name = text.substr(0, equals);
    if (name.empty()) usage_error("-x " + text + ": a variable needs a name");
    if (equals != std::string::npos) return {name, text.substr(equals + 1)};
    const char* value = environment(name.c_str());
    if (value == nullptr) {
        usage_error("-x " + name + ": there is no variable " + name +
                    " to pass on; give a value: -x " + name + "=VALUE");
    }
    return {name, value};
}

void take_hosts(const Raw& raw, Options& options) {
    for (const std::string& list : raw.hosts) {
        std::string complaint = add_hosts(list, options.hosts);
        if (!complaint.empty()) usage_error("--host " + list + ": " + complaint);
    }
    for (const std::string& path : raw.host_files) {
        std::string complaint = add_host_file(path, options.hosts);
        if (!complaint.empty()) usage_error("--hostfile " + path + ": " + complaint);
    }
    if (!raw.launcher.empty()) options.launcher = kLaunchers.at(raw.launcher);
    if (raw.pes_per_host > 0) options.pes_per_host = raw.pes_per_host;
}

App parse_part(std::vector<std::string> tokens, Options& options) {
    Raw raw;
    CLI::App parser("Runs a SHMEM program (or any other) as several PEs.", "oshrun");
    parser.formatter(std::make_shared<Help>());
    describe_options(parser, options, raw);
    for (std::size_t i = 0; i < tokens.size() && tokens[i][0] == '-' && tokens[i] != "--"; ++i) {
        tokens[i] = canonical(tokens[i]);
        const CLI::Option* option = parser.get_option_no_throw(tokens[i]);
        if (option != nullptr && option->get_items_expected_min() > 0) ++i;
    }
    std::size_t head = head_length(parser, tokens);
    // CLI11 wants the tokens in reverse order.
    std::vector<std::string> reversed(tokens.rend() - static_cast<std::ptrdiff_t>(head),
                                      tokens.rend());
    try {
        parser.parse(reversed);
    } catch (const CLI::Success& request) {
        parser.exit(request);  // --help, --version
        std::fflush(stdout);
        ::_exit(0);
    } catch (const CLI::ParseError& error) {
        usage_error(error.what());
    }
    take_hosts(raw, options);
    if (!raw.bind_to.empty()) options.bind_to = kBindings.at(raw.bind_to);
    if (!raw.map_by.empty()) options.map_by = kMappings.at(raw.map_by);
    for (const std::string& text : raw.exports) options.exports.push_back(parse_export(text));
    if (raw.virtual_nodes > 0) {
        options.exports.emplace_back("SHMEM_VIRTUAL_NODES", std::to_string(raw.virtual_nodes));
    }
    if (head < tokens.size() && tokens[head] == "--") ++head;
    raw.app.command.assign(tokens.begin() + static_cast<std::ptrdiff_t>(head), tokens.end());
    if (raw.app.command.empty()) usage_error("there is no program to run");
    return raw.app;
}

}  // namespace

Options parse_options(int argc, char** argv) {
    Options options;
    std::vector<std::string> tokens;
    for (int i = 1; i < argc; ++i) {
        if (std::string_view(argv[i]) != ":") {
            tokens.emplace_back(argv[i]);
            continue;
        }
        options.apps.push_back(parse_part(std::move(tokens), options));
        tokens.clear();
    }
    options.apps.push_back(parse_part(std::move(tokens), options));
    int npes = 0;
    for (const App& app : options.apps) {
        npes += app.npes;
        if (app.npes == 0 && options.apps.size() > 1) {
            usage_error("with several programs each needs its number of PEs (-n): " +
                        app.command[0]);
        }
    }
    if (npes > kPesMax) usage_error("more than " + std::to_string(kPesMax) + " PEs");
    return options;
}

}  // namespace tessera::oshrun

// SPDX-License-Identifier: BSD-3-Clause
//
// See options.hpp. The line is cut before it is parsed: at ":" into programs, and each part into
// oshrun's options and the command, so that CLI11 never sees an argument of the user's program.
#include "options.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>

#include "base/environment.hpp"
#include "base/fatal.hpp"
#include "option_values.hpp"
#include "other_options.hpp"
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
    "QUIT (ctrl-\\\\) prints what the PEs wait for; the job goes on (docs/run/hangs.md).\n"
    "Exit code: 0, or the worst of the PEs' codes (128+N for a PE killed by signal N), 124 after\n"
    "--timeout, 126 or 127 when a program cannot be run. Environment: docs/run/environment.md, "
    "osh_info.";

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
    int virtual_nodes = 0;
    std::vector<std::string> hosts;
    std::vector<std::string> host_files;
    std::string launcher;
    std::vector<std::string> mca;
    std::string debugged;
    bool shows_other_options = false;
};

// Several hosts.
void describe_host_options(CLI::App& parser, Options& options, Raw& raw) {
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
    parser
        .add_option("--ntasks-per-node", options.placement.pes_per_host,
                    "Number of PEs on each host")
        ->check(whole_number(1, kPesMax))
        ->type_name("N");
    parser
        .add_option("--launcher", raw.launcher,
                    "The launcher of the PEs: oshrun itself on this host (local), or another one; "
                    "auto takes srun in a Slurm allocation of several nodes, prterun or mpirun "
                    "when hosts are given, else local")
        ->check(CLI::IsMember(&kLaunchers).description(""))
        ->type_name("auto|local|srun|prterun|mpirun");
    parser.add_option("--mca", raw.mca, "For mpirun and prterun")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->type_size(2)
        ->expected(1)
        ->allow_extra_args(false)
        ->type_name("NAME VALUE");
}

void describe_output_options(CLI::App& parser, Options& options) {
    parser.add_flag("--tag-output", options.tag_output, "Begin each line with [pe N]");
    parser.add_flag("--timestamp-output", options.timestamp_output,
                    "Begin each line with the time");
    parser
        .add_option("--output-filename", options.output_file,
                    "Write the output of PE N, with its errors, to FILE.N, or to FILE with N for "
                    "%r")
        ->check(not_empty())
        ->type_name("FILE");
    parser.add_option("--error-filename", options.error_file, "The same for the errors only")
        ->check(not_empty())
        ->type_name("FILE");
    parser
        .add_option_function<std::string>(
            "--stdin",
            [&options](const std::string& text) {
                options.input_pe = text == "none" ? kNoInput : std::stoi(text);
            },
            "The PE that gets the standard input, instead of PE 0")
        ->check(pe_or_none())
        ->type_name("PE|none");
}

// The words have their own complaints, with the words that are allowed.
void add_words(CLI::App& parser, const char* name, Placement& placement,
               std::string (*read)(std::string_view, Placement&), const char* help) {
    parser
        .add_option_function<std::string>(
            name, [](const std::string& /*checked*/) {}, help)
        ->check(CLI::Validator(
            [&placement, read](std::string& text) { return read(text, placement); }, ""));
}

void describe_placement_options(CLI::App& parser, Options& options) {
    Placement& placement = options.placement;
    add_words(
        parser, "--bind-to", placement, read_binding,
        "Processors of a PE: auto (core while they fit, else none), or a part of the machine");
    parser.get_option("--bind-to")->type_name("auto|hwthread|core|l3|numa|package|none");
    add_words(
        parser, "--map-by", placement, read_mapping,
        "Order in which PEs get cores: core (neighbours first), l3, numa or package (in turn "
        "over these parts of the machine), node (as core, on one host); ppr:N:PART gives each "
        "part N PEs, and :pe=N behind it each PE N cores");
    parser.get_option("--map-by")->type_name("core|hwthread|l3|numa|package|node");
    add_words(parser, "--cpu-bind", placement, read_cpu_bind, "As --bind-to, with srun's words");
    parser.get_option("--cpu-bind")->type_name("cores|threads|sockets|ldoms|none");
    parser
        .add_option("-c,--cores-per-pe", placement.cores_per_pe,
                    "Number of cores of each PE, for its threads")
        ->check(whole_number(1, kPesMax))
        ->type_name("N");
    parser.add_flag("--report-bindings", options.report_bindings,
                    "Print the processors and the memory of each PE");
}

void describe_options(CLI::App& parser, Options& options, Raw& raw) {
    parser.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    parser.set_version_flag("-V,--version", "oshrun (Tessera) " TESSERA_VERSION);
    parser.add_option("-n,--np", raw.app.npes, "Number of PEs (default: one per usable core)")
        ->check(whole_number(1, kPesMax))
        ->type_name("N");
    parser.add_option("--wdir", raw.app.directory, "Working directory of the PEs")
        ->type_name("DIR");
    parser.add_option("-x", raw.exports, "Set a variable for the PEs (-x NAME: it must be set)")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->expected(1)
        ->allow_extra_args(false)
        ->type_name("NAME[=VALUE]");
    describe_placement_options(parser, options);
    parser
        .add_option("--virtual-nodes", raw.virtual_nodes,
                    "Cut the PEs of each host into K nodes (SHMEM_VIRTUAL_NODES)")
        ->check(whole_number(1, kPesMax))
        ->type_name("K");
    describe_output_options(parser, options);
    parser
        .add_option("--timeout", options.timeout_seconds,
                    "End the job after this time (90, 90s, 1.5m, 2h) and print what each PE waits "
                    "for")
        ->transform(seconds())
        ->type_name("TIME");
    parser
        .add_option("--trace", options.trace_file,
                    "Write a timeline of the PEs' calls, for Perfetto (SHMEM_TRACE)")
        ->type_name("FILE");
    parser
        .add_option("--report", options.report_file,
                    "Write a page (HTML): who waits for whom, traffic, times, heap, algorithms")
        ->type_name("FILE");
    parser.add_flag("--check", options.check,
                    "Find misuse and races of the program (SHMEM_CHECK; docs/run/checking.md)");
    parser
        .add_flag("--debug", raw.debugged,
                  "Start gdb for each PE, or for those of a list (--debug=0,3), in tmux")
        ->type_name("[=PES]");
    parser.add_flag("--no-aslr", options.no_aslr,
                    "Give the PEs' programs the same addresses: no randomisation by the kernel "
                    "(docs/run/addresses.md)");
    parser.add_flag("-v,--verbose", options.verbose,
                    "Print the host and the process of each PE, and how it ended");
    describe_host_options(parser, options, raw);
    parser.add_flag("--help-other-launchers", raw.shows_other_options,
                    "Print what oshrun does with options of other launchers");
    parser.footer(kFooter);
}

// Number of leading tokens that are oshrun's; the program's name comes after them.
std::size_t head_length(const CLI::App& parser, const std::vector<std::string>& tokens) {
    std::size_t at = 0;
    while (at < tokens.size() && tokens[at].size() > 1 && tokens[at][0] == '-') {
        if (tokens[at] == "--") return at;
        const CLI::Option* option = parser.get_option_no_throw(tokens[at]);
        at += 1 +
              (option != nullptr ? static_cast<std::size_t>(option->get_items_expected_min()) : 0);
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
    for (std::size_t i = 0; i + 1 < raw.mca.size(); i += 2)
        options.mca.emplace_back(raw.mca[i], raw.mca[i + 1]);
}

void take_debugged(const std::string& text, Options& options) {
    if (text.empty() || text == "false") return;
    options.debug = true;
    if (text == "true") return;
    if (!read_list(text, options.debugged_pes))
        usage_error("--debug=" + text + ": must be numbers of PEs, as in --debug=0,3");
}

[[noreturn]] void print_and_exit(const std::string& text) {
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
    ::_exit(0);
}

App parse_part(std::vector<std::string> tokens, Options& options) {
    Raw raw;
    CLI::App parser("Runs a SHMEM program (or any other) as several PEs.", "oshrun");
    parser.formatter(std::make_shared<Help>());
    describe_options(parser, options, raw);
    const std::string complaint = translate_options(tokens, [&](const std::string& name) {
        const CLI::Option* option = parser.get_option_no_throw(name);
        return option == nullptr ? -1 : option->get_items_expected_min();
    });
    if (!complaint.empty()) usage_error(complaint);
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
    if (raw.shows_other_options) print_and_exit(other_options_table());
    take_hosts(raw, options);
    take_debugged(raw.debugged, options);
    for (const std::string& text : raw.exports) options.exports.push_back(parse_export(text));
    if (raw.virtual_nodes > 0)
        options.exports.emplace_back("SHMEM_VIRTUAL_NODES", std::to_string(raw.virtual_nodes));
    if (head < tokens.size() && tokens[head] == "--") ++head;
    raw.app.command.assign(tokens.begin() + static_cast<std::ptrdiff_t>(head), tokens.end());
    if (raw.app.command.empty()) usage_error("there is no program to run");
    return raw.app;
}

// "oshrun [options] --app FILE": each line of the file is a program with its options, as between
// ":". "#" begins a comment.
void read_program_file(std::vector<std::string>& words) {
    constexpr std::string_view kNames[] = {"--app", "-app", "--configfile", "-configfile"};
    if (words.size() < 2) return;
    const std::string option = words[words.size() - 2];
    if (std::ranges::find(kNames, option) == std::end(kNames)) return;
    const std::string path = words.back();
    words.resize(words.size() - 2);
    std::ifstream file(path);
    if (!file) usage_error(option + " " + path + ": " + std::strerror(errno));
    bool is_first = true;
    for (std::string line; std::getline(file, line);) {
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        if (line[line.find_first_not_of(" \t\r")] == '#') continue;
        if (!is_first) words.emplace_back(":");
        is_first = false;
        for (std::string& word : CLI::detail::split_up(line))
            words.push_back(CLI::detail::remove_quotes(word));
    }
    if (is_first) usage_error(option + " " + path + ": it names no program");
}

}  // namespace

Options parse_options(int argc, char** argv) {
    Options options;
    std::vector<std::string> words(argv + 1, argv + argc);
    read_program_file(words);
    std::vector<std::string> tokens;
    for (std::string& word : words) {
        if (word != ":") {
            tokens.push_back(std::move(word));
            continue;
        }
        options.apps.push_back(parse_part(std::move(tokens), options));
        tokens.clear();
    }
    options.apps.push_back(parse_part(std::move(tokens), options));
    std::int64_t npes = 0;
    for (const App& app : options.apps) {
        npes += app.npes;
        if (app.npes == 0 && options.apps.size() > 1) {
            usage_error("with several programs each needs its number of PEs (-n): " +
                        app.command[0]);
        }
    }
    std::int64_t slots = 0;
    for (const Host& host : options.hosts) slots += std::max(host.slots, 1);
    if (npes > kPesMax || (npes == 0 && slots > kPesMax))
        usage_error("more than " + std::to_string(kPesMax) + " PEs");
    return options;
}

}  // namespace tessera::oshrun

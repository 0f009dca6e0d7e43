// SPDX-License-Identifier: BSD-3-Clause
//
// osh_tune: measures the costs of messages, copies and additions on this machine, and writes them
// to the file that the library reads. Runs itself as a job of two PEs, once on one node and once on
// two, as one PE with a helper, and as two with helpers on two nodes. See docs/man/osh_tune.1.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/fatal.hpp"
#include "collectives/profile.hpp"
#include "tools/osh_tune/measure.hpp"

namespace tessera::osh_tune {
namespace {

using collectives::MachineParameters;

std::string own_path() { return std::filesystem::read_symlink("/proc/self/exe"); }

std::string quoted(const std::string& text) {
    std::string result = "'";
    for (char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

constexpr const char* kMeasureModel = " --measure";
constexpr const char* kMeasureHelpers = " --measure-helpers";

// Runs `launcher` osh_tune with the option and parses its output. RETURNS: whether that worked; if
// not, the job has printed the reason. `provider`: the provider that PEs of two nodes report.
bool measure_with(const std::string& launcher, const char* option, MachineParameters& machine,
                  std::string& provider) {
    const std::string command = launcher + " " + quoted(own_path()) + option;
    std::FILE* pipe = ::popen(command.c_str(), "re");
    if (pipe == nullptr) fatal("cannot start %s: %s", command.c_str(), std::strerror(errno));
    std::string text;
    char part[256];
    while (std::fgets(part, sizeof part, pipe) != nullptr) text += part;
    const int status = ::pclose(pipe);
    if (status != 0) {
        warn("%s ended with %d", command.c_str(),
             WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
        return false;
    }
    const std::string head = "fabric ";
    if (text.starts_with(head)) provider = text.substr(head.size(), text.find('\n') - head.size());
    const std::string error = collectives::parse_profile(text, provider, machine);
    if (!error.empty())
        fatal("%s printed a line that is no parameter: %s", command.c_str(), error.c_str());
    return true;
}

// The size for helpers, on the node or between nodes, if the machine has cores for them and they
// save time. `launcher`: empty: it is not measured.
void measure_helper_bytes(const std::string& launcher, double MachineParameters::*bytes,
                          MachineParameters& machine) {
    if (launcher.empty()) return;
    const bool is_off_node = bytes == &MachineParameters::off_node_helper_bytes;
    const char* where = is_off_node ? " between nodes" : "";
    ::setenv("SHMEM_PROGRESS", "helpers", 1);
    ::setenv("SHMEM_HELPER_SIZE", "4K", 1);
    std::string ignored;
    if (!measure_with(launcher, kMeasureHelpers, machine, ignored)) {
        warn("the size for helpers%s remains the default; --%s '' does not measure it", where,
             is_off_node ? "fabric-helpers" : "helpers");
    } else if (machine.*bytes == 0) {
        warn("helpers save no time%s here; the size for them remains the default", where);
    }
    ::unsetenv("SHMEM_PROGRESS");
    ::unsetenv("SHMEM_HELPER_SIZE");
}

// Measures with each of the providers; if the list is empty, with the one that the library chooses.
// `helpers`: launcher of PEs with helpers.
std::vector<collectives::FabricParameters> measure_fabrics(const std::string& launcher,
                                                           const std::string& helpers,
                                                           std::vector<std::string> providers) {
    std::vector<collectives::FabricParameters> fabrics;
    if (providers.empty()) providers.emplace_back();
    for (const std::string& wanted : providers) {
        if (!wanted.empty()) ::setenv("SHMEM_OFI_PROVIDER", wanted.c_str(), 1);
        collectives::FabricParameters parameters;
        if (measure_with(launcher, kMeasureModel, parameters.machine, parameters.provider)) {
            measure_helper_bytes(helpers, &MachineParameters::off_node_helper_bytes,
                                 parameters.machine);
            fabrics.push_back(std::move(parameters));
        } else {
            warn(
                "parameters between nodes%s%s remain the defaults; --fabric '' does not measure "
                "them",
                wanted.empty() ? "" : " with ", wanted.c_str());
        }
    }
    return fabrics;
}

// Replaces the file as a whole: a job that starts meanwhile reads the old profile or the new one.
void write_file(const std::string& path, const std::string& text) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    std::error_code ignored;  // An error shows when the file is opened.
    if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
    const std::string draft = path + ".new";
    std::FILE* file = std::fopen(draft.c_str(), "we");
    bool is_written = file != nullptr && std::fputs(text.c_str(), file) >= 0;
    if (file != nullptr) is_written = std::fclose(file) == 0 && is_written;
    if (!is_written || std::rename(draft.c_str(), path.c_str()) != 0) {
        fatal("cannot write %s: %s; choose another place by --output", path.c_str(),
              std::strerror(errno));
    }
}

int run(int argc, char** argv) {
    CLI::App app(
        "Measures this machine for the choice of collective algorithms, and writes a profile.");
    const std::string beside = std::filesystem::path(own_path()).parent_path() / "oshrun";
    std::string node = quoted(beside) + " -n 2";
    std::string fabric = quoted(beside) + " -n 2 --virtual-nodes 2";
    std::string helpers = quoted(beside) + " -n 1";
    std::optional<std::string> fabric_helpers;
    std::vector<std::string> providers;
    std::string output;
    bool is_job = false;
    bool is_job_with_helpers = false;
    app.add_option("--output,-o", output, "The file to write; - prints")
        ->default_str("the file that the library reads: ~/.config/tessera/HOST.profile");
    app.add_option("--node", node, "Launcher of 2 PEs on one node");
    app.add_option(
        "--fabric", fabric,
        "Launcher of 2 PEs on two nodes: 'mpirun --host a,b -n 2'; empty: do not measure");
    app.add_option("--provider", providers,
                   "Measure between nodes with each of these libfabric providers")
        ->default_str("the provider that the library chooses");
    app.add_option("--helpers", helpers, "Launcher of a PE with a helper; empty: do not measure");
    app.add_option("--fabric-helpers", fabric_helpers,
                   "Launcher of 2 PEs with helpers on two nodes; empty: do not measure")
        ->default_str("the one of --fabric");
    app.add_flag("--measure", is_job)->group("");
    app.add_flag("--measure-helpers", is_job_with_helpers)->group("");
    app.set_help_flag("--help,-h", "Print this text and exit");
    app.set_version_flag("--version,-V", "osh_tune (Tessera) " TESSERA_VERSION,
                         "Print the version and exit");
    CLI11_PARSE(app, argc, argv);
    set_message_prefix("osh_tune: ");
    if (is_job) return measure();
    if (is_job_with_helpers) return measure_helpers();

    if (output.empty()) output = collectives::own_profile_path();
    if (output.empty()) fatal("there is no HOME to write a profile to; name a file by --output");
    MachineParameters machine;
    std::string ignored;
    if (!measure_with(node, kMeasureModel, machine, ignored))
        fatal("the measurement on one node failed");
    measure_helper_bytes(helpers, &MachineParameters::helper_bytes, machine);
    std::vector<collectives::FabricParameters> fabrics;
    if (!fabric.empty())
        fabrics = measure_fabrics(fabric, fabric_helpers.value_or(fabric), std::move(providers));
    const std::string text = collectives::print_profile(machine, fabrics);
    if (output == "-") {
        std::fputs(text.c_str(), stdout);
    } else {
        write_file(output, text);
        std::printf("%s\nwritten to %s\n", text.c_str(), output.c_str());
    }
    return 0;
}

}  // namespace
}  // namespace tessera::osh_tune

int main(int argc, char** argv) { return tessera::osh_tune::run(argc, argv); }

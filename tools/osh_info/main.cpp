// SPDX-License-Identifier: BSD-3-Clause
//
// osh_info: shows the installed library, the machine and the settings. It is for users who ask why
// a job behaves as it does, and for reports of faults. See docs/man/osh_info.1.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "base/environment.hpp"
#include "base/fatal.hpp"
#include "settings/config.hpp"
#include "tools/osh_info/collectives_report.hpp"
#include "tools/osh_info/doctor/doctor.hpp"
#include "tools/osh_info/environment_markdown.hpp"
#include "tools/osh_info/fabric_check.hpp"
#include "tools/osh_info/fault_report.hpp"
#include "tools/osh_info/machine.hpp"
#include "tools/osh_info/report.hpp"

namespace tessera::osh_info {
namespace {

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

// Values and origins; false if a variable has a bad value.
bool print_settings(const Config& config, const std::string& error) {
    print("Variables\n");
    if (error.empty()) print(settings_text(config));
    std::fflush(stdout);
    warn_about_settings(config);
    if (!error.empty()) warn("%s", error.c_str());
    return error.empty();
}

void print_all(const Config& config) {
    print(version_text());
    print("Build\n" + build_text());
    print("Libraries\n" + libraries_text());
    print("Machine\n" + machine_text(config));
    print("Transports\n" + transports_text());
}

void add_machine_options(CLI::App& app, MachineRequest& request) {
    CLI::Option* const wanted = app.add_flag(
        "--topology", request.is_wanted,
        "Print the processors that a job may use, and those that each PE would be bound to");
    app.add_option("--machine", request.synthetic,
                   "For --topology: another machine, as hwloc describes it, such as "
                   "\"package:2 numa:2 l3:1 core:8 pu:2\"")
        ->needs(wanted);
    app.add_option("--bind-to", request.bind_to, "For --topology: as for oshrun")
        ->check(CLI::IsMember(&kBindings))
        ->needs(wanted);
    app.add_option("--map-by", request.map_by, "For --topology: as for oshrun")
        ->check(CLI::IsMember(&kMappings))
        ->needs(wanted);
    app.add_option("--svg", request.svg, "For --topology: draw the machine in this file instead")
        ->needs(wanted);
}

struct DoctorRequest {
    bool is_wanted = false;
    bool checks_fabric = false;
    std::string hosts;
    std::string part;

    bool is_asked() const { return is_wanted || checks_fabric; }
};

int ask(const DoctorRequest& request, const Config& config, int npes) {
    return request.checks_fabric ? check_fabric() : run_doctor(config, request.hosts, npes);
}

void add_doctor_options(CLI::App& app, DoctorRequest& request) {
    CLI::Option* const wanted =
        app.add_flag("--doctor", request.is_wanted,
                     "Look for everything that makes starts fail, and say what to do "
                     "(docs/run/doctor.md)");
    app.add_option("--hosts", request.hosts,
                   "For --doctor: test the connections between these hosts, too (default: those "
                   "of the Slurm allocation)")
        ->type_name("HOST,HOST...")
        ->needs(wanted);
    app.add_flag("--check-fabric", request.checks_fabric,
                 "Test whether the provider between nodes keeps its promises "
                 "(docs/run/porting.md)");
    app.add_option("--doctor-part", request.part)->group("");  // only the doctor itself gives it
}

int run(int argc, char** argv) {
    CLI::App app("Shows the installed Tessera library, the machine and the settings.");
    bool only_variables = false;
    bool fault = false;
    bool markdown = false;
    bool algorithms_table = false;
    bool collectives = false;
    bool csv = false;
    std::string algorithms_of;
    JobLayout job;
    MachineRequest machine;
    DoctorRequest doctor;
    app.set_version_flag("--version,-V", version_text().substr(0, version_text().size() - 1),
                         "Print the version and exit");
    app.set_help_flag("--help,-h", "Print this text and exit");
    app.add_flag("--variables", only_variables, "Print the environment variables only");
    app.add_flag("--report", fault,
                 "Print all that a report of a fault needs, as Markdown (docs/run/reporting.md)");
    app.add_flag("--collectives", collectives,
                 "Print the algorithms that each collective uses by size, and the reasons");
    app.add_option("--algorithms", algorithms_of,
                   "Print the names of a collective's algorithms that the job can use")
        ->type_name("COLLECTIVE")
        ->check(CLI::IsMember(
            std::vector<std::string>(std::begin(kCollectiveNames), std::end(kCollectiveNames))));
    app.add_flag("--csv", csv, "For --collectives: the times that the model expects, by size");
    app.add_option("--npes,-n", job.npes,
                   "For --collectives, --algorithms, --topology and --doctor: PEs (default: one "
                   "for each core)")
        ->check(CLI::PositiveNumber);
    app.add_option("--nodes", job.nodes,
                   "For --collectives and --algorithms: nodes, with the same number of PEs each")
        ->check(CLI::PositiveNumber);
    app.add_flag("--virtual", job.nodes_are_virtual,
                 "For --nodes: virtual nodes, which share this machine");
    add_machine_options(app, machine);
    add_doctor_options(app, doctor);
    app.add_flag("--environment-markdown", markdown,
                 "Print the description of all variables that is docs/run/environment.md");
    app.add_flag("--algorithms-markdown", algorithms_table,
                 "Print the table of algorithms that is in docs/code/collectives.md");
    CLI11_PARSE(app, argc, argv);
    set_message_prefix("osh_info: ");
    if (!doctor.part.empty()) return run_doctor_part(doctor.part);
    if (markdown) {
        print(environment_markdown());
        return 0;
    }
    if (algorithms_table) {
        print(algorithms_markdown());
        return 0;
    }
    if (machine.is_wanted) return show_machine(machine, job.npes);
    std::string error;
    Config config = load_config(environment, error);
    if (collectives && error.empty()) {
        print(csv ? collectives_csv(job) : collectives_text(job));
        return 0;
    }
    if (!algorithms_of.empty() && error.empty()) {
        print(algorithms_text(algorithms_of, job));
        return 0;
    }
    if (fault) {
        print(fault_report(config, error));
        return error.empty() ? 0 : kFatalExitCode;
    }
    if (doctor.is_asked() && error.empty()) return ask(doctor, config, job.npes);
    if (!only_variables) print_all(config);
    return print_settings(config, error) ? 0 : kFatalExitCode;
}

}  // namespace
}  // namespace tessera::osh_info

int main(int argc, char** argv) { return tessera::osh_info::run(argc, argv); }

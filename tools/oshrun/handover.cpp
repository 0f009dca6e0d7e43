// SPDX-License-Identifier: BSD-3-Clause
//
// See handover.hpp. exec() and no child: signals and kill -9 reach the launcher that owns the PEs.
#include "handover.hpp"

#include <netdb.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "base/environment.hpp"
#include "base/fatal.hpp"
#include "launcher_choice.hpp"
#include "launcher_command.hpp"
#include "programs.hpp"
#include "settings/config.hpp"
#include "trace.hpp"

namespace tessera::oshrun {
namespace {

// The output of `program --version`.
std::string version_of(const char* program) {
    std::string command = std::string(program) + " --version 2>&1 </dev/null";
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command.c_str(), "re"), ::pclose);
    char text[512] = "";
    std::size_t got = pipe == nullptr ? 0 : std::fread(text, 1, sizeof text - 1, pipe.get());
    return std::string(text, got);
}

// A file without a name that the launcher inherits; it is read before the job starts.
std::string program_list_file(const Options& options) {
    std::string list;
    std::string complaint = srun_program_list(options.apps, list);
    if (!complaint.empty()) fatal("%s", complaint.c_str());
    int fd = ::memfd_create("oshrun-programs", 0);
    if (fd < 0 || ::write(fd, list.data(), list.size()) != static_cast<ssize_t>(list.size()))
        fatal("cannot write the list of programs: %s", std::strerror(errno));
    return "/proc/self/fd/" + std::to_string(fd);
}

// mpirun's own message about such a host is long and names no host. A warning only: ssh may know an
// alias. Slurm knows its nodes in any case.
void warn_of_unknown_hosts(const std::vector<Host>& hosts) {
    for (const Host& host : hosts) {
        addrinfo* addresses = nullptr;
        const int error = ::getaddrinfo(host.name.c_str(), nullptr, nullptr, &addresses);
        if (error == 0) {
            ::freeaddrinfo(addresses);
            continue;
        }
        warn(
            "--host %s: this host does not know that name (%s); osh_info --doctor --hosts %s says "
            "what a job there needs",
            host.name.c_str(), ::gai_strerror(error), host.name.c_str());
    }
}

std::vector<std::string> names_of(const std::vector<std::string>& entries) {
    std::vector<std::string> names;
    names.reserve(entries.size());
    for (const std::string& entry : entries) names.push_back(entry.substr(0, entry.find('=')));
    return names;
}

std::vector<std::string> command_for(Launcher launcher, const Options& options,
                                     const std::vector<std::string>& environment) {
    CommandContext context{.is_root = ::geteuid() == 0,
                           .variable_names = names_of(environment),
                           .program_list_path = {}};
    if (launcher == Launcher::kSrun) {
        if (options.apps.size() > 1) context.program_list_path = program_list_file(options);
        return srun_command(options, context);
    }
    const char* program = launcher == Launcher::kPrterun ? "prterun" : "mpirun";
    std::string version = version_of(program);
    context.mpirun_kind =
        launcher == Launcher::kPrterun ? MpirunKind::kPrrte : mpirun_kind(version);
    if (context.mpirun_kind == MpirunKind::kUnknown) {
        fatal(
            "the mpirun in PATH is not Open MPI's, and other ones offer no PMIx; its version "
            "is: %s",
            version.substr(0, version.find('\n')).c_str());
    }
    return mpirun_command(program, options, context);
}

// Launchers have no such option, so that on each host setarch(1) starts the program.
Options with_no_aslr(Options options) {
    if (!options.no_aslr) return options;
    for (App& app : options.apps)
        app.command.insert(app.command.begin(), {"setarch", "--addr-no-randomize"});
    return options;
}

std::string shown(const std::vector<std::string>& command) {
    std::string text;
    for (const std::string& word : command) text += (text.empty() ? "" : " ") + word;
    return text;
}

[[noreturn]] void execute(const std::vector<std::string>& command,
                          const std::vector<std::string>& environment) {
    auto pointers_to = [](const std::vector<std::string>& texts) {
        std::vector<char*> pointers;
        pointers.reserve(texts.size() + 1);
        // exec takes pointers to char for historical reasons; it does not write.
        for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
        pointers.push_back(nullptr);
        return pointers;
    };
    std::vector<char*> arguments = pointers_to(command);
    std::vector<char*> entries = pointers_to(environment);
    ::execvpe(arguments[0], arguments.data(), entries.data());
    warn("cannot run %s: %s", arguments[0], std::strerror(errno));
    end_job(errno == ENOENT ? kExitNotFound : kExitNotExecutable);
}

}  // namespace

void hand_over(const Options& options) {
    Surroundings surroundings{.variable = environment, .has_program = [](const std::string& name) {
                                  return !find_program(name, "").path.empty();
                              }};
    std::string error;
    Launcher launcher = choose_launcher(options, surroundings, error);
    if (!error.empty()) fatal("%s", error.c_str());
    if (launcher == Launcher::kLocal) return;
    error = lost_in_handover(options, launcher);
    if (!error.empty()) fatal("%s", error.c_str());
    if (launcher != Launcher::kSrun) warn_of_unknown_hosts(options.hosts);
    config();  // A bad value is reported once, here.
    std::vector<std::string> environment_of_job = base_environment();
    set_fatal_advice(kStartAdvice);
    std::vector<std::string> command =
        command_for(launcher, with_no_aslr(options), environment_of_job);
    announce_report(options);
    if (options.verbose) warn("handing over to: %s", shown(command).c_str());
    execute(command, environment_of_job);
}

}  // namespace tessera::oshrun

// SPDX-License-Identifier: BSD-3-Clause
//
// See trace.hpp.
#include "trace.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "base/environment.hpp"
#include "base/fatal.hpp"
#include "checker.hpp"
#include "installation.hpp"

namespace tessera::oshrun {
namespace {

namespace fs = std::filesystem;

bool is_wanted(const Options& options) {
    return !options.trace_file.empty() || !options.report_file.empty();
}

// Beside the first file that will be made of them. Absolute, because of --wdir.
std::string parts_folder(const Options& options) {
    const std::string& file = options.trace_file.empty() ? options.report_file : options.trace_file;
    std::error_code error;
    return fs::absolute(file, error).string() + ".parts";
}

// Parts of an earlier job with more PEs would pass for this one's.
void remove_old_parts(const std::string& folder) {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
        if (entry.path().extension() == ".part") fs::remove(entry.path(), error);
    }
}

std::vector<std::string> report_command(const Options& options) {
    std::vector<std::string> command = {own_folder() / "osh_report", parts_folder(options)};
    if (!options.trace_file.empty()) command.insert(command.end(), {"--trace", options.trace_file});
    if (!options.report_file.empty())
        command.insert(command.end(), {"--report", options.report_file});
    return command;
}

std::string shown(const std::vector<std::string>& command) {
    std::string text = "osh_report";
    for (std::size_t i = 1; i < command.size(); ++i) text += " " + command[i];
    return text;
}

}  // namespace

void prepare_trace(Options& options) {
    const char* wanted = environment("SHMEM_TRACE");
    if (options.trace_file.empty() && wanted != nullptr) options.trace_file = wanted;
    if (!is_wanted(options)) return;
    if (is_checked(options)) {
        fatal(
            "a job is either checked or traced: leave out --check (SHMEM_CHECK), or --trace, "
            "--report and SHMEM_TRACE");
    }
    for (const std::string& file : {options.trace_file, options.report_file}) {
        std::error_code error;
        if (fs::exists(file, error) && !fs::is_regular_file(file, error)) {
            fatal("a trace or a report cannot go to %s, which is no file; name a file",
                  file.c_str());
        }
    }
    const std::string folder = parts_folder(options);
    const std::string parent = fs::path(folder).parent_path();
    if (::access(parent.c_str(), W_OK) != 0) {
        fatal("the trace goes to %s, which cannot be written: %s", parent.c_str(),
              std::strerror(errno));
    }
    remove_old_parts(folder);
    preload(options, "libtessera-trace.so", "--trace or --report");
    export_variable(options, "TESSERA_TRACE_PARTS", folder);
}

void announce_report(const Options& options) {
    if (!is_wanted(options)) return;
    warn("another launcher runs the job; when it has ended, make the report by: %s",
         shown(report_command(options)).c_str());
}

bool make_report(const Options& options, const sigset_t& mask) {
    if (!is_wanted(options)) return true;
    std::vector<std::string> command = report_command(options);
    command.emplace_back("--remove");
    std::vector<char*> arguments;
    for (std::string& word : command) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ::unsetenv("LD_PRELOAD");
    const pid_t child = ::fork();
    if (child == 0) {
        // Other threads of oshrun are gone here: nothing but system calls.
        ::sigprocmask(SIG_SETMASK, &mask, nullptr);
        ::execv(arguments[0], arguments.data());
        ::_exit(127);
    }
    int status = 0;
    while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    const int code = child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 127;
    if (code != 127) return code == 0;  // osh_report has said what is wrong.
    warn("cannot run %s, which needs Python 3; the parts stay. Where Python is, run: %s",
         command[0].c_str(), shown(report_command(options)).c_str());
    return false;
}

}  // namespace tessera::oshrun

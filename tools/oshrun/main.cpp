// SPDX-License-Identifier: BSD-3-Clause
//
// oshrun: runs a SHMEM program as several PEs (docs: oshrun(1)). On this host it is one process, no
// daemon: it forks the PEs, forwards their output, and ends when the last one has ended. For
// several hosts it becomes another launcher.
//   options.cpp     the command line             start.cpp       from there to running PEs
//   other_options.cpp, placement_words.cpp       the words of other launchers
//   handover.cpp, launcher_choice.cpp, launcher_command.cpp, hosts.cpp    becoming another launcher
//   programs.cpp    the programs to run          memory.cpp      the files that the PEs share
//   limits.cpp      ulimit                       static_size.cpp programs too large for the memory
//   spawn.cpp       one process                  signals.cpp     what signals mean
//   supervisor.cpp, verdict.cpp, ending.cpp      the loop until all is over
//   hang_report.cpp what the PEs wait for        debugger.cpp    --debug
//   output.cpp, output_sink.cpp, output_writer.cpp   lines of the PEs to stdout and stderr
//   helpers.cpp, helper_process.cpp              processes that copy for PEs that compute
//   checker.cpp     the checker in the PEs
//   keeper.cpp      cleans up after kill -9      pmix_server.cpp for MPI and other PMIx programs
//   pmix_gate.cpp   keeps strangers from it      trace.cpp       --trace and --report
#include <fcntl.h>
#include <unistd.h>

#include "base/fatal.hpp"
#include "checker.hpp"
#include "handover.hpp"
#include "helpers.hpp"
#include "job.hpp"
#include "options.hpp"
#include "programs.hpp"
#include "supervisor.hpp"
#include "trace.hpp"

namespace {

// Descriptors 0 to 2 must be open, or a pipe would take their place and receive other output.
void open_missing_standard_files() {
    int fd;
    do {
        fd = ::open("/dev/null", O_RDWR);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0) ::close(fd);
}

}  // namespace

int main(int argc, char** argv) {
    namespace oshrun = tessera::oshrun;
    oshrun::run_helper(argc, argv);
    tessera::set_message_prefix("oshrun: ");
    open_missing_standard_files();
    oshrun::Options options = oshrun::parse_options(argc, argv);
    oshrun::export_variables(options);
    oshrun::prepare_trace(options);
    oshrun::preload_checker(options);
    oshrun::hand_over(options);
    oshrun::SignalState signals = oshrun::take_signals();
    oshrun::Job job{.options = options, .signals = signals};
    oshrun::start_job(job);
    int code = oshrun::Supervisor(job).run();
    oshrun::close_job(job);
    if (!oshrun::make_report(options, signals.mask_before) && code == 0) code = 1;
    // The server's threads are still running, and one of them may be stuck: no destructors.
    ::_exit(code);
}

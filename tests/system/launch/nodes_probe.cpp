// SPDX-License-Identifier: BSD-3-Clause
//
// The facts that src/launch finds and shares, without the rest of the library: joins the job,
// shares the files of the node, and exchanges EndpointInfos with all PEs, twice. Every PE checks
// that PEs have the same files exactly if they are of the same node, and prints
//   pe I of N node A of B local X of Y host PEs P nodes Q launcher ADDRESS
// Arguments: nodes per host; `last` makes the last PE stop without meeting the others again.
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/fatal.hpp"
#include "launch/exchange.hpp"
#include "launch/job.hpp"
#include "launch/launcher_address.hpp"

namespace {

using tessera::fatal;
using tessera::Fd;
namespace launch = tessera::launch;

struct EndpointInfo {
    int pe;
    int round;
    int node;
    ino_t node_file;
    ino_t heap_file;
    char padding[200];
};

long progress_calls = 0;

void check(bool condition, const char* what) {
    if (!condition) fatal("nodes_probe: %s", what);
}

ino_t inode_of(const Fd& file) {
    struct stat status {};
    check(::fstat(file.get(), &status) == 0, "a shared file is not open");
    return status.st_ino;
}

void take_files(launch::Job& job) {
    if (job.launcher != launch::Launcher::kPmix) return;
    Fd node_file;
    Fd heap_file;
    if (job.local_index == 0) {
        node_file = Fd(::memfd_create("node", MFD_CLOEXEC));
        heap_file = Fd(::memfd_create("heap", MFD_CLOEXEC));
    }
    Fd statics(::memfd_create("static", MFD_CLOEXEC));
    ino_t mine = inode_of(statics);
    launch::share_files(job, std::move(node_file), std::move(heap_file), statics.get());
    check(static_cast<int>(job.static_files.size()) == job.nlocal, "static files are missing");
    auto index = static_cast<std::size_t>(job.local_index);
    check(inode_of(job.static_files[index]) == mine, "my static file is another");
    launch::meet_job(nullptr);  // Keeps `statics` open for the others.
}

void exchange(const launch::Job& job, int round) {
    EndpointInfo mine{.pe = job.pe,
                      .round = round,
                      .node = job.node,
                      .node_file = inode_of(job.node_file),
                      .heap_file = inode_of(job.heap_file),
                      .padding = {}};
    launch::publish_endpoint_info(std::as_bytes(std::span(&mine, 1)));
    launch::meet_job([] { ++progress_calls; });
    check(progress_calls > 0, "progress was not called");
    for (int pe = 0; pe < job.npes; ++pe) {
        std::vector<std::byte> bytes = launch::endpoint_info_of(pe);
        EndpointInfo info{};
        check(bytes.size() == sizeof info, "an EndpointInfo has another size");
        std::memcpy(&info, bytes.data(), sizeof info);
        check(info.pe == pe && info.round == round,
              "an EndpointInfo is not the one of that PE and round");
        bool is_same_file = info.node_file == mine.node_file && info.heap_file == mine.heap_file;
        check(is_same_file == (info.node == job.node), "the files do not belong to the nodes");
        bool is_local = false;
        for (int local : job.local_pes) is_local = is_local || local == pe;
        check(is_local == (info.node == job.node), "local_pes is not the node");
    }
}

void print(const launch::Job& job) {
    std::string address = launch::launcher_address(job.nnodes == job.nodes_of_host);
    std::printf("pe %d of %d node %d of %d local %d of %d host PEs %d nodes %d launcher %s\n",
                job.pe, job.npes, job.node, job.nnodes, job.local_index, job.nlocal,
                job.npes_of_host, job.nodes_of_host, address.c_str());
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    int nodes_per_host = argc > 1 ? std::atoi(argv[1]) : 1;
    bool last_stops = argc > 2 && std::string(argv[2]) == "last";
    for (int round = 0; round < 2; ++round) {
        launch::Job job = launch::join(nodes_per_host);
        take_files(job);
        if (job.launcher == launch::Launcher::kPmix || job.nnodes > 1) exchange(job, round);
        if (round == 0) print(job);
        if (last_stops && job.pe == job.npes - 1) fatal("nodes_probe: stops on purpose");
        launch::leave(job);
    }
    return 0;
}

// SPDX-License-Identifier: BSD-3-Clause
//
// Makes the files of a node that has no oshrun (session.hpp): the first PE creates them and hands
// them to the others.
#include <unistd.h>

#include <string>

#include "base/fatal.hpp"
#include "heap/node_file.hpp"
#include "heap/static_data.hpp"
#include "session/session.hpp"
#include "settings/config.hpp"
#include "topology/topology.hpp"

namespace tessera {

void make_files(launch::Job& job) {
    Fd node_file;
    Fd heap_file;
    if (job.local_index == 0) {
        topology::Facts facts = topology::discover();
        heap::NodePlan plan{.npes = job.nlocal,
                            .npes_of_job = job.npes,
                            .heap_bytes = config().symmetric_size,
                            .team_memory_bytes = config().team_memory_size,
                            .local_memory_bytes = config().local_memory_size,
                            .try_huge_pages = config().huge_pages,
                            .facts_bytes = sizeof facts,
                            .usable_cores = facts.usable_cores,
                            .helpers = {.helpers = config().progress.helpers}};
        std::string error = heap::choose_sizes(plan, facts.memory_bytes, job.npes_of_host);
        if (!error.empty()) fatal("shmem_init: %s", error.c_str());
        heap::NodeFiles files = heap::create_node_files(plan, error);
        if (!files.node) fatal("shmem_init: %s", error.c_str());
        heap::NodeLayout header;
        if (::pread(files.node.get(), static_cast<void*>(&header), sizeof header, 0) < 0 ||
            ::pwrite(files.node.get(), &facts, sizeof facts,
                     static_cast<off_t>(header.facts_offset)) < 0) {
            fatal("shmem_init: cannot write the node's shared file");
        }
        node_file = std::move(files.node);
        heap_file = std::move(files.heap);
    }
    if (job.npes > 1) {
        launch::share_files(job, std::move(node_file), std::move(heap_file),
                            heap::static_data().fd);
    } else {
        job.node_file = std::move(node_file);
        job.heap_file = std::move(heap_file);
    }
}

}  // namespace tessera

// SPDX-License-Identifier: BSD-3-Clause
//
// Makes the files of a node that has no oshrun (live.hpp): the first PE creates them and hands them
// to the others.
#include <unistd.h>

#include <string>

#include "base/fatal.hpp"
#include "core/config.hpp"
#include "core/live.hpp"
#include "heap/node_file.hpp"
#include "heap/static_data.hpp"
#include "topology/topology.hpp"

namespace tessera {

void make_files(launch::Job& job) {
    Fd node_file;
    Fd heap_file;
    if (job.local_index == 0) {
        topology::Facts facts = topology::discover();
        std::size_t heap_bytes = config().symmetric_size;
        if (heap_bytes == 0)
            heap_bytes = heap::default_heap_bytes(facts.memory_bytes, job.npes_of_host);
        std::string error =
            heap::heap_size_complaint(heap_bytes, facts.memory_bytes, job.npes_of_host);
        if (!error.empty()) fatal("shmem_init: %s", error.c_str());
        heap::NodeFiles files = heap::create_node_files({.npes = job.nlocal,
                                                         .npes_of_job = job.npes,
                                                         .heap_bytes = heap_bytes,
                                                         .try_huge_pages = config().huge_pages,
                                                         .facts_bytes = sizeof facts,
                                                         .usable_cores = facts.usable_cores},
                                                        error);
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

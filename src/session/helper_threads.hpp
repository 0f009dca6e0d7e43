// SPDX-License-Identifier: BSD-3-Clause
//
// Helpers (SHMEM_PROGRESS=helpers) where the launcher is not oshrun: threads of the first PE of the
// node, which has the memory of all PEs mapped. They take the place of oshrun's processes, and end
// with their PE, whose end is that of the job.
#pragma once

#include <memory>
#include <thread>
#include <vector>

#include "heap/helper_loop.hpp"
#include "launch/job.hpp"
#include "session/node.hpp"

namespace tessera {

class HelperThreads {
  public:
    // REQUIRES: the node's first PE; all PEs of the node have come.
    HelperThreads(const Node& node, const launch::Job& job);
    // RETURNS when: they have ended. REQUIRES: no PE of the node hands anything over any more.
    ~HelperThreads();
    HelperThreads(const HelperThreads&) = delete;
    HelperThreads& operator=(const HelperThreads&) = delete;

  private:
    std::vector<std::unique_ptr<heap::HelperLoop>> loops_;
    std::vector<std::thread> threads_;
};

// Ends the job where helpers would share cores with PEs, unless the user forces them.
std::unique_ptr<HelperThreads> start_helper_threads(const Node& node, const launch::Job& job,
                                                    const char* where);

}  // namespace tessera

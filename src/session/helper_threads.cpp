// SPDX-License-Identifier: BSD-3-Clause
//
// See helper_threads.hpp.
#include "session/helper_threads.hpp"

#include <pthread.h>
#include <sched.h>

#include <cerrno>
#include <cstring>

#include "base/fatal.hpp"
#include "base/library_thread.hpp"
#include "base/log.hpp"
#include "core/internal_segment.hpp"
#include "settings/config.hpp"

namespace tessera {
namespace {

// The launcher may have bound this PE to one core, and have given another PE several.
cpu_set_t processors_of_pes(const Node& node, int nlocal) {
    cpu_set_t processors;
    CPU_ZERO(&processors);
    for (int i = 0; i < nlocal; ++i) {
        for (unsigned pu = 0; pu < kAffinityWords * 64 && pu < CPU_SETSIZE; ++pu) {
            if ((node.internal(i).affinity[pu / 64] >> pu % 64 & 1) != 0) CPU_SET(pu, &processors);
        }
    }
    return processors;
}

void work(heap::HelperLoop& loop, const cpu_set_t& processors) {
    ::pthread_setname_np(::pthread_self(), "tessera-helper");
    if (::sched_setaffinity(0, sizeof processors, &processors) != 0)
        log(Subsystem::kSetup, "a helper stays beside its PE: %s", std::strerror(errno));
    loop.run();
}

}  // namespace

HelperThreads::HelperThreads(const Node& node, const launch::Job& job) {
    heap::OffloadBoard& board = node.offload_board();
    const cpu_set_t processors = processors_of_pes(node, job.nlocal);
    for (std::uint32_t i = 0; i < board.plan.helpers; ++i) {
        loops_.push_back(std::make_unique<heap::HelperLoop>(
            heap::HelperLoop::Setup{.board = board,
                                    .maps = node.maps(),
                                    .npes = static_cast<std::size_t>(job.nlocal),
                                    .number = i,
                                    .fail = [](const char* message) { fatal("%s", message); }}));
        threads_.push_back(
            start_library_thread([&loop = *loops_.back(), processors] { work(loop, processors); }));
    }
}

HelperThreads::~HelperThreads() {
    for (const auto& loop : loops_) loop->stop();
    for (std::thread& thread : threads_) thread.join();
}

std::unique_ptr<HelperThreads> start_helper_threads(const Node& node, const launch::Job& job,
                                                    const char* where) {
    const ProgressMode& mode = config().progress;
    heap::OffloadBoard& board = node.offload_board();
    const std::uint32_t cores = node.header().usable_cores;
    const std::uint32_t needed = static_cast<std::uint32_t>(job.npes_of_host) +
                                 mode.helpers * static_cast<std::uint32_t>(job.nodes_of_host);
    if (needed > cores && !mode.is_forced) {
        ProgressMode forced = mode;
        forced.is_forced = true;
        fatal(
            "%s: SHMEM_PROGRESS=%s: the PEs and helpers of this host need %u cores, and the "
            "launcher gives them %u; give each PE two (srun -c 2, mpirun --map-by slot:PE=2), or "
            "let helpers share cores with PEs by SHMEM_PROGRESS='%s'",
            where, print_progress(mode).c_str(), needed, cores, print_progress(forced).c_str());
    }
    board.plan.have_cores = needed <= cores ? 1 : 0;
    return std::make_unique<HelperThreads>(node, job);
}

}  // namespace tessera

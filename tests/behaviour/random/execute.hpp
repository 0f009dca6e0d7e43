// SPDX-License-Identifier: BSD-3-Clause
//
// Runs a random program for real: each PE makes its own calls and follows the others' in the model.
// The results of a call are compared at once, the symmetric memory at the end of each epoch; a
// difference is printed with the seed, the PE, the step and the call in words, and ends the job.
#pragma once

#include <shmem.h>

#include <cstdint>
#include <vector>

#include "random/model.hpp"
#include "random/program.hpp"

namespace tessera::random {

// Symmetric objects that all programs of a job share: two of each are static data, two heap memory.
// Collective.
struct SharedObjects {
    static constexpr int kLocks = 4;
    SharedObjects();

    long* psync(int i) const;
    long* locks[kLocks];
    long* barrier_psync;
    void* pwrk;
    unsigned char* static_data;

  private:
    long* heap_psyncs_;
};
inline constexpr std::uint32_t kPwrkBytes = 1U << 20;

class Executor {
  public:
    // Steps before `from` are not checked, and only run if later ones need them: teams, contexts
    // and allocations. `first_seed` is that of the job's first program, for the message.
    Executor(const Program& program, const SharedObjects& shared, int from,
             std::uint64_t first_seed);

    // Collective. RETURNS when: all steps were run and no difference was found.
    void run();

    // The state of a hanging PE. THREADS: any, also a signal handler.
    int step_number() const { return step_ != nullptr ? step_->number : -1; }
    std::uint64_t seed() const { return program_.seed; }

  private:
    struct Context {
        shmem_ctx_t handle = SHMEM_CTX_INVALID;
        int team = kWorldTeam;
        PeList members;
    };
    // Memory of a nonblocking call, and what it must hold when the call is complete.
    struct Pending {
        const Step* step;
        int context;
        std::vector<unsigned char> actual;
        std::vector<unsigned char> expected;  // empty: nothing to compare
    };

    // ---- execute.cpp
    void play(const EpochEnd& end);
    void play(const Pause& pause);
    void change_memory(const MemoryCall& call);
    void end_epoch(EpochEnd::Kind kind);
    void compare_memory();
    void compare(BlockOffset place, const unsigned char* actual, std::uint32_t bytes);
    void install_model();
    bool is_needed(const Call& call) const;
    const Step* last_writer(BlockOffset place) const;

    // ---- execute_onesided.cpp
    void play(const Transfer& transfer);
    void play(const SignalUpdate& update);
    void play(const AtomicCall& call);
    void play(const Order& order);
    void play(const Wait& wait);
    void play(const StoreValues& store);
    void play(const Tickets& tickets);
    void play(const TokenSwap& swap);
    void play(const LockedAdd& add);
    void start(const Transfer& transfer, unsigned char* local);
    std::uint64_t draw(const Tickets& tickets);
    void wait_by_routine(const Wait& wait);
    void complete(int context);

    // ---- execute_groups.cpp
    void play(const SplitStrided& split);
    void play(const Split2d& split);
    void play(const DestroyTeam& destroy);
    void play(const TranslatePe& translate);
    void play(const CreateContext& create);
    void play(const DestroyContext& destroy);
    void play(const Session& session);
    void play(const Collective& collective);
    void check_team(int team, const PeList& members);
    void check_move(const Collective& collective);
    void check_reduction(const Collective& collective);
    shmem_team_t& team(int number);

    unsigned char* address(BlockOffset place) const;
    // The handle for a context, nullptr for the form without one; and a PE's number in it.
    OptionalContext handle_of(int context) const;
    int pe_in(int context, int pe) const;

    // Prints the step and the message, and ends the job.
    [[noreturn, gnu::format(printf, 2, 3)]] void fail(const char* format, ...) const;
    [[noreturn, gnu::format(printf, 3, 4)]] void fail_at(const Step& step, const char* format,
                                                         ...) const;

    const Program& program_;
    const SharedObjects& shared_;
    int from_;
    std::uint64_t first_seed_;
    int me_;
    Model model_;
    const Step* step_ = nullptr;
    std::uint64_t old_value_ = 0;  // result of Model::apply() for this step
    std::vector<unsigned char*> blocks_;
    std::vector<shmem_team_t> teams_;
    std::vector<Context> contexts_;
    std::vector<Pending> pending_;
};

}  // namespace tessera::random

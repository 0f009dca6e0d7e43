// SPDX-License-Identifier: BSD-3-Clause
//
// Makes a random program from a seed: the same one on every PE. An action is one step of the
// program: it looks for memory that it may touch (claims.hpp), emits a few calls and claims what
// they touch. It gives up when it finds none. generator.cpp chooses actions,
// generate_{onesided,together,teams}.cpp have them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "random/claims.hpp"
#include "random/model.hpp"
#include "random/program.hpp"
#include "random/random.hpp"

namespace tessera::random {

struct GenerateOptions {
    int npes = 1;
    std::uint64_t seed = 1;
    int steps = 0;                 // 0: as many as the seed says
    bool shared_is_world = false;  // SHMEM_TEAM_SHARED has all PEs, and so takes part
};

class Generator {
  public:
    explicit Generator(const GenerateOptions& options);
    Program run();

  private:
    struct Team {
        PeList members;
        bool is_live = true;
    };
    struct Context {
        int team = kWorldTeam;
        long options = 0;
        bool is_live = true;
        bool in_session = false;
        std::uint64_t targets = 0;  // target PEs of calls since the last quiet
    };

    // ---- generator.cpp
    void act();
    void emit(Call call);
    void end_epoch(const EpochEnd& end);
    void complete_contexts();
    void end_epoch_somehow();
    void change_memory();
    void pause();
    void finish();

    int any_pe() { return random_.below(npes_); }
    // Different PEs, at least `least` of them (or all there are), in any order.
    PeList some_pes(int least, int most);
    const PeList& members(int team) const { return teams_[static_cast<std::size_t>(team)].members; }
    int any_team();
    std::uint32_t any_nelems(std::uint32_t element_bytes, std::uint32_t most_bytes);
    // A place of `layout` where each of `pes` has only claims out of `allowed`.
    std::optional<BlockOffset> find(const PeList& pes, const Layout& layout,
                                    std::uint32_t alignment, unsigned allowed);
    std::optional<BlockOffset> find(int pe, const Layout& layout, std::uint32_t alignment,
                                    unsigned allowed);
    // A context of `pe` that reaches `target`.
    int any_context(int pe, int target);
    Context& context_of(int pe, int context) {
        return contexts_[static_cast<std::size_t>(pe)][static_cast<std::size_t>(context)];
    }
    bool in_session(int pe, int context) {
        return !is_default(context) && context_of(pe, context).in_session;
    }
    void order(int pe, int context, OrderName name);
    // Operations on contexts of the program must be completed before the epoch ends.
    template <class T>
    void note_use(const T& call) {
        if constexpr (requires { call.context, call.target; }) {
            if (is_default(call.context)) return;
            context_of(call.pe, call.context).targets |= std::uint64_t{1} << call.target;
        }
    }

    // ---- generate_onesided.cpp
    void transfers();
    void overwrites();
    void atomics_of_one();
    void atomics_of_many();
    void signal_chain();
    void flags();
    void hand_over();
    void transfer(int pe, int target);
    // `pe` moves bytes between contiguous memory on `target` and its private memory.
    Transfer plain_transfer(TransferName name, int pe, int target, BlockOffset place,
                            std::uint32_t bytes);
    void choose_layouts(Transfer& transfer, std::uint32_t most_bytes);
    void overwrite(Transfer transfer, BlockOffset region, std::uint32_t bytes);
    std::optional<BlockOffset> signalled_put(int from, int to, std::optional<BlockOffset> source,
                                             const Layout& layout);
    bool choose_condition(Wait& wait, std::array<std::uint64_t, Wait::kWordsMax>& finals);
    void raise_flag(const Wait& wait, int i, std::uint64_t value);

    // ---- generate_together.cpp
    void tickets();
    void token_swap();
    void locked_add();
    void exchange();
    void collectives();
    void collective(int team);
    void move(Collective& call);
    void reduce(Collective& call);
    // Says whether the collective is for an active set; chooses one if the members are one.
    bool choose_active_set(Collective& call);
    bool place_collective(Collective& call, const Layout& dest, const Layout& source,
                          std::uint32_t alignment);
    void reuse_source(const Collective& call, const Layout& layout);
    void sync(int team);

    // ---- generate_teams.cpp
    void teams();
    void contexts();
    void split_strided();
    void split_2d();
    void destroy_team(int team);
    void create_context();
    void destroy_context(int pe, int context);

    int npes_;
    int steps_;
    Random random_;
    Program program_;
    Model model_;
    Claims claims_;
    int step_ = 0;
    int failures_ = 0;  // actions of this epoch that found no memory
    unsigned psyncs_used_ = 0;
    std::uint32_t most_bytes_ = 256;  // for one call
    std::vector<int> weights_;
    std::vector<int> data_blocks_{kStaticData};
    int next_block_ = kFirstHeapBlock;
    std::vector<Team> teams_;
    std::vector<std::vector<Context>> contexts_;  // by PE
};

}  // namespace tessera::random

// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when epochs of a random sequence (epochs_script.hpp) begin or end too early, or are taken
// for others. A target stores the number of an epoch before it posts, and its origin must read just
// that; an origin puts the number, and the target must find it after the wait. Up to three
// sequences are mixed: one without a window, and one on each of some windows, which must not know
// each other's epochs. The first argument is the number of sequences.
#include <pshmemx.h>

#include <cstdlib>
#include <memory>

#include "runtime_layer/epochs/epochs_script.hpp"
#include "support/pe_test.hpp"

namespace {

using tessera::test::EpochScriptMaker;
using tessera::test::EpochStep;
using tessera::test::kRing;
using tessera::test::Mode;
using tessera::test::Move;

constexpr int kPesMax = 64;
constexpr std::size_t kStepsOfPe = 40;

// By the partner's number, and the epoch's number modulo kRing.
struct Numbers {
    long versions[kPesMax][kRing];
    long inbox[kPesMax][kRing];
};
constexpr std::size_t kScripts = 3;
Numbers symmetric[kScripts];

class Player {
  public:
    // Without a window: the first one.
    Player(const EpochScriptMaker& maker, std::size_t index)
        : maker_(maker), versions(symmetric[index].versions), inbox(symmetric[index].inbox) {
        if (index == 0) return;
        const int failed = shmemx_window_create(SHMEM_TEAM_WORLD, &symmetric[index],
                                                sizeof symmetric[index], &window_);
        EXPECT_EQ(failed, 0);
    }
    Player(const Player&) = delete;
    Player& operator=(const Player&) = delete;
    ~Player() { shmemx_window_destroy(&window_); }

    void take(const EpochStep& step) {
        switch (step.move) {
            case Move::kPost: return post(step);
            case Move::kStart: return start(step);
            case Move::kComplete: return complete(step);
            case Move::kWait: return wait(step);
            default: return access(step);
        }
    }

  private:
    struct Got {
        std::size_t epoch;
        long number;
        long value;
    };
    static long* place(long (*table)[kRing], int pe, long number) {
        return &table[pe][number % kRing];
    }
    shmemx_epoch_t& handle(const EpochStep& step) { return handles_[step.epoch]; }

    void post(const EpochStep& step) {
        for (std::size_t i = 0; i < step.partners.size(); ++i)
            *place(versions, step.partners[i], step.numbers[i]) = step.numbers[i];
        if (window_ != SHMEMX_WINDOW_INVALID) {
            return shmemx_window_post(window_, step.partners.data(), step.partners.size(), 0,
                                      &handle(step));
        }
        shmemx_epoch_post(step.partners.data(), step.partners.size(), 0, &handle(step));
    }
    void start(const EpochStep& step) {
        const long options = step.mode == Mode::kImmediate  ? SHMEMX_EPOCH_IMMEDIATE
                             : step.mode == Mode::kDeferred ? SHMEMX_EPOCH_DEFERRED
                                                            : 0;
        if (window_ != SHMEMX_WINDOW_INVALID) {
            return pshmemx_window_start(window_, step.partners.data(), step.partners.size(),
                                        options, &handle(step));
        }
        shmemx_epoch_start(step.partners.data(), step.partners.size(), options, &handle(step));
    }
    void access(const EpochStep& step) {
        const int me = shmem_my_pe();
        long* version = place(versions, me, step.number);
        if (step.move == Move::kPut) {
            numbers_[step.epoch].push_back(std::make_unique<long>(step.number));
            shmemx_epoch_put(handle(step), place(inbox, me, step.number),
                             numbers_[step.epoch].back().get(), sizeof(long), step.target);
        } else if (step.move == Move::kGet) {
            gets_[step.epoch].push_back(std::make_unique<Got>(Got{step.epoch, step.number, -1}));
            shmemx_epoch_get(handle(step), &gets_[step.epoch].back()->value, version, sizeof(long),
                             step.target);
        } else {
            shmemx_epoch_ready(handle(step), step.target);
            ASSERT_EQ(shmem_long_g(version, step.target), step.number) << "epoch " << step.epoch;
        }
    }
    void complete(const EpochStep& step) {
        shmemx_epoch_complete(&handle(step));
        for (const auto& got : gets_[step.epoch])
            ASSERT_EQ(got->value, got->number) << "epoch " << step.epoch;
        numbers_.erase(step.epoch);
        gets_.erase(step.epoch);
    }
    void wait(const EpochStep& step) {
        if (step.epoch % 2 == 0) {
            shmemx_epoch_wait(&handle(step));
        } else {
            while (shmemx_epoch_test(&handle(step)) == 0) {
            }
        }
        for (std::size_t i = 0; i < step.partners.size(); ++i) {
            const int origin = step.partners[i];
            const long number = step.numbers[i];
            if (!maker_.has_put(origin, shmem_my_pe(), number)) continue;
            ASSERT_EQ(*place(inbox, origin, number), number)
                << "epoch " << step.epoch << " with PE " << origin;
        }
    }

    const EpochScriptMaker& maker_;
    long (*const versions)[kRing];
    long (*const inbox)[kRing];
    shmemx_window_t window_ = SHMEMX_WINDOW_INVALID;
    std::map<std::size_t, shmemx_epoch_t> handles_;
    std::map<std::size_t, std::vector<std::unique_ptr<long>>> numbers_;  // sources of puts
    std::map<std::size_t, std::vector<std::unique_ptr<Got>>> gets_;
};

struct Script {
    Script(int npes, unsigned long seed, std::size_t index)
        : maker(npes, seed),
          player(maker, index),
          steps(maker.make(kStepsOfPe * static_cast<std::size_t>(npes))) {}
    EpochScriptMaker maker;
    Player player;
    std::vector<EpochStep> steps;
    std::size_t next = 0;
};

// All PEs mix the scripts alike, so each step can be taken in this order, too.
void play(int npes, unsigned long seed) {
    std::mt19937_64 random(seed);
    const std::size_t count = random() % kScripts + 1;
    std::vector<std::unique_ptr<Script>> scripts;
    for (std::size_t i = 0; i < count; ++i)
        scripts.push_back(std::make_unique<Script>(npes, random(), i));
    for (std::size_t left = count; left > 0;) {
        Script& script = *scripts[random() % count];
        if (script.next == script.steps.size()) continue;
        const EpochStep& step = script.steps[script.next++];
        if (script.next == script.steps.size()) --left;
        if (step.pe == shmem_my_pe()) script.player.take(step);
        if (testing::Test::HasFatalFailure()) return;
    }
}

// Epoch numbers of the library go on from one sequence to the next, those of a script begin again.
TEST(EpochsRandom, SequencesFollowTheModel) {
    std::mt19937_64 seeds(tessera::test::shared_seed());
    for (int i = 0; i < tessera::test::repeats(20); ++i) {
        const unsigned long seed = seeds();
        std::fill(std::begin(symmetric), std::end(symmetric), Numbers{});
        shmem_barrier_all();
        play(shmem_n_pes(), seed);
        ASSERT_FALSE(HasFatalFailure()) << "sequence " << i << " with seed " << seed;
        shmem_barrier_all();
    }
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)

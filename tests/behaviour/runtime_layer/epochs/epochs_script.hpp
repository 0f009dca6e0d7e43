// SPDX-License-Identifier: BSD-3-Clause
//
// Random sequences of epochs on all PEs, made by all of them from the seed. The steps of all PEs
// stand in an order in which each of them can be taken, so PEs that take theirs at any time cannot
// wait for ever. Epochs with a PE are numbered from 1 on, as the n-th access epoch of an origin
// belongs to the n-th exposure epoch of the target.
#pragma once

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <vector>

namespace tessera::test {

inline constexpr long kRing = 4;  // exposure epochs of a PE for another one that may be open

enum class Mode { kTriggerOnly, kImmediate, kDeferred };
enum class Move { kPost, kStart, kPut, kGet, kLook, kComplete, kWait };

struct EpochStep {
    int pe = 0;
    Move move = Move::kPost;
    std::size_t epoch = 0;
    std::vector<int> partners{};  // kPost, kStart
    std::vector<long> numbers{};  // number of the epoch with each of them
    Mode mode = Mode::kTriggerOnly;
    int target = 0;   // target of an access
    long number = 0;  // number of the epoch with the target
};

class EpochScriptMaker {
  public:
    EpochScriptMaker(int npes, unsigned long seed) : npes_(npes), random_(seed) {}

    std::vector<EpochStep> make(std::size_t length) {
        while (script_.size() < length) add_step();
        finish();
        return script_;
    }
    // Whether the origin puts in this epoch with the target.
    bool has_put(int origin, int target, long number) const {
        return puts_.contains({origin, target, number});
    }

  private:
    struct Epoch {
        EpochStep opened;
        bool is_exposure = false;
        std::set<int> accessed;
    };
    using Pair = std::pair<int, int>;

    std::size_t pick(std::size_t count) { return random_() % count; }
    std::vector<int> pick_list() {
        std::vector<int> pes;
        for (int pe = 0; pe < npes_; ++pe) {
            if (pick(3) == 0) pes.push_back(pe);
        }
        std::ranges::shuffle(pes, random_);
        return pes;
    }

    void add_step() {
        const int pe = static_cast<int>(pick(static_cast<std::size_t>(npes_)));
        switch (pick(6)) {
            case 0: return post(pe, pick_list());
            case 1: return start(pe, pick_list(), static_cast<Mode>(pick(3)));
            case 2: return close_one(pe);
            default: return access(pe);
        }
    }

    // Another exposure epoch needs a free place in the ring of each origin.
    void post(int pe, std::vector<int> origins) {
        std::erase_if(origins, [&](int origin) {
            const std::set<long>& open = open_exposures_[{pe, origin}];
            return !open.empty() && posted_[{pe, origin}] + 1 - *open.begin() >= kRing;
        });
        EpochStep step{.pe = pe, .move = Move::kPost, .epoch = epochs_.size()};
        for (const int origin : origins) {
            const long number = ++posted_[{pe, origin}];
            open_exposures_[{pe, origin}].insert(number);
            step.numbers.push_back(number);
        }
        step.partners = std::move(origins);
        open(step, true);
    }

    void start(int pe, std::vector<int> targets, Mode mode) {
        std::erase_if(targets, [&](int target) {
            const long number = started_[{pe, target}] + 1;
            const bool too_far = number - posted_[{target, pe}] > kRing;
            return too_far || (mode == Mode::kImmediate && number > posted_[{target, pe}]);
        });
        EpochStep step{.pe = pe, .move = Move::kStart, .epoch = epochs_.size(), .mode = mode};
        for (const int target : targets) step.numbers.push_back(++started_[{pe, target}]);
        step.partners = std::move(targets);
        open(step, false);
    }

    void open(const EpochStep& step, bool is_exposure) {
        epochs_.push_back({.opened = step, .is_exposure = is_exposure, .accessed = {}});
        open_.push_back(step.epoch);
        script_.push_back(step);
    }

    void access(int pe) {
        for (const std::size_t id : open_) {
            Epoch& epoch = epochs_[id];
            if (epoch.is_exposure || epoch.opened.pe != pe || epoch.opened.partners.empty())
                continue;
            const std::size_t place = pick(epoch.opened.partners.size());
            const int target = epoch.opened.partners[place];
            const long number = epoch.opened.numbers[place];
            const bool is_deferred = epoch.opened.mode == Mode::kDeferred;
            if (!is_deferred && number > posted_[{target, pe}]) continue;
            const Move moves[] = {Move::kPut, Move::kGet, Move::kLook};
            EpochStep step{.pe = pe, .epoch = id, .target = target, .number = number};
            step.move = moves[pick(is_deferred ? 2 : 3)];
            if (step.move == Move::kPut) puts_.insert({pe, target, number});
            epoch.accessed.insert(target);
            script_.push_back(step);
            return;
        }
    }

    bool can_close(const Epoch& epoch) {
        const EpochStep& step = epoch.opened;
        for (std::size_t i = 0; i < step.partners.size(); ++i) {
            const int partner = step.partners[i];
            if (epoch.is_exposure) {
                if (completed_[{partner, step.pe}] < step.numbers[i]) return false;
                continue;
            }
            if (completed_[{step.pe, partner}] + 1 != step.numbers[i]) return false;
            const bool waits = step.mode == Mode::kDeferred && epoch.accessed.contains(partner);
            if (waits && posted_[{partner, step.pe}] < step.numbers[i]) return false;
        }
        return true;
    }
    void close_one(int pe) {
        std::vector<std::size_t> ready;
        for (const std::size_t id : open_) {
            if (epochs_[id].opened.pe == pe && can_close(epochs_[id])) ready.push_back(id);
        }
        if (!ready.empty()) close(ready[pick(ready.size())]);
    }
    void close(std::size_t id) {
        const Epoch& epoch = epochs_[id];
        const EpochStep& opened = epoch.opened;
        for (std::size_t i = 0; i < opened.partners.size(); ++i) {
            const int partner = opened.partners[i];
            if (epoch.is_exposure) {
                open_exposures_[{opened.pe, partner}].erase(opened.numbers[i]);
            } else {
                completed_[{opened.pe, partner}] = opened.numbers[i];
            }
        }
        EpochStep step = opened;
        step.move = epoch.is_exposure ? Move::kWait : Move::kComplete;
        script_.push_back(step);
        std::erase(open_, id);
    }

    // Opens what is missing on the other side, and closes all.
    void finish() {
        for (;;) {
            for (std::size_t i = 0; i < open_.size();)
                can_close(epochs_[open_[i]]) ? close(open_[i]), i = 0 : ++i;
            bool is_missing = false;
            for (int target = 0; target < npes_; ++target) {
                for (int origin = 0; origin < npes_; ++origin) {
                    const long posted = posted_[{target, origin}];
                    const long started = started_[{origin, target}];
                    if (posted < started) post(target, {origin});
                    if (started < posted) start(origin, {target}, Mode::kTriggerOnly);
                    is_missing = is_missing || posted != started;
                }
            }
            if (!is_missing && open_.empty()) return;
        }
    }

    int npes_;
    std::mt19937_64 random_;
    std::vector<EpochStep> script_;
    std::vector<Epoch> epochs_;
    std::vector<std::size_t> open_;
    std::set<std::tuple<int, int, long>> puts_;
    std::map<Pair, long> posted_;     // by target and origin
    std::map<Pair, long> started_;    // by origin and target
    std::map<Pair, long> completed_;  // by origin and target
    std::map<Pair, std::set<long>> open_exposures_;
};

}  // namespace tessera::test

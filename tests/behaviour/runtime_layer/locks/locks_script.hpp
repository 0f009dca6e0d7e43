// SPDX-License-Identifier: BSD-3-Clause
//
// Random sequences of lock operations, and the model that says what each of them does: a queue for
// each lock, first come, first served, where readers that follow each other enter together. All PEs
// make the same sequence from the seed. No PE waits for a lock that comes before one that it holds,
// so every sequence can end.
#pragma once

#include <algorithm>
#include <deque>
#include <random>
#include <vector>

namespace tessera::test {

enum class Use { kMutex, kRead, kWrite };
enum class Action { kLock, kTrylock, kUnlock, kOwner };

struct Step {
    int pe = 0;
    Action action = Action::kLock;
    std::size_t lock = 0;
    Use use = Use::kMutex;
    bool waits = false;       // kLock: the PE gets it by a later step
    int answer = 0;           // the answer to kTrylock and kOwner
    std::vector<int> next{};  // kUnlock: the PEs that get the lock
    long acquired = 0;        // kTrylock: so many times PEs have got the lock before
    long writes = 0;          // kLock, kTrylock: so many writers have had the lock before
};

class LockModel {
  public:
    struct Entry {
        int pe;
        Use use;
        std::size_t step;  // the step that asked
    };

    bool is_held_by(int pe) const { return find(pe) != holders_.end(); }
    Use use_of(int pe) const { return find(pe)->use; }
    bool is_free_for(Use use) const {
        if (!queue_.empty()) return false;
        if (holders_.empty()) return true;
        return use == Use::kRead && holders_.front().use == Use::kRead;
    }
    int owner() const { return holders_.empty() ? -1 : holders_.front().pe; }
    // The PE has the lock. RETURNS: the number of writers before.
    long enter(const Entry& entry) {
        holders_.push_back(entry);
        return count(entry);
    }
    long acquired() const { return acquired_; }
    void join(const Entry& entry) { queue_.push_back(entry); }
    // RETURNS: the entries that get the lock now.
    std::vector<Entry> leave(int pe) {
        holders_.erase(find(pe));
        std::vector<Entry> entered;
        while (!queue_.empty() && may_enter(queue_.front())) {
            entered.push_back(queue_.front());
            holders_.push_back(queue_.front());
            queue_.pop_front();
        }
        return entered;
    }
    long count(const Entry& entry) {
        ++acquired_;
        return entry.use == Use::kRead ? writes_ : writes_++;
    }

  private:
    std::vector<Entry>::const_iterator find(int pe) const {
        return std::ranges::find_if(holders_, [=](const Entry& each) { return each.pe == pe; });
    }
    bool may_enter(const Entry& entry) const {
        if (holders_.empty()) return true;
        return entry.use == Use::kRead && holders_.front().use == Use::kRead;
    }
    std::vector<Entry> holders_;
    std::deque<Entry> queue_;
    long writes_ = 0;
    long acquired_ = 0;
};

// Makes a sequence. Locks with an odd number are reader-writer locks.
class ScriptMaker {
  public:
    ScriptMaker(int npes, std::size_t locks, unsigned long seed)
        : random_(seed), waits_for_(static_cast<std::size_t>(npes), kNothing), models_(locks) {}

    std::vector<Step> make(std::size_t length) {
        while (script_.size() < length) add_step(pick_idle_pe());
        while (release_one()) {
        }
        return std::move(script_);
    }

  private:
    static constexpr std::size_t kNothing = ~std::size_t{0};

    std::size_t pick(std::size_t count) { return random_() % count; }
    bool is_idle(int pe) const { return waits_for_[static_cast<std::size_t>(pe)] == kNothing; }
    int pick_idle_pe() {
        for (;;) {
            const int pe = static_cast<int>(pick(waits_for_.size()));
            if (is_idle(pe)) return pe;
        }
    }
    bool holds_from(std::size_t first, int pe) const {
        for (std::size_t i = first; i < models_.size(); ++i) {
            if (models_[i].is_held_by(pe)) return true;
        }
        return false;
    }

    void add_step(int pe) {
        const std::size_t lock = pick(models_.size());
        LockModel& model = models_[lock];
        Step step{.pe = pe, .lock = lock};
        step.use = lock % 2 == 0 ? Use::kMutex : pick(2) == 0 ? Use::kRead : Use::kWrite;
        const std::size_t choice = pick(8);
        if (choice == 0 && step.use == Use::kMutex) {
            step.action = Action::kOwner;
            step.answer = model.owner();
        } else if (choice <= 2) {
            step.action = Action::kTrylock;
            step.acquired = model.acquired();
            step.answer = !model.is_held_by(pe) && model.is_free_for(step.use) ? 1 : 0;
            if (step.answer == 1) step.writes = model.enter({pe, step.use, script_.size()});
        } else if (model.is_held_by(pe)) {
            return release(pe, lock);
        } else if (model.is_free_for(step.use)) {
            step.writes = model.enter({pe, step.use, script_.size()});
        } else if (holds_from(lock, pe)) {
            return;  // The holder might wait for this PE.
        } else {
            step.waits = true;
            model.join({pe, step.use, script_.size()});
            waits_for_[static_cast<std::size_t>(pe)] = lock;
        }
        script_.push_back(step);
    }

    void release(int pe, std::size_t lock) {
        LockModel& model = models_[lock];
        Step step{.pe = pe, .action = Action::kUnlock, .lock = lock, .use = model.use_of(pe)};
        for (const LockModel::Entry& entry : model.leave(pe)) {
            step.next.push_back(entry.pe);
            script_[entry.step].writes = model.count(entry);
            waits_for_[static_cast<std::size_t>(entry.pe)] = kNothing;
        }
        script_.push_back(step);
    }

    // RETURNS: whether an idle PE held a lock, which it has given back.
    bool release_one() {
        for (std::size_t lock = 0; lock < models_.size(); ++lock) {
            for (int pe = 0; pe < static_cast<int>(waits_for_.size()); ++pe) {
                if (!is_idle(pe) || !models_[lock].is_held_by(pe)) continue;
                release(pe, lock);
                return true;
            }
        }
        return false;
    }

    std::mt19937_64 random_;
    std::vector<std::size_t> waits_for_;  // by PE
    std::vector<LockModel> models_;
    std::vector<Step> script_;
};

}  // namespace tessera::test

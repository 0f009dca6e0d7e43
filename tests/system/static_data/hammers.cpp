// SPDX-License-Identifier: BSD-3-Clause
//
// See hammers.hpp.
#include "hammers.hpp"

#include <pthread.h>
#include <signal.h>

#include <cstdio>
#include <thread>
#include <vector>

namespace static_test {
namespace {

// On the heap, which is not replaced.
struct Hammer {
    std::thread thread;
    std::atomic<long> rounds{0};
    long strikes = 0;
};

std::vector<Hammer>* g_hammers = nullptr;
std::atomic<bool>* g_must_stop = nullptr;

void strike(Hammer& hammer, long* words, const std::atomic<bool>& must_stop) {
    while (!must_stop.load(std::memory_order_relaxed)) {
        for (std::size_t i = 0; i < kHammeredWords; i += 64) {
            words[i + static_cast<std::size_t>(hammer.strikes % 64)] += 1;
            ++hammer.strikes;
            hammered.together.fetch_add(1, std::memory_order_relaxed);
        }
        {
            std::lock_guard<std::mutex> lock(hammered.mutex);
            hammered.locked += 1;
        }
        hammer.rounds.fetch_add(1, std::memory_order_relaxed);
    }
}

}  // namespace

void start_hammering(bool one_blocks_faults) {
    g_hammers = new std::vector<Hammer>(kHammers);
    g_must_stop = new std::atomic<bool>(false);
    for (int i = 0; i < kHammers; ++i) {
        Hammer& hammer = (*g_hammers)[static_cast<std::size_t>(i)];
        long* words = hammered.words[i];
        bool blocks = one_blocks_faults && i == 0;
        const std::atomic<bool>& must_stop = *g_must_stop;
        hammer.thread = std::thread([&hammer, words, blocks, &must_stop] {
            if (blocks) {
                sigset_t faults;
                sigemptyset(&faults);
                sigaddset(&faults, SIGSEGV);
                pthread_sigmask(SIG_BLOCK, &faults, nullptr);
            }
            strike(hammer, words, must_stop);
        });
    }
    let_hammers_strike(10);
}

void let_hammers_strike(long rounds) {
    for (Hammer& hammer : *g_hammers) {
        const long wanted = hammer.rounds.load() + rounds;
        while (hammer.rounds.load() < wanted) std::this_thread::yield();
    }
}

bool stop_hammering() {
    g_must_stop->store(true);
    long rounds = 0;
    long strikes = 0;
    bool all_arrived = true;
    for (std::size_t i = 0; i < kHammers; ++i) {
        Hammer& hammer = (*g_hammers)[i];
        hammer.thread.join();
        long arrived = 0;
        for (long word : hammered.words[i]) arrived += word;
        all_arrived = all_arrived && arrived == hammer.strikes;
        strikes += hammer.strikes;
        rounds += hammer.rounds.load();
    }
    all_arrived = all_arrived && hammered.together.load() == strikes && hammered.locked == rounds;
    if (!all_arrived) std::fprintf(stderr, "hammers: some of %ld updates are missing\n", strikes);
    return all_arrived;
}

}  // namespace static_test

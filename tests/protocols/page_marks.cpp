// SPDX-License-Identifier: BSD-3-Clause
//
// Two PEs change a page and mark it. The owner looks twice meanwhile, and once behind them: it must
// have seen both changes then.
#include "transports/noncoherent/page_marks.hpp"

#include "protocol.hpp"

namespace tessera::protocols {
namespace {

using noncoherent::kPageBytes;
using noncoherent::PageMarks;

struct Harness {
    char memory[PageMarks::bytes_for(kPageBytes)];
    std::atomic<int> page[2];
    int seen[2];

    PageMarks marks() { return {memory, kPageBytes}; }
    void change(int word) {
        page[word].store(1, std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_seq_cst);  // Policy::finish
        marks().set(0, 1);
    }
    void look() {
        if (!marks().take_any()) return;
        marks().take(0, kPageBytes, [this](std::size_t, std::size_t) {
            for (int i = 0; i < 2; ++i) seen[i] = page[i].load(std::memory_order_relaxed);
        });
    }
    void run() {
        in_parallel([this] { change(0); }, [this] { change(1); },
                    [this] {
                        look();
                        look();
                    });
        look();
        check(seen[0] == 1 && seen[1] == 1);
    }
};

}  // namespace
}  // namespace tessera::protocols

int main() { return tessera::protocols::explore<tessera::protocols::Harness>(); }

// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a second life of the library, after shmem_finalize, gives local memory away twice. A
// thread keeps freed blocks for its next allocations, and those of the first life are no longer its
// own.
#include <shmemx.h>

#include <cstdio>
#include <vector>

namespace {

constexpr std::size_t kSmall = 64;
constexpr std::size_t kLarge = 4096;

// Frees a block, which the thread keeps for its next allocation.
bool live_once() {
    std::vector<void*> blocks;
    for (int i = 0; i < 100; ++i) blocks.push_back(shmemx_local_malloc(kSmall));
    for (void* block : blocks) shmemx_local_free(block);
    return blocks.back() != nullptr;
}

// Takes small blocks, then all the rest in large ones. RETURNS: whether no two of them overlap.
bool is_given_once() {
    struct Block {
        char* start;
        std::size_t bytes;
    };
    std::vector<Block> blocks;
    for (std::size_t bytes : {kSmall, kLarge}) {
        for (int i = 0; bytes == kLarge || i < 200; ++i) {
            auto* start = static_cast<char*>(shmemx_local_malloc(bytes));
            if (start == nullptr) break;
            blocks.push_back({start, bytes});
        }
    }
    bool is_good = blocks.size() > 200;
    for (std::size_t i = 0; i < 200 && i < blocks.size(); ++i) {
        for (std::size_t j = i + 1; j < blocks.size(); ++j) {
            const Block &a = blocks[i], &b = blocks[j];
            is_good = is_good && (a.start + a.bytes <= b.start || b.start + b.bytes <= a.start);
        }
    }
    for (const Block& block : blocks) shmemx_local_free(block.start);
    return is_good;
}

}  // namespace

int main() {
    bool is_good = true;
    for (int life = 0; life < 3; ++life) {
        shmem_init();
        is_good = is_given_once() && live_once() && is_good;
        shmem_finalize();
    }
    if (!is_good) std::fputs("local memory: blocks of two lives overlap\n", stderr);
    return is_good ? 0 : 1;
}

// SPDX-License-Identifier: BSD-3-Clause
//
// Memory of each kind for tests of shmemx_public_ptr, and words by which PEs tell each other: by
// atomics, which neither publish nor refresh anything else. Each PE writes lines of its own.
#pragma once

#include <sched.h>
#include <shmem.h>
#include <shmemx.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "noncoherent/emulation.hpp"
#include "support/pe_test.hpp"

namespace tessera::test {

constexpr std::size_t kPublicWords = 600;  // more than a page
constexpr std::size_t kLineWords = 64 / sizeof(long);

struct PublicWords {
    alignas(64) long data[kPublicWords];
    alignas(64) long flag;   // the left neighbour sets it
    alignas(64) long ready;  // the right neighbour sets it
};

enum class MemoryKind { kHeap, kStatics, kTeam, kLocal };

inline int my_pe() { return shmem_my_pe(); }
inline int right() { return (my_pe() + 1) % shmem_n_pes(); }
inline int left() { return (my_pe() + shmem_n_pes() - 1) % shmem_n_pes(); }
inline bool env_is(const char* name, std::string_view wanted) {
    const char* value = std::getenv(name);
    return value != nullptr && value == wanted;
}
inline bool is_emulation() { return env_is("SHMEM_HEAP", "noncoherent-emulated"); }
// Nothing moves lines but the program and the library's operations.
inline bool has_evictions() {
    return std::getenv("SHMEM_NONCOHERENT_SEED") != nullptr &&
           !env_is("SHMEM_NONCOHERENT_SEED", "0");
}

// Words of this PE's local memory have other addresses on each PE.
inline shmemx_gptr_t local_words[64];  // Symmetric, both.
inline PublicWords static_words;

class PublicMemoryTest : public testing::TestWithParam<MemoryKind> {
  protected:
    void SetUp() override {
        mine_ = allocate();
        ASSERT_NE(mine_, nullptr);
        *mine_ = {};
        const shmemx_gptr_t me = shmemx_gptr_of(mine_, my_pe());
        for (int pe = 0; pe < shmem_n_pes(); ++pe)
            shmem_putmem(&local_words[my_pe()], &me, sizeof me, pe);
        shmem_barrier_all();
    }
    void TearDown() override {
        shmem_barrier_all();
        switch (GetParam()) {
            case MemoryKind::kHeap: shmem_free(mine_); break;
            case MemoryKind::kStatics: break;
            case MemoryKind::kTeam: shmemx_team_free(SHMEM_TEAM_WORLD, mine_); break;
            case MemoryKind::kLocal: shmemx_local_free(mine_); break;
        }
    }

    // As routines take it for this PE's words, or those of PE `pe`.
    PublicWords* words() const { return mine_; }
    static PublicWords* words(int pe) {
        return static_cast<PublicWords*>(shmemx_gptr_addr(local_words[pe]));
    }
    static PublicWords* pointer_to(int pe) {
        return static_cast<PublicWords*>(shmemx_public_ptr(words(pe), pe));
    }
    // To the right PE, which awaits it.
    static void tell(long number) { shmem_long_atomic_set(&words(right())->flag, number, right()); }
    void hear(long number) const { await(&mine_->flag, number); }
    static void await(const long* word, long number) {
        while (shmem_long_atomic_fetch(word, my_pe()) < number) sched_yield();
    }

  private:
    static PublicWords* allocate() {
        constexpr std::size_t kAlign = alignof(PublicWords);
        constexpr std::size_t kBytes = sizeof(PublicWords);
        void* block = &static_words;
        switch (GetParam()) {
            case MemoryKind::kHeap: block = shmem_align(kAlign, kBytes); break;
            case MemoryKind::kStatics: break;
            case MemoryKind::kTeam:
                block = shmemx_team_align(SHMEM_TEAM_WORLD, kAlign, kBytes);
                break;
            case MemoryKind::kLocal: block = shmemx_local_align(kAlign, kBytes); break;
        }
        return static_cast<PublicWords*>(block);
    }

    PublicWords* mine_ = nullptr;
};

inline std::string memory_name(const testing::TestParamInfo<MemoryKind>& test) {
    constexpr const char* kNames[] = {"Heap", "Statics", "Team", "Local"};
    return kNames[static_cast<int>(test.param)];
}
inline auto all_memory() {
    return testing::Values(MemoryKind::kHeap, MemoryKind::kStatics, MemoryKind::kTeam,
                           MemoryKind::kLocal);
}

}  // namespace tessera::test

// SPDX-License-Identifier: BSD-3-Clause
//
// A registered segment for tests, and this PE's part of it.
#pragma once

#include <shmemx.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace tessera::test {

// Memory whose address is `shift` bytes beyond a multiple of 64.
class Memory {
  public:
    Memory(std::size_t bytes, std::size_t shift)
        : block_(
              static_cast<unsigned char*>(std::aligned_alloc(64, (bytes + shift + 127) & ~63UL))),
          start_(block_ + shift) {
        std::memset(start_, 0, bytes);
    }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    ~Memory() { std::free(block_); }
    unsigned char* get() const { return start_; }

  private:
    unsigned char* block_;
    unsigned char* start_;
};

// Registers `bytes` bytes of zeros. Collective over the team, as the destructor is.
class Part {
  public:
    Part(shmem_team_t team, std::size_t bytes, std::size_t shift = 0)
        : memory_(bytes, shift), bytes_(bytes) {
        result_ = shmemx_register(team, memory_.get(), bytes, &segment_);
    }
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;
    ~Part() { shmemx_deregister(segment_); }

    int result() const { return result_; }
    shmemx_segment_t segment() const { return segment_; }
    std::size_t bytes() const { return bytes_; }
    template <class T = unsigned char>
    T* mine() const {
        return reinterpret_cast<T*>(memory_.get());
    }
    shmemx_gptr_t pointer(int pe, std::size_t offset = 0) const {
        return shmemx_gptr_add(shmemx_segment_gptr(segment_, pe),
                               static_cast<std::ptrdiff_t>(offset));
    }
    // The name of element `index` of pe's part.
    template <class T = unsigned char>
    T* name(int pe, std::size_t index = 0) const {
        return static_cast<T*>(shmemx_gptr_addr(pointer(pe, index * sizeof(T))));
    }

  private:
    Memory memory_;
    std::size_t bytes_;
    shmemx_segment_t segment_ = SHMEMX_SEGMENT_INVALID;
    int result_ = 1;
};

}  // namespace tessera::test

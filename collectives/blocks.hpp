// SPDX-License-Identifier: BSD-3-Clause
//
// Moves the blocks of one call between its members, in collectives that read and write arrays in
// place. Where the arrays of all members of the node exceed its caches, blocks bypass the caches:
// an ordinary store would first read from memory the line that it overwrites, a third of the
// traffic. Moves are complete after Group::deliver(). Lives for one call.
#pragma once

#include <cstddef>

#include "collectives/group.hpp"
#include "messaging/operands.hpp"

namespace tessera::collectives {

class Blocks {
  public:
    // `touched`: bytes of dest and source that one member has in this call. Each member decides for
    // itself; the members need not agree.
    Blocks(const Group& group, std::size_t bytes, std::size_t touched)
        : group_(group),
          bytes_(bytes),
          past_cache_(bytes >= kPastCacheBytesMin && exceed_caches(group, touched)) {}

    // From source of member `index` to dest here.
    void get(void* dest, const void* source, int index) const {
        if (past_cache_) [[unlikely]] {
            const char* remote = mapped(source, index);
            if (remote != nullptr) return copy_past_cache(dest, remote, bytes_);
        }
        collective_context.get_nbi(dest, source, bytes_, group_.world_pe(index), group_.where());
    }
    // From source here to dest of member `index`.
    void put(void* dest, const void* source, int index) const {
        if (past_cache_) [[unlikely]] {
            if (char* remote = mapped(dest, index)) return copy_past_cache(remote, source, bytes_);
        }
        collective_context.put_nbi(dest, source, bytes_, group_.world_pe(index), group_.where());
    }

  private:
    static bool exceed_caches(const Group& group, std::size_t touched);
    char* mapped(const void* address, int index) const {
        return mapped_heap_of(address, bytes_, group_.world_pe(index));
    }

    const Group& group_;
    std::size_t bytes_;
    bool past_cache_;
};

}  // namespace tessera::collectives

// SPDX-License-Identifier: BSD-3-Clause
//
// Words of this PE that other PEs change, as waits and tests read them. Hot path.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/byte_count.hpp"
#include "core/context.hpp"
#include "core/sync_copies.hpp"

namespace tessera::api {

// The memory of this PE with this name (memory/segments.hpp); another address ends the job.
TESSERA_COLD inline void* registered_words(const void* words, std::size_t bytes,
                                           const char* where) {
    if (!is_segment_name(words)) fail_address(words, bytes, where);
    return segments().remote(words, bytes, address_map.my_pe, where);
}

// An array of symmetric words of this PE.
template <class T>
class LocalWords {
  public:
    // An address that is not symmetric, or not aligned, ends the job: the wait would never end.
    TESSERA_INLINE LocalWords(const T* words, std::size_t count, const char* where)
        : words_(const_cast<T*>(words)), where_(where) {
        check_initialized(where);
        if (count == 0) return;
        const std::size_t bytes = byte_count<sizeof(T)>(count);
        if (!address_map.contains(words, bytes)) [[unlikely]] {
            words_ = static_cast<T*>(registered_words(words, bytes, where));
            way_ = Way::kRegistered;
        }
        if (reinterpret_cast<std::uintptr_t>(words) % sizeof(T) != 0) [[unlikely]]
            fail_alignment(words, sizeof(T), where);
        if (address_map.needs_transport && address_map.is_own_by_transport(words, bytes))
            way_ = Way::kTransport;
    }
    LocalWords(const LocalWords&) = delete;
    LocalWords& operator=(const LocalWords&) = delete;
    // The words came from the public copy, or from registered memory, which has none; the program's
    // next loads must be as new.
    TESSERA_INLINE ~LocalWords() {
        if (way_ != Way::kMapped) [[unlikely]]
            sync_copies(SyncPoint::kWaitEnd);
    }

    // Pairs with core/context.hpp:set_signal, core/context.hpp:fence and core/context.hpp:quiet.
    TESSERA_INLINE T load(std::size_t i) const {
        // The word's atomics go through a transport then, so must its loads ("one word, one path").
        if (way_ == Way::kTransport) [[unlikely]] {
            if constexpr (sizeof(T) >= 4) {
                return default_context.fetch(words_ + i, address_map.my_pe, where_);
            } else {
                return default_context.g(words_ + i, address_map.my_pe, where_);
            }
        }
        return std::atomic_ref<T>(words_[i]).load(std::memory_order_acquire);
    }

  private:
    enum class Way : std::uint8_t { kMapped, kRegistered, kTransport };

    T* words_;
    const char* where_;
    Way way_ = Way::kMapped;
};

}  // namespace tessera::api

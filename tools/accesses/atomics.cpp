// SPDX-License-Identifier: BSD-3-Clause
//
// The compiler's calls for atomics (atomic_calls.hpp). The checker hears of an access before a
// write, so that a PE that sees the value also sees what its writer knew, and after a read.
#include <cstdint>

#include "seen.hpp"

using tessera::accesses::is_in_zone;
using tessera::accesses::Kind;

namespace {

// An access that the checker hears of before or after it is made.
class Told {
  public:
    Told(const volatile void* address, std::size_t bytes, const void* site)
        : address_(const_cast<const void*>(address)), bytes_(bytes), site_(site) {
        is_seen_ = is_in_zone(reinterpret_cast<std::uintptr_t>(address_));
    }
    void tell(Kind kind) const {
        if (is_seen_) [[unlikely]]
            tessera::accesses::tell(address_, bytes_, kind, site_);
    }
    static bool fails() { return false; }

  private:
    const void* address_;
    std::size_t bytes_;
    const void* site_;
    bool is_seen_;
};

}  // namespace

#include "atomic_calls.hpp"

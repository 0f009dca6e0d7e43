// SPDX-License-Identifier: BSD-3-Clause
//
// libfabric's provider tcp announces each entry of its completion queue to sleepers: it writes a
// byte into a pair of sockets, and reads it again when it looks at its sockets. Below rxm it has
// such a pair even for a queue without a descriptor, on which nothing can sleep: two system calls
// for each entry, of the five or six that a short message takes on each side.
//
// A standing signal is such a pair with one byte in it that stays. libfabric's calls of write and
// read on it return at once, as if they had moved a byte (imports.hpp). So whatever looks at the
// pair always finds the signal set: it may look for entries in vain, but misses none. Nothing may
// sleep on it, because it would not sleep.
//
// THREADS: any.
#pragma once

namespace tessera::ofi {

class StandingSignals {
  public:
    // Pairs of sockets that libfabric makes in this thread while this lives become standing
    // signals, if `is_wanted` and where this libfabric's calls can be replaced.
    class Scope {
      public:
        explicit Scope(bool is_wanted);
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;
        ~Scope();
    };

    // RETURNS: whether the descriptor is one of the two of a standing signal.
    static bool has(int descriptor);
};

}  // namespace tessera::ofi

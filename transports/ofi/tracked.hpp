// SPDX-License-Identifier: BSD-3-Clause
//
// Operations that complete one by one (transports/operation.hpp).
//
//   short put    completes on delivery, of at most 32 KiB; its source is reusable at once if it is
//                injected, else then, too
//   long put     one write completes when its source is reusable; a read behind it, to the same PE,
//                tells that it is delivered. Where the provider does not order reads behind writes,
//                or not behind long ones, the write completes on delivery, and that is both.
//   get          a read
//   word, atomic, signal   a message that is answered (kFetch), never a packet of several
//
// COST over the operation without _tracked: a long put one more read; a word or atomic a message of
// its own, where a stream of them would be packed. THREADS: any.
#pragma once

#include "transports/ofi/updates.hpp"

namespace tessera::ofi {

class Tracked {
  public:
    Tracked(Rma& rma, PutCoalescer& puts, Messages& messages, Updates& updates)
        : rma_(rma), puts_(puts), messages_(messages), updates_(updates) {}

    void put(OfiContext& context, void* dest, const void* source, std::size_t bytes, int pe,
             Operation& operation);
    void get(OfiContext& context, void* dest, const void* source, std::size_t bytes, int pe,
             Operation& operation);
    void atomic(OfiContext& context, const AtomicRequest& request, void* result, int pe,
                Operation& operation);
    // Behind a put of `bytes` bytes.
    void signal(OfiContext& context, std::size_t bytes, const AtomicRequest& signal, int pe,
                Operation& operation);
    void track_issued(OfiContext& context, int pe, Operation& operation);

  private:
    Rma& rma_;
    PutCoalescer& puts_;
    Messages& messages_;
    Updates& updates_;
};

}  // namespace tessera::ofi

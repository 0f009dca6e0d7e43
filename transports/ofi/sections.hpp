// SPDX-License-Identifier: BSD-3-Clause
//
// Strided and indexed transfers, and accumulates. Short runs travel packed in messages, hundreds to
// each: the owner's CPU unpacks those of a put, and packs those of a get. The provider moves long
// runs, several in each operation. goes_packed() chooses. A single run goes the same way where the
// provider's operation would not keep the order. Where the provider has messages only, all do.
//
// COST: put: a message for each packet, up to 16 under way. get: the same, and a round trip.
// THREADS: any.
#pragma once

#include "transports/ofi/messages.hpp"

namespace tessera::ofi {

class Sections {
  public:
    Sections(Rma& rma, Messages& messages, PacketPool& pool, const MessageSender& sender,
             CompletionQueue& queue)
        : rma_(rma), messages_(messages), pool_(pool), sender_(sender), queue_(queue) {}

    void put(OfiContext& context, char* remote, const char* local, const Section& section,
             Returns returns, int pe);
    void get(OfiContext& context, const char* remote, char* local, const Section& section,
             Returns returns, int pe);
    // RETURNS: whether it is under way. Else long runs are reads of their own.
    bool try_get_tracked(OfiContext& context, const char* remote, char* local,
                         const Section& section, int pe, Operation& operation);
    void put_pieces(OfiContext& context, char* remote, const char* local, BlockPairs pieces,
                    Returns returns, int pe);
    void get_pieces(OfiContext& context, const char* remote, char* local, BlockPairs pieces,
                    Returns returns, int pe);
    void accumulate(OfiContext& context, const Accumulation& what, int pe);

    // A put or get of one run, as the section of it.
    void put_run(OfiContext& context, void* dest, const void* source, std::size_t bytes,
                 Returns returns, int pe);
    void get_run(OfiContext& context, void* dest, const void* source, std::size_t bytes,
                 Returns returns, int pe);

    // A put behind a fence, and behind messages that are not executed yet: it is one, too, if it is
    // not long. RETURNS: whether it is under way. Else the messages are, and the caller writes.
    bool try_put_behind(OfiContext& context, void* dest, const void* source, std::size_t bytes,
                        int pe);
    // The same for a get, of more than a word, behind messages that it must see.
    bool try_get_behind(OfiContext& context, void* dest, const void* source, std::size_t bytes,
                        int pe);

  private:
    // How many a message holds.
    std::size_t runs_at_once(const Section& section) const;
    // How many an operation of the provider takes.
    std::size_t pieces_at_once(std::size_t run_bytes) const;
    bool puts_packed(const OfiContext& context, const Section& section) const;
    // By a model of the costs of both ways.
    bool goes_packed(const Section& section) const;
    template <class Visit>
    void for_each_part(const Section& section, Visit visit);
    template <class Post>
    void for_each_vector(const char* remote, const char* local, const Section& section, int pe,
                         Post post);
    void write_runs(OfiContext& context, Counter& counter, char* remote, const char* local,
                    const Section& section, int pe);
    void read_runs(Counter& counter, const char* remote, char* local, const Section& section,
                   int pe);
    void scatter(OfiContext& context, char* remote, const char* local, const Section& section,
                 int pe);
    void start_gather(OfiContext& context, PacketSlot& slot);
    void gather(OfiContext& context, const char* remote, char* local, const Section& section,
                Returns returns, int pe);
    // The same of runs that no message holds, in parts.
    void scatter_long(OfiContext& context, char* remote, const char* local, const Section& section,
                      int pe);
    void gather_long(OfiContext& context, PendingGather of_get, const char* remote, char* local,
                     const Section& section, int pe);
    void send_gathers(OfiContext& context, PendingGather of_get, const char* remote, char* local,
                      const Section& section, int pe);
    void send_accumulate(OfiContext& context, const Accumulation& what, PendingGather old, int pe);

    Rma& rma_;
    Messages& messages_;
    PacketPool& pool_;
    const MessageSender& sender_;
    CompletionQueue& queue_;
};

}  // namespace tessera::ofi

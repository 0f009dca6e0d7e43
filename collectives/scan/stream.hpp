// SPDX-License-Identifier: BSD-3-Clause
//
// Chunks of a vector on their way from one member to another, through some of the mail's rounds, in
// order, as many under way as there are rounds. The reader says when it has done with a chunk whose
// place the writer needs again; of the others it says nothing, so that every gate that is posted is
// waited for. THREADS: like Links. Lives for one collective.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectives/links.hpp"

namespace tessera::collectives {

// Where chunk `i` of a vector lies in the mail: rounds first, first + stride, ..., `depth` of them.
struct StreamPlace {
    int first = 0;
    int stride = 1;
    std::uint32_t depth = kLinkRounds;

    int round(std::uint32_t chunk) const {
        return first + stride * static_cast<int>(chunk % depth);
    }
    std::uint32_t step(std::uint32_t chunk) const { return chunk / depth; }
    // How often each of the rounds is used at most.
    static std::uint32_t steps(std::uint32_t chunks, std::uint32_t depth) {
        return (chunks + depth - 1) / depth;
    }
};

// REQUIRES: `links` has StreamPlace::steps(chunks, depth).
class Stream {
  public:
    Stream(const Links& links, const StreamPlace& place, std::uint32_t chunks)
        : links_(links), place_(place), chunks_(chunks) {}

    // RETURNS when: `data` is reusable.
    void send(int to, std::uint32_t chunk, const void* data, std::size_t bytes) const {
        const int round = place_.round(chunk);
        const std::uint32_t step = place_.step(chunk);
        if (step > 0) links_.wait(LinkKind::kDone, round, step - 1);
        links_.put_to_room(to, at(round), data, bytes);
        links_.post(LinkKind::kMail, round, to, step);
    }
    // RETURNS: what was sent, valid until it is given back.
    const char* receive(std::uint32_t chunk) const {
        const int round = place_.round(chunk);
        links_.wait(LinkKind::kMail, round, place_.step(chunk));
        return links_.room() + at(round);
    }
    void give_back(int from, std::uint32_t chunk) const {
        if (chunk + place_.depth >= chunks_) return;
        links_.post(LinkKind::kDone, place_.round(chunk), from, place_.step(chunk));
    }

  private:
    static std::size_t at(int round) { return static_cast<std::size_t>(round) * kMailBytesMin; }

    const Links& links_;
    StreamPlace place_;
    std::uint32_t chunks_;
};

// Calls visit(chunk, offset, bytes) for the chunks of a vector.
template <class Visit>
void for_each_mail(std::size_t bytes, Visit visit) {
    std::uint32_t chunk = 0;
    for (std::size_t at = 0; at < bytes; at += kMailBytesMin) {
        visit(chunk++, at, bytes - at < kMailBytesMin ? bytes - at : kMailBytesMin);
    }
}
inline std::uint32_t mails_of(std::size_t bytes) {
    return static_cast<std::uint32_t>((bytes + kMailBytesMin - 1) / kMailBytesMin);
}

}  // namespace tessera::collectives

// SPDX-License-Identifier: BSD-3-Clause
//
// One collective's use of a team's links (core/team_links.hpp): what its members send each other in
// rounds. The algorithm says in which round who sends to whom; a gate is posted by at most one
// member in a collective. REQUIRES: team.has_links, and an algorithm that ends on no member before
// all have begun. Lives for one call, or one chunk of it; made by all members.
#pragma once

#include <bit>
#include <cstring>

#include "core/context.hpp"
#include "core/team.hpp"
#include "core/team_links.hpp"

namespace tessera::collectives {

// What pipelines from array to array pass on at a time: as much as the rounds of a short tree hold.
inline std::size_t pipeline_piece_bytes() { return 8 * mail_bytes; }

class Links {
  public:
    // `steps`: how many numbers a gate goes through in this collective, where the same member posts
    // it several times.
    Links(Team& team, const char* where, std::uint32_t steps = 1)
        : Links(team, where, Advance{steps | 1}) {}  // The next collective has the other parity.

    // For a collective that uses what members leave for all, and nothing else of the links: it may
    // end on a member before all have begun. REQUIRES: all members are on one node.
    static Links of_left(Team& team, const char* where) { return {team, where, Advance{2}}; }
    // RETURNS when: `data` is reusable. REQUIRES: the data fits into the slots from `slot` on, and
    // there has been a sync since one of these was used before.
    void leave_for_all(std::uint32_t slot, const void* data, std::size_t bytes) const {
        std::memcpy(mine().left_data + slot * kLeftSlotBytes, data, bytes);
        mine().left[slot].gate.post(number_);
    }
    const char* left_for_all(int index, std::uint32_t slot) const {
        TeamLinks& theirs = links_of(index);
        theirs.left[slot].gate.wait_for(number_, where_);
        return theirs.left_data + slot * kLeftSlotBytes;
    }

    // RETURNS when: `data` is reusable. REQUIRES: bytes <= mail_bytes.
    void send(int index, int round, const void* data, std::size_t bytes) const {
        const int pe = team_.world_pe(index);
        if (TeamLinks* theirs = mapped_team_links(pe, team_.slot_of(index))) {
            std::memcpy(theirs->mail(parity_, round), data, bytes);
            return gate(*theirs, LinkKind::kMail, round).post(number_);
        }
        TeamLinks& name = *team_links(team_.slot_of(index));
        Channel& channel = collective_context.channel();
        address_map.fabric->put(channel, name.mail(parity_, round), data, bytes, pe);
        address_map.fabric->post_gate_behind(channel, gate(name, LinkKind::kMail, round), number_,
                                             pe);
    }
    // RETURNS: what was sent, valid until this member's next collective but one.
    const char* receive(int round) const {
        wait(LinkKind::kMail, round);
        return mine().mail(parity_, round);
    }

    // Leaves data in one's own mail, for others to read after a gate says that it is there.
    void leave(int round, const void* data, std::size_t bytes) const {
        std::memcpy(mine().mail(parity_, round), data, bytes);
    }
    // What member `index` has left, in place, or copied to `copy`.
    const char* left_by(int index, int round, std::size_t bytes, char* copy) const {
        const int pe = team_.world_pe(index);
        if (TeamLinks* theirs = mapped_team_links(pe, team_.slot_of(index))) {
            return theirs->mail(parity_, round);
        }
        TeamLinks& name = *team_links(team_.slot_of(index));
        address_map.fabric->get(collective_context.channel(), copy, name.mail(parity_, round),
                                bytes, pe);
        return copy;
    }

    // Tells all members that what this one has left is there. REQUIRES: they are on one node.
    void show_mine() const { gate(mine(), LinkKind::kReady, 0).post(number_); }
    // What member `index` has left in its room, when it has shown it. When all have, all have
    // begun.
    const char* room_of(int index) const {
        TeamLinks& theirs = links_of(index);
        gate(theirs, LinkKind::kReady, 0).wait_for(number_, where_);
        return theirs.mail(parity_);
    }

    // The mail of all rounds as one run of kLinkRounds * mail_bytes, for algorithms that send no
    // other mail: they say by gates what is in it, and when it may be overwritten.
    char* room() const { return mine().mail(parity_); }
    // RETURNS when: `data` is reusable. REQUIRES: at + bytes <= kLinkRounds * mail_bytes.
    void put_to_room(int index, std::size_t at, const void* data, std::size_t bytes) const {
        const int pe = team_.world_pe(index);
        if (TeamLinks* theirs = mapped_team_links(pe, team_.slot_of(index))) {
            std::memcpy(theirs->mail(parity_) + at, data, bytes);
            return;
        }
        if (bytes == 0) return;
        TeamLinks& name = *team_links(team_.slot_of(index));
        address_map.fabric->put(collective_context.channel(), name.mail(parity_) + at, data, bytes,
                                pe);
    }

    // RETURNS: at once; `data` is reusable after deliver() of the group. REQUIRES: another node.
    void put_to_room_nbi(int index, std::size_t at, const void* data, std::size_t bytes) const {
        TeamLinks& name = *team_links(team_.slot_of(index));
        address_map.fabric->put_nbi(collective_context.channel(), name.mail(parity_) + at, data,
                                    bytes, team_.world_pe(index));
    }

    // Tells a member; what this one has stored or put to it before is visible there afterwards.
    // `step`: of the same gate, from 0 on; it includes those before it. REQUIRES: step < steps.
    void post(LinkKind kind, int round, int index, std::uint32_t step = 0) const {
        const int pe = team_.world_pe(index);
        if (TeamLinks* theirs = mapped_team_links(pe, team_.slot_of(index))) {
            return gate(*theirs, kind, round).post(number_ + step);
        }
        TeamLinks& name = *team_links(team_.slot_of(index));
        address_map.fabric->post_gate_behind(collective_context.channel(), gate(name, kind, round),
                                             number_ + step, pe);
    }
    // RETURNS when: this step, or a later one, has been posted here.
    void wait(LinkKind kind, int round, std::uint32_t step = 0) const {
        gate(mine(), kind, round).wait_for(number_ + step, where_);
    }

  private:
    struct Advance {
        std::uint32_t numbers;
    };
    Links(Team& team, const char* where, Advance advance)
        : team_(team), where_(where), number_(team.linked + 1), parity_(number_ % 2) {
        if ((team.linked ^ (team.linked + advance.numbers)) >= kRenewAfter) [[unlikely]]
            renew();
        team.linked += advance.numbers;
    }
    // On all members, in the same collective.
    TESSERA_COLD void renew() const {
        team_.sync(team_, where_);
        renew_links(team_);
        team_.sync(team_, where_);
    }
    TeamLinks& mine() const { return *team_links(team_.slot); }
    TeamLinks& links_of(int index) const {
        return *mapped_team_links(team_.world_pe(index), team_.slot_of(index));
    }
    Gate& gate(TeamLinks& links, LinkKind kind, int round) const {
        return links.gates[parity_][static_cast<int>(kind)][round].gate;
    }

    Team& team_;
    const char* where_;
    std::uint32_t number_;
    std::uint32_t parity_;
};

// Algorithms for 2^k members, with any number of them (papers/004, 3.2.5): of the first 2r members,
// r = p - 2^k, the even ones leave their part to their right neighbours and get the result from
// them. The others are the core, numbered by `rank`.
class Core {
  public:
    static constexpr int kFoldIn = kLinkRounds - 1;  // rounds of the links
    static constexpr int kFoldOut = kLinkRounds - 2;

    explicit Core(const Team& team) : Core(team.npes, team.my_index) {}
    Core(int count, int index)
        : size_(static_cast<int>(std::bit_floor(static_cast<unsigned>(count)))),
          folded_(count - size_),
          index_(index) {}

    int size() const { return size_; }
    int rounds() const { return std::bit_width(static_cast<unsigned>(size_)) - 1; }
    // Whether this member takes part, and whether it does so for its left neighbour as well.
    bool is_outside() const { return index_ < 2 * folded_ && index_ % 2 == 0; }
    bool has_neighbour() const { return index_ < 2 * folded_ && index_ % 2 == 1; }
    int rank() const { return index_ < 2 * folded_ ? index_ / 2 : index_ - folded_; }
    int index_of(int rank) const { return rank < folded_ ? 2 * rank + 1 : rank + folded_; }

  private:
    int size_;
    int folded_;
    int index_;
};

}  // namespace tessera::collectives

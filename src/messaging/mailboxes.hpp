// SPDX-License-Identifier: BSD-3-Clause
//
// One collective's use of a team's mailboxes (teams/team_mailboxes.hpp), through which its members
// send data and signals in rounds. The algorithm decides the sender and the receiver of each round;
// at most one member posts a gate in a collective. REQUIRES: team.has_mailboxes, and an algorithm
// that ends on no member before all have begun. Lives for one call, or one chunk of it; made by all
// members.
#pragma once

#include <cstring>

#include "core/context.hpp"
#include "core/sync_copies.hpp"
#include "teams/team.hpp"
#include "teams/team_mailboxes.hpp"

namespace tessera {

class Mailboxes {
  public:
    // `steps`: the number of posts of a gate in this collective, where the same member posts it
    // several times.
    Mailboxes(Team& team, const char* where, std::uint32_t steps = 1)
        : Mailboxes(team, where, Advance{steps | 1}) {
    }  // The next collective has the other parity.

    // For a collective that uses only the published slots of the mailboxes. It may end on a member
    // before all have begun. REQUIRES: all members are on one node.
    static Mailboxes for_publishing(Team& team, const char* where) {
        return {team, where, Advance{2}};
    }
    // RETURNS when: `data` is reusable. REQUIRES: the data fits into the slots from `slot` on, and
    // there has been a sync since one of these was used before.
    void publish_to_all(std::uint32_t slot, const void* data, std::size_t bytes) const {
        std::memcpy(mine().published_data + slot * kPublishedSlotBytes, data, bytes);
        mine().published[slot].gate.post(number_);
    }
    const char* published_to_all(int index, std::uint32_t slot) const {
        TeamMailboxes& theirs = *mapped(index);
        theirs.published[slot].gate.wait_for(number_, where_);
        return theirs.published_data + slot * kPublishedSlotBytes;
    }

    // RETURNS when: `data` is reusable. REQUIRES: bytes <= kSlotBytes.
    // COST: between nodes one message; two where PEs share cores, which takes less time there.
    void send(int index, int round, const void* data, std::size_t bytes) const {
        if (team_.more_members_than_cores || mapped(index) != nullptr) {
            put(index, static_cast<std::size_t>(round) * kSlotBytes, data, bytes);
            return post_slot(GateKind::kData, round, index);
        }
        address_map.fabric->put_with_gates(transport_context(),
                                           {.dest = name().slot(parity_, round),
                                            .data = data,
                                            .bytes = bytes,
                                            .gate = &gate(name(), GateKind::kData, round),
                                            .number = number_},
                                           team_.world_pe(index));
    }
    // RETURNS: the sent data, valid until this member sends in its next collective: the sender may
    // be one collective further then.
    const char* receive(int round) const {
        wait_slot(GateKind::kData, round);
        return mine().slot(parity_, round);
    }

    // The slots of all rounds as one buffer of kMailboxRounds * kSlotBytes, for algorithms that
    // send nothing by slots: their gates announce the data in it, and when it may be overwritten.
    char* buffer() const { return mine().slot(parity_); }
    // RETURNS when: `data` is reusable. REQUIRES: at + bytes <= kMailboxRounds * kSlotBytes.
    void put(int index, std::size_t at, const void* data, std::size_t bytes) const {
        if (TeamMailboxes* theirs = mapped(index)) {
            std::memcpy(theirs->slot(parity_) + at, data, bytes);
        } else if (bytes > 0) {
            address_map.fabric->put(transport_context(), name().slot(parity_) + at, data, bytes,
                                    team_.world_pe(index));
        }
    }
    // RETURNS: at once; `data` is reusable after deliver() (messaging/deliver.hpp).
    // REQUIRES: a member of another node.
    void put_nbi(int index, std::size_t at, const void* data, std::size_t bytes) const {
        address_map.fabric->put_nbi(transport_context(), name().slot(parity_) + at, data, bytes,
                                    team_.world_pe(index));
    }
    // kNoteBytes that go with the announcement of the buffer: a waiter finds them in the line of
    // the gate. REQUIRES: the member writes them before, last of all: waiters look at that line all
    // the time, and take it from the writer.
    char* note() const { return line(mine(), GateKind::kReady, 0).note; }
    // Tells all members that this one's buffer and note are filled. REQUIRES: they are on one node.
    void announce_buffer() const { gate(mine(), GateKind::kReady, 0).post(number_); }
    // The buffer of member `index`, when that has announced it. When all have, all have begun.
    const char* buffer_of(int index) const { return announced_by(index).buffer; }
    // The note and the buffer of member `index`, when that has announced them.
    struct Announced {
        const char* note;
        const char* buffer;
    };
    TESSERA_INLINE Announced announced_by(int index) const {
        TeamMailboxes& theirs = *mapped(index);
        TeamMailboxes::Line& announcement = line(theirs, GateKind::kReady, 0);
        announcement.gate.wait_for(number_, where_);
        return {.note = announcement.note, .buffer = theirs.slot(parity_)};
    }

    // Posts a gate of a member. This member's earlier stores and puts to it are visible there
    // afterwards. `step`: of the same gate, from 0 on; it includes those before it.
    // REQUIRES: step < steps.
    void post(GateKind kind, int round, int index, std::uint32_t step = 0) const {
        sync_copies(SyncPoint::kTellMember);
        post_slot(kind, round, index, step);
    }
    // RETURNS when: this step, or a later one, has been posted here.
    void wait(GateKind kind, int round, std::uint32_t step = 0) const {
        wait_slot(kind, round, step);
        sync_copies(SyncPoint::kHearMember);
    }
    // The same for data in mailboxes alone, which are coherent memory always.
    void post_slot(GateKind kind, int round, int index, std::uint32_t step = 0) const {
        if (TeamMailboxes* theirs = mapped(index))
            return gate(*theirs, kind, round).post(number_ + step);
        address_map.fabric->post_gate_behind(transport_context(), gate(name(), kind, round),
                                             number_ + step, team_.world_pe(index));
    }
    void wait_slot(GateKind kind, int round, std::uint32_t step = 0) const {
        gate(mine(), kind, round).wait_for(number_ + step, where_);
    }

  private:
    struct Advance {
        std::uint32_t numbers;
    };
    Mailboxes(Team& team, const char* where, Advance advance)
        : team_(team),
          where_(where),
          mine_(*team_mailboxes(team.slot)),
          number_(team.mailbox_calls + 1),
          parity_(number_ % 2) {
        const std::uint32_t next = team.mailbox_calls + advance.numbers;
        if ((team.mailbox_calls ^ next) >= kRenewAfter) [[unlikely]]
            renew();
        team.mailbox_calls = next;
    }
    // On all members, in the same collective.
    TESSERA_COLD void renew() const {
        team_.sync(team_, where_);
        renew_mailboxes(team_);
        team_.sync(team_, where_);
    }
    static TransportContext& transport_context() { return collective_context.transport_context(); }
    TeamMailboxes& mine() const { return mine_; }
    // The mailboxes of member `index` as this PE maps them; nullptr: it is on another node.
    TeamMailboxes* mapped(int index) const {
        return mapped_team_mailboxes(team_.world_pe(index), team_.slot);
    }
    // The symmetric name of the mailboxes of any member.
    TeamMailboxes& name() const { return mine(); }
    TeamMailboxes::Line& line(TeamMailboxes& mailboxes, GateKind kind, int round) const {
        return mailboxes.gates[parity_][static_cast<int>(kind)][round];
    }
    Gate& gate(TeamMailboxes& mailboxes, GateKind kind, int round) const {
        return line(mailboxes, kind, round).gate;
    }

    Team& team_;
    const char* where_;
    TeamMailboxes& mine_;
    std::uint32_t number_;
    std::uint32_t parity_;
};

}  // namespace tessera

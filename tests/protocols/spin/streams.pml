/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The streams of a team between two PEs of different nodes (src/messaging/stream_set.hpp; names are
 * those of that file). Each sends MESSAGES to the other one. A message goes into the next of
 * SLOTS slots. The receiver tells the sender which slots are free again, with its own messages or,
 * when half of the slots are, by a message of its own.
 *
 * Safety: a slot is not overwritten before it is read, and messages are read in order. Progress:
 * both PEs send and receive all.
 */
#ifndef SLOTS
#define SLOTS 2
#endif
#ifndef MESSAGES
#define MESSAGES 4
#endif

typedef Block {       /* of a PE, written by the other one */
    byte slot[SLOTS]; /* the number of the message in it */
    byte arrived;     /* gates */
    byte freed;
};
Block block[2];

/* The network from PE i: number of a message in a slot, or 0; the gate `freed`, or 0. In order, as
 * FabricTransport::put_with_gates() and post_gate_behind() promise. */
chan network[2] = [2] of { byte, byte };

proctype Network(byte from) {
    byte number, freed;
end:
    do
    :: network[from] ? number, freed ->
#ifdef MUTANT_GATE_BEFORE_DATA
        if
        :: number != 0 ->
            block[1 - from].arrived = number;
            block[1 - from].slot[number % SLOTS] = number
        :: else
        fi;
#else
        if
        :: number != 0 ->
            block[1 - from].slot[number % SLOTS] = number;
            block[1 - from].arrived = number
        :: else
        fi;
#endif
        if
        :: freed != 0 -> block[1 - from].freed = freed
        :: else
        fi
    od
}

#ifdef MUTANT_ONE_SLOT_MORE
#define WINDOW (SLOTS + 1)
#else
#define WINDOW SLOTS
#endif
#ifdef MUTANT_FREED_TOO_LATE
#define TOLD (SLOTS + 1)
#else
#define TOLD (SLOTS / 2)
#endif

proctype Pe(byte me) {
    byte sent, received, told, number, credit;
    do
    :: sent == MESSAGES && received == MESSAGES -> break
    /* can_send(), send() */
    :: sent < MESSAGES && sent + 1 <= block[me].freed + WINDOW && nfull(network[me]) ->
        sent++;
        credit = 0;
        if
        :: told != received -> told = received; credit = received
        :: else
        fi;
        network[me] ! sent, credit
    /* next(), take() */
    :: received < MESSAGES && block[me].arrived > received ->
        number = received + 1;
#ifdef MUTANT_FREED_BEFORE_READ
        received++;
        if
        :: received - told >= TOLD -> told = received; network[me] ! 0, told
        :: else
        fi;
        assert(block[me].slot[number % SLOTS] == number)
#else
        assert(block[me].slot[number % SLOTS] == number);
        received++;
        if
        :: received - told >= TOLD -> told = received; network[me] ! 0, told
        :: else
        fi
#endif
    od
}

init {
    atomic { run Network(0); run Network(1); run Pe(0); run Pe(1) }
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * PES PEs make two teams at the same time, each in a thread of its own, and agree on a slot for
 * each team (src/teams/team_slots.cpp; names are those of that file). Each member offers slots that
 * are free, every second time those only that the team's key draws. The lowest slot that all have
 * offered is taken; where there is none, they try again.
 *
 * Safety: no slot of a PE has two teams, all members take the same one, and what was offered in
 * vain is free again.
 */
#ifndef PES
#define PES 2
#endif
#define ALL 15 /* four slots */
#define TRIES 3

byte taken[PES];     /* bits: slots of a PE that have a team or are offered */
byte common[2] = ALL; /* the AND of all offers for a team, */
byte offers[2];       /* how many there are, */
byte settled[2];      /* and how many have seen the result */
byte slot[2 * PES];   /* the slot of team t on PE p, as a bit: slot[2 * p + t] */
byte done;

inline lowest(bits, one) {
    one = 1;
    do
    :: (bits & one) == 0 && one < 16 -> one = one * 2
    :: else -> break
    od;
    if
    :: one == 16 -> one = 0
    :: else
    fi
}

proctype Thread(byte pe; byte team) {
    byte offer, one, try = 0;
    bool is_thin = false;
    do
    :: try == TRIES -> break
    :: else ->
        try++;
        /* TeamSlots::offer(), with its lock. The keys draw the slots 0 and 3, and 1 and 2. */
        atomic {
            offer = (255 - taken[pe]) & (is_thin -> (team == 0 -> 9 : 6) : ALL);
#ifndef MUTANT_NOT_EXCLUSIVE
            taken[pe] = taken[pe] | offer
#endif
        }
        /* The meeting. */
        atomic { common[team] = common[team] & offer; offers[team]++ }
        offers[team] == PES;
        atomic {
#ifdef MUTANT_LOWEST_OF_OWN
            lowest(offer, one);
            if
            :: common[team] == 0 -> one = 0
            :: else
            fi
#else
            lowest(common[team], one)
#endif
        }
        atomic {
            settled[team]++;
            if
            :: settled[team] == PES -> settled[team] = 0; offers[team] = 0; common[team] = ALL
            :: else
            fi
        }
        settled[team] == 0;
        /* TeamSlots::settle() */
        atomic {
#ifdef MUTANT_NOT_PUT_BACK
            if
            :: one != 0 -> taken[pe] = taken[pe] & (255 - offer) | one
            :: else
            fi;
#else
#ifdef MUTANT_TAKEN_PUT_BACK
            taken[pe] = taken[pe] & (255 - offer);
#else
            taken[pe] = taken[pe] & (255 - offer) | one;
#endif
#endif
            slot[2 * pe + team] = one;
            assert(one == 0 || slot[2 * pe + 1 - team] != one)
        }
        if
        :: one != 0 -> break
        :: else -> is_thin = !is_thin
        fi
    od;
    atomic {
        done++;
        if
        :: done == 2 * PES ->
            for (try : 0 .. PES - 1) {
                assert(slot[2 * try] == slot[0] && slot[2 * try + 1] == slot[1]);
                assert(taken[try] == (slot[0] | slot[1]))
            }
        :: else
        fi
    }
}

init {
    byte i;
    atomic { for (i : 0 .. PES - 1) { run Thread(i, 0); run Thread(i, 1) } }
}

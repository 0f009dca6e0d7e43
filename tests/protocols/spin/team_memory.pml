/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two PEs allocate memory for two teams at the same time, each in a thread of its own
 * (collectives/team_memory.cpp, src/heap/team_memory.hpp; names are those of these files). The memory
 * has four units, of which each PE has one in use, another one than the other PE. Team 0 wants two
 * units in a row, team 1 wants one, so that one team may get none. A member offers one extent at a
 * time.
 *
 * Safety: all members get the same place, which is free on each; what was offered in vain is free
 * again; a team gets no place only if the other one has a block. Not claimed: that the search ends.
 */
#define UNITS 4
#define NONE 15
#define TRIES 3
#define WANTED(TEAM) (2 - (TEAM))
#define BITS(TEAM, PLACE) (((1 << WANTED(TEAM)) - 1) << (PLACE))
#define AT(TEAM, PE) (2 * (TEAM) + (PE))

byte taken[2];       /* by PE: bits of units that are in blocks or offered */
byte open_offers[2];
byte shown[4];       /* by team and PE: bits of the extent, */
byte limit[4];       /* where the next one may be, */
bool contended[4];   /* and whether another offer is open */
bool abstains[2];    /* of a team: the same on all members */
byte offers[2], settled[2], place[4], held[2], done;
bool has_given_up[4];

/* TeamMemory::open_offer(): the first extent from `from` on with room. */
inline open_offer() {
    offer = 0;
    limit[AT(team, pe)] = NONE;
    i = from;
    do
    :: i >= UNITS -> break
    :: i < UNITS && (taken[pe] >> i & 1) -> i++
    :: i < UNITS && !(taken[pe] >> i & 1) ->
        if
        :: offer != 0 -> limit[AT(team, pe)] = i; break
        :: else
        fi;
        j = i;
        do
        :: i < UNITS && !(taken[pe] >> i & 1) -> offer = offer | (1 << i); i++
        :: else -> break
        od;
        if
        :: i - j < WANTED(team) -> offer = 0
        :: else
        fi
    od;
    contended[AT(team, pe)] = (open_offers[pe] > 0);
    open_offers[pe]++;
#ifndef MUTANT_NOT_EXCLUSIVE
    taken[pe] = taken[pe] | offer
#endif
}

#define OFFERED(PLACE) ((shown[AT(team, 0)] & shown[AT(team, 1)] & BITS(team, PLACE)) == \
                        BITS(team, PLACE))

proctype Thread(byte pe; byte team) {
    byte offer, from, try, i, j, found, next;
    bool was_contended, is_contended, has_offered;
    do
    :: try == TRIES -> break
    :: else ->
        try++;
        atomic {
            offer = 0;
            limit[AT(team, pe)] = NONE;
            contended[AT(team, pe)] = true;
            has_offered = !abstains[team];
            if
            :: has_offered -> open_offer()
            :: else
            fi;
            shown[AT(team, pe)] = offer;
            offers[team]++
        }
        offers[team] == 2;
        atomic {
            found = NONE;
            i = 0;
            do
#ifdef MUTANT_LOWEST_OF_OWN
            :: i < UNITS && (offer >> i & 1) -> found = i; break
            :: i < UNITS && !(offer >> i & 1) -> i++
#else
            :: i < UNITS && OFFERED(i) -> found = i; break
            :: i < UNITS && !OFFERED(i) -> i++
#endif
            :: i >= UNITS -> break
            od;
            next = (limit[AT(team, 0)] < limit[AT(team, 1)] -> limit[AT(team, 0)]
                                                            : limit[AT(team, 1)]);
            is_contended = contended[AT(team, 0)] || contended[AT(team, 1)];
            settled[team]++;
            if
            :: settled[team] == 2 ->
                settled[team] = 0; offers[team] = 0;
                /* draws_abstention() for a next round; it is not used in this one. */
                if
                :: abstains[team] = true
                :: abstains[team] = false
                fi
            :: else
            fi
        }
        settled[team] == 0;
        /* close_offer() */
        atomic {
            if
            :: has_offered ->
                open_offers[pe]--;
#ifdef MUTANT_OFFER_STAYS
                skip
#else
                taken[pe] = taken[pe] & (255 - offer)
#endif
            :: else
            fi;
            if
            :: found != NONE ->
                assert((taken[pe] & BITS(team, found)) == 0);
                taken[pe] = taken[pe] | BITS(team, found);
                place[AT(team, pe)] = found;
                held[team]++
            :: else
            fi
        }
        if
        :: found != NONE -> break
        :: else ->
            was_contended = was_contended || is_contended;
            from = next;
            if
            :: next != NONE -> skip
            :: next == NONE ->
#ifndef MUTANT_CONTENTION_IGNORED
                if
                :: was_contended -> from = 0; was_contended = false
                :: else ->
#endif
                    assert(held[1 - team] > 0);
                    has_given_up[AT(team, pe)] = true;
                    break
#ifndef MUTANT_CONTENTION_IGNORED
                fi
#endif
            fi
        fi
    od;
    atomic {
        done++;
        if
        :: done == 4 ->
            for (i : 0 .. 1) {
                assert(place[AT(i, 0)] == place[AT(i, 1)]);
                assert(has_given_up[AT(i, 0)] == has_given_up[AT(i, 1)])
            }
            for (i : 0 .. 1) {
                assert(taken[i] == ((1 << i) |
                                    (place[0] == NONE -> 0 : BITS(0, place[0])) |
                                    (place[2] == NONE -> 0 : BITS(1, place[2]))))
            }
        :: else
        fi
    }
}

init {
    byte i;
    atomic {
        taken[0] = 1;
        taken[1] = 2;
        for (i : 0 .. 3) { place[i] = NONE }
        run Thread(0, 0); run Thread(1, 0); run Thread(0, 1); run Thread(1, 1)
    }
}

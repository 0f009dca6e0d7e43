/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Three PEs without a team meet, and meet again as soon as the first meeting is over
 * (src/messaging/meeting.cpp; names are those of that file). PE 0 is the root, the others are its
 * children. Each PE has a board of two places, of which it takes any free one.
 *
 * Safety: a PE writes only to places that are used in its own meeting, and so each message comes to
 * the meeting of its sender. Progress: both meetings end.
 */
#define PES 3
#define PLACES 2
#define NONE 255
#define AT(PE, PLACE) ((PE) * PLACES + (PLACE))
#define UP(PLACE_OF_ROOT, CHILD) ((PLACE_OF_ROOT) * 2 + (CHILD) - 1)

byte used_in[PES * PLACES]; /* the meeting that the place is used in; 0: it is free */
bool listed[PES * PLACES];  /* lists: the PE has come for the list with this place */
/* Gates of the places, with the sender's place, and the meeting of the last message: */
byte invited[PES * PLACES], invited_from[PES * PLACES], invited_in[PES * PLACES];
byte down[PES * PLACES], down_in[PES * PLACES];
byte up[PLACES * 2], up_from[PLACES * 2], up_in[PLACES * 2]; /* of the root alone */

/* find_place() of PE `pe`: a look at its board. */
inline find_place(pe, found) {
    atomic {
        if
        :: listed[AT(pe, 0)] -> found = 0
        :: !listed[AT(pe, 0)] && listed[AT(pe, 1)] -> found = 1
        :: else -> found = NONE
        fi
    }
}

inline claim_place() {
    atomic {
        if
        :: place = 0
        :: place = 1
        fi;
        used_in[AT(me, place)] = meeting;
#ifndef MUTANT_GATES_NOT_RESET
        invited[AT(me, place)] = 0;
        down[AT(me, place)] = 0;
        if
        :: me == 0 -> up[UP(place, 1)] = 0; up[UP(place, 2)] = 0
        :: else
        fi
#endif
    }
    listed[AT(me, place)] = true
}

inline leave_list() {
    listed[AT(me, place)] = false
}

proctype Root() {
    byte me = 0, place, meeting, pass, child;
    byte child_place[PES];
    for (meeting : 1 .. 2) {
#ifdef MUTANT_LOOK_BEFORE_THE_LIST
        for (child : 1 .. 2) { find_place(child, child_place[child]) }
        claim_place();
#else
        claim_place();
        for (child : 1 .. 2) { find_place(child, child_place[child]) }
#endif
        for (child : 1 .. 2) {
            if
            :: child_place[child] != NONE ->
                atomic {
                    assert(used_in[AT(child, child_place[child])] == meeting);
                    invited_from[AT(child, child_place[child])] = place;
                    invited_in[AT(child, child_place[child])] = meeting;
                    invited[AT(child, child_place[child])] = 1
                }
            :: else
            fi
        }
#ifdef MUTANT_NO_LAST_PASS
        for (pass : 1 .. 1) {
#else
        for (pass : 1 .. 2) {
#endif
            for (child : 1 .. 2) {
                atomic {
                    up[UP(place, child)] >= pass;
                    assert(up_in[UP(place, child)] == meeting);
                    child_place[child] = up_from[UP(place, child)]
                }
            }
#ifndef MUTANT_THE_LIST_STAYS
            leave_list();
#endif
            for (child : 1 .. 2) {
                atomic {
                    assert(used_in[AT(child, child_place[child])] == meeting);
                    down_in[AT(child, child_place[child])] = meeting;
                    down[AT(child, child_place[child])] = pass
                }
            }
        }
        leave_list();
        used_in[AT(me, place)] = 0
    }
}

proctype Child(byte me) {
    byte place, meeting, pass, parent_place;
    for (meeting : 1 .. 2) {
#ifdef MUTANT_LOOK_BEFORE_THE_LIST
        find_place(0, parent_place);
        claim_place();
#else
        claim_place();
        find_place(0, parent_place);
#endif
#ifdef MUTANT_NO_LAST_PASS
        for (pass : 1 .. 1) {
#else
        for (pass : 1 .. 2) {
#endif
            if
            :: parent_place == NONE ->
                atomic {
                    invited[AT(me, place)] == 1;
                    assert(invited_in[AT(me, place)] == meeting);
                    parent_place = invited_from[AT(me, place)]
                }
            :: else
            fi;
            atomic {
                assert(used_in[AT(0, parent_place)] == meeting);
                up_from[UP(parent_place, me)] = place;
                up_in[UP(parent_place, me)] = meeting;
                up[UP(parent_place, me)] = pass
            }
            atomic {
                down[AT(me, place)] >= pass;
                assert(down_in[AT(me, place)] == meeting)
            }
#ifndef MUTANT_THE_LIST_STAYS
            leave_list()
#endif
        }
        leave_list();
        used_in[AT(me, place)] = 0
    }
}

init {
    atomic { run Root(); run Child(1); run Child(2) }
}

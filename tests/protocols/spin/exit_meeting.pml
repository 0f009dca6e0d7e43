/* SPDX-License-Identifier: BSD-3-Clause
 *
 * PEs that end without shmem_finalize (src/session/exit_meeting.cpp; names are those of that file).
 * PE 0's word counts those that have come. A PE that sees that another one waits for it in a
 * collective leaves the meeting, unless all have come meanwhile.
 *
 * Safety: where one PE takes the meeting for complete, all do. Progress: all PEs that come leave,
 * though some never come.
 */
#ifndef PES
#define PES 4
#endif

byte leaving;         /* the count */
byte come;            /* PEs that have come at some time */
byte complete_for;    /* PEs for which the meeting was complete, */
byte incomplete_for;  /* and those that have left it */

/* change_count(DIFFERENCE): is_changed tells whether it was. */
inline change_count(difference) {
    seen = leaving;
    is_changed = false;
    do
#ifdef MUTANT_NO_LOOK_AT_ALL
    :: true ->
#else
    :: seen == PES -> break
    :: seen != PES ->
#endif
#ifdef MUTANT_NO_COMPARISON
        atomic { leaving = seen + difference; is_changed = true }; break
#else
        if
        :: atomic { leaving == seen -> leaving = seen + difference; is_changed = true }; break
        :: atomic { leaving != seen -> seen = leaving }
        fi
#endif
    od
}

proctype Pe() {
    byte seen;
    bool is_changed, is_complete = false;
    if
    :: true -> goto in_collective
    :: true -> skip
    fi;
    come++;
    change_count(1);
    do
    :: leaving == PES -> is_complete = true; break
#ifdef MUTANT_ONE_MISSING
    :: leaving == PES - 1 -> is_complete = true; break
#endif
    :: true -> break /* A PE waits in a collective, or a survey is mistaken. */
    od;
    if
    :: is_complete -> skip
    :: else -> change_count(255); is_complete = !is_changed
    fi;
    atomic {
        if
        :: is_complete -> complete_for++
        :: else -> incomplete_for++
        fi;
        assert(complete_for == 0 || (come == PES && incomplete_for == 0))
    }
in_collective:
    skip
}

init {
    byte i;
    atomic { for (i : 1 .. PES) { run Pe() } }
}

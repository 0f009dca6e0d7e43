/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Jobs that take the same non-coherent memory (src/session/public_file.cpp; names are those of that
 * file). Job 0 may have died and left its signature. Jobs 1 and 2 start at any time, on hosts that
 * share nothing else, and use the memory of both parts. A job that does not compute counts its
 * pulses; one that computes does not, for a while.
 *
 * Safety: of two jobs that both use the memory, not both come through a barrier that began behind
 * that. A job that starts does not take memory from one that uses it and does not compute.
 * Progress: each job ends; one that is alone has used the memory, whatever a dead job has left.
 */
#define PARTS 2
#define JOBS 3

mtype = { starting, using, finished, failed };

byte owner[PARTS];      /* the job whose signature is there; NONE: no signature */
byte pulse[PARTS];
mtype state[JOBS];
bool is_computing[JOBS], has_computed[JOBS];
bool has_met[JOBS]; /* it came through a barrier while both used the memory */
bool is_alone;
#define NONE 255
#define OTHER(JOB) (3 - (JOB))

inline show_life(part) {
    atomic {
        if
#ifdef MUTANT_OWNER_NOT_COMPARED
        :: pulse[part] = (pulse[part] + 1) % 4
#else
        :: owner[part] == me -> pulse[part] = (pulse[part] + 1) % 4
        :: owner[part] != me -> is_lost = true
#endif
        fi
    }
}

proctype Job(byte me) {
    byte part, first, seen[PARTS], look;
    bool is_lost = false, both_use, comes_later;

    /* wait_for_other_jobs() */
    comes_later = (state[OTHER(me)] == using);
    first = owner[0];
    if
    :: first == NONE || first == me -> skip
    :: else ->
        atomic { for (part : 0 .. PARTS - 1) { seen[part] = pulse[part] } }
        /* The looks are as long as a job takes between two signs of life, unless it computes. */
        do
        :: first != 0 && state[first] == using && !is_computing[first] &&
           pulse[0] == seen[0] && pulse[1] == seen[1] && owner[0] == first ->
            /* It shows life before the last look. */
            (pulse[0] != seen[0] || pulse[1] != seen[1] || owner[0] != first ||
             state[first] != using || is_computing[first])
        :: else -> break
        od;
#ifdef MUTANT_A_SIGNATURE_IS_LIFE
        is_lost = true;
#endif
#ifndef MUTANT_NO_WAIT_FOR_PULSES
        if
        :: owner[0] != NONE && owner[0] != first && owner[0] != me -> is_lost = true
        :: owner[0] == first ->
            for (part : 0 .. PARTS - 1) {
                if
                :: owner[part] == first && pulse[part] != seen[part] -> is_lost = true
                :: else
                fi
            }
        :: else
        fi
#endif
    fi;
    if
    :: is_lost -> state[me] = failed; goto over
    :: else
    fi;

    assert(!comes_later || state[OTHER(me)] != using || has_computed[OTHER(me)]);
    /* empty_my_part() and the signature, on each PE. */
    for (part : 0 .. PARTS - 1) {
#ifdef MUTANT_SIGNED_BEFORE_IT_IS_EMPTY
        owner[part] = me;
        atomic { owner[part] = NONE; pulse[part] = 0 }
#else
        atomic { owner[part] = NONE; pulse[part] = 0 }
        owner[part] = me
#endif
    }
    /* check_parts() behind a meeting */
    for (part : 0 .. PARTS - 1) {
        if
        :: owner[part] != me -> is_lost = true
        :: else
        fi
    }
    if
    :: is_lost -> state[me] = failed; goto over
    :: else
    fi;
    state[me] = using;
    if
    :: atomic { is_computing[me] = true; has_computed[me] = true } is_computing[me] = false
    :: skip
    fi;

    /* Two barriers, of which each PE shows life. */
    for (look : 1 .. 2) {
        both_use = (state[OTHER(me)] == using);
        for (part : 0 .. PARTS - 1) { show_life(part) }
        if
        :: is_lost -> state[me] = failed; goto over
        :: else
        fi;
        atomic {
            if
            :: both_use && state[OTHER(me)] == using ->
                has_met[me] = true;
                assert(!has_met[OTHER(me)])
            :: else
            fi
        }
    }
    state[me] = finished;
    /* remove_signature(), when no PE uses the memory any more */
    for (part : 0 .. PARTS - 1) {
        owner[part] = NONE
    }
over:
    skip
}

init {
    byte i;
    atomic {
        for (i : 0 .. PARTS - 1) {
            if
            :: owner[i] = 0; pulse[i] = 2 /* of a dead job */
            :: owner[i] = NONE
            fi
        }
        for (i : 0 .. JOBS - 1) { state[i] = starting }
        if
        :: run Job(1); run Job(2)
        :: is_alone = true; run Job(1)
        fi
    }
    timeout;
    atomic {
        assert(state[1] == finished || (state[1] == failed && !is_alone));
        assert(is_alone || state[2] == finished || state[2] == failed)
    }
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * PEs that die, and a job that survives it (tools/oshrun/survive.cpp, src/session/failures.cpp; names
 * are those of these files). Three PEs on two nodes ask for survival, each sends something to the
 * next one and waits for what the one before sends, or for its death. A PE may die at any step, up
 * to DEATHS of them.
 *
 * Safety: oshrun tells of a death only if all others had asked before, or had finalized; each node's
 * log has the same deaths. Progress: each PE that lives comes to its end, or oshrun ends the job,
 * as it does when all die.
 */
#define PES 3
#define NODES 2
#define NODE_OF(PE) ((PE) / 2)
#define BEFORE(PE) (((PE) + PES - 1) % PES)
#ifndef DEATHS
#define DEATHS 3
#endif

bool dead[PES], survives[PES], finalized[PES];
bool sent[PES];           /* to this PE */
bool logged[NODES * PES]; /* by node and PE */
byte deaths;
bool has_ended;           /* oshrun has ended the job */

#define STEP(ACTION) atomic { !dead[me] && !has_ended -> ACTION }
#define KNOWS_DEATH(PE) (survives[me] && logged[NODE_OF(me) * PES + (PE)])

proctype Pe(byte me) {
    STEP(survives[me] = true);
    STEP(sent[(me + 1) % PES] = true);
    STEP((sent[me] || KNOWS_DEATH(BEFORE(me))) -> skip);
    STEP(finalized[me] = true)
}

proctype Death() {
    byte victim;
    do
    :: atomic { deaths < DEATHS ->
           select (victim : 0 .. PES - 1);
           if
           :: !dead[victim] && !finalized[victim] -> dead[victim] = true; deaths++
           :: else
           fi }
    :: break
    od
}

/* Notices the deaths one by one, in any order. */
proctype Oshrun() {
    byte victim, other, node;
    bool is_survivable, is_handled[PES];
end:
    do
    :: atomic {
           !has_ended;
           if
           :: dead[0] && !is_handled[0] -> victim = 0
           :: dead[1] && !is_handled[1] -> victim = 1
           :: dead[2] && !is_handled[2] -> victim = 2
           fi }
        is_handled[victim] = true;
#ifdef MUTANT_TOLD_BEFORE_IT_IS_DECIDED
        logged[victim] = true;
#endif
        /* is_survivable() */
        is_survivable = false;
        for (other : 0 .. PES - 1) {
            if
            :: other != victim && (!dead[other] || !is_handled[other]) -> is_survivable = true
            :: else
            fi
        }
#ifdef MUTANT_NO_LOOK_AT_THOSE_THAT_LIVE
        is_survivable = true;
#endif
        for (other : 0 .. PES - 1) {
#ifndef MUTANT_NOBODY_HAS_TO_ASK
            if
            :: !(finalized[other] && other != victim) && !survives[other] -> is_survivable = false
            :: else
            fi
#else
            skip
#endif
        }
        if
        :: is_survivable ->
            /* survive() */
            for (node : 0 .. NODES - 1) {
#ifdef MUTANT_ONE_NODE_IS_TOLD
                if
                :: node == NODE_OF(victim) -> logged[node * PES + victim] = true
                :: else
                fi
#else
                logged[node * PES + victim] = true
#endif
            }
        :: else -> has_ended = true
        fi
    od
}

/* At any time. */
proctype Watch() {
    byte pe;
    for (pe : 0 .. PES - 1) {
        assert(!(logged[0] || logged[1] || logged[2]) || survives[pe] || finalized[pe])
    }
}

init {
    byte pe, node;
    atomic {
        for (pe : 0 .. PES - 1) { run Pe(pe) }
        run Death();
        run Oshrun();
        run Watch()
    }
    timeout;
    atomic {
        for (pe : 0 .. PES - 1) {
            assert(has_ended || dead[pe] || finalized[pe]);
            assert(has_ended || !dead[pe] || (logged[pe] && logged[PES + pe]))
        }
        assert(has_ended || finalized[0] || finalized[1] || finalized[2])
    }
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Admission of connections (transports/ofi/admission.cpp; names are those of that file). Two members of
 * the job and two strangers connect; each sends its proof in two parts, or, as a stranger, something
 * else, a part, or nothing at all, and closes or stays. At most PENDING connections that have not
 * proved themselves are kept; then the oldest is closed.
 *
 * Safety: the provider gets only connections of members whose whole proof has come, each once; no
 * more than PENDING descriptors are open beside them. Progress: when nothing can happen any more,
 * each member is with the provider, or was closed because newer connections came before its proof
 * (a member then connects again, RETRIES times).
 */
#define MEMBERS 2
#define ALL 4
#ifndef PENDING
#define PENDING 2
#endif
#define RETRIES 1

mtype = { none, queued, pending, admitted, closed };

mtype where[ALL];     /* of each connection */
byte sent[ALL];       /* halves of the proof that have come to its socket, */
byte got[ALL];        /* and that were read */
bool has_gone[ALL];   /* the other side has closed */
byte queue[ALL];      /* pending_, the oldest first */
byte count;           /* its length */
byte dropped[ALL];    /* how often it was closed in favour of a newer one */

/* Whether the epoll set has an event for the connection. */
#define READY(C) (where[C] == queued || \
                  (where[C] == pending && (sent[C] > got[C] || has_gone[C])))

/* Takes connection `c` out of pending_. */
inline forget(c) {
    i = 0;
    do
    :: i < count && queue[i] == c -> break
    :: i < count && queue[i] != c -> i++
    :: i >= count -> assert(false)
    od;
    do
    :: i + 1 < count -> queue[i] = queue[i + 1]; i++
    :: else -> break
    od;
    count--
}

/* read(): sets verdict to the place of the connection. */
inline look(c) {
    if
    :: sent[c] > got[c] -> got[c] = sent[c];
       if
#ifdef MUTANT_PART_OF_A_PROOF
       :: got[c] >= 1 -> verdict = (c < MEMBERS -> admitted : closed)
#else
       :: got[c] == 2 -> verdict = (c < MEMBERS -> admitted : closed)
#endif
       :: else -> verdict = pending
       fi
    :: else -> verdict = (has_gone[c] -> closed : pending)
    fi;
#ifdef MUTANT_KEY_NOT_COMPARED
    if
    :: verdict == closed && got[c] == 2 -> verdict = admitted
    :: else
    fi
#endif
}

inline admit(c) {
    assert(c < MEMBERS && sent[c] == 2 && c < MEMBERS && where[c] != admitted);
    where[c] = admitted
}

/* The provider calls accept() while the epoll set has an event: one connection at a time. */
proctype Provider() {
    byte c, i;
    mtype verdict;
end:
    do
    :: atomic {
           if
           :: READY(0) -> c = 0
           :: READY(1) -> c = 1
           :: READY(2) -> c = 2
           :: READY(3) -> c = 3
           fi;
           if
           :: where[c] == queued ->
               look(c);
               if
               :: verdict == admitted -> admit(c)
               :: verdict == closed -> where[c] = closed
               :: verdict == pending ->
#ifndef MUTANT_NO_LIMIT
                   if
                   :: count == PENDING ->
                       where[queue[0]] = closed; dropped[queue[0]]++;
                       i = 0;
                       do
                       :: i + 1 < count -> queue[i] = queue[i + 1]; i++
                       :: else -> break
                       od;
                       count--
                   :: else
                   fi;
#endif
                   queue[count] = c; count++; where[c] = pending
               fi
           :: where[c] == pending ->
               look(c);
               if
               :: verdict == pending
               :: verdict == admitted ->
#ifndef MUTANT_ADMITTED_STAYS_PENDING
                   forget(c);
#endif
                   admit(c)
               :: verdict == closed -> forget(c); where[c] = closed
               fi
           fi;
           i = 0;
           assert(count <= PENDING);
           do
           :: i < count -> assert(where[queue[i]] == pending); i++
           :: else -> break
           od }
    od
}

proctype Member(byte me) {
again:
    atomic { where[me] = queued; sent[me] = 0; got[me] = 0 }
    do
    :: atomic { where[me] == closed ->
           /* Only because newer ones came. */
           assert(dropped[me] > 0) }
       if
       :: dropped[me] <= RETRIES -> goto again
       :: else -> break
       fi
    :: atomic { where[me] != closed && sent[me] < 2 -> sent[me]++ }
    :: where[me] == admitted -> break
    od
}

proctype Stranger(byte me) {
    atomic {
        where[me] = queued;
        if
        :: sent[me] = 0
        :: sent[me] = 1
        :: sent[me] = 2
        fi
    }
    if
    :: has_gone[me] = true
    :: skip
    fi
}

init {
    byte j;
    atomic {
        for (j : 0 .. ALL - 1) { where[j] = none }
        run Provider();
        for (j : 0 .. MEMBERS - 1) { run Member(j) }
        for (j : MEMBERS .. ALL - 1) { run Stranger(j) }
    }
    timeout;
    for (j : 0 .. MEMBERS - 1) {
        assert(where[j] == admitted || dropped[j] > 0)
    }
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The barrier of a coarray team in which processes die at any step
 * (runtimes/caf/core/barrier_after_deaths.cpp; names are those of that file). Images meet ROUNDS
 * times. One may stop after each round. Up to DEATHS of them die.
 *
 * When nothing can happen any more, each image that lives has ended, and all that live have ended
 * each round by the same word. (An image that dies may have known another one.)
 */
#ifndef IMAGES
#define IMAGES 3
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
#ifndef DEATHS
#define DEATHS 2
#endif
#define SAW_STOPPED 1
#define SAW_FAILED 2
#define WORD(ROUND) ((ROUND) * 4)
#define ROUND_OF(WORD) ((WORD) / 4)
#define OUTCOME(IMAGE, ROUND) outcome[(IMAGE) * (ROUNDS + 1) + (ROUND)]

mtype = { running, stopped };

bool dead[IMAGES];
byte deaths;            /* the log of the node */
mtype state[IMAGES];
byte arrived;           /* the counter of the root: members in this round */
byte gone;              /* members that have stopped */
byte release[IMAGES];   /* words of release */
byte ended[IMAGES];     /* `progress`: the last word, */
bool left_tree[IMAGES]; /* and whether the image has left the tree */
byte decision[IMAGES];
byte found[IMAGES];

byte outcome[IMAGES * (ROUNDS + 1)]; /* the word by which each image has ended each round; or 0 */
bool is_done[IMAGES];
byte news; /* a bit for each image: there was a store since it began to look at the others */
#define CHANGED news = 255

/* A step of an image that lives. Each one is one access to memory of other images. */
#define STEP(ACTION) atomic { !dead[me] -> ACTION }
#define STORE(WHERE, WHAT) atomic { !dead[me] -> WHERE = WHAT; CHANGED }

/* The image that completes the root group releases all others, one by one. */
inline complete_round() {
    word = WORD(round) + (gone > 0 -> SAW_STOPPED : 0);
    arrived = 0;
}
inline release_others() {
    i = 0;
    do
    :: i < IMAGES ->
        if
        :: i != me && !dead[i] -> STORE(release[i], word)
        :: else
        fi;
        i++
    :: else -> break
    od
}

inline find_end() {
    i = 0;
    do
    :: i < IMAGES && !is_over ->
        if
        :: i != me && !dead[i] ->
            STEP(seen = ended[i]);
            if
            :: ROUND_OF(seen) >= round ->
#ifndef MUTANT_FINDING_NOT_PUBLISHED
                STORE(found[me], seen);
#endif
#ifdef MUTANT_NO_SECOND_LOOK_AT_DEATHS
                STEP(word = seen; is_over = true)
#else
                STEP(
                    if
                    :: !dead[i] -> word = seen; is_over = true
                    :: else
                    fi)
#endif
            :: else
            fi
        :: else
        fi;
        i++
    :: else -> break
    od
}

/* Of image i: sets is_open unless it will change nothing about this round any more. */
inline look_at() {
    saw_gone = false;
    do
    :: dead[i] -> flags = flags | (state[i] == stopped -> SAW_STOPPED : SAW_FAILED); break
    :: else ->
        STEP(seen = ended[i]; seen_left = left_tree[i]);
        STEP(
            if
            :: ROUND_OF(seen) < round && ROUND_OF(decision[i]) >= round -> seen = decision[i]
            :: else
            fi);
        if
        :: ROUND_OF(seen) >= round -> known_end = seen; break
        :: else
        fi;
        STEP(
            if
            :: ROUND_OF(found[i]) >= round -> known_found = found[i]
            :: else
            fi);
        if
        :: seen_left && ROUND_OF(seen) == round - 1 -> break
        :: else
        fi;
        STEP(seen_state = state[i]);
        if
        :: dead[i] -> skip /* It looks again. */
        :: else ->
            if
            :: seen_state == running -> is_open = true; break
            :: else ->
#ifdef MUTANT_STATE_BEHIND_PROGRESS
                saw_gone = true;
#endif
                if
                :: saw_gone -> flags = flags | SAW_STOPPED; break
                :: else -> saw_gone = true
                fi
            fi
        fi
    od
}

inline decide() {
    deaths_before = deaths;
    flags = 0;
    known_end = 0;
    known_found = 0;
    is_open = false;
    i = 0;
    do
    :: i < IMAGES && !is_open ->
        if
        :: i != me -> look_at()
        :: else
        fi;
        i++
    :: else -> break
    od;
    if
    :: is_open -> skip
    :: else ->
        if
        :: deaths != deaths_before -> skip
        :: else ->
        if
        :: known_end != 0 -> word = known_end
#ifndef MUTANT_FINDINGS_IGNORED
        :: known_end == 0 && known_found != 0 -> word = known_found
        :: known_end == 0 && known_found == 0 -> word = WORD(round) + flags
#else
        :: known_end == 0 -> word = WORD(round) + flags
#endif
        fi;
        i = 0;
        do
        :: i < IMAGES ->
            if
            :: i != me && !dead[i] -> STORE(decision[i], word)
            :: else
            fi;
            i++
        :: else -> break
        od;
        is_over = true
        fi
    fi
}

inline wait_after_deaths() {
    STORE(left_tree[me], true);
    do
    :: is_over -> break
    :: else ->
        STEP(news = news & (255 - (1 << me)));
        STEP(
            if
            :: ROUND_OF(decision[me]) >= round -> word = decision[me]; is_over = true
            :: else
            fi);
        if
        :: is_over -> break
        :: else
        fi;
        /* The first image that runs decides. Looking at all of them is one step here: they only go
         * from running to gone. */
        STEP(
            first = 0;
            do
            :: first < IMAGES && (dead[first] || state[first] != running) -> first++
            :: else -> break
            od);
        if
        :: first == me || first == IMAGES -> decide()
        :: else -> find_end()
        fi;
        if
        :: is_over -> break
        :: else -> !dead[me] && (news >> me & 1)
        fi
    od
}

proctype Image(byte me) {
    byte round = 0, word = 0, i, first, seen, flags, known_end, known_found;
    byte deaths_before;
    bool is_over, is_open, saw_gone, seen_left;
    mtype seen_state;

    do
    :: round == ROUNDS -> break
    :: round > 0 && round < ROUNDS -> break /* It stops early. */
    :: round < ROUNDS ->
        round++;
        is_over = false;
        if
        :: atomic { !dead[me] && deaths == 0 ->
               arrived++;
               CHANGED;
               if
               :: arrived + gone == IMAGES -> complete_round(); is_over = true
               :: else
               fi }
            if
            :: is_over -> release_others()
            :: else ->
                /* The word counts even if there are deaths as well. */
                if
                :: atomic { !dead[me] && ROUND_OF(release[me]) >= round ->
                       word = release[me]; is_over = true }
                :: atomic { !dead[me] && ROUND_OF(release[me]) < round && deaths > 0 -> skip }
                    wait_after_deaths()
                fi
            fi
        :: atomic { !dead[me] && deaths > 0 -> skip }
            wait_after_deaths()
        fi;
        atomic { !dead[me] ->
            assert(ROUND_OF(word) >= round);
            if
            :: ROUND_OF(word) == round -> OUTCOME(me, round) = word
            :: else
            fi;
            ended[me] = word;
            left_tree[me] = false;
            CHANGED }
    od;
#ifndef NO_STOPS
    /* It stops, and serves its memory. */
    STORE(state[me], stopped);
    round++;
    is_over = false;
    if
    :: atomic { !dead[me] && deaths == 0 ->
           gone++;
           CHANGED;
           if
           :: arrived > 0 && arrived + gone == IMAGES -> complete_round(); is_over = true
           :: else
           fi }
        if
        :: is_over -> release_others()
        :: else
        fi
    :: atomic { !dead[me] && deaths > 0 -> skip }
    fi;
#endif
    atomic { is_done[me] = true; CHANGED }
}

init {
    byte victim, other, round;
    atomic {
        for (victim : 0 .. IMAGES - 1) { state[victim] = running }
        for (victim : 0 .. IMAGES - 1) { run Image(victim) }
    }
    do
    :: atomic { deaths < DEATHS ->
           select (victim : 0 .. IMAGES - 1);
           if
           :: !dead[victim] -> dead[victim] = true; deaths++; CHANGED
           :: else
           fi }
    :: break
    od;
    timeout;
    atomic {
        for (victim : 0 .. IMAGES - 1) {
            assert(dead[victim] || is_done[victim]);
            for (other : 0 .. IMAGES - 1) {
                for (round : 1 .. ROUNDS) {
                    assert(dead[victim] || dead[other] || OUTCOME(victim, round) == 0 ||
                           OUTCOME(other, round) == 0 ||
                           OUTCOME(victim, round) == OUTCOME(other, round))
                }
            }
        }
    }
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Epochs (src/progress/epochs.cpp; names are those of that file). A target exposes its memory
 * EPOCHS times to two origins, on each of two windows that have the same number one after the
 * other. An origin opens as many access epochs. In each it puts something to the target, in one of
 * the modes (it waits for the target when it starts, at the put, or when it completes), or nothing:
 * then it need not wait, and may be epochs ahead.
 *
 * Safety: an origin puts only while the target has the exposure epoch of the same number open.
 * Progress: all end all epochs.
 */
#ifndef EPOCHS
#define EPOCHS 2
#endif
#define ORIGINS 2
#define WINDOWS 2

byte posted[ORIGINS];    /* gates at the origins, which the target writes, */
byte completed[ORIGINS]; /* and at the target, which the origins write */
byte exposed;            /* the number of the exposure epoch that is open, or 0 */
byte left[WINDOWS];      /* PEs that have destroyed the window */

#ifdef MUTANT_WINDOWS_COUNT_FROM_ZERO
#define FIRST_EPOCH 0
#else
#define FIRST_EPOCH ((window - 1) * EPOCHS)
#endif
#define EPOCH ((window - 1) * EPOCHS + number) /* over all windows */

/* remove_window(), behind the sync of the members. */
inline destroy() {
    left[window - 1]++;
    left[window - 1] == ORIGINS + 1
}

proctype Target() {
    byte window, number, i;
    for (window : 1 .. WINDOWS) {
        for (number : 1 .. EPOCHS) {
            /* post() */
            exposed = EPOCH;
            for (i : 0 .. ORIGINS - 1) { posted[i] = FIRST_EPOCH + number }
            /* wait() */
#ifdef MUTANT_COUNT_OVER_PARTNERS
            completed[0] + completed[1] >= ORIGINS * (FIRST_EPOCH + number);
#else
#ifdef MUTANT_LAST_PARTNER_ALONE
            completed[ORIGINS - 1] >= FIRST_EPOCH + number;
#else
            for (i : 0 .. ORIGINS - 1) { completed[i] >= FIRST_EPOCH + number }
#endif
#endif
            exposed = 0
        }
        destroy()
    }
}

proctype Origin(byte me) {
    byte window, number;
    for (window : 1 .. WINDOWS) {
        for (number : 1 .. EPOCHS) {
            if
            :: true ->
                /* wait_until_ready(), copy() or perform_deferred() */
#ifdef MUTANT_ANY_EPOCH_IS_READY
                posted[me] > FIRST_EPOCH;
#else
                posted[me] >= FIRST_EPOCH + number;
#endif
#ifdef MUTANT_COMPLETE_BEFORE_THE_PUT
                completed[me] = FIRST_EPOCH + number;
#endif
                assert(exposed == EPOCH)
            :: true
            fi;
            /* complete() */
            completed[me] = FIRST_EPOCH + number
        }
        destroy()
    }
}

init {
    atomic { run Target(); run Origin(0); run Origin(1) }
}

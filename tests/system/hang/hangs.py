# SPDX-License-Identifier: BSD-3-Clause
"""The kinds of hangs of hang_probe, and the lines that a report on each must have."""
import os
import re

from launching import program

PROBE = program("hang_probe")
IMAGES = program("hang_images")
UNITS = program("hang_units")


def lines_of(source):
    with open(os.path.join(os.path.dirname(__file__), source)) as file:
        return {match[1]: f"{source}:{number}" for number, line in enumerate(file, 1)
                if (match := re.search(r"(?:/\*|!) HERE (\w+)", line))}


LINES = lines_of("hang_probe.c")
LINES_OF_IMAGES = lines_of("hang_images.f90")
LINES_OF_UNITS = lines_of("hang_units.c")


def at(name):
    return LINES[name]


def image_at(name):
    return LINES_OF_IMAGES[name]


def unit_at(name):
    return LINES_OF_UNITS[name]


# By kind: regular expressions, each of which a line of the report must match.
EXPECTED = {
    "missed_barrier": [
        rf"PE 2 .*is in no SHMEM routine.*work_for_ever \({at('work')}\)",
        rf"SHMEM_TEAM_WORLD: PEs 0, 1, 3 are in the 17th collective, shmem_barrier_all, called by "
        rf"missed_barrier \({at('barrier')}\); PE 2 is past the 16th one, shmem_barrier_all",
        rf"PE 2 holds up PEs 0, 1, 3: it is in no SHMEM routine.*{at('work')}",
    ],
    "wrong_root": [
        rf"PE 2 .*waits in shmem_long_broadcast, called by wrong_root \({at('root')}\)",
        r"The 5th collective of SHMEM_TEAM_WORLD differs: root 0 on PEs 0, 1, 3, root 3 on PE 2",
    ],
    "lock_cycle": [
        rf"PE 0 .*waits in shmem_set_lock, called by lock_cycle \({at('second')}\)",
        rf"PE 1 .*waits in shmem_set_lock, called by lock_cycle \({at('first')}\)",
        r"Lock second_lock: PE 1 has it, and PE 0 waits for it",
        r"Lock first_lock: PE 0 has it, and PE 1 waits for it",
        r"A cycle: PE 0 waits for PE 1 \(lock second_lock\), PE 1 waits for PE 0 "
        r"\(lock first_lock\)",
    ],
    "no_signal": [
        rf"PE 1 .*waits in shmem_signal_wait_until, called by no_signal \({at('signal')}\)",
        r"for never_set\+16 >= 7; it is 0",
        rf"PE 1 holds up PEs 0, 2, 3: it waits in shmem_signal_wait_until.*{at('signal')}",
    ],
    "other_team": [
        rf"PE 3 .*waits in shmem_team_sync, called by other_team \({at('team')}\)",
        rf"PE 2 .*waits in shmem_barrier_all, called by other_team \({at('world')}\)",
        r"A cycle: PE 2 waits for PE 3 \(.* of SHMEM_TEAM_WORLD\), PE 3 waits for PE 2 "
        r"\(.* of a team of 2 PEs",
    ],
    "active_set": [
        rf"PE 0 .*waits in shmem_barrier, called by active_set \({at('set')}\)",
        rf"An active set: PE 0 is in shmem_barrier, called by active_set \({at('set')}\); PEs 1-3 "
        r"are not",
        r"SHMEM_TEAM_WORLD: PE 0 is in shmem_barrier of an active set; PEs 2, 3 are in the 2nd "
        r"collective, shmem_finalize, .*; PE 1 is past the 1st one, shmem_barrier_all",
    ],
    "mutex": [
        rf"PE 2 .*waits in shmemx_mutex_lock, called by mutex \({at('mutex')}\)",
        r"Mutex guard.* of PE 3: PE 1 has it, and PE 2 waits for it",
        rf"PE 1 holds up PEs? .*2.*: it is in no SHMEM routine, at work_for_ever \({at('work')}\)",
    ],
    "rwlock": [
        rf"PE 2 .*waits in shmemx_rwlock_write_lock, called by rwlock \({at('writer')}\)",
        r"Rwlock guard.* of PE 0: PEs 1, 3 have it, and PE 2 waits for it",
        r"A cycle: PE 1 waits for PE 2 \(.* of SHMEM_TEAM_WORLD\), PE 2 waits for PE 1 "
        r"\(rwlock guard.* of PE 0\)",
    ],
    "any_of": [
        r"for one of 4 words:", r"never_set == 1; it is 0", r"never_set\+16 == 3; it is 0",
        r"never_set\+24 == 4; it is 0", r"for all of 2 words:", r"never_set\+8 != 0; it is 0",
    ],
    "many_teams": [
        r"a team of 4 PEs \(0 to 3\): 1 collective called, shmem_team_sync \(19 such teams\)",
        r"a team of 4 PEs \(0 to 3\): PEs 0, 1, 3 are in the 2nd collective, shmem_team_sync",
        rf"PE 2 holds up PEs 0, 1, 3: it is in no SHMEM routine, at work_for_ever",
    ],
    "init": [
        rf"PE 3 .*has not called shmem_init.*work_for_ever \({at('work')}\)",
        rf"PE 0 .* shmem_init, called by main \({at('init')}\)",
        r"shmem_init: PEs 0-2 wait there for PE 3",
        rf"PE 3 holds up PEs 0-2: it has not called shmem_init.*{at('work')}",
    ],
}
# The same of jobs that end by themselves, as their launcher ends them: PE 1 reports.
EXITS = {
    "exited": [
        rf"PE 1 .*is in exit\(\) without shmem_finalize, called by exited \({at('exit')}\)",
        rf"PE 1 holds up PEs? [0-9, -]+: it is in exit\(\) .*called by exited \({at('exit')}\)",
    ],
    "returned": [
        r"PE 1 .*is in exit\(\) without shmem_finalize, behind main\(\)$",
        r"PE 1 holds up PEs? [0-9, -]+: it is in exit\(\) without shmem_finalize, behind main\(\)",
    ],
}
# Hangs of coarray programs, by their argument.
OF_IMAGES = {
    "event": [
        rf"Image 2 .*waits in event wait, called by .* \({image_at('event')}\)",
        r"for ready >= 1; it is 0",
        rf"Image 1 .*waits in sync all, called by .* \({image_at('all')}\)",
        rf"image 2 holds up images 1, 3, 4: it waits in event wait, .*{image_at('event')}",
    ],
    "ring": [
        rf"Image 4 .*waits in sync images, called by .* \({image_at('ring')}\)",
        r"image 1 waits in sync images for image 2",
        r"A cycle: image 1 waits for image 2 \(sync images\), image 2 waits for image 3 .*"
        r"image 4 waits for image 1",
    ],
    "missing": [
        rf"image 3 holds up images 1, 2, 4: it is in no .*work_for_ever \({image_at('work')}\)",
    ],
    "lock": [
        rf"Image 4 .*waits in lock, called by .* \({image_at('lock')}\)",
        r"Mutex guard of image 1: image 2 has it, and image 4 waits for it",
        rf"image 2 holds up images 1, 3, 4: .*work_for_ever \({image_at('work')}\)",
    ],
}
# Hangs of programs of DART.
OF_UNITS = {
    "barrier of units": [
        rf"PE 0 .*waits in dart_barrier, called by wait_for_all \({unit_at('barrier')}\)",
        rf"PE 2 holds up PEs 0, 1, 3: it is in no .*work_for_ever \({unit_at('work')}\)",
    ],
    "lock of units": [
        rf"PE 1 .*waits in dart_lock_acquire, called by wait_for_lock \({unit_at('lock')}\)",
        rf"PE 2 holds up PEs 0, 1, 3: it is in no .*work_for_ever \({unit_at('work')}\)",
    ],
}
NPES = 4


def missing_in(report, kind):
    """The expressions that no line of the report matches."""
    return [text for text in (EXPECTED | EXITS | OF_IMAGES | OF_UNITS)[kind]
            if not any(re.search(text, line) for line in report.splitlines())]

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The heat equation on a plate, on symmetric NumPy arrays, with the binding shmem4py.

Each PE has a block of rows, and one row more on either side for its neighbours' edges. In each step
it puts its own edge rows there and waits for theirs. The plate's upper edge is hot, the rest cold.

    oshrun -n 4 python3 heat.py [ROWS [STEPS [PICTURE]]]

With a third argument, PE 0 draws the plate in that file (matplotlib).
"""
import sys

import numpy as np
from shmem4py import shmem


def main(rows=64, steps=500, picture=None):
    me, npes = shmem.my_pe(), shmem.n_pes()
    up, down = me - 1, me + 1
    first, last = rows * me // npes, rows * (me + 1) // npes
    most = -(-rows // npes)  # Symmetric arrays have one size on all PEs.

    old = shmem.zeros((most + 2, rows), dtype="d")
    new = shmem.zeros((most + 2, rows), dtype="d")
    arrived = [shmem.new_signal(), shmem.new_signal()]  # from the PE above, from the PE below
    mine = last - first
    if me == 0:
        old[0, :] = new[0, :] = 100.0
    # Where the row behind the last one of the PE above lies.
    rows_above = first - rows * up // npes if up >= 0 else 0

    for step in range(1, steps + 1):
        if up >= 0:
            shmem.put_signal(old[rows_above + 1], old[1], up, arrived[1], step, shmem.SIGNAL.SET)
        if down < npes:
            shmem.put_signal(old[0], old[mine], down, arrived[0], step, shmem.SIGNAL.SET)
        if up >= 0:
            shmem.signal_wait_until(arrived[0], shmem.CMP.GE, step)
        if down < npes:
            shmem.signal_wait_until(arrived[1], shmem.CMP.GE, step)
        new[1:mine + 1, 1:-1] = 0.25 * (old[:mine, 1:-1] + old[2:mine + 2, 1:-1]
                                        + old[1:mine + 1, :-2] + old[1:mine + 1, 2:])
        old, new = new, old
        # The neighbours must not overwrite the rows that this PE still reads.
        shmem.barrier_all()

    heat, total = shmem.empty(1, dtype="d"), shmem.empty(1, dtype="d")
    heat[0] = old[1:mine + 1].sum()
    shmem.sum_reduce(total, heat)
    if me == 0:
        print(f"{npes} PEs, {rows} rows, {steps} steps: mean temperature {total[0] / rows**2:.4f}")
    if picture is not None:
        plate = np.zeros((rows, rows)) if me == 0 else None
        if me == 0:
            for pe in range(npes):
                begin, end = rows * pe // npes, rows * (pe + 1) // npes
                shmem.get(plate[begin:end], old[1:end - begin + 1], pe)
            draw(plate, picture)
        shmem.barrier_all()


def draw(plate, picture):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    pyplot.imshow(plate, cmap="inferno")
    pyplot.colorbar(label="temperature")
    pyplot.savefig(picture)


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:3]]
    main(*numbers, *sys.argv[3:4])

# SPDX-License-Identifier: BSD-3-Clause
"""Heat spreads over a periodic square of 4 x 4 blocks. Alone, under mpirun with mpi4py or without, or under halo_launch: the same bits on any number of ranks."""
import sys

import numpy as np

import halo

BLOCKS, CELLS, STEPS, RATE = 4, 32, 100, 0.2
TURN = 2 * np.pi / (BLOCKS * CELLS)


def spread(now, new, box):
    """Cells of a box go towards the mean of their four neighbours."""
    rows, columns = box
    north, south = (slice(rows.start + d, rows.stop + d) for d in (1, -1))
    east, west = (slice(columns.start + d, columns.stop + d) for d in (1, -1))
    new[box] = now[box] + RATE * (now[rows, west] + now[rows, east] + now[south, columns] + now[north, columns] - 4 * now[box])


with halo.Context() as context:
    grid = halo.Topology.blocks(context, n_blocks=(BLOCKS, BLOCKS), n_cells=(CELLS, CELLS), periodic=(1, 1))
    heat = halo.Field(grid, "heat", ghosts=1, n_sets=2)  # now and next change places every step
    parts, waves = list(grid.local_parts()), {}
    for gid in parts:
        x, y, _ = grid.part(gid).cells.low
        waves[gid] = np.outer(np.sin(TURN * (y + np.arange(CELLS))), np.sin(TURN * (x + np.arange(CELLS))))
        for which in range(2):
            heat.bind(gid, np.zeros(heat.shape(gid)), set=which)
        heat.array(gid)[heat.owned(gid)] = waves[gid]

    ghosts = halo.Exchange(heat)
    for step in range(STEPS):
        now, new = step % 2, 1 - step % 2
        ghosts.start(sets=[now])
        splits = {gid: heat.interior_rim(gid, 1) for gid in parts}
        for gid in parts:  # cells that need no ghosts, while messages are on their way
            spread(heat.array(gid, now), heat.array(gid, new), heat.slices(splits[gid][0]))
        ghosts.finish()
        for gid in parts:
            for box in splits[gid][1]:
                spread(heat.array(gid, now), heat.array(gid, new), heat.slices(box))

    fades = (1 + RATE * (4 * np.cos(TURN) - 4)) ** STEPS
    error = max((np.abs(heat.array(gid, STEPS % 2)[heat.owned(gid)] - fades * waves[gid]).max() for gid in parts), default=0.0)
    error = context.allreduce(float(error), halo.MAX)
    if context.rank == 0:
        print(f"{context.n_ranks} ranks, {STEPS} steps: {error:.1e} from the exact solution")
    if error > 1e-12:
        sys.exit("wrong")

# SPDX-License-Identifier: BSD-3-Clause
"""What digest.c computes, in Python: the same bits."""
import numpy as np

import halo

CELLS, ROUNDS = 6, 3
OWNED = slice(1, 1 + CELLS)


def mean(u):
    total = np.zeros((CELLS, CELLS))
    for j in range(3):
        for i in range(3):
            total += u[j : j + CELLS, i : i + CELLS]
    return total / 9


def digest(values):
    hashed = 0
    for bits in values.ravel().view(np.uint64).tolist():
        hashed = (hashed << 7 & (1 << 64) - 1 | hashed >> 57) ^ bits
    return hashed


with halo.Context() as context:
    grid = halo.Topology.blocks(context, n_blocks=(4, 4), n_cells=(CELLS, CELLS), periodic=(1, 1))
    field = halo.Field(grid, "u", ghosts=1)
    y, x = np.mgrid[1 : 1 + CELLS, 1 : 1 + CELLS]
    blocks = {gid: np.zeros(field.shape(gid)) for gid in grid.local_parts()}
    for gid, u in blocks.items():
        u[OWNED, OWNED] = 1 / (1 + gid * 100 + y * 10 + x)
        field.bind(gid, u)
    ghosts = halo.Exchange(field)
    for _ in range(ROUNDS):
        ghosts.start()
        ghosts.finish()
        for u in blocks.values():
            u[OWNED, OWNED] = mean(u)
    for gid, u in blocks.items():
        print(f"block {gid:02}: {digest(u):016X}")

# SPDX-License-Identifier: BSD-3-Clause
"""A hill is carried across a periodic square of blocks, which are small where it is steep: ghosts between levels, fluxes, and other lists of blocks. On any
number of ranks the same bits. usage: levels.py [PICTURE]"""
import sys

import numpy as np

import halo

CELLS, ROOTS, DEEPEST, STEPS, VELOCITY = 8, 4, 3, 160, (1.0, 0.5)
FOREST = dict(n_cells=(CELLS, CELLS), trees=[{"n_roots": (ROOTS, ROOTS)}], joins=[{"side": 1}, {"side": 3}])  # both directions lead around
TIME_STEP = 0.4 / (ROOTS * CELLS * 2**DEEPEST)
AXES = dict(x=1, y=0)  # of an array


class Blocks:
    """A forest with its fields and exchanges."""

    def __init__(self, context, forest):
        forest.place(context.n_ranks)
        self.forest, self.topology = forest, forest.topology(context)
        self.u = halo.Field(self.topology, "u", ghosts=2)
        self.flux = halo.Field(self.topology, "flux", centring=halo.CENTRE_FACES)
        self.parts = list(self.topology.local_parts())
        for field in (self.u, self.flux):
            for gid in self.parts:
                field.bind(gid, np.zeros(field.shape(gid)))
        self.ghosts, self.fluxes = halo.Exchange(self.u), halo.Exchange(self.flux, kind=halo.KIND_FLUXES)

    def destroy(self):
        for one in (self.ghosts, self.fluxes, self.u, self.flux, self.topology):
            one.destroy()

    def width(self, gid):
        """Of a cell."""
        return 1 / (ROOTS * CELLS * 2 ** self.forest.leaves[gid].level)

    def own(self, gid):
        return self.u.array(gid)[self.u.owned(gid)]

    def total(self):
        return sum(self.own(gid).sum() * self.width(gid) ** 2 for gid in self.parts)

    def marks(self):
        """Of all leaves, known to all ranks."""
        marks = np.zeros(len(self.forest.leaves), np.int32)
        for gid in self.parts:
            steep = np.ptp(self.own(gid)) > 0.1
            level = self.forest.leaves[gid].level
            marks[gid] = (halo.MARK_REFINE if level < DEEPEST else halo.MARK_KEEP) if steep else halo.MARK_COARSEN
        return self.topology.context.allreduce(marks)


def hill(blocks):
    for gid in blocks.parts:
        low, width = blocks.topology.part(gid).cells.low, blocks.width(gid)
        x, y = ((low[d] + np.arange(CELLS) + 0.5) * width - 0.3 for d in (0, 1))
        blocks.own(gid)[:] = np.exp(-100 * (x[np.newaxis, :] ** 2 + y[:, np.newaxis] ** 2))


def through_faces(u, courant, axis):
    """What goes upwards through each face of a block, with limited slopes; `u` has two ghosts on each side along the axis, and none along the other."""
    u = np.moveaxis(u, axis, 0)
    below, here, above = (u[k:k + CELLS + 1] for k in range(3))
    left, right = here - below, above - here
    slope = np.where(left * right > 0, np.where(abs(left) < abs(right), left, right), 0.0)
    return np.moveaxis(here + 0.5 * (1 - courant) * slope, 0, axis)


def step(blocks):
    blocks.ghosts.run()
    inner, whole = slice(2, -2), slice(None)
    for gid in blocks.parts:
        u, flux, rate = blocks.u.array(gid), blocks.flux.array(gid), TIME_STEP / blocks.width(gid)
        flux[0, :CELLS, :] = VELOCITY[0] * through_faces(u[inner, whole], VELOCITY[0] * rate, AXES["x"])
        flux[1, :, :CELLS] = VELOCITY[1] * through_faces(u[whole, inner], VELOCITY[1] * rate, AXES["y"])
    blocks.fluxes.run()  # what leaves a finer block arrives in the coarser one
    for gid in blocks.parts:
        (x, y), rate = blocks.flux.array(gid), TIME_STEP / blocks.width(gid)
        blocks.own(gid)[:] -= rate * (np.diff(x[:CELLS], axis=AXES["x"]) + np.diff(y[:, :CELLS], axis=AXES["y"]))


def moved(context, blocks):
    """The same hill on blocks that fit it."""
    blocks.ghosts.run()  # which the transfer reads
    forest = halo.Forest(**FOREST, leaves=blocks.forest.leaves)
    forest.adapt(blocks.marks())
    new = Blocks(context, forest)
    with halo.Exchange.transfer([blocks.u], [new.u]) as transfer:
        transfer.run()
    blocks.destroy()
    return new


def draw(blocks, path):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(5, 5), layout="constrained")
    for gid in blocks.parts:
        low, side = blocks.topology.part(gid).cells.low, CELLS * blocks.width(gid)
        x, y = (low[d] * blocks.width(gid) for d in (0, 1))
        axes.imshow(blocks.own(gid), origin="lower", extent=(x, x + side, y, y + side), vmin=0, vmax=1, cmap="viridis")
        axes.add_patch(pyplot.Rectangle((x, y), side, side, fill=False, color="white", linewidth=0.4))
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="x", ylabel="y")
    figure.savefig(path, dpi=100)


with halo.Context() as context:
    blocks = Blocks(context, halo.Forest(level=1, **FOREST))
    for _ in range(DEEPEST):
        hill(blocks)
        blocks = moved(context, blocks)
    hill(blocks)
    before = context.allreduce(float(blocks.total()))
    for n in range(STEPS):
        step(blocks)
        if n % 8 == 7:
            blocks = moved(context, blocks)
    total = context.allreduce(float(blocks.total()))
    highest = context.allreduce(float(max((blocks.own(gid).max() for gid in blocks.parts), default=0.0)), halo.MAX)
    if context.rank == 0:
        print(f"{context.n_ranks} ranks, {len(blocks.forest.leaves)} blocks: total {before:.12f}, then {total:.12f}; highest {highest.hex()}")
    if len(sys.argv) > 1 and context.n_ranks == 1:
        draw(blocks, sys.argv[1])
    if not abs(total - before) < 1e-13 or not 0.5 < highest < 1:
        sys.exit("wrong")

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws what the two solvers have written: depth and a tracer of the shallow water, and the solution on the mesh of triangles.

    fortran_shallow_water --inproc 4 --write water.csv && fortran_conjugate_gradients --inproc 4 --write nodes.csv

usage: draw.py WATER.csv NODES.csv PICTURE.png
"""
import sys

import matplotlib
import numpy

matplotlib.use("Agg")
from matplotlib import pyplot

BLOCKS = 4  # in a direction
RANKS = ["#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f"]


def table(path):
    return numpy.genfromtxt(path, delimiter=",", names=True)


def draw_cells(figure, axes, water, name, title):
    side = int(numpy.sqrt(len(water)))
    image = axes.imshow(water[name].reshape(side, side), origin="lower", extent=(0, 1, 0, 1), cmap="viridis")
    for line in range(1, BLOCKS):
        axes.axhline(line / BLOCKS, color="white", linewidth=0.6)
        axes.axvline(line / BLOCKS, color="white", linewidth=0.6)
    axes.set_title(title)
    figure.colorbar(image, ax=axes, shrink=0.8)


def draw_mesh(figure, axes, nodes):
    side = int(numpy.sqrt(len(nodes)))
    first = (numpy.arange(side - 1)[:, None] * side + numpy.arange(side - 1)).ravel()
    triangles = numpy.concatenate([numpy.stack([first, first + 1, first + side + 1], 1), numpy.stack([first, first + side + 1, first + side], 1)])
    image = axes.tricontourf(nodes["x"], nodes["y"], triangles, nodes["value"], levels=16, cmap="viridis")
    for rank in range(int(nodes["rank"].max()) + 1):
        mine = triangles[(nodes["rank"][triangles] == rank).any(axis=1)]
        axes.triplot(nodes["x"], nodes["y"], mine, color=RANKS[rank % len(RANKS)], linewidth=0.5)
    axes.set(title="$-\\Delta u = 1$, nodes by rank", aspect="equal", xlim=(0, 1), ylim=(0, 1))
    figure.colorbar(image, ax=axes, shrink=0.8)


def main(water, nodes, picture):
    figure, axes = pyplot.subplots(1, 3, figsize=(13.5, 4.2), layout="constrained")
    draw_cells(figure, axes[0], table(water), "depth", "Depth, blocks of 12 x 12 cells")
    draw_cells(figure, axes[1], table(water), "first_tracer", "First tracer")
    draw_mesh(figure, axes[2], table(nodes))
    figure.savefig(picture, dpi=110)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])

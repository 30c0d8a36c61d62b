#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the cells that `adaptive --cells` has written, with the outlines of blocks: density, and tracers with the blocks in which they are stored.

usage: draw.py CELLS.csv PICTURE.png
"""
import csv
import sys

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot
from matplotlib.collections import PatchCollection
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

CELLS_OF_BLOCK = 8
TRACERS = ["#ff8c1a", "#d81b7a", "#2f9e44", "#1c7ed6", "#7048e8"]


def block_of(row):
    return int(row["x"] / row["width"]) // CELLS_OF_BLOCK, int(row["y"] / row["width"]) // CELLS_OF_BLOCK, row["width"]


def outlines(axes, blocks, **style):
    patches = [Rectangle((x * CELLS_OF_BLOCK * h, y * CELLS_OF_BLOCK * h), CELLS_OF_BLOCK * h, CELLS_OF_BLOCK * h) for x, y, h in blocks]
    axes.add_collection(PatchCollection(patches, facecolor=style.pop("facecolor", "none"), **style))


def squares(rows):
    return [Rectangle((row["x"], row["y"]), row["width"], row["width"]) for row in rows]


def draw_density(axes, rows, blocks):
    cells = PatchCollection(squares(rows), cmap="magma", linewidth=0)
    cells.set_array([row["density"] for row in rows])
    axes.add_collection(cells)
    outlines(axes, blocks, edgecolor="white", linewidth=0.4)
    axes.set_title(f"Density, {len(blocks)} blocks of {CELLS_OF_BLOCK} x {CELLS_OF_BLOCK} cells")
    axes.figure.colorbar(cells, ax=axes, shrink=0.85)


def draw_tracers(axes, rows, blocks):
    """Each in its colour, the darker the more of it there is; blocks where it is stored are tinted."""
    outlines(axes, blocks, edgecolor="#bbbbbb", linewidth=0.4)
    stored = 0
    for tracer in range(len(rows[0]["tracers"])):
        colour = TRACERS[tracer % len(TRACERS)]
        there = [row for row in rows if row["tracers"][tracer] is not None]
        some = [row for row in there if row["tracers"][tracer] > 0]
        tinted = {block_of(row) for row in there}
        stored += len(tinted)
        outlines(axes, tinted, facecolor=(*to_rgb(colour), 0.12), edgecolor=colour, linewidth=0.8)
        alphas = [(*to_rgb(colour), min(1, 0.1 + 0.9 * row["tracers"][tracer])) for row in some]
        axes.add_collection(PatchCollection(squares(some), facecolor=alphas, linewidth=0))
    share = 100 * stored / (len(blocks) * len(rows[0]["tracers"]))
    axes.set_title(f"{len(rows[0]['tracers'])} tracers: storage in {share:.1f} % of the blocks")


def main(source, picture):
    with open(source, newline="") as file:
        rows = []
        for row in csv.DictReader(file):
            cell = {name: float(row[name]) for name in ("x", "y", "width", "density")}
            cell["tracers"] = [None if text == "-" else float(text) for text in row["tracers"].split()]
            rows.append(cell)
    blocks = {block_of(row) for row in rows}
    has_tracers = len(rows[0]["tracers"]) > 0
    figure, axes = pyplot.subplots(1, 2 if has_tracers else 1, figsize=(13 if has_tracers else 7, 6.2), squeeze=False)
    draw_density(axes[0][0], rows, blocks)
    if has_tracers:
        draw_tracers(axes[0][1], rows, blocks)
    for one in axes[0]:
        one.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    figure.tight_layout()
    figure.savefig(picture, dpi=110)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])

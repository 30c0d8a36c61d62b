#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the density of the cells that `adaptive --cells` has written, with the outlines of blocks.

usage: draw.py CELLS.csv PICTURE.png
"""
import csv
import sys

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot
from matplotlib.collections import PatchCollection
from matplotlib.patches import Rectangle

CELLS_OF_BLOCK = 8


def main(source, picture):
    with open(source, newline="") as file:
        rows = [{name: float(text) for name, text in row.items()} for row in csv.DictReader(file)]
    figure, axes = pyplot.subplots(figsize=(7, 6.2))
    cells = PatchCollection([Rectangle((row["x"], row["y"]), row["width"], row["width"]) for row in rows], cmap="magma", linewidth=0)
    cells.set_array([row["density"] for row in rows])
    axes.add_collection(cells)
    blocks = {(int(row["x"] / row["width"]) // CELLS_OF_BLOCK, int(row["y"] / row["width"]) // CELLS_OF_BLOCK, row["width"]) for row in rows}
    outlines = [Rectangle((x * CELLS_OF_BLOCK * h, y * CELLS_OF_BLOCK * h), CELLS_OF_BLOCK * h, CELLS_OF_BLOCK * h) for x, y, h in blocks]
    axes.add_collection(PatchCollection(outlines, facecolor="none", edgecolor="white", linewidth=0.4))
    axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", title=f"Density, {len(blocks)} blocks of {CELLS_OF_BLOCK} x {CELLS_OF_BLOCK} cells")
    figure.colorbar(cells, ax=axes, shrink=0.85)
    figure.tight_layout()
    figure.savefig(picture, dpi=130)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])

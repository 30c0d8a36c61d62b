#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draw what `euler --results` wrote: the shock tubes in one panel with the exact solution, each blast wave in its own. Needs matplotlib.

usage: draw.py RESULTS.json PICTURE
"""
import json
import sys

import matplotlib

matplotlib.use("Agg")
import numpy  # noqa: E402
from matplotlib import pyplot  # noqa: E402
from matplotlib.colors import ListedColormap, to_rgb  # noqa: E402

TRACERS = ["#ff8c1a", "#ed3899", "#5ccc4d", "#fcdb26"]
TUBES = ["#e0781a", "#1a73b3", "#4d9940"]
EDGES = [0.02, 0.3]  # concentrations at which a tracer gets a line


def draw_tubes(axes, tubes):
    exact = tubes[0]["exact"]
    axes.plot((numpy.arange(len(exact)) + 0.5) / len(exact), exact, color="#222222", linewidth=1.2, label="exact")
    for tube, colour, size in zip(tubes, TUBES, (4, 2.5, 1.5)):
        density = tube["profile"]
        axes.plot((numpy.arange(len(density)) + 0.5) / len(density), density, "o", color=colour, markersize=size,
                  label=f"{len(density)} cells, L1 error {tube['density_error']:.4f}")
    axes.set(title=f"Sod shock tube: density at time {tubes[0]['time']:.2f}", xlabel="x", xlim=(0, 1), ylim=(0, 1.1))
    axes.set_box_aspect(1)
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.legend(frameon=False)


def draw_blast(axes, blast):
    """Density as a colour map; tracers as veils with lines; in each block a square for each tracer that has storage there."""
    nx, ny = blast["cells"]
    density = numpy.array(blast["density"]).reshape(ny, nx)
    place = {"origin": "lower", "extent": (0, 1, 0, 1), "interpolation": "bilinear"}
    image = axes.imshow(density, cmap="bone", **place)
    centres = (numpy.arange(nx) + 0.5) / nx, (numpy.arange(ny) + 0.5) / ny
    for tracer, colour in zip(blast["tracers"], TRACERS):
        share = numpy.array(tracer).reshape(ny, nx) / density
        axes.imshow(share, cmap=ListedColormap([(*to_rgb(colour), alpha) for alpha in numpy.linspace(0, 0.85, 64)]), vmin=0, vmax=0.7, **place)
        axes.contour(*centres, share, levels=EDGES, colors=colour, linewidths=0.8)
    n_x, n_y = blast["blocks"]
    axes.vlines(numpy.arange(1, n_x) / n_x, 0, 1, color="#6b8599", linewidth=0.4)
    axes.hlines(numpy.arange(1, n_y) / n_y, 0, 1, color="#6b8599", linewidth=0.4)
    for number, (stored, colour) in enumerate(zip(blast["tracer_blocks"], TRACERS)):
        j, i = numpy.nonzero(numpy.array(stored).reshape(n_y, n_x))
        axes.plot((i + 0.17 + 0.2 * number) / n_x, (j + 0.83) / n_y, "s", color=colour, markersize=3, label="stored here" if number == 0 else None)
    axes.set(title=f"Blast wave: density and tracers at time {blast['time']:.2f}", xlim=(0, 1), ylim=(0, 1))
    axes.figure.colorbar(image, ax=axes, label="density", shrink=0.8)
    axes.set_xlabel("squares: blocks where a tracer is stored")


def main():
    results, picture = sys.argv[1:]
    with open(results, encoding="utf-8") as file:
        outcomes = json.load(file)
    tubes = [outcome for outcome in outcomes if outcome["problem"] == "sod"]
    blasts = [outcome for outcome in outcomes if outcome["problem"] != "sod"]
    n = len(blasts) + bool(tubes)
    figure, panels = pyplot.subplots(1, n, figsize=(6.4 * n, 6), squeeze=False, layout="constrained")
    if tubes:
        draw_tubes(panels[0][0], tubes)
    for axes, blast in zip(panels[0][bool(tubes):], blasts):
        draw_blast(axes, blast)
    figure.savefig(picture, dpi=110)


if __name__ == "__main__":
    main()

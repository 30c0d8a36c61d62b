#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draw what `shallow --picture PREFIX` wrote, seen from afar: which rank has which cells, and how deep the water is. Needs matplotlib.

usage: draw.py PREFIX PICTURE
"""
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import numpy  # noqa: E402
from matplotlib import pyplot  # noqa: E402
from matplotlib.cm import ScalarMappable  # noqa: E402
from matplotlib.collections import PolyCollection  # noqa: E402

RANKS = ["#66adda", "#fabd5c", "#8fcc80", "#e68a94", "#b39edb", "#d1d170"]
LATITUDE, LONGITUDE = numpy.radians(35), numpy.radians(20)  # of the viewer


def read_cells(prefix):
    """Rank and depth of each cell, and the corners of its polygon."""
    files = sorted(prefix.parent.glob(f"{prefix.name}_*.txt"))
    if not files:
        sys.exit(f"{prefix}_*.txt: no such files")
    rows = [numpy.array(line.split(), dtype=float) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    return numpy.array([row[0] for row in rows], dtype=int), numpy.array([row[1] for row in rows]), [row[2:].reshape(-1, 3) for row in rows]


def show(axes, corners, colours, edges):
    """The half that looks to the viewer, darker towards its rim."""
    towards = numpy.array([numpy.cos(LATITUDE) * numpy.cos(LONGITUDE), numpy.cos(LATITUDE) * numpy.sin(LONGITUDE), numpy.sin(LATITUDE)])
    right = numpy.array([-numpy.sin(LONGITUDE), numpy.cos(LONGITUDE), 0])
    up = numpy.cross(towards, right)
    facing = numpy.array([polygon.mean(axis=0) @ towards for polygon in corners])
    seen = facing > 0
    polygons = [numpy.column_stack([polygon @ right, polygon @ up]) for polygon, is_seen in zip(corners, seen) if is_seen]
    shaded = colours[seen].copy()
    shaded[:, :3] *= (0.65 + 0.35 * numpy.sqrt(facing[seen]))[:, None]
    axes.add_collection(PolyCollection(polygons, facecolors=shaded, edgecolors="#333333" if edges else shaded, linewidths=0.2 if edges else 0.4))
    axes.set(xlim=(-1.02, 1.02), ylim=(-1.02, 1.02), aspect="equal")
    axes.axis("off")


def main():
    prefix, picture = Path(sys.argv[1]), sys.argv[2]
    ranks, depth, corners = read_cells(prefix)
    figure, (parts, water) = pyplot.subplots(1, 2, figsize=(11, 5.6), layout="constrained")
    palette = numpy.array([matplotlib.colors.to_rgba(colour) for colour in RANKS])
    show(parts, corners, palette[ranks % len(RANKS)], edges=True)
    parts.set_title(f"{len(depth)} cells on {ranks.max() + 1} ranks")
    colours = ScalarMappable(pyplot.Normalize(depth.min(), depth.max()), "RdYlBu_r")
    show(water, corners, colours.to_rgba(depth), edges=False)
    water.set_title("Depth of a Rossby-Haurwitz wave, m")
    figure.colorbar(colours, ax=water, shrink=0.7, pad=0.02)
    figure.savefig(picture, dpi=80)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: BSD-3-Clause
"""Polygons on the sphere, as programs write them line by line: a whole number, a value, then the corners. Needs matplotlib."""
import sys

import matplotlib

matplotlib.use("Agg")
import numpy  # noqa: E402
from matplotlib import pyplot  # noqa: E402
from matplotlib.collections import PolyCollection  # noqa: E402

__all__ = ["colour", "pyplot", "read_cells", "show"]

colour = matplotlib.colors.to_rgba


def read_cells(prefix):
    """The number and the value of each cell in the files PREFIX_*.txt, and the corners of its polygon."""
    files = sorted(prefix.parent.glob(f"{prefix.name}_*.txt"))
    if not files:
        sys.exit(f"{prefix}_*.txt: no such files")
    rows = [numpy.array(line.split(), dtype=float) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    return numpy.array([row[0] for row in rows], dtype=int), numpy.array([row[1] for row in rows]), [row[2:].reshape(-1, 3) for row in rows]


def show(axes, corners, colours, edges, towards):
    """The half that looks to the viewer, who is far away in the direction `towards`; darker towards its rim."""
    towards = towards / numpy.linalg.norm(towards)
    right = numpy.cross([0, 0, 1], towards)
    right /= numpy.linalg.norm(right)
    up = numpy.cross(towards, right)
    facing = numpy.array([polygon.mean(axis=0) @ towards for polygon in corners])
    seen = facing > 0
    polygons = [numpy.column_stack([polygon @ right, polygon @ up]) for polygon, is_seen in zip(corners, seen) if is_seen]
    shaded = colours[seen].copy()
    shaded[:, :3] *= (0.65 + 0.35 * numpy.sqrt(facing[seen]))[:, None]
    axes.add_collection(PolyCollection(polygons, facecolors=shaded, edgecolors="#333333" if edges else shaded, linewidths=0.2 if edges else 0.4))
    axes.set(xlim=(-1.02, 1.02), ylim=(-1.02, 1.02), aspect="equal")
    axes.axis("off")

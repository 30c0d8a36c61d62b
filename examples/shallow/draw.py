#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draw what `shallow --picture PREFIX` wrote, seen from afar: which rank has which cells, and how deep the water is. Needs matplotlib.

usage: draw.py PREFIX PICTURE
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "shared"))
import numpy  # noqa: E402
from matplotlib.cm import ScalarMappable  # noqa: E402
from sphere_picture import colour, pyplot, read_cells, show  # noqa: E402

RANKS = ["#66adda", "#fabd5c", "#8fcc80", "#e68a94", "#b39edb", "#d1d170"]
TOWARDS = numpy.array([0.77, 0.28, 0.57])  # the viewer


def main():
    prefix, picture = Path(sys.argv[1]), sys.argv[2]
    ranks, depth, corners = read_cells(prefix)
    figure, (parts, water) = pyplot.subplots(1, 2, figsize=(11, 5.6), layout="constrained")
    show(parts, corners, numpy.array([colour(RANKS[rank % len(RANKS)]) for rank in ranks]), True, TOWARDS)
    parts.set_title(f"{len(depth)} cells on {ranks.max() + 1} ranks")
    colours = ScalarMappable(pyplot.Normalize(depth.min(), depth.max()), "RdYlBu_r")
    show(water, corners, colours.to_rgba(depth), False, TOWARDS)
    water.set_title("Depth of a Rossby-Haurwitz wave, m")
    figure.colorbar(colours, ax=water, shrink=0.7, pad=0.02)
    figure.savefig(picture, dpi=80)


if __name__ == "__main__":
    main()

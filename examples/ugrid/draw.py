#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draw what `ugrid --picture PREFIX` wrote, one sphere for each prefix: the faces of rank 0, and its ghosts ring by ring. Needs matplotlib.

usage: draw.py PICTURE PREFIX...
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "shared"))
import numpy  # noqa: E402
from sphere_picture import colour, pyplot, read_cells, show  # noqa: E402

OWN, REST = "#66adda", "#eeeeee"
RINGS = ["#cc4d1f", "#fabd5c", "#8fcc80", "#b39edb", "#d1d170"]


def main():
    picture, prefixes = sys.argv[1], [Path(text) for text in sys.argv[2:]]
    figure, axes = pyplot.subplots(1, len(prefixes), figsize=(5.6 * len(prefixes), 5.6), layout="constrained", squeeze=False)
    for place, prefix in zip(axes[0], prefixes):
        rings, _, corners = read_cells(prefix)
        colours = numpy.array([colour(REST if ring < 0 else OWN if ring == 0 else RINGS[(ring - 1) % len(RINGS)]) for ring in rings])
        middle = numpy.mean([polygon.mean(axis=0) for polygon, ring in zip(corners, rings) if ring == 0], axis=0)
        show(place, corners, colours, True, middle)
        place.set_title(f"{(rings == 0).sum()} own faces, {(rings > 0).sum()} ghosts in {rings.max()} rings")
    figure.savefig(picture, dpi=80)


if __name__ == "__main__":
    main()

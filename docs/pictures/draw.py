#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The pictures of docs/concepts.md and docs/sphere.md, from tables.txt beside this file, which is what examples/concepts prints. Needs matplotlib.

usage: draw.py [--png] [FOLDER]      SVG into this folder, or as said
"""
import hashlib
import re
import sys
from pathlib import Path

import matplotlib
import numpy

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402
from matplotlib.patches import Polygon, Rectangle  # noqa: E402

HERE = Path(__file__).parent
PARTS = ["#7fb3d5", "#f5b971", "#8fce9b", "#e39a9a", "#b9a3d6", "#d3c27a"]
SECTIONS = ["#7fb3d5", "#8fce9b", "#f5b971", "#eeeeee"]
RINGS = ["#7fb3d5", "#f5b971", "#f8d9ae", "#fbeedb"]  # owned, then rings of ghosts
OUTSIDE = "#f4f4f4"
INK = "#333333"


def tables(path):
    """Lines of each chapter as (word, numbers)."""
    chapters = {}
    for line in path.read_text().splitlines():
        if re.fullmatch(r"[a-z]+", line):
            chapter = chapters[line] = []
        else:
            chapter.append((line.split()[0].rstrip(":"), [int(n) for n in re.findall(r"-?\d+", line)], line))
    return chapters


def numbers(chapter, word):
    return [found for name, found, _ in chapter if name == word]


def cell(axes, x, y, colour, text="", ghost=False, size=7):
    axes.add_patch(Rectangle((x, y), 1, 1, facecolor=colour, edgecolor="white" if not ghost else INK, linewidth=0.8,
                             linestyle="-" if not ghost else (0, (2, 2)), alpha=0.75 if ghost else 1))
    if text:
        axes.text(x + 0.5, y + 0.5, text, ha="center", va="center", fontsize=size, color=INK)


def frame(axes, x, y, width, height, line=1.6):
    axes.add_patch(Rectangle((x, y), width, height, fill=False, edgecolor=INK, linewidth=line))


def arrow(axes, tip, tail, **style):
    axes.annotate("", tip, tail, arrowprops={"arrowstyle": "-|>", "color": INK, "shrinkA": 0, "shrinkB": 0, **style})


def panels(n, width, height, **ratios):
    figure, axes = pyplot.subplots(1, n, figsize=(width, height), layout="constrained", **ratios)
    for one in axes if n > 1 else [axes]:
        one.set_aspect("equal")
        one.axis("off")
    return figure, axes


def draw_parts(rows):
    figure, (left, right) = panels(2, 8.6, 3.0, gridspec_kw={"width_ratios": [1.75, 1]})
    for gid, rank, x0, y0, x1, y1 in numbers(rows, "part"):
        lift = 0.7 * rank
        for x in range(x0, x1):
            for y in range(y0, y1):
                cell(left, x, y + lift, PARTS[gid])
        frame(left, x0, y0 + lift, x1 - x0, y1 - y0)
        left.text((x0 + x1) / 2, (y0 + y1) / 2 + lift, f"part {gid}", ha="center", va="center", fontsize=10)
        if x0 == 0:
            left.text(-0.4, (y0 + y1) / 2 + lift, f"rank {rank}", ha="right", va="center", fontsize=10)
    left.set_title("parts, and the ranks that own them", fontsize=10)
    mine = 1
    for _, x, y in (row for row in numbers(rows, "cell") if row[0] == mine):
        cell(right, x, y, PARTS[mine])
    for _, x, y, sender, _, _ in (row for row in numbers(rows, "ghost") if row[0] == mine):
        cell(right, x, y, PARTS[sender], str(sender), ghost=True, size=9)
    for _, x, y in (row for row in numbers(rows, "outside") if row[0] == mine):
        cell(right, x, y, OUTSIDE, ghost=True)
    _, _, x0, y0, x1, y1 = next(row for row in numbers(rows, "part") if row[0] == mine)
    width, height = x1 - x0, y1 - y0
    frame(right, 0, 0, width, height)
    right.text(width / 2, height / 2, f"part {mine}", ha="center", va="center", fontsize=10)
    spread = {-1: lambda n: -1.5, 0: lambda n: n / 2, 1: lambda n: n + 1.5}
    for row in [*numbers(rows, "neighbour"), *numbers(rows, "boundary")]:
        if row[0] == mine:
            x, y = row[1] % 3 - 1, row[1] // 3 % 3 - 1
            right.text(spread[x](width), spread[y](height), str(row[1]), ha="center", va="center", fontsize=9, color="#b03030")
    right.set_xlim(-2, width + 2)
    right.set_ylim(-2, height + 2)
    left.set_xlim(-2.6, 12.2)
    left.set_ylim(-0.1, 6.9)
    right.set_title("part 1: ghosts from whom, and elements", fontsize=10)
    return figure


def draw_join(rows):
    figure, axes = panels(1, 7, 2.5)
    extents = {row[0]: (row[4], row[5]) for row in numbers(rows, "part")}
    apart = 3.6  # room for the ghosts of both
    place = {0: lambda x, y: (x, y), 1: lambda x, y: (extents[0][0] + apart + y, extents[0][1] - 1 - x)}
    for gid, x, y in numbers(rows, "cell"):
        cell(axes, *place[gid](x, y), PARTS[gid], f"{x},{y}")
    for gid, x, y, sender, from_x, from_y in numbers(rows, "ghost"):
        cell(axes, *place[gid](x, y), PARTS[sender], f"{from_x},{from_y}", ghost=True)
    frame(axes, 0, 0, *extents[0])
    frame(axes, extents[0][0] + apart, 0, extents[1][1], extents[1][0])
    middle = extents[0][0] + apart / 2
    for gid, x in ((0, 2), (1, middle + apart / 2 + 2)):
        axes.text(x, extents[0][1] + 0.35, f"part {gid}", ha="center", fontsize=10)
    axes.text(extents[0][0] + 0.5, extents[0][1] + 0.35, "its ghosts", ha="center", fontsize=8)
    axes.text(middle + apart / 2 - 0.5, extents[0][1] + 0.35, "its ghosts", ha="center", fontsize=8)
    axes_of_parts = (((-0.5, -0.6), {"x": (1.2, 0), "y": (0, 1.2)}), ((extents[0][0] + apart + extents[1][1] + 0.5, extents[0][1]), {"y": (1.2, 0), "x": (0, -1.2)}))
    for corner, directions in axes_of_parts:
        for name, (dx, dy) in directions.items():
            arrow(axes, (corner[0] + dx, corner[1] + dy), corner)
            axes.text(corner[0] + 1.25 * dx, corner[1] + 1.25 * dy, name, ha="center", va="center", fontsize=9)
    axes.set_xlim(-1.2, 13.9)
    axes.set_ylim(-1.1, 3.9)
    return figure


def draw_rounds(rows):
    """Block 4 in the middle of 3 by 3; what it hears in each round."""
    figure, axes = panels(3, 8.6, 3.0)
    figure.get_layout_engine().set(wspace=0.12)
    heard, names = [], []
    for word, found, line in rows:
        if word == "exchange":
            heard.append([])
            names.append(line)
        elif word == "from":
            heard[-1].append((found[0], found[2]))
    titles = ["direct: one round, 8 messages", "sweeps, round 1: along x", "sweeps, round 2: along y"]
    if len(heard) != 3 or len(heard[0]) != 8 or "direction 0" not in names[1] or "direction 1" not in names[2]:
        raise SystemExit(f"not the rounds that the picture tells of: {names}")
    side, apart = 3, 2.4
    step = side + apart
    for panel, messages, title in zip(axes, heard, titles):
        along_y = "along y" in title
        for gid in range(9):
            x, y = (gid % 3) * step, (gid // 3) * step
            talks = gid == 4 or gid in [rank for rank, _ in messages]
            panel.add_patch(Rectangle((x, y), side, side, facecolor=PARTS[0] if gid == 4 else PARTS[1] if talks else "#eeeeee", edgecolor=INK, linewidth=1))
            panel.text(x + side / 2, y + side / 2, str(gid), ha="center", va="center", fontsize=10)
        for rank, size in messages:
            dx, dy = rank % 3 - 1, rank // 3 - 1
            wide = along_y  # corners ride along
            x0 = step + (-1 if dx < 0 or (dx == 0 and wide) else side if dx > 0 else 0)
            y0 = step + (-1 if dy < 0 else side if dy > 0 else 0)
            n_x = side + 2 if dx == 0 and wide else side if dx == 0 else 1
            n_y = side if dy == 0 else 1
            if size != 8 * n_x * n_y:
                raise SystemExit(f"rank {rank} sends {size} bytes, the picture shows {n_x} by {n_y} ghosts")
            for i in range(n_x):
                for j in range(n_y):
                    cell(panel, x0 + i, y0 + j, PARTS[1], ghost=True)
            tail = (step + side / 2 + dx * (side / 2 + apart), step + side / 2 + dy * (side / 2 + apart))
            tip = (step + side / 2 + dx * (side / 2 + 0.6), step + side / 2 + dy * (side / 2 + 0.6))
            arrow(panel, tip, tail, linewidth=1.2)
        if along_y:  # filled in round 1
            for x0 in (step - 1, step + side):
                for j in range(side):
                    cell(panel, x0, step + j, "#f7dfbf", ghost=True)
        panel.set_xlim(-0.4, 3 * side + 2 * apart + 0.4)
        panel.set_ylim(-0.4, 3 * side + 2 * apart + 0.4)
        panel.set_title(title, fontsize=10)
    return figure


def draw_sections(rows):
    figure, axes = panels(1, 7, 2.5)
    cells, nodes = numbers(rows, "cell"), numbers(rows, "node")
    names = ["core", "owned", "exec", "non-exec"]
    owner_of = {(x, y): owner for x, y, owner, _ in cells}
    for x, y, _, section in cells:
        cell(axes, x, y, SECTIONS[section], names[section], size=8)
    for (x, y), owner in owner_of.items():
        if owner == 0 and owner_of.get((x + 1, y)) == 1:
            axes.plot([x + 1, x + 1], [y, y + 1], color=INK, linewidth=2.5)
        if owner_of.get((x, y + 1), owner) != owner:
            axes.plot([x, x + 1], [y + 1, y + 1], color=INK, linewidth=2.5)
    for x, y, owner, _ in nodes:
        axes.plot([x], [y], marker="o", markersize=7, markerfacecolor="#1f4e79" if owner == 0 else "white", markeredgecolor=INK, linestyle="")
    right = max(x for x, *_ in nodes)
    for line, (marker, text) in enumerate((("#1f4e79", "node of rank 0"), ("white", "node of rank 1"))):
        axes.plot([right + 0.7], [2.4 - 0.6 * line], marker="o", markersize=7, markerfacecolor=marker, markeredgecolor=INK)
        axes.text(right + 0.95, 2.4 - 0.6 * line, text, va="center", fontsize=9)
    axes.plot([right + 0.55, right + 0.85], [1.2, 1.2], color=INK, linewidth=2.5)
    axes.text(right + 0.95, 1.2, "between the cells of 0 and 1", va="center", fontsize=9)
    axes.set_xlim(-0.3, right + 4)
    axes.set_ylim(-0.2, 3.2)
    return figure


def draw_rings(rows):
    """A part of an icosahedral grid from above: what it owns, and its ghosts."""
    kinds = {kind: [(found[0], numpy.array(found[1:], float).reshape(-1, 3)) for found in numbers(rows, kind)] for kind in ("cell", "edge", "vertex")}
    centre = sum(places.mean(axis=0) for ring, places in kinds["cell"] if ring == 0)
    centre /= numpy.linalg.norm(centre)
    east = numpy.cross((0, 0, 1), centre)
    east /= numpy.linalg.norm(east)
    onto = numpy.array((east, numpy.cross(centre, east))).T
    kinds = {kind: [(ring, places @ onto) for ring, places in entities] for kind, entities in kinds.items()}
    figure, axes = panels(3, 9.6, 3.4)
    for panel, (kind, entities), title in zip(axes, kinds.items(), ("cells", "edges", "vertices")):
        for _, places in kinds["cell"]:
            panel.add_patch(Polygon(places, facecolor="white", edgecolor="#dddddd", linewidth=0.6))
        for ring, places in reversed(entities):
            if kind == "cell":
                panel.add_patch(Polygon(places, facecolor=RINGS[ring], edgecolor="white", linewidth=0.8))
            elif kind == "edge":
                panel.plot(*places.T, color=RINGS[ring], linewidth=2.4, solid_capstyle="round")
            else:
                panel.plot(*places.T, color=RINGS[ring], marker="o", markersize=5.5, markeredgecolor=INK, markeredgewidth=0.4)
        counts = [sum(ring == found for found, _ in entities) for ring in range(len(RINGS))]
        panel.set_title(f"{title}: {counts[0]} owned, {counts[1]} + {counts[2]} + {counts[3]} ghosts", fontsize=9)
        panel.autoscale_view()
    return figure


def draw_paths(chapters):
    """What happens to the values of one edge, from the sender on the left to the receiver on the right."""
    figure, axes = panels(4, 9.6, 2.3)
    buffers = {"message": [2.9, 5.3], "slot": [4.1], "put": [], "get": []}
    steps = {"message": ["pack", "send", "unpack"], "slot": ["pack", "unpack"], "put": ["write"], "get": ["read, add"]}
    for panel, (path, places) in zip(axes, buffers.items()):
        (rank, n, landed), = numbers(chapters[path], "sender")
        if landed != (not places):
            raise SystemExit(f"{path}: not what the picture tells of: {chapters[path]}")
        stops = [0, *places, 8.2]
        sums = path == "get"
        for stop in stops:
            storage = stop in (0, 8.2)
            for y in range(n):
                cell(panel, stop, y, PARTS[1 - rank if sums and stop else rank], ghost=storage and (stop == 0) == sums)
            if not storage:
                frame(panel, stop, 0, 1, n, 1.2)
        if path == "slot":
            panel.add_patch(Rectangle((3.7, -0.4), 1.8, n + 0.8, fill=False, edgecolor=INK, linewidth=0.8, linestyle=(0, (1, 2))))
            panel.text(4.6, n + 0.65, "both see it", ha="center", fontsize=7)
        for begin, end, step in zip(stops, stops[1:], steps[path]):
            arrow(panel, (end - 0.12, n / 2), (begin + 1.12, n / 2), linewidth=1.2)
            panel.text((begin + 1 + end) / 2, n / 2 + 0.25, step, ha="center", fontsize=7)
        for x, who in ((0.5, rank), (8.7, 1 - rank)):
            panel.text(x, -0.75, f"rank {who}", ha="center", va="center", fontsize=8)
        panel.text(0.5, n + 0.2, "ghosts" if sums else "owned", ha="center", fontsize=7)
        panel.text(8.7, n + 0.2, "owned" if sums else "ghosts", ha="center", fontsize=7)
        panel.set_title(path, fontsize=10)
        panel.set_xlim(-0.7, 9.9)
        panel.set_ylim(-1.2, n + 1.2)
    return figure


def main():
    arguments = [word for word in sys.argv[1:] if word != "--png"]
    folder = Path(arguments[0]) if arguments else HERE
    text = HERE / "tables.txt"
    drawn_from = "tables.txt, sha256 " + hashlib.sha256(text.read_bytes()).hexdigest()
    chapters = tables(text)
    pyplot.rcParams.update({"svg.hashsalt": "halo", "svg.fonttype": "none", "font.family": "sans-serif"})
    for name, figure in (("parts", draw_parts(chapters["blocks"])), ("join", draw_join(chapters["join"])),
                         ("rounds", draw_rounds(chapters["rounds"])), ("sections", draw_sections(chapters["sections"])), ("rings", draw_rings(chapters["rings"])),
                         ("paths", draw_paths(chapters))):
        if "--png" in sys.argv:
            figure.savefig(folder / f"{name}.png", dpi=110)
        else:
            figure.savefig(folder / f"{name}.svg", metadata={"Date": None, "Creator": None, "Source": drawn_from})


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draw what `fem --vtk PREFIX` wrote: the first mesh with its parts, the solution on the last, the errors of all. Needs matplotlib.

usage: draw.py PREFIX PICTURE
"""
import json
import sys
import xml.etree.ElementTree as Xml
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import numpy  # noqa: E402
from matplotlib import pyplot  # noqa: E402
from matplotlib.cm import ScalarMappable  # noqa: E402
from matplotlib.collections import PolyCollection  # noqa: E402

RANKS = ["#66adda", "#fabd5c", "#8fcc80", "#e68a94", "#b39edb", "#d1d170"]
TYPES = {"Float64": "<f8", "Int64": "<i8", "Int32": "<i4", "UInt8": "u1"}

# The camera: axes of the picture, and towards the viewer; light from above.
RIGHTWARDS, UPWARDS = numpy.array([0.8660254, 0.5, 0]), numpy.array([-0.3213938, 0.5566704, 0.7660444])
TOWARDS, LIGHT = numpy.array([0.3830222, -0.6634139, 0.6427876]), numpy.array([-0.25, -0.45, 0.86])


def read_piece(path):
    """Arrays of a VTK file by name."""
    head, data = path.read_bytes().split(b'<AppendedData encoding="raw">\n_', 1)
    arrays = {}
    for array in Xml.fromstring(head + b"</VTKFile>").iter("DataArray"):
        offset = int(array.get("offset"))
        size = int.from_bytes(data[offset:offset + 8], "little")
        arrays[array.get("Name")] = numpy.frombuffer(data, TYPES[array.get("type")], size // numpy.dtype(TYPES[array.get("type")]).itemsize, offset + 8)
    return arrays


def read_mesh(prefix):
    """Positions, solution, corners and ranks of all pieces, points of borders once."""
    names = [piece.get("Source") for piece in Xml.parse(f"{prefix}.pvtu").iter("Piece")]
    pieces = [read_piece(prefix.parent / name) for name in names]
    starts = numpy.cumsum([0] + [len(piece["solution"]) for piece in pieces])
    positions = numpy.concatenate([piece["position"].reshape(-1, 3) for piece in pieces])
    corners = numpy.concatenate([piece["connectivity"].reshape(-1, 4) + start for piece, start in zip(pieces, starts)])
    _, first, number = numpy.unique(positions, axis=0, return_index=True, return_inverse=True)
    solution = numpy.concatenate([piece["solution"] for piece in pieces])
    return positions[first], solution[first], number.reshape(-1)[corners], numpy.concatenate([piece["rank"] for piece in pieces])


def surface(corners, ranks):
    """Faces that only one tetrahedron has, and its rank."""
    faces = numpy.sort(numpy.concatenate([numpy.delete(corners, across, axis=1) for across in range(4)]), axis=1)
    faces, first, count = numpy.unique(faces, axis=0, return_index=True, return_counts=True)
    return faces[count == 1], numpy.tile(ranks, 4)[first[count == 1]]


def show(axes, positions, faces, colours, edges):
    """Back to front, brighter where a face looks to the light."""
    points = positions[faces]
    normals = numpy.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    normals *= numpy.where(normals @ TOWARDS < 0, -1, 1)[:, None]
    light = 0.55 + 0.45 * numpy.maximum(0, normals @ LIGHT / numpy.linalg.norm(normals, axis=1))
    order = numpy.argsort((points @ TOWARDS).mean(axis=1))
    shaded = numpy.column_stack([colours[:, :3] * light[:, None], numpy.ones(len(faces))])[order]
    flat = numpy.stack([points @ RIGHTWARDS, points @ UPWARDS], axis=2)[order]
    axes.add_collection(PolyCollection(flat, facecolors=shaded, edgecolors="#222222" if edges else shaded, linewidths=0.25 if edges else 0.4))
    axes.autoscale_view()
    axes.set_aspect("equal")
    axes.axis("off")


def draw_parts(axes, prefix, meshes):
    positions, _, corners, ranks = read_mesh(prefix)
    faces, of_faces = surface(corners, ranks)
    palette = numpy.array([matplotlib.colors.to_rgba(colour) for colour in RANKS])
    show(axes, positions, faces, palette[of_faces % len(RANKS)], edges=True)
    axes.set_title(f"{meshes[0]['nodes']} nodes on {ranks.max() + 1} ranks")


def draw_solution(axes, prefix, meshes):
    positions, solution, corners, ranks = read_mesh(prefix)
    faces, _ = surface(corners, ranks)
    colours = ScalarMappable(pyplot.Normalize(solution.min(), solution.max()), "RdYlBu_r")
    show(axes, positions, faces, colours.to_rgba(solution[faces].mean(axis=1)), edges=False)
    axes.figure.colorbar(colours, ax=axes, orientation="horizontal", shrink=0.5, pad=0.02)
    axes.set_title(f"Solution with {meshes[-1]['nodes']} nodes")


def draw_errors(axes, meshes):
    size = numpy.array([mesh["tetrahedra"] for mesh in meshes]) ** (-1 / 3)
    error = numpy.array([mesh["error"] for mesh in meshes])
    axes.loglog(size, error[0] * (size / size[0]) ** 2, color="#999999", label="second order")
    axes.loglog(size, error, "o", color="#cc4d1f", label="L2 error")
    axes.set(title="Error over size of tetrahedra", xlabel="tetrahedra$^{-1/3}$")
    axes.set_xticks(size, [f"{one:.3f}" for one in size])
    axes.set_yticks(error, [f"{one:.1e}" for one in error])
    axes.minorticks_off()
    axes.grid(color="#dddddd", linewidth=0.5)
    axes.legend(frameon=False)
    axes.set_box_aspect(1)


def main():
    prefix, picture = Path(sys.argv[1]), sys.argv[2]
    meshes = json.loads(Path(f"{prefix}.json").read_text(encoding="utf-8"))
    figure, (parts, solution, errors) = pyplot.subplots(1, 3, figsize=(17, 5.6), layout="constrained", gridspec_kw={"width_ratios": [1.3, 1.3, 1]})
    draw_parts(parts, Path(f"{prefix}_first"), meshes)
    draw_solution(solution, prefix, meshes)
    draw_errors(errors, meshes)
    figure.savefig(picture, dpi=110)


if __name__ == "__main__":
    main()

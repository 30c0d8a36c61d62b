#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Run the solver on two ranks of one process and look into what it wrote: the arrays of the VTK files have the sizes that their heads promise, and the
pieces have as many tetrahedra as the mesh.

usage: check_output.py FEM DIRECTORY MESH...
"""
import json
import re
import struct
import subprocess
import sys
import xml.etree.ElementTree as Xml
from pathlib import Path

BYTES = {"Float64": 8, "Int64": 8, "Int32": 4, "UInt8": 1}


def sizes_of(path):
    """Number of points and cells of a piece, after checking every array."""
    head, data = path.read_bytes().split(b'<AppendedData encoding="raw">\n_', 1)
    root = Xml.fromstring(head + b"</VTKFile>")
    piece = root.find("UnstructuredGrid/Piece")
    points, cells = int(piece.get("NumberOfPoints")), int(piece.get("NumberOfCells"))
    expected = {"Points": points, "PointData": points, "CellData": cells}
    for section in piece:
        for array in section:
            n = {"connectivity": 4 * cells, "offsets": cells, "types": cells}.get(array.get("Name"), expected.get(section.tag))
            offset = int(array.get("offset"))
            (size,) = struct.unpack_from("<Q", data, offset)
            wanted = n * int(array.get("NumberOfComponents")) * BYTES[array.get("type")]
            assert size == wanted and offset + 8 + size <= len(data), (path, array.get("Name"), size, wanted)
            if array.get("Name") == "connectivity":
                corners = struct.unpack_from(f"<{n}q", data, offset + 8)
                assert set(corners) == set(range(points)), f"{path}: a point is in no tetrahedron, or there is no such point"
    return points, cells


def main():
    fem, directory, *meshes = sys.argv[1:]
    prefix = Path(directory) / "output"
    command = [fem, "--inproc", "2", "--vtk", str(prefix), *meshes]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    nodes, tetrahedra = map(int, re.findall(r"(\d+) nodes, (\d+) tetrahedra", text)[-1])
    names = [piece.get("Source") for piece in Xml.parse(f"{prefix}.pvtu").iter("Piece")]
    assert names == ["output_0.vtu", "output_1.vtu"], names
    sizes = [sizes_of(Path(directory) / name) for name in names]
    assert sum(cells for _, cells in sizes) == tetrahedra, (sizes, tetrahedra)
    assert sum(points for points, _ in sizes) > nodes, "nodes of the border are in both pieces"
    errors = json.loads(Path(f"{prefix}.json").read_text(encoding="utf-8"))
    assert len(errors) == len(meshes) and (errors[-1]["nodes"], errors[-1]["tetrahedra"]) == (nodes, tetrahedra), errors


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: BSD-3-Clause
"""Forests of refined blocks."""
from ._calls import run
from ._errors import ArgumentError, check
from ._field import Topology
from ._library import ffi, lib
from ._rows import Rows
from ._structs import list_of, struct


class Forest:
    """Trees, and a list of the leaves that cover them, the same on every rank: lists alone, in Python's memory. Keywords are the members of
    halo_forest_desc; without `leaves` these are all blocks of a level.

        forest = Forest(n_cells=(8, 8), trees=[{"n_roots": (4, 2)}], joins=[{"side": 1}])   # periodic along x
        marks = [halo.MARK_REFINE if ... else halo.MARK_COARSEN for leaf in forest.leaves]
        where_from = forest.adapt(marks)
        forest.place(context.n_ranks)
        topology = forest.topology(context)
    """

    def __init__(self, level=0, **desc):
        desc.setdefault("n_dims", len(desc.get("n_cells", ())))
        self._trees = desc
        if desc.get("leaves") is None:
            self.uniform(level)
        else:
            array, n, _ = list_of(desc["leaves"], "halo_leaf", "leaves")
            self.leaves = Rows("halo_leaf", array, n)
        self.owner = desc.get("owner")

    def desc(self):
        return {**self._trees, "leaves": self.leaves, "owner": self.owner}

    def uniform(self, level):
        """Makes the leaves all blocks of one level."""
        self.leaves, self.owner = run("halo_forest_uniform", {**self._trees, "leaves": None, "owner": None}, level)[0], None

    def adapt(self, marks=None):
        """Refines and coarsens as halo.MARK_... of each leaf say; without marks the list is only balanced and ordered. Where each new leaf comes from."""
        keep, n = [], ffi.new("int64_t *")
        known = struct("halo_forest_desc", {**self.desc(), "owner": None}, "forest", keep)
        marked = self._of_each(marks, "int32_t", "marks", keep)
        check(lib.halo_forest_adapt(known, marked, ffi.sizeof("halo_leaf"), ffi.NULL, ffi.NULL, 0, n), "halo_forest_adapt")
        leaves, where_from = ffi.new("halo_leaf[]", n[0]), ffi.new("int64_t[]", n[0])
        check(lib.halo_forest_adapt(known, marked, ffi.sizeof("halo_leaf"), leaves, where_from, n[0], n), "halo_forest_adapt")
        self.leaves, self.owner = Rows("halo_leaf", leaves, n[0]), None
        return memoryview(ffi.buffer(where_from)).cast("q")

    def place(self, n_ranks, weights=None):
        """Owners along the curve, by a weight of each leaf; they are kept for topology()."""
        keep, n = [], ffi.new("int64_t *")
        known = struct("halo_forest_desc", {**self.desc(), "owner": None}, "forest", keep)
        owner = ffi.new("int32_t[]", len(self.leaves))
        check(lib.halo_forest_place(known, self._of_each(weights, "double", "weights", keep), n_ranks, owner, len(owner), n), "halo_forest_place")
        self.owner = memoryview(ffi.buffer(owner)).cast("i")
        return self.owner

    def topology(self, context):
        return Topology.forest(context, **self.desc())

    def _of_each(self, values, base, what, keep):
        if values is None:
            return ffi.NULL
        pointer, n, kept = list_of(values, base, what)
        if n != len(self.leaves):
            raise ArgumentError(f"forest: {n} {what} for {len(self.leaves)} leaves")
        keep += [pointer, kept]
        return pointer

# SPDX-License-Identifier: BSD-3-Clause
"""Meshes made local, grids on the sphere, and stages of stencils."""
import math

from ._calls import copied
from ._errors import ArgumentError, check
from ._handles import Handle, handle_class
from ._interface import CONSTANTS
from ._library import ffi, lib
from ._memory import flat
from ._structs import initial, list_of, plain


def mesh_reach(k):
    """Section bit of ghosts within reach k: HALO_MESH_REACH, halo_mesh.h."""
    return 1 << (4 + k)


def sphere_width(begin, to):
    """Entries of a row of neighbours from one kind of entities to another: halo_sphere_width, halo_sphere.h."""
    vertices, cells, edges = (CONSTANTS[f"HALO_SPHERE_{name}"] for name in ("VERTICES", "CELLS", "EDGES"))
    return 6 if begin == vertices else 3 if begin == cells else 4 if to == edges else 2


@handle_class
class Mesh(Handle):
    """Sets and maps that ranks bring; keywords are the members of halo_mesh_desc."""
    C_TYPE = "halo_mesh"

    def __init__(self, context, **desc):
        sets = desc.get("sets", ())
        self._brought = [_count(one.get("keys")) for one in sets]
        for i, one in enumerate(desc.get("maps", ())):
            n, wanted = _count(one.get("keys")), one.get("arity", 1) * self._brought[one.get("from", 0)]
            if n != wanted:
                raise ArgumentError(f"maps[{i}].keys: {n} entries; of arity {one.get('arity', 1)} there must be {wanted}")
        self._take("halo_mesh_create", context, desc)
        self._keep = []

    def local(self, set):
        result = initial("halo_mesh_local")
        check(lib.halo_mesh_get_local(self.pointer, set, result), "halo_mesh_get_local")
        return _with_lists(result, layer_ends=result.depth + 1, reach_ends=result.depth + 1, keys=result.n, owners=result.n)

    def distribute(self, set, brought, local):
        """Values in the order of the set's keys to those by local index: arrays whose first axis is the entities."""
        brought, local, size = self._values(set, brought, local, (False, True))
        check(lib.halo_mesh_distribute(self.pointer, set, brought, local, size), "halo_mesh_distribute")

    def collect(self, set, local, brought):
        """The way back."""
        brought, local, size = self._values(set, brought, local, (True, False))
        check(lib.halo_mesh_collect(self.pointer, set, local, brought, size), "halo_mesh_collect")

    def _values(self, set, brought, local, writable):
        """Pointers of both, and the bytes of an entity."""
        brought, local = flat(brought, "mesh: brought", writable=writable[0]), flat(local, "mesh: local", writable=writable[1])
        sizes = [memory.size * math.prod(memory.shape[1:]) for memory in (brought, local)]
        for memory, n in ((brought, self._brought[set]), (local, self.local(set).n)):
            if not memory.shape or memory.shape[0] != n:
                raise ArgumentError(f"{memory.what}: shape {memory.shape}, and the set has {n} entities")
        if sizes[0] != sizes[1]:
            raise ArgumentError(f"mesh: entities of {sizes[0]} bytes that are brought, and {sizes[1]} local")
        return ffi.cast("void *", brought.pointer), ffi.cast("void *", local.pointer), sizes[0]

    def map(self, map):
        """(places by local index, arity of them for each row; arity)"""
        to, n_rows, arity = ffi.new("const uint32_t **"), ffi.new("int64_t *"), ffi.new("int32_t *")
        check(lib.halo_mesh_get_map(self.pointer, map, to, n_rows, arity), "halo_mesh_get_map")
        return copied(to[0], n_rows[0] * arity[0], "uint32_t"), arity[0]

    def add_columns(self, set, layers):
        """`layers`: one number for all own entities, or one for each, by local index. Their number."""
        out, keep, n = ffi.new("int32_t *"), None, 0
        given = ffi.NULL
        if isinstance(layers, int):
            n = layers
        else:
            given, length, keep = list_of(layers, "int32_t", "mesh: layers")
            wanted = self.local(set).n_owned
            if length != wanted:
                raise ArgumentError(f"mesh: layers: {length} entries for {wanted} own entities")
        check(lib.halo_mesh_add_columns(self.pointer, set, n, given, out), "halo_mesh_add_columns")
        del keep
        return out[0]

    def columns(self, columns):
        """Where each column starts, and the end of all."""
        starts, n = ffi.new("const int64_t **"), ffi.new("int64_t *")
        check(lib.halo_mesh_get_columns(self.pointer, columns, starts, n), "halo_mesh_get_columns")
        return copied(starts[0], n[0] + 1, "int64_t")


def _count(keys):
    """Of an array of any shape, or a sequence."""
    size = getattr(keys, "size", None)
    return 0 if keys is None else len(keys) if size is None else size


def _with_lists(result, **lengths):
    values = plain(result)
    for name, n in lengths.items():
        pointer = getattr(result, name)
        setattr(values, name, copied(pointer, n, ffi.typeof(pointer).item.cname))
    return values


@handle_class
class Sphere(Handle):
    """A grid of triangles on the sphere; keywords are the members of halo_sphere_desc."""
    C_TYPE = "halo_sphere"

    def __init__(self, context, **desc):
        self._take("halo_sphere_create", context, desc)


@handle_class
class Stencil(Handle):
    """Stages that say how far they read; keywords are the members of halo_stencil_desc."""
    C_TYPE = "halo_stencil"
    context = None

    def __init__(self, **desc):
        self._take("halo_stencil_create", desc)

    def _lost(self):
        self.destroy()  # which is local
        return False

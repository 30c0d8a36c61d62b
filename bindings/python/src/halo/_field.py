# SPDX-License-Identifier: BSD-3-Clause
"""Topologies, and fields bound to arrays."""
import types

from ._calls import copied, run
from ._errors import ArgumentError, check
from ._handles import Handle, handle_class
from ._interface import CONSTANTS
from ._library import ffi, lib
from ._memory import DEVICE, HOST, Kept, Memory, Views, type_of
from ._structs import initial, plain

FACES, EDGES = CONSTANTS["HALO_CENTRE_FACES"], CONSTANTS["HALO_CENTRE_EDGES"]


@handle_class
class Topology(Handle):
    """Which parts exist, and who owns them. Made by Topology.blocks(context, n_blocks=(4, 4), ...) and so on: one for each halo_topology_create_...,
    with the members of its description as keywords; n_dims, if it is not given, is the length of the longest of its extents."""
    C_TYPE = "halo_topology"

    @classmethod
    def _made(cls, name, /, *given, **named):
        if name in ("halo_topology_create_blocks", "halo_topology_create_boxes"):
            named.setdefault("n_dims", _dims(named))
        made = super()._made(name, *given, **named)
        made._n_dims = made._n_dims or named.get("n_dims")  # a rank may have no part to ask
        return made

    def _own(self, pointer, owners, keep=()):
        super()._own(pointer, owners)  # descriptions are copied
        self._points = lib.halo_topology_keys_report(pointer, initial("halo_keys_report")) == 0
        self._n_dims = 1 if self._points else None
        self._cells = {}
        return self

    def _cells_of(self, gid):
        if gid not in self._cells:
            self._cells[gid] = self.part(gid).cells
        return self._cells[gid]

    @property
    def n_dims(self):
        if self._n_dims is None:
            gids = self.local_parts()
            self._n_dims = self.part(gids[0] if len(gids) else 0).n_dims
        return self._n_dims

    def keys_report(self):
        report = initial("halo_keys_report")
        check(lib.halo_topology_keys_report(self.pointer, report), "halo_topology_keys_report")
        result = plain(report)
        for name in ("unclaimed", "several_claim"):
            setattr(result, name, copied(getattr(report, name), getattr(report, f"n_{name}_here"), "uint64_t"))
        return result

    def graph_rows(self):
        """(offsets, neighbours)"""
        offsets, neighbours, n = ffi.new("const int64_t **"), ffi.new("const uint32_t **"), ffi.new("int64_t *")
        check(lib.halo_topology_graph_rows(self.pointer, offsets, neighbours, n), "halo_topology_graph_rows")
        return copied(offsets[0], n[0] + 1, "int64_t"), copied(neighbours[0], offsets[0][n[0]], "uint32_t")


def _dims(named):
    lengths = [len(named[name]) for name in ("n_blocks", "n_cells", "periodic") if named.get(name) is not None]
    domain = named.get("domain")
    if isinstance(domain, (tuple, list)):
        lengths += [len(corner) for corner in domain]
    return max(lengths, default=3)


@handle_class
class Field(Handle):
    """A variable on a topology. `dtype`: a numpy dtype, a name as "float32" or a HALO_... number. `ghosts`: of all directions, or one for each. Other keywords
    are the members of halo_field_desc."""
    C_TYPE = "halo_field"

    def __init__(self, topology, name=None, *, dtype="f8", ghosts=None, **desc):
        desc.setdefault("type", type_of(dtype))
        desc["name"] = name
        if ghosts is not None:
            widths = [ghosts] * topology.n_dims if isinstance(ghosts, int) else list(ghosts)
            desc.setdefault("ghost_low", widths)
            desc.setdefault("ghost_high", widths)
        self._take("halo_field_create", topology, desc)
        self._keep = []
        self.topology, self._bound, self._views, self._points = topology, {}, Views(), {}
        self.desc = self.get_desc()
        self.name = self.desc.name

    def __repr__(self):
        return f"field {self.name}"

    # what an array must be

    def _places(self):
        n = self.topology.n_dims
        return n if self.desc.centring == FACES else (3 if n == 3 else 1) if self.desc.centring == EDGES else 1

    def axes(self):
        """Names of the axes of an array, slowest first: p places, c components, z, y, x."""
        return ("p" if self._places() > 1 else "") + ("c" if self.desc.n_components > 1 else "") + "zyx"[3 - self.topology.n_dims:]

    def _owned(self, gid, direction):
        if self.topology._points:
            return self._points_of(gid)
        cells = self.topology._cells_of(gid)
        between = self.desc.centring in (FACES, EDGES) or bool(self.desc.centring >> direction & 1)
        return cells.high[direction] - cells.low[direction] + between

    def _points_of(self, gid):
        if gid not in self._points:
            self._points[gid] = self.layout(gid).elements // self.desc.n_components
        return self._points[gid]

    def _extent(self, gid, axis):
        if axis == "p":
            return self._places()
        if axis == "c":
            return self.desc.n_components
        direction = "xyz".index(axis)
        return self.desc.ghost_low[direction] + self._owned(gid, direction) + self.desc.ghost_high[direction]

    def shape(self, gid, axes=None):
        """Of an array that holds a part with its ghosts."""
        return tuple(self._extent(gid, axis) for axis in axes or self.axes())

    def slices(self, box, axes=None):
        """Of a box in the part's index space, as interior_rim() and boundaries() tell them, in such an array."""
        low = dict(zip("xyz", self.desc.ghost_low))
        begin, end = dict(zip("xyz", box.low)), dict(zip("xyz", box.high))
        return tuple(slice(None) if axis in "pc" else slice(low[axis] + begin[axis], low[axis] + end[axis]) for axis in axes or self.axes())

    def owned(self, gid, axes=None):
        """Slices of the owned points in such an array."""
        high = [self._owned(gid, direction) for direction in range(self.topology.n_dims)]
        return self.slices(types.SimpleNamespace(low=[0] * len(high), high=high), axes)

    def _layout_of(self, gid, memory, axes, first, shape, strides):
        """(pointer of the lowest element, halo_layout) of an array with these axes."""
        axes = axes or self.axes()
        if sorted(axes) != sorted(self.axes()):
            raise ArgumentError(f"{memory.what}: axes {axes!r}, and the field has {self.axes()!r}, in any order")
        if len(shape) != len(axes):
            raise ArgumentError(f"{memory.what}: {len(shape)} dimensions, and axes {axes!r} are wanted: shape {self.shape(gid, axes)}")
        layout, offset = initial("halo_layout"), 0
        for axis, extent, stride in zip(axes, shape, strides):
            offset += self._place_axis(layout, gid, memory, axis, extent, stride, first)
        lowest = sum(min(0, (extent - 1) * stride) for extent, stride in zip(shape, strides))
        layout.first_owned = offset - lowest
        empty = 0 in shape
        layout.elements = 0 if empty else 1 + sum(abs(stride) * (extent - 1) for extent, stride in zip(shape, strides))
        return memory.pointer + (0 if empty else lowest * memory.size), layout

    def _place_axis(self, layout, gid, memory, axis, extent, stride, first):
        """Writes the stride of one axis; how far along it the first owned point lies."""
        wanted = self._extent(gid, axis)
        if axis in "pc":
            setattr(layout, "place_stride" if axis == "p" else "component_stride", stride)
            begin, fits = 0, extent == wanted
        else:
            direction = "xyz".index(axis)
            low = self.desc.ghost_low[direction]
            begin = low if first is None else first[axis] if isinstance(first, dict) else first[direction]
            fits = extent == wanted if first is None else begin >= low and extent - (begin - low) >= wanted
            layout.stride[direction] = stride
        if not fits:
            at = "" if first is None or axis in "pc" else f" from {begin - low} on"
            raise ArgumentError(f"{memory.what}: {extent} along {axis}{at}, and {wanted} are wanted: {self._in_words(gid, axis)}")
        return begin * stride

    def _in_words(self, gid, axis):
        if axis in "pc":
            return "places" if axis == "p" else "components"
        direction = "xyz".index(axis)
        low, high = self.desc.ghost_low[direction], self.desc.ghost_high[direction]
        return f"{low} ghosts, {self._owned(gid, direction)} points, {high} ghosts"

    def _lies_as_before(self, gid, layout):
        """Whether the part has the layout already, in what the field has of it."""
        present = initial("halo_layout")
        check(lib.halo_field_layout(self.pointer, gid, present), "halo_field_layout")

        def steps(one):
            return [one.first_owned, *list(one.stride)[:self.topology.n_dims], self.desc.n_components == 1 or one.component_stride,
                    self._places() == 1 or one.place_stride]
        return steps(layout) == steps(present) and layout.elements >= present.elements

    # binding

    def bind(self, gid, array, *, set=0, axes=None, first=None, memory=None, device=None):
        """Give a part its storage: any array or buffer, whose strides are kept; it stays alive as long as it is bound. None takes it away.

        `axes`: names of the array's axes, if they are not axes(): "xy" for a[x, y], "yxc" for components side by side. `first`: index of the first owned
        point in directions x, y, z where the array is larger than shape(). `memory`, `device`: where the array does not tell.
        """
        what = f"field {self.name}, part {gid}"
        if array is None:
            return self._bind("halo_field_bind", gid, [gid], None, set, HOST, 0, None, None)
        where = Memory(array, what)
        where.require_type(self.desc.type, self.desc.element_bytes)
        pointer, layout = self._layout_of(gid, where, axes, first, where.shape, where.steps())
        return self._bind("halo_field_bind", gid, [gid], (pointer, layout), set, *_kind(where, memory, device), where.owner, array)

    def bind_many(self, array, *, set=0, axes=None, first=None, memory=None, device=None):
        """One array for all local parts, which are alike: its first axis is the parts, in the order of topology.local_parts()."""
        gids = list(self.topology.local_parts())
        where = Memory(array, f"field {self.name}, all parts")
        where.require_type(self.desc.type, self.desc.element_bytes)
        if not where.shape or where.shape[0] != len(gids):
            raise ArgumentError(f"{where.what}: shape {where.shape}, and the first axis is wanted to be the {len(gids)} local parts")
        if not gids:
            return None
        steps = where.steps()
        if steps[0] < 0:
            raise ArgumentError(f"{where.what}: the parts lie in descending order")
        described = [self._layout_of(gid, where, axes, first, where.shape[1:], steps[1:]) for gid in gids]
        return self._bind("halo_field_bind_many", steps[0], gids, described[0], set, *_kind(where, memory, device), where.owner, array)

    def _bind(self, call, first, gids, described, set, memory, device, owner, array):
        for gid in gids:
            self._views.refuse(f"{self}, part {gid}", "halo_field_bind", (gid, set))
        binding = initial("halo_binding")
        binding.set, binding.memory, binding.device = set, memory, device
        if described is not None:
            pointer, layout = described
            binding.data = ffi.cast("void *", pointer)
            if not all(self._lies_as_before(gid, layout) for gid in gids):  # which cannot change during a run
                binding.layout = layout
        check(getattr(lib, call)(self.pointer, first, binding), call)
        for i, gid in enumerate(gids):
            if described is None:
                self._bound.pop((gid, set), None)
            else:
                self._bound[gid, set] = (owner, Kept(array if call == "halo_field_bind" else array[i] if hasattr(array, "__getitem__") else array))

    def map_points(self, gid, positions):
        run("halo_field_map_points", self, gid, positions)
        self._points.pop(gid, None)

    # storage

    def array(self, gid, set=0):
        """The array that is bound; or, over the library's storage, a numpy array (where there is no numpy, a View) in the order of axes(); or None."""
        if (gid, set) in self._bound:
            return self._bound[gid, set][1]()
        data = ffi.new("void **")
        check(lib.halo_field_data(self.pointer, gid, set, data), "halo_field_data")
        if not data[0]:
            return None
        return self._over(data[0], gid, (gid, set), False)

    def _over(self, data, gid, key, on_device):
        layout, low = self.layout(gid), self.desc.ghost_low
        strides = {"p": layout.place_stride, "c": layout.component_stride, **dict(zip("xyz", layout.stride))}
        begin = layout.first_owned - sum(strides[axis] * low[i] for i, axis in enumerate("xyz") if axis in self.axes())
        shape, steps = self.shape(gid), [strides[axis] for axis in self.axes()]
        if 0 not in shape:
            ends = [(extent - 1) * step for extent, step in zip(shape, steps)]
            if begin + sum(min(0, end) for end in ends) < 0 or begin + sum(max(0, end) for end in ends) >= layout.elements:
                raise ArgumentError(f"field {self.name}, part {gid}: its points are mapped, and do not lie as an array of shape {shape}: bind one of your own")
        return self._views.over(data, self.desc, shape, steps, self, key, begin, on_device)

    def device_array(self, gid, set=0):
        """Where loops with where=halo.ON_DEVICE find a part: an object with __cuda_array_interface__, as cupy.asarray takes it; None: no batch has needed it."""
        data = ffi.new("void **")
        check(lib.halo_access_data(self.pointer, gid, set, CONSTANTS["HALO_ON_DEVICE"], data), "halo_access_data")
        return self._over(data[0], gid, None, True) if data[0] else None

    def _views_in_use(self):
        views = getattr(self, "_views", None)
        return views is not None and views.in_use()

    def destroy(self):
        if self._pointer is not None:
            self._views.refuse(self, "halo_field_destroy")
        super().destroy()

    def _forget(self):
        super()._forget()
        self._bound = {}

    def _kept(self):
        return super()._kept(), self._bound


def _kind(where, memory, device):
    """HALO_MEMORY_... and ordinal."""
    if memory is None:
        memory = HOST if where.device is None else DEVICE
    return memory, (where.device or 0) if device is None else device

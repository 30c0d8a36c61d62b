# SPDX-License-Identifier: BSD-3-Clause
"""Exchanges and reductions."""
from ._calls import STREAM_NONE
from ._errors import ArgumentError, Busy, check
from ._handles import Handle, handle_class
from ._interface import CONSTANTS
from ._library import ffi, lib
from ._memory import Kept, Memory, Views, bytes_of, flat, type_of
from ._structs import initial, struct

SUM = CONSTANTS["HALO_SUM"]
INDEXED = CONSTANTS["HALO_MINLOC"], CONSTANTS["HALO_MAXLOC"]


def _field_at(context, pointer):
    """One of an exchange's fields, or the controller of one."""
    return next(child for child in list(context._children) if child.C_TYPE == "halo_field" and child._pointer == pointer)


@handle_class
class Exchange(Handle):
    """A run at a time over some fields. Keywords are the members of halo_exchange_desc; `arrival(field, gid)` binds storage, or raises Declined;
    `combine(values, contributions)` gets memoryviews, and changes `values`.

        exchange.start()      # owned values may be changed from here on
        ...                   # what needs no ghosts
        exchange.finish()     # ghosts are filled
    """
    C_TYPE = "halo_exchange"

    def __init__(self, fields, **desc):
        fields = [fields] if isinstance(fields, Handle) else list(fields)
        if callable(desc.get("arrival")):
            wanted, context = desc["arrival"], next((field.context for field in fields if isinstance(field, Handle)), None)
            desc["arrival"] = lambda pointer, gid: wanted(_field_at(context, pointer), gid)
        if desc.get("sections") is not None and len(desc["sections"]) != len(fields):
            raise ArgumentError(f"sections: {len(desc['sections'])} entries for {len(fields)} fields")
        self._take("halo_exchange_create", fields, desc)

    @classmethod
    def transfer(cls, sources, destinations, **desc):
        """From fields of one grid into those of another; keywords are the members of halo_transfer_desc."""
        return cls._made("halo_exchange_create_transfer", sources, destinations, desc)

    @classmethod
    def levels(cls, coarse, fine, newer=None, **desc):
        """Between two levels of boxes; keywords are the members of halo_levels_desc."""
        return cls._made("halo_exchange_create_levels", coarse, newer, fine, desc)

    def _own(self, pointer, owners, keep=()):
        super()._own(pointer, owners, keep)
        self.fields, self._run, self._views = [one for one in owners if one.C_TYPE == "halo_field"], None, Views()
        return self

    def _run_of(self, components, named):
        """What narrows a run, as the library takes it."""
        if components is not None:
            named["first_component"], named["n_components"] = components
        if "mask" in named:
            named["field_mask"] = [int(bool(one)) for one in named.pop("mask")]
        keep = []
        data = named.pop("data", None)
        if data is not None:
            data = self._pointers(data, keep)
            named["data"], named["n_data"] = data, len(data)
            named.setdefault("n_fields", len(self.fields))
        result = struct("halo_run", named, "run", keep)
        self._run = result, keep
        return result

    def _pointers(self, data, keep):
        """`data`: for each field an array for each local part, as its layout has it; None where the mask leaves the field out."""
        data = list(data)
        if len(data) != len(self.fields):
            raise ArgumentError(f"run.data: {len(data)} lists of arrays for {len(self.fields)} fields")
        pointers = []
        for field, arrays in zip(self.fields, data):
            gids = field.topology.local_parts()
            arrays = [None] * len(gids) if arrays is None else list(arrays)
            if len(arrays) != len(gids):
                raise ArgumentError(f"run.data: {len(arrays)} arrays of {field}, which has {len(gids)} local parts")
            pointers += [self._pointer_of(field, gid, array, keep) for gid, array in zip(gids, arrays)]
        return ffi.new("void *[]", pointers)

    @staticmethod
    def _pointer_of(field, gid, array, keep):
        if array is None:
            return ffi.NULL
        memory = Memory(array, f"run.data of {field}, part {gid}")
        memory.require_type(field.desc.type, field.desc.element_bytes)
        pointer, layout = field._layout_of(gid, memory, None, None, memory.shape, memory.steps())
        if not field._lies_as_before(gid, layout):
            raise ArgumentError(f"{memory.what}: the array does not lie as the part's layout says")
        keep += memory.owner, Kept(array)
        return ffi.cast("void *", pointer)

    def start(self, *, components=None, stream=STREAM_NONE, **run):
        """`components`: (first, how many). `mask`, `sets`, `devices`: of each field. `data`: arrays in place of what is bound, for each field a list of those
        of its local parts. Other keywords are the members of halo_run."""
        check(lib.halo_exchange_start(self.pointer, self._run_of(components, run) if components or run else ffi.NULL, stream), "halo_exchange_start")

    def post(self, *, components=None, **run):
        check(lib.halo_exchange_post(self.pointer, self._run_of(components, run) if components or run else ffi.NULL), "halo_exchange_post")

    def finish(self, stream=STREAM_NONE):
        """Timeout leaves the run in flight: call again, or abandon()."""
        check(lib.halo_exchange_finish(self.pointer, stream), "halo_exchange_finish")
        self._run = None

    def run(self, **run):
        """start and finish."""
        stream = run.get("stream", STREAM_NONE)
        self.start(**run)
        self.finish(stream)

    def __exit__(self, kind, *_):
        """A run in flight that an exception passes by is given up."""
        try:
            self.destroy()
        except Busy:
            if kind is None:
                raise
            self.abandon()
            self.destroy()

    def arrivals(self):
        """[(field, gid)]"""
        n = ffi.new("int64_t *")
        check(lib.halo_exchange_arrivals(self.pointer, ffi.NULL, 0, n), "halo_exchange_arrivals")
        rows = ffi.new("halo_arrival[]", max(n[0], 1))
        check(lib.halo_exchange_arrivals(self.pointer, rows, n[0], n), "halo_exchange_arrivals")
        return [(_field_at(self.context, rows[i].field), rows[i].gid) for i in range(n[0])]

    def coarse_array(self, field, gid):
        """Coarse cells of a part beside the `field`-th field: (an array with their ghosts, how many of these lie before the first cell in each direction).
        None and (): it has none."""
        data, layout = ffi.new("void **"), initial("halo_layout")
        check(lib.halo_exchange_coarse_data(self.pointer, field, gid, data, layout), "halo_exchange_coarse_data")
        if data[0] == ffi.NULL:
            return None, ()
        whole, strides, low, rest, end = self.fields[field], {}, {}, layout.first_owned, layout.elements
        steps = {"c": layout.component_stride, **dict(zip("xyz", layout.stride))}
        shape = {}
        for axis in sorted(whole.axes(), key=lambda axis: -steps[axis]):  # which lie within each other
            strides[axis], shape[axis] = steps[axis], end // steps[axis]
            low[axis], rest, end = rest // steps[axis], rest % steps[axis], steps[axis]
        array = self._views.over(data[0], whole.desc, [shape[axis] for axis in whole.axes()], [strides[axis] for axis in whole.axes()], self)
        return array, tuple(low[axis] for axis in "xyz" if axis in low)

    def destroy(self):
        if self._pointer is not None:
            self._views.refuse("exchange", "halo_exchange_destroy")
        super().destroy()

    def _views_in_use(self):
        return self._views.in_use()

    def _forget(self):
        super()._forget()
        self._run = None

    def _kept(self):
        return super()._kept(), self._run


@handle_class
class Reduction(Handle):
    """`n` values combined over all ranks, again and again."""
    C_TYPE = "halo_reduction"

    def __init__(self, context, n=1, dtype="f8", op=SUM):
        self._type, self._n = type_of(dtype), n
        self._take("halo_reduction_create", context, n, self._type, op)

    @classmethod
    def items(cls, context, items):
        """Several at once, at places of their own in the memory that begin and end are given: mappings with the members of halo_reduction_item, or `dtype`
        for `type`. Of a structured numpy array `dtype.fields[name][1]` is the offset."""
        rows, keep, self = ffi.new("halo_reduction_item[]", max(len(items), 1)), [], cls.__new__(cls)
        self._type, self._n = None, 0
        for i, one in enumerate(items):
            one = {("type" if name == "dtype" else name): type_of(value) if name == "dtype" else value for name, value in one.items()}
            row = struct("halo_reduction_item", one, f"items[{i}]", keep)
            rows[i] = row[0]
            ends = [row.offset + row.n * bytes_of(row.type, row.element_bytes)] + [row.index_offset + 8 * row.n] * (row.op in INDEXED)
            self._n = max(self._n, *ends)
        out = ffi.new("halo_reduction **")
        check(lib.halo_reduction_create_items(context.pointer, rows, ffi.sizeof("halo_reduction_item"), len(items), out), "halo_reduction_create_items")
        return self._own(out[0], [context], keep)

    def _values(self, array, what, writable):
        memory = flat(array, what, self._type, writable)
        if self._type is None:
            if memory.count() * memory.size < self._n:
                raise ArgumentError(f"{what}: {memory.count() * memory.size} bytes, and the items end at {self._n}")
            return memory
        if memory.count() != self._n:
            raise ArgumentError(f"{what}: {memory.count()} values, and the reduction has {self._n}")
        return memory

    def begin(self, values):
        """Values are copied."""
        memory = self._values(values, "reduction: begin", False)
        check(lib.halo_reduction_begin(self.pointer, ffi.cast("void *", memory.pointer)), "halo_reduction_begin")

    def end(self, out):
        memory = self._values(out, "reduction: end", True)
        check(lib.halo_reduction_end(self.pointer, ffi.cast("void *", memory.pointer)), "halo_reduction_end")
        return out

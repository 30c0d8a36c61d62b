# SPDX-License-Identifier: BSD-3-Clause
"""Particles that migrate between parts."""
from ._errors import ArgumentError, check
from ._handles import Handle, handle_class
from ._library import ffi, lib
from ._memory import flat
from ._structs import list_of


@handle_class
class Particles(Handle):
    """Records of changing number per part; keywords are the members of halo_particles_desc.

        particles.start(parts)        # for each local part an array for each column
        counts = particles.counts()   # after the run, of each local part
        particles.finish(parts)       # the same arrays, or larger ones with the same begin
    """
    C_TYPE = "halo_particles"

    def __init__(self, topology, *, column_bytes, position=None, **desc):
        self._bytes = list(column_bytes)
        if position is not None:
            desc["position"] = [position]
        self._take("halo_particles_create", topology, {"column_bytes": self._bytes, **desc})
        self._run = None

    def _arrays(self, parts, targets=None):
        counts, pointers, keep = [], [], []
        for part, columns in enumerate(parts):
            if len(columns) != len(self._bytes):
                raise ArgumentError(f"particles: {len(columns)} arrays of part number {part}, and there are {len(self._bytes)} columns")
            numbers = set()
            for array, size in zip(columns, self._bytes):
                memory = flat(array, f"particles: part number {part}", writable=True)
                numbers.add(memory.count() * memory.size // size)
                pointers.append(ffi.cast("void *", memory.pointer))
                keep.append(memory)
            if len(numbers) != 1:
                raise ArgumentError(f"particles: the arrays of part number {part} have {sorted(numbers)} elements")
            counts += numbers
        arrays = ffi.new("halo_particles_arrays *")
        check(lib.halo_struct_init(b"halo_particles_arrays", arrays, ffi.sizeof(arrays[0])), "halo_struct_init")
        keep += [ffi.new("int64_t[]", counts or 1), ffi.new("void *[]", pointers or 1)]
        arrays.counts, arrays.data = keep[-2:]
        arrays.n_parts, arrays.n_data = len(counts), len(pointers)
        if targets is not None:
            lists = [list_of(one, "int64_t", f"targets[{part}]") for part, one in enumerate(targets)]
            if [n for _, n, _ in lists] != counts:
                raise ArgumentError(f"particles: {[n for _, n, _ in lists]} targets for {counts} particles")
            keep += [lists, ffi.new("int64_t *[]", [pointer for pointer, _, _ in lists] or 1)]
            arrays.targets = keep[-1]
        self._run = arrays, keep
        return arrays

    def start(self, parts, targets=None):
        """`targets`: of each part a list of gids, one for each particle, where there is no position."""
        check(lib.halo_particles_start(self.pointer, self._arrays(parts, targets)), "halo_particles_start")

    def finish(self, parts):
        """Timeout, and arrays that are too small, leave the run in flight: call again, or abandon()."""
        check(lib.halo_particles_finish(self.pointer, self._arrays(parts)), "halo_particles_finish")
        self._run = None

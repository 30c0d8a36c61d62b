# SPDX-License-Identifier: BSD-3-Clause
"""Lists of structs in C's memory."""
from ._library import ffi
from ._memory import NATIVE
from ._structs import plain

LETTERS = {"int32_t": "i4", "int64_t": "i8", "uint32_t": "u4", "uint64_t": "u8", "uint8_t": "u1", "double": "f8"}


def _described(kind):
    """Members of a struct as array interfaces have them; rows have nothing between."""
    return [(name, *_one(field.type)) for name, field in kind.fields]


def _one(kind):
    if kind.kind == "array":
        return (*_one(kind.item), (kind.length,))
    if kind.kind == "struct":
        return (_described(kind),)
    return (NATIVE + LETTERS.get(kind.cname, f"u{ffi.sizeof(kind)}"),)


class Rows:
    """rows[i] is a namespace; numpy.asarray(rows) a structured array over them. May be given where such structs are taken."""

    def __init__(self, base, array, n):
        self.base, self.array, self._n = base, array, n

    def __len__(self):
        return self._n

    def __getitem__(self, i):
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(self._n))]
        if not -self._n <= i < self._n:
            raise IndexError(f"row {i} of {self._n}")
        return plain(self.array[i % self._n])

    def __eq__(self, other):
        return list(self) == list(other)

    def __repr__(self):
        return repr(list(self))

    @property
    def __array_interface__(self):
        kind = ffi.typeof(self.base)
        return {"version": 3, "typestr": f"|V{ffi.sizeof(kind)}", "descr": _described(kind), "shape": (self._n,),
                "data": (int(ffi.cast("intptr_t", self.array)), False)}

# SPDX-License-Identifier: BSD-3-Clause
"""Python functions that the library calls. What they raise ends the call of the library that has led to them, as the cause of its error."""
from ._errors import Declined, keep_raised
from ._interface import CONSTANTS
from ._library import ffi

# halo_type -> format of a memoryview
VIEWS = {CONSTANTS[f"HALO_{name}"]: letter for name, letter in
         dict(FLOAT32="f", FLOAT64="d", INT8="b", INT16="h", INT32="i", INT64="q", UINT8="B", UINT16="H", UINT32="I", UINT64="Q").items()}
NO_RANK = 2**31 - 1  # is refused, on all ranks


def view(pointer, n, kind, element_bytes):
    """`n` values as a memoryview: of numbers, or of bytes where Python has no such numbers."""
    raw = memoryview(ffi.buffer(pointer, n * element_bytes)) if n else memoryview(b"")
    return raw.cast(VIEWS[kind]) if kind in VIEWS else raw


def _guarded(call):
    def guarded(*arguments):
        try:
            call(*arguments)
            return 0
        except Declined:
            return Declined.status
        except BaseException as error:  # an interrupt too ends the call of the library
            return keep_raised(error)
    return guarded


def _log(call):
    return lambda _, level, text: call(level, ffi.string(text).decode(errors="replace"))  # what it raises is printed


def _allgather(call):
    def allgather(_, mine, size, everything):
        parts = call(bytes(ffi.buffer(mine, size)))
        for i, part in enumerate(parts):
            if len(part) != size:
                raise ValueError(f"allgather: {len(part)} bytes of rank {i}, not {size}")
            ffi.memmove(everything + i * size, part, size)
    return _guarded(lambda user, mine, size, everything: allgather(user, mine, size, ffi.cast("char *", everything)))


def _owner_of(call):
    def owner_of(_, key):
        try:
            return call(key)
        except BaseException as error:
            keep_raised(error)
            return NO_RANK
    return owner_of


def _combine(call):
    return _guarded(lambda _, values, contributions, n, kind, size: call(view(values, n, kind, size), view(contributions, n, kind, size)))


ADAPTERS = {
    "halo_context_options.log": _log,
    "halo_bootstrap.allgather": _allgather,
    "halo_graph_desc.owner_of": _owner_of,
    "halo_exchange_desc.combine": _combine,
    "halo_reduction_item.combine": _combine,
}


def function(struct, member, call, keep):
    """A C function that calls a Python one; it lives as long as `keep`."""
    if isinstance(call, ffi.CData):
        return call
    kind = dict(ffi.typeof(struct).fields)[member].type
    if struct == "halo_exchange_desc" and member == "arrival":
        adapted = _guarded(lambda _, arrival: call(arrival.field, arrival.gid))
    elif f"{struct}.{member}" in ADAPTERS:
        adapted = ADAPTERS[f"{struct}.{member}"](call)
    else:
        raise TypeError("takes a C function alone")
    made = ffi.callback(kind, adapted)
    keep.append(made)
    return made

# SPDX-License-Identifier: BSD-3-Clause
"""Memory of a context's pools."""
import types

from ._errors import check
from ._handles import Handle
from ._interface import CONSTANTS
from ._library import ffi, lib
from ._memory import Views, bytes_of, type_of

SHARED, DEVICE = CONSTANTS["HALO_MEMORY_SHARED"], CONSTANTS["HALO_MEMORY_DEVICE"]


class Storage(Handle):
    """Zeroed memory of a context for an array of a shape: by default such as other ranks of the host reach, else `memory`, of a device `device` too.
    Its array can be bound, sent and received into as any other. It lives until it is destroyed, or with its context."""
    C_TYPE = "memory"

    def __init__(self, context, shape, dtype="f8", *, memory=SHARED, device=None, element_bytes=0):
        self.shape, n = tuple(shape), 1
        for extent in self.shape:
            n *= extent
        self.desc = types.SimpleNamespace(type=type_of(dtype), element_bytes=element_bytes)
        out, size = ffi.new("void **"), n * bytes_of(self.desc.type, element_bytes)
        if device is None:
            check(lib.halo_memory_allocate(context.pointer, memory, size, out), "halo_memory_allocate")
        else:
            check(lib.halo_memory_allocate_on(context.pointer, memory, device, size, out), "halo_memory_allocate_on")
        self._memory, self._views = memory, Views()
        self._own(out[0], [context])

    def array(self):
        """A numpy array over it (where there is no numpy, or on a device, a View)."""
        strides, step = [], 1
        for extent in reversed(self.shape):
            strides.insert(0, step)
            step *= extent
        return self._views.over(self.pointer, self.desc, self.shape, strides, self, on_device=self._memory == DEVICE)

    def _views_in_use(self):
        return self._views.in_use()

    def destroy(self):
        if self._pointer is None:
            return
        self._views.refuse("storage", "halo_memory_release")
        check(lib.halo_memory_release(self.context.pointer, ffi.new("void **", self._pointer)), "halo_memory_release")
        self._forget()

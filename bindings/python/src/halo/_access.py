# SPDX-License-Identifier: BSD-3-Clause
"""Loops that say what they read and write."""
from ._calls import STREAM_NONE
from ._errors import ArgumentError, Error, check
from ._handles import Handle, handle_class
from ._interface import CONSTANTS
from ._library import ffi, lib
from ._structs import struct


@handle_class
class Batch(Handle):
    """The accesses of one loop: mappings with `field`, `mode` and other members of halo_access. The end of a `with` ends it, or abandons it where an
    exception passes by. If beginning fails when peers have heard of it, the error has a `batch` to abandon.

        with Batch(context, {"field": u, "mode": halo.READ, "through": halo.VIA_MAP}, {"field": v, "mode": halo.WRITE}) as batch:
            ...               # core
            batch.ready()
            ...               # owned
    """
    C_TYPE = "halo_batch"

    def __init__(self, context, *accesses, style=CONSTANTS["HALO_STYLE_REDUNDANT"], where=CONSTANTS["HALO_ON_HOST"], stream=STREAM_NONE):
        rows, keep, fields = ffi.new("halo_access[]", len(accesses)), [], []
        for i, one in enumerate(accesses):
            field = one.get("field")
            if getattr(field, "C_TYPE", None) != "halo_field":
                raise ArgumentError(f"accesses[{i}].field: {type(field).__name__} is no halo_field")
            row = struct("halo_access", {name: value for name, value in one.items() if name != "field"}, f"accesses[{i}]", keep)
            row.field = field.pointer
            rows[i] = row[0]
            fields.append(field)
        out = ffi.new("halo_batch **")
        status = lib.halo_access_begin(context.pointer, rows, len(accesses), ffi.sizeof("halo_access"), style, where, stream, out)
        try:
            check(status, "halo_access_begin")
        except Error as error:
            if out[0]:
                error.batch = Batch.__new__(Batch)._own(out[0], [context, *fields])
            raise
        self._own(out[0], [context, *fields])

    def ready(self):
        check(lib.halo_access_ready(self.pointer), "halo_access_ready")

    @property
    def needs_exec(self):
        out = ffi.new("int32_t *")
        check(lib.halo_access_needs_exec(self.pointer, out), "halo_access_needs_exec")
        return bool(out[0])

    def end(self):
        check(lib.halo_access_end(self.pointer), "halo_access_end")
        self._forget()

    def end_and_send(self):
        """The loop has run, and what it added leaves for the owners now."""
        check(lib.halo_access_end_and_send(self.pointer), "halo_access_end_and_send")
        self._forget()

    def abandon(self):
        check(lib.halo_access_abandon(self.pointer), "halo_access_abandon")
        self._forget()

    def destroy(self):
        if self._pointer is not None:
            self.abandon()

    def __exit__(self, kind, *_):
        if self._pointer is not None:
            self.end() if kind is None else self.abandon()

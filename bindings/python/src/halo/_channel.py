# SPDX-License-Identifier: BSD-3-Clause
"""Channels by hand, whose buffers are arrays of the program."""
import types

from ._calls import STREAM_NONE
from ._errors import ArgumentError, check
from ._handles import Handle, handle_class
from ._interface import CONSTANTS
from ._library import ffi, lib
from ._memory import DEVICE, HOST, Kept, Memory, Views, bytes_of, type_of
from ._structs import initial, list_of, plain, struct

KEY = ("send_gid", "receive_gid", "field", "element", "extra")
CALLER, PER_CHANNEL = CONSTANTS["HALO_BUFFER_CALLER"], CONSTANTS["HALO_MESSAGES_PER_CHANNEL"]


@handle_class
class Channel(Handle):
    """One directed edge. `buffer`: an array without gaps that is sent, or received into; None: set_buffer() gives one later, or a Group has one message for
    each peer, of which `count` elements are the channel's. Keywords are the members of halo_channel_key and halo_channel_desc. To be used once a Group has
    committed it."""
    C_TYPE = "halo_channel"

    def __init__(self, context, buffer=None, *, dtype="f8", count=None, **named):
        keep, memory = [], None if buffer is None else _whole(buffer, "channel")
        desc = {name: value for name, value in named.items() if name not in KEY}
        desc.setdefault("type", type_of(dtype))
        desc["count"] = memory.count() if count is None and memory is not None else count
        desc["buffer_kind"] = CALLER
        if memory is not None and memory.device is not None:
            desc.update(memory=DEVICE, device=memory.device)
        self._type, self._device = desc["type"], desc.get("memory", HOST) == DEVICE
        described = struct("halo_channel_desc", desc, "channel", keep)
        self._count, self._element = described.count, bytes_of(described.type, described.element_bytes)
        if memory is not None:
            described.buffer = self._fitting(memory)
        out = ffi.new("halo_channel **")
        key = struct("halo_channel_key", {name: named[name] for name in KEY if name in named}, "channel", keep)
        check(lib.halo_channel_register(context.pointer, key, described, out), "halo_channel_register")
        self._own(out[0], [context])
        self._buffer = memory, Kept(buffer)

    def _fitting(self, memory):
        memory.require_type(self._type, self._element)
        if memory.count() != self._count:
            raise ArgumentError(f"channel: a buffer of {memory.count()} elements, and the channel has {self._count}")
        if (memory.device is not None) != self._device:
            raise ArgumentError("channel: the buffer is on a device, and the channel is not, or the other way round")
        return ffi.cast("void *", memory.pointer)

    @property
    def buffer(self):
        """The array that set_buffer() was given."""
        return self._buffer[1]()

    def set_buffer(self, buffer):
        """Another array of as many elements, or None."""
        memory = None if buffer is None else _whole(buffer, "channel")
        check(lib.halo_channel_set_buffer(self.pointer, ffi.NULL if memory is None else self._fitting(memory)), "halo_channel_set_buffer")
        self._buffer = memory, Kept(buffer)

    @classmethod
    def find(cls, context, **key):
        """The one of this context that has been made with a key."""
        out = ffi.new("halo_channel **")
        check(lib.halo_channel_find(context.pointer, struct("halo_channel_key", key, "channel", []), out), "halo_channel_find")
        return next(one for one in context._children if one._pointer == out[0])

    def held(self):
        """What of the buffer is in use: state, bytes (after a receive: of what came), generation."""
        buffer = initial("halo_buffer")
        check(lib.halo_channel_buffer(self.pointer, buffer), "halo_channel_buffer")
        return plain(buffer)

    def set_bytes(self, n_bytes):
        """The channel leaves its group, and has no buffer."""
        check(lib.halo_channel_set_bytes(self.pointer, n_bytes), "halo_channel_set_bytes")
        self._count, self._buffer = n_bytes // self._element, (None, Kept(None))

    def abandon(self):
        """The buffer, which may be in use, stays until the context goes."""
        self.context._lost_children.append(self._buffer)
        check(lib.halo_channel_abandon(self.pointer), "halo_channel_abandon")

    def _kept(self):
        return super()._kept(), self._buffer


@handle_class
class Group(Handle):
    """Commits channels, collectively. Each then sends messages of its own, and functions of many channels are halo.channel_send_many(channels), ...; or,
    with messages=halo.MESSAGES_AGGREGATE, the group sends one to each peer, in which each channel has the array that table() tells."""
    C_TYPE = "halo_group"

    def __init__(self, context, channels, **desc):
        desc.setdefault("messages", PER_CHANNEL)
        channels = list(channels)
        self._on_device, self._views = desc.get("memory", HOST) == DEVICE, Views()
        self._take("halo_group_create", context, channels, desc)
        self._owners = [context, *channels]

    def table(self):
        """A namespace for each channel: channel, data (an array to fill, or that has come, in this run), bytes, peer, sender, state."""
        rows, n = ffi.new("const halo_group_row **"), ffi.new("int64_t *")
        check(lib.halo_group_table(self.pointer, ffi.sizeof("halo_group_row"), rows, n), "halo_group_table")
        known = {channel._pointer: channel for channel in self._owners[1:]}
        return [self._row(plain(rows[0][i]), known) for i in range(n[0])]

    def _row(self, row, known):
        row.channel = known.get(row.channel)
        if row.data is not None and row.channel is not None:
            desc = types.SimpleNamespace(type=row.channel._type, element_bytes=row.channel._element)
            row.data = self._views.over(row.data, desc, [row.bytes // row.channel._element], [1], self, on_device=self._on_device)
        return row

    def send(self, null_flags=None, stream=STREAM_NONE):
        """All that this rank sends; flags, 1 or 0 for each row of the table, mark channels that are null."""
        flags, keep = self._flags(null_flags, len(self._owners) - 1)
        check(lib.halo_group_send(self.pointer, flags, stream), "halo_group_send")
        del keep

    def send_rows(self, rows, null_flags=None, stream=STREAM_NONE):
        """Some rows of the table, by number; flags are of these."""
        numbers, n, kept = list_of(rows, "int64_t", "group: rows")
        flags, keep = self._flags(null_flags, n)
        check(lib.halo_group_send_rows(self.pointer, numbers, n, flags, stream), "halo_group_send_rows")
        del kept, keep

    @staticmethod
    def _flags(null_flags, wanted):
        if null_flags is None:
            return ffi.NULL, None
        flags, n, keep = list_of(null_flags, "uint8_t", "group: null_flags")
        if n != wanted:
            raise ArgumentError(f"group: null_flags: {n} entries for {wanted} rows")
        return flags, keep

    def destroy(self):
        if self._pointer is not None:
            self._views.refuse("group", "halo_group_destroy")
        super().destroy()

    def _views_in_use(self):
        return self._views.in_use()

    def abandon(self):
        for channel in self._owners[1:]:
            self.context._lost_children.append(channel._buffer)
        check(lib.halo_group_abandon(self.pointer), "halo_group_abandon")


def _whole(buffer, what):
    memory = Memory(buffer, what)
    if not memory.contiguous():
        raise ArgumentError(f"{what}: the array has gaps")
    return memory

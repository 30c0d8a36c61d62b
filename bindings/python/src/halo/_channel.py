# SPDX-License-Identifier: BSD-3-Clause
"""Channels by hand, whose buffers are arrays of the program."""
from ._errors import ArgumentError, check
from ._handles import Handle, handle_class
from ._interface import CONSTANTS
from ._library import ffi, lib
from ._memory import DEVICE, HOST, Memory, bytes_of, type_of
from ._structs import struct

KEY = ("send_gid", "receive_gid", "field", "element", "extra")
CALLER, PER_CHANNEL = CONSTANTS["HALO_BUFFER_CALLER"], CONSTANTS["HALO_MESSAGES_PER_CHANNEL"]


@handle_class
class Channel(Handle):
    """One directed edge. `buffer`: an array without gaps that is sent, or received into; None: set_buffer() gives one later. Keywords are the members of
    halo_channel_key and halo_channel_desc. To be used once a Group has committed it."""
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
        self._buffer = memory, buffer

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
        return self._buffer[1]

    def set_buffer(self, buffer):
        """Another array of as many elements, or None."""
        memory = None if buffer is None else _whole(buffer, "channel")
        check(lib.halo_channel_set_buffer(self.pointer, ffi.NULL if memory is None else self._fitting(memory)), "halo_channel_set_buffer")
        self._buffer = memory, buffer

    def set_bytes(self, n_bytes):
        """The channel leaves its group, and has no buffer."""
        check(lib.halo_channel_set_bytes(self.pointer, n_bytes), "halo_channel_set_bytes")
        self._count, self._buffer = n_bytes // self._element, (None, None)

    def abandon(self):
        """The buffer, which may be in use, stays until the context goes."""
        self.context._lost_children.append(self._buffer)
        check(lib.halo_channel_abandon(self.pointer), "halo_channel_abandon")

    def _kept(self):
        return super()._kept(), self._buffer


@handle_class
class Group(Handle):
    """Commits channels, collectively. Each then sends messages of its own; functions of many channels are halo.channel_send_many(channels), ..."""
    C_TYPE = "halo_group"

    def __init__(self, context, channels, **desc):
        if desc.setdefault("messages", PER_CHANNEL) != PER_CHANNEL:
            raise ArgumentError("group: channels of this package send messages of their own: MESSAGES_PER_CHANNEL")
        channels = list(channels)
        self._take("halo_group_create", context, channels, desc)
        self._owners = [context, *channels]

    def abandon(self):
        for channel in self._owners[1:]:
            self.context._lost_children.append(channel._buffer)
        check(lib.halo_group_abandon(self.pointer), "halo_group_abandon")


def _whole(buffer, what):
    memory = Memory(buffer, what)
    if not memory.contiguous():
        raise ArgumentError(f"{what}: the array has gaps")
    return memory

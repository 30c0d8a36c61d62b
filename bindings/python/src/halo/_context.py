# SPDX-License-Identifier: BSD-3-Clause
"""Contexts: groups of ranks."""
import atexit
import weakref

from ._errors import Busy, check
from ._handles import Handle, handle_class
from ._interface import CONSTANTS
from ._library import ffi, lib
from ._memory import TYPES, flat
from ._structs import struct

_alive = []
SUM = CONSTANTS["HALO_SUM"]


def _destroy_at_exit():
    for context in list(_alive):  # whatever its status: nobody is left to tell
        lib.halo_context_destroy_with_all(ffi.new("halo_context **", context._pointer))
        context._forget_all()


atexit.register(_destroy_at_exit)


@handle_class
class Inproc(Handle):
    """A group of ranks that are threads of this process."""
    C_TYPE = "halo_inproc"
    context = None

    def __init__(self, n_ranks):
        self._take("halo_inproc_create", n_ranks)

    def _lost(self):
        return bool(lib.halo_inproc_destroy(ffi.new("halo_inproc **", self._pointer)))  # its contexts keep it


@handle_class
class Context(Handle):
    """One group of ranks: those of an mpi4py communicator; without one those of halo_launch or another rendezvous, else of the process's MPI, else this process.

    `settings`: a mapping, as {"timeout": "30s"}. `log(level, text)` prints messages of the library. Destroying it, also by the end of `with`, destroys all
    that was made from it; what is in flight is given up. Contexts that are left when Python ends are destroyed then.
    """
    C_TYPE = "halo_context"

    def __init__(self, communicator=None, *, settings=None, log=None):
        if communicator is None:
            self._create("halo_context_create", (), settings, log)
        else:
            handle, size, mpi = _handle_of(communicator)
            self._create("halo_context_create_communicator", (handle, size, mpi), settings, log)

    @classmethod
    def over(cls, rank, n_ranks, allgather, *, settings=None, log=None):
        """Over ranks that know how to exchange addresses: `allgather(mine)` takes bytes, and returns those of all ranks, in their order."""
        self, keep = cls.__new__(cls), []
        bootstrap = struct("halo_bootstrap", {"rank": rank, "n_ranks": n_ranks, "allgather": allgather}, "bootstrap", keep)
        return self._create("halo_context_create_over", (bootstrap,), settings, log)

    @classmethod
    def inproc(cls, group, rank, *, settings=None, log=None):
        """Of one rank of a group of threads; each calls from its own."""
        self = cls.__new__(cls)
        self._create("halo_context_create_inproc", (group.pointer, rank), settings, log)
        self._keep.append(group)
        return self

    def _create(self, name, given, settings, log):
        keep = []
        options = {"settings": [(key, str(value)) for key, value in (settings or {}).items()] or None, "log": log}
        out = ffi.new("halo_context **")
        check(getattr(lib, name)(*given, struct("halo_context_options", options, "options", keep), out), name)
        self._children, self._lost_children = weakref.WeakSet(), []
        self._own(out[0], (), keep)
        _alive.append(self)
        rank, n_ranks = ffi.new("int32_t *"), ffi.new("int32_t *")
        check(lib.halo_context_rank(self._pointer, rank, n_ranks), "halo_context_rank")
        self.rank, self.n_ranks = rank[0], n_ranks[0]
        return self

    def _own(self, pointer, owners, keep=()):
        self._pointer, self._owners, self._keep, self.context = pointer, [], list(keep), None
        return self

    def setting(self, key):
        """(value, where it came from)"""
        value, source = ffi.new("const char **"), ffi.new("const char **")
        check(lib.halo_context_setting(self.pointer, key.encode(), value, source), "halo_context_setting")
        return ffi.string(value[0]).decode(), ffi.string(source[0]).decode()

    def allreduce(self, values, op=SUM):
        """Of a number: the result. Of an array: in place, and the array is the result."""
        if getattr(values, "shape", None) == ():
            values = values.item()
        if isinstance(values, (int, float)):
            kind, c = (TYPES["i8"], "int64_t[1]") if isinstance(values, int) else (TYPES["f8"], "double[1]")
            room, n = ffi.new(c, [values]), 1
        else:
            memory = flat(values, "allreduce", writable=True)
            kind, n, room = TYPES.get(memory.kind, 0), memory.count(), ffi.cast("void *", memory.pointer)
        check(lib.halo_context_allreduce(self.pointer, room, room, n, kind, op), "halo_context_allreduce")
        return room[0] if isinstance(values, (int, float)) else values

    def destroy(self):
        if self._pointer is None:
            return
        in_use = [child for child in list(self._children) if child._views_in_use()]
        if in_use:
            raise Busy(f"{in_use[0]}: an array over storage of the library is still in use: delete it first", "halo_context_destroy_with_all")
        handle = ffi.new("halo_context **", self._pointer)
        status = lib.halo_context_destroy_with_all(handle)
        if handle[0] == ffi.NULL:
            self._forget_all()
        check(status, "halo_context_destroy_with_all")

    def _forget_all(self):
        _alive.remove(self)
        for child in list(self._children):
            child._forget()
        self._forget()
        self._lost_children.clear()

    destroy_with_all = destroy

    def _lost(self):
        return False


def _handle_of(communicator):
    """An mpi4py communicator as the library takes one."""
    from mpi4py import MPI
    if not isinstance(communicator, MPI.Comm):
        raise TypeError(f"{type(communicator).__name__} is no communicator of mpi4py")
    standard_abi = getattr(MPI, "Get_abi_version", lambda: (-1, -1))()[0] > 0
    mpi = "abi" if standard_abi else "openmpi" if "Open MPI" in MPI.Get_library_version() else "mpich"
    return ffi.cast("void *", MPI._addressof(communicator)), MPI._sizeof(type(communicator)), mpi.encode()

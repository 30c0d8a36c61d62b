# SPDX-License-Identifier: BSD-3-Clause
"""Where the values of an array lie: __cuda_array_interface__, __array_interface__ or the buffer protocol. Nothing is ever copied."""
import functools
import sys
import weakref

from ._errors import ArgumentError, Busy
from ._interface import CONSTANTS
from ._library import ffi

# halo_type by kind and size, as in the typestr of array interfaces
TYPES = {kind: CONSTANTS[f"HALO_{name}"] for kind, name in
         dict(f4="FLOAT32", f8="FLOAT64", i4="INT32", i8="INT64", c8="COMPLEX64", c16="COMPLEX128", i1="INT8", i2="INT16", u1="UINT8", u2="UINT16", u4="UINT32",
              u8="UINT64", f2="FLOAT16").items()}
TYPES["b1"] = TYPES["u1"]
KINDS = {number: kind for kind, number in TYPES.items() if kind != "b1"}
BYTES, BFLOAT16 = CONSTANTS["HALO_BYTES"], CONSTANTS["HALO_BFLOAT16"]
LETTERS = {"f": "f4", "d": "f8", "e": "f2", "Zf": "c8", "Zd": "c16", "?": "b1", **{letter: kind for kind, letters in
           dict(i1="b", u1="Bc", i2="h", u2="H", i4="i", u4="I", i8="lq", u8="LQ").items() for letter in letters}}
HOST, DEVICE = CONSTANTS["HALO_MEMORY_HOST"], CONSTANTS["HALO_MEMORY_DEVICE"]
NATIVE = "<" if sys.byteorder == "little" else ">"
NAMES = {"float16": "f2", "float32": "f4", "float64": "f8", "float": "f8", "complex64": "c8", "complex128": "c16", "complex": "c16", "int": "i8", "bool": "b1",
         **{f"{sign}int{8 * size}": f"{sign or 'i'}{size}" for sign in ("", "u") for size in (1, 2, 4, 8)}}


def type_of(dtype):
    """halo_type of a HALO_... number, a numpy dtype, a name as "float32", or a Python type."""
    if isinstance(dtype, int) and not isinstance(dtype, bool):
        return dtype
    text = getattr(dtype, "str", None) or getattr(dtype, "__name__", None) or str(dtype)
    kind = text.lstrip("<>|=@")
    kind = NAMES.get(kind, kind)
    if kind not in TYPES or (text[0] in "<>" and text[0] != NATIVE and kind[1:] != "1"):
        raise ArgumentError(f"dtype {dtype!r}: there is no such halo_type")
    return TYPES[kind]


def bytes_of(number, element_bytes):
    """Of an element; `element_bytes` counts for HALO_BYTES alone."""
    return element_bytes if number == BYTES else 2 if number == BFLOAT16 else int(KINDS[number][1:])


class Memory:
    """`pointer` of element (0, ..., 0), `shape`, `strides` in bytes, `kind` as "f8", `size` of an element; `owner` must stay."""

    def __init__(self, array, what, readable_only=False):
        self.what, self.device = what, None
        interface = getattr(array, "__cuda_array_interface__", None)
        if interface is not None:
            self.device = _ordinal(array)
        else:
            interface = getattr(array, "__array_interface__", None)
        if interface is not None and interface.get("data") is not None:
            self._from_interface(array, interface, readable_only)
        else:
            self._from_buffer(array, readable_only)
        if self.strides is None:
            self.strides = self._without_gaps()

    def _from_interface(self, array, interface, readable_only):
        self.pointer, read_only = interface["data"]
        if read_only and not readable_only:
            raise ArgumentError(f"{self.what}: the array is read-only")
        text = interface["typestr"]
        if text[0] in "<>" and text[0] != NATIVE:
            raise ArgumentError(f"{self.what}: bytes of the array are in the other order ({text})")
        self.kind, self.size = text[1:], int(text[2:])
        self.shape, self.strides = tuple(interface["shape"]), interface.get("strides")
        view = _view_under(array)
        self.owner = array if view is None else view.owner

    def _from_buffer(self, array, readable_only):
        try:
            view = memoryview(array)
        except TypeError:
            raise ArgumentError(f"{self.what}: {type(array).__name__} has neither the buffer protocol nor an array interface") from None
        if view.readonly and not readable_only:
            raise ArgumentError(f"{self.what}: the memory is read-only")
        if not view.c_contiguous:
            raise ArgumentError(f"{self.what}: a buffer with gaps and without an array interface")
        letter = view.format.lstrip("@=" + NATIVE)
        self.kind, self.size = LETTERS.get(letter, "V" + str(view.itemsize)), view.itemsize
        self.shape, self.strides = view.shape, view.strides
        self.owner = (ffi.from_buffer(array, require_writable=not readable_only) if view.nbytes else ffi.new("char[1]"))  # while it lives the memory cannot move
        self.pointer = int(ffi.cast("intptr_t", self.owner))

    def _without_gaps(self):
        strides, step = [], self.size
        for extent in reversed(self.shape):
            strides.insert(0, step)
            step *= extent
        return tuple(strides)

    def require_type(self, number, element_bytes):
        """HALO_BYTES and bfloat16 take anything of their size."""
        if number in (BYTES, BFLOAT16):
            wanted = bytes_of(number, element_bytes)
            if self.size != wanted:
                raise ArgumentError(f"{self.what}: elements of {self.size} bytes, and {wanted} are wanted")
        elif TYPES.get(self.kind) != number:
            raise ArgumentError(f"{self.what}: elements of type {self.kind}, and {KINDS.get(number, number)} is wanted")

    def contiguous(self):
        return all(stride == step or extent == 1 for extent, stride, step in zip(self.shape, self.strides, self._without_gaps()))

    def count(self):
        n = 1
        for extent in self.shape:
            n *= extent
        return n

    def steps(self):
        """Strides in elements."""
        for stride in self.strides:
            if stride % self.size:
                raise ArgumentError(f"{self.what}: a stride of {stride} bytes is no whole number of elements of {self.size}")
        return [stride // self.size for stride in self.strides]


def _ordinal(array):
    device = getattr(array, "device", None)
    for name in ("id", "index"):
        if isinstance(getattr(device, name, None), int):
            return getattr(device, name)
    return 0


class View:
    """An array over memory of the library, by an array interface: numpy.asarray(view) copies nothing."""

    def __init__(self, views, interface, owner, key, on_device):
        self.views, self.owner, self.key, self.on_device = views, owner, key, on_device
        setattr(self, "__cuda_array_interface__" if on_device else "__array_interface__", interface)


def _view_under(array):
    while array is not None and not isinstance(array, View):
        array = getattr(array, "base", None)
    return array


class Kept:
    """An array that an object of the package keeps; called, it gives it. Of one over memory of the library it keeps only where that lies: the program does not
    use it, so a context may go with both."""

    def __init__(self, array):
        view = _view_under(array)
        if view is None:
            self._make = lambda: array
            return
        interface = array.__cuda_array_interface__ if view.on_device else array.__array_interface__
        self._make = functools.partial(view.views.at, interface, view.owner, view.key, view.on_device)
        view.views.add_kept(self, view.key)

    def __call__(self):
        return self._make()


class Views:
    """Arrays over memory of one object of the library, which may not go while they are in use."""

    def __init__(self):
        self._views, self._kept = {}, {}

    def over(self, data, desc, shape, strides, owner, key=None, begin=0, on_device=False):
        """Strides and `begin` count elements. A numpy array; where there is no numpy, or for a device, a View."""
        size = bytes_of(desc.type, desc.element_bytes)
        kind = KINDS.get(desc.type, f"V{size}")
        return self.at({"version": 3, "typestr": ("|" if kind[0] == "V" or size == 1 else NATIVE) + kind, "shape": tuple(shape),
                        "data": (int(ffi.cast("intptr_t", data)) + begin * size, False), "strides": tuple(stride * size for stride in strides)}, owner, key, on_device)

    def at(self, interface, owner, key, on_device):
        view = View(self, interface, owner, key, on_device)
        self._views.setdefault(key, weakref.WeakSet()).add(view)
        if on_device:
            return view
        try:
            import numpy
        except ImportError:
            return view
        return numpy.asarray(view)

    def add_kept(self, array, key):
        self._kept.setdefault(key, weakref.WeakSet()).add(array)

    def in_use(self):
        """By the program."""
        return any(len(views) for views in self._views.values())

    def refuse(self, what, call, *key):
        """By the program, or by other objects. Without a key: of all."""
        if any(len(arrays.get(one, ())) for arrays in (self._views, self._kept) for one in (key or arrays)):
            raise Busy(f"{what}: an array over memory of the library is still in use: delete it first", call)


def flat(array, what, number=None, writable=False):
    """Memory without gaps, of a halo_type if one is given."""
    memory = Memory(array, what, readable_only=not writable)
    if memory.device is not None:
        raise ArgumentError(f"{what}: the array is in a device's memory, and one of the host's is wanted")
    if number is not None:
        memory.require_type(number, memory.size)
    if not memory.contiguous():
        raise ArgumentError(f"{what}: the array has gaps")
    return memory

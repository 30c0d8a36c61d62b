# SPDX-License-Identifier: BSD-3-Clause
"""What every object has: a handle that is destroyed by `destroy`, by the end of a `with`, or with its context, and never by the garbage collector.

Destroying is collective, and garbage is found at another time on each rank. So an object that is lost leaves its handle, and the memory that is bound to it,
to its context, with a ResourceWarning; it goes when the context does.
"""
import warnings

from ._calls import BY_HAND, LEFT_OUT, parameters_of, run
from ._errors import HandleError, check
from ._library import PROTOTYPES, ffi, lib


class Handle:
    C_TYPE = None
    _pointer = None

    def _own(self, pointer, owners, keep=()):
        """`owners`: objects that this one is made from; `keep`: what else the library uses as long as it lives."""
        self._pointer, self._owners, self._keep = pointer, list(owners), list(keep)
        contexts = (one if one.C_TYPE == "halo_context" else one.context for one in self._owners)
        self.context = next((context for context in contexts if context is not None), None)
        if self.context is not None:
            self.context._children.add(self)
        return self

    @classmethod
    def _made(cls, name, /, *given, **named):
        return cls.__new__(cls)._take(name, *given, **named)

    def _take(self, name, /, *given, **named):
        pointer, call = run(name, *given, **named)
        return self._own(pointer, call.owners, call.keep)

    @property
    def pointer(self):
        """The C handle."""
        if self._pointer is None:
            raise HandleError(f"this {type(self).__name__} has been destroyed, or was never made")
        return self._pointer

    def destroy(self):
        """Collective, as making it was. Does nothing if it is destroyed already."""
        if self._pointer is None:
            return
        handle = ffi.new(f"{self.C_TYPE} **", self._pointer)
        name = f"{self.C_TYPE}_destroy"
        status = getattr(lib, name)(handle)
        if handle[0] == ffi.NULL:  # whatever a device has failed in
            self._forget()
        check(status, name)

    def _forget(self):
        self._pointer, self._owners, self._keep = None, [], []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.destroy()

    def __del__(self):
        if self._pointer is not None and self._lost():
            warnings.warn(f"{type(self).__name__} lost without destroy(): it goes with its context", ResourceWarning, source=self)

    def _lost(self):
        if self.context is not None and self.context._pointer is not None:
            self.context._lost_children.append(self._kept())
            return True
        return False

    def _kept(self):
        """All that must stay as long as the handle."""
        return self._keep, self._owners

    def _views_in_use(self):
        return False


CLASSES = {}


def wrapped(result, call):
    """Handles among results as objects."""
    if isinstance(result, ffi.CData) and ffi.typeof(result).kind == "pointer" and ffi.typeof(result).item.cname in CLASSES:
        kind = CLASSES[ffi.typeof(result).item.cname]
        return kind.__new__(kind)._own(result, call.owners, call.keep)
    return result


def function(name):
    def called(*given, **named):
        return wrapped(*run(name, *given, **named))
    called.__name__ = called.__qualname__ = name.removeprefix("halo_")
    called.__doc__ = f"{name}({', '.join(PROTOTYPES[name])})"
    return called


def handle_class(cls):
    """Gives a class the functions whose first parameter is its handle as methods, and those that make one as class methods, by the rest of their names."""
    CLASSES[cls.C_TYPE] = cls
    for name in PROTOTYPES:
        parameters = parameters_of(name)
        if name in BY_HAND or name in LEFT_OUT or not parameters or not name.startswith(cls.C_TYPE + "_"):
            continue
        first, last, short = parameters[0], parameters[-1], name.removeprefix(cls.C_TYPE + "_")
        if short.startswith("create_") and last.base == cls.C_TYPE:
            maker = short.removeprefix("create_")
            if not hasattr(cls, maker):
                setattr(cls, maker, classmethod(lambda kind, *given, _name=name, **named: kind._made(_name, *given, **named)))
        elif first.base == cls.C_TYPE and first.pointers == 1 and not hasattr(cls, short):
            setattr(cls, short, _method(name))
            if short.startswith("get_"):
                setattr(cls, short.removeprefix("get_"), _method(name))
    return cls


def _method(name):
    plain = function(name)

    def method(self, /, *given, **named):
        return plain(self, *given, **named)
    method.__name__, method.__doc__ = plain.__name__, plain.__doc__
    return method

# SPDX-License-Identifier: BSD-3-Clause
"""A status that is no success is an exception: one class for each, named after it, with the library's text."""
import threading

from ._interface import CONSTANTS
from ._library import ffi, lib


class Error(Exception):
    """Base of all. `status` is the number, `call` the function that returned it."""
    status = CONSTANTS["HALO_ERR_INTERNAL"]

    def __init__(self, text, call=None):
        super().__init__(f"{call}: {text}" if call else text)
        self.call = call


_BASES = {"ARGUMENT": (ValueError,), "BOUNDS": (ValueError,), "NOT_FOUND": (LookupError,), "MEMORY": (MemoryError,)}
BY_STATUS = {}
for _name, _value in CONSTANTS.items():
    if _name.startswith("HALO_ERR_") or _name in ("HALO_BUSY", "HALO_TIMEOUT", "HALO_DECLINED"):
        _short = _name[5:].removeprefix("ERR_")
        _class = _short.title().replace("_", "") + ("Error" if _name.startswith("HALO_ERR_") else "")
        BY_STATUS[_value] = globals()[_class] = type(_class, (Error, *_BASES.get(_short, ())), {"status": _value, "__doc__": f"{_name}.", "__module__": "halo"})

ArgumentError, BoundsError, HandleError, Busy, Declined = (BY_STATUS[CONSTANTS[f"HALO_{name}"]] for name in ("ERR_ARGUMENT", "ERR_BOUNDS", "ERR_HANDLE", "BUSY", "DECLINED"))

_raised = threading.local()  # by a callback, inside the call that this thread makes


def keep_raised(error):
    """Of a callback: the call that has led to it raises an error with this one as its cause. Returns the status that the callback gives the library."""
    _raised.error = error
    return error.status if isinstance(error, Error) else CONSTANTS["HALO_ERR_ARGUMENT"]


def check(status, call):
    cause = _raised.__dict__.pop("error", None)
    if status == 0 and cause is None:
        return
    text = ffi.string(lib.halo_last_error()).decode(errors="replace") if status else "a callback raised an exception"
    raise BY_STATUS.get(status, Error)(text, call) from cause

# SPDX-License-Identifier: BSD-3-Clause
"""Functions of the C interface as Python functions, made from their prototypes when they are first used.

What a prototype says is enough: handles, structs, lists and numbers are given in its order; counts and sizes of rows, which lists tell, are left out; what
the library returns is the result. Lists come as memoryviews of memory of their own, or as lists of namespaces where they are of structs; texts as str.
"""
import functools
import re

from ._errors import ArgumentError, check
from ._library import HANDLES, PROTOTYPES, STRUCTS, ffi, lib
from ._rows import Rows
from ._structs import initial, list_of, plain, struct

NUMBERS = {"int32_t": "i", "int64_t": "q", "uint32_t": "I", "uint64_t": "Q", "uint8_t": "B", "double": "d"}
FLAGS = {"done", "writable", "needs_exec"}
ROWS = {"row_bytes", "access_bytes"}
STREAM_NONE = ffi.NULL
STREAM_DEFAULT = ffi.cast("void *", -1)

# Whose prototypes do not tell how much memory is meant, or which do more here: methods call them.
BY_HAND = {
    "halo_status_name", "halo_last_error", "halo_context_error", "halo_struct_init", "halo_context_create", "halo_context_create_communicator",
    "halo_context_create_over", "halo_context_create_inproc", "halo_context_setting", "halo_context_allreduce", "halo_field_bind", "halo_field_bind_many",
    "halo_field_data", "halo_exchange_create", "halo_exchange_start", "halo_exchange_post", "halo_exchange_arrivals", "halo_topology_graph_rows",
    "halo_topology_keys_report", "halo_mesh_get_map", "halo_mesh_get_local", "halo_reduction_create", "halo_reduction_begin", "halo_reduction_end",
    "halo_mesh_distribute", "halo_mesh_collect", "halo_channel_register", "halo_channel_set_buffer",
    "halo_channel_set_bytes", "halo_channel_abandon", "halo_group_create", "halo_group_abandon",
    "halo_channel_find", "halo_channel_buffer", "halo_group_send", "halo_group_send_rows", "halo_group_table", "halo_reduction_create_items",
    "halo_memory_allocate", "halo_memory_allocate_on", "halo_memory_release", "halo_sections_classify", "halo_sections_reach",
    "halo_forest_adapt", "halo_forest_place", "halo_exchange_coarse_data", "halo_mesh_add_columns", "halo_mesh_get_columns", "halo_access_data",
    "halo_particles_start", "halo_particles_finish",
    "halo_access_begin", "halo_access_ready", "halo_access_needs_exec", "halo_access_end", "halo_access_end_and_send", "halo_access_abandon",
    *(name for name in PROTOTYPES if name.endswith(("_destroy", "_destroy_with_all"))),
}
# Which are not offered: halo.Channel is one at a time.
LEFT_OUT = {"halo_channel_register_many"}


class Call:
    """Of one call: C arguments, what must stay until it returns, handles among the arguments, and how to read the results."""

    def __init__(self, name, given, named):
        self.name, self.given, self.named = name, list(given), named
        self.arguments, self.keep, self.owners, self.results, self.fill = [], [], [], [], None

    def next(self, what):
        if not self.given:
            raise TypeError(f"{self.name}: {what} is missing")
        return self.given.pop(0)


def _object(call, one):
    thing = call.next(one.name)
    if thing is None and call.name in ("halo_info", "halo_field_level_boxes"):
        call.arguments.append(ffi.NULL)
        return
    if getattr(thing, "C_TYPE", None) != one.base:
        raise ArgumentError(f"{one.name}: {type(thing).__name__} is no {one.base}", call.name)
    call.owners.append(thing)
    call.arguments.append(thing.pointer)


def _objects(call, one):
    things = call.next(one.name)
    if things is None and one.name == "newer":
        call.arguments.append(ffi.NULL)
        return
    things = list(things)
    for i, thing in enumerate(things):
        if thing is not None and getattr(thing, "C_TYPE", None) != one.base:  # None: what a stencil does not exchange; else the library refuses it
            raise ArgumentError(f"{one.name}[{i}]: {type(thing).__name__} is no {one.base}", call.name)
    array = ffi.new(f"{one.base} *[]", [ffi.NULL if thing is None else thing.pointer for thing in things])
    call.owners += [thing for thing in things if thing is not None]
    call.keep.append(array)
    call.n_objects = getattr(call, "n_objects", len(things))  # the same in all lists of them
    if call.n_objects != len(things):
        raise ArgumentError(f"{one.name}: {len(things)}, and {call.n_objects} before", call.name)
    call.arguments.append(array)


def _struct(call, one):
    values = call.given.pop(0) if call.given else call.named
    call.named = {}
    if values is None:
        call.arguments.append(ffi.NULL)
    else:
        call.arguments.append(struct(one.base, values, call.name, call.keep))


def _new(call, one):
    out = ffi.new(f"{one.base} **")
    call.arguments.append(out)
    call.results.append(lambda: out[0])


def _number(call, one):
    out = ffi.new(f"{one.base} *")
    call.arguments.append(out)
    call.results.append(lambda: bool(out[0]) if one.name in FLAGS else out[0])


def _filled_struct(call, one):
    out = initial(one.base)
    call.arguments.append(out)
    call.results.append(lambda: plain(out))


def _filled_array(call, one):
    out = ffi.new(f"{one.base}[]", one.length)
    call.arguments.append(out)
    call.results.append(lambda: [plain(item) for item in out])


def _counted_array(call, one):
    out, n = ffi.new(f"{one.base}[]", one.length), ffi.new("int32_t *")
    call.arguments += [out, n]
    call.results.append(lambda: [plain(out[i]) for i in range(n[0])])


def _filled_list(call, one):
    """The first call asks how long it is."""
    n, place = ffi.new("int64_t *"), len(call.arguments)
    call.arguments += [ffi.NULL, 0, n]

    def fill():
        room = ffi.new(f"{one.base}[]", max(n[0], 1))
        call.arguments[place:place + 2] = [room, n[0]]
        call.results.append(lambda: Rows(one.base, room, n[0]) if one.base in STRUCTS else copied(room, n[0], one.base))
    call.fill = fill


def _long_text(call, one):
    n, place = ffi.new("size_t *"), len(call.arguments)
    call.arguments += [ffi.NULL, 0, n]

    def fill():
        room = ffi.new("char[]", max(n[0], 1))
        call.arguments[place:place + 2] = [room, n[0]]
        call.results.append(lambda: ffi.string(room).decode(errors="replace"))
    call.fill = fill


def _their_list(call, one):
    pointer, n = ffi.new(f"const {one.base} **"), ffi.new("int64_t *")
    call.arguments += [pointer, n]
    call.results.append(lambda: copied(pointer[0], n[0], one.base))


def _list(call, one):
    pointer, n, keep = list_of(call.next(one.name), one.base, f"{call.name}: {one.name}")
    call.keep += [pointer, keep]
    call.arguments += [pointer, n]


def _given_array(call, one):
    call.keep.append(ffi.new(f"{one.base}[{one.length}]", list(call.next(one.name))))
    call.arguments.append(call.keep[-1])


def _given_text(call, one):
    call.keep.append(ffi.new("char[]", str(call.next(one.name)).encode()))
    call.arguments.append(call.keep[-1])


def _of_each(call, one):
    """A number for each of the objects."""
    out = ffi.new(f"{one.base}[]", max(call.n_objects, 1))
    call.arguments.append(out)
    call.results.append(lambda: copied(out, call.n_objects, one.base))


def _value(call, one):
    call.arguments.append(call.next(one.name))


def _stream(call, _):
    call.arguments.append(call.given.pop(0) if call.given else call.named.pop("stream", STREAM_NONE))


def _count(call, _):
    call.arguments.append(call.n_objects)


def _row_bytes(following):
    return lambda call, _: call.arguments.append(ffi.sizeof(following.base))


def copied(pointer, n, base):
    """A list of the library's, as one of Python's."""
    return memoryview(bytearray(ffi.buffer(pointer, n * ffi.sizeof(base)) if n else b"")).cast(NUMBERS[base])


class Parameter:
    def __init__(self, text):
        kind, self.name, length = re.fullmatch(r"(.*?)\s*(\w+)(?:\[(\d+)\])?", text).groups()
        self.length = int(length) if length else None
        self.base = re.sub(r"const|\*", "", kind).strip()
        self.pointers = kind.count("*") + bool(length)
        self.constant = "const" in kind


# What has room for several, where the prototype shows one.
OF_EACH = {("halo_channel_try_receive_many", "states"), ("halo_channel_writable_many", "writable")}
ROOM = {"halo_sphere_key_neighbours": ("neighbours", 6), "halo_sphere_position": ("position", 3)}


def parameters_of(name):
    parameters = [Parameter(text) for text in PROTOTYPES[name]]
    for one in parameters:
        if ROOM.get(name, ("",))[0] == one.name:
            one.length = ROOM[name][1]
    return parameters


def _step(name, parameters):
    """The function that makes the next arguments, and how many parameters it stands for."""
    one = parameters[0]
    behind = [later.name for later in parameters[1:3]]
    number = one.base in NUMBERS
    if (name, one.name) in OF_EACH:
        return _of_each, 1
    if one.base in HANDLES and one.pointers == 2:
        return (_objects if one.constant else _new), 1
    if one.base in HANDLES:
        return _object, 1
    if one.name in ROWS:
        return _row_bytes(parameters[1]), 1
    if one.base == "halo_stream":
        return _stream, 1
    if one.base == "char" and one.pointers == 1:
        return (_given_text, 1) if one.constant else (_long_text, 3)
    if one.pointers == 2 and one.constant and number and behind[:1] == ["n"]:
        return _their_list, 2
    if one.pointers == 1 and not one.constant and behind == ["capacity", "n"]:
        return _filled_list, 3
    if one.pointers == 1 and one.constant and number:
        if one.length:
            return _given_array, 1
        if behind[:1] in (["n"], [f"n_{one.name}"], ["n_points"]):
            return _list, 2
    if one.pointers == 1 and one.constant and one.base in STRUCTS:
        return (_list, 2) if behind[:1] == [f"n_{one.name}"] else (_struct, 1)
    if one.pointers == 1 and one.length:
        return (_counted_array, 2) if behind[:1] == [f"n_{one.name}"] else (_filled_array, 1)
    if one.pointers == 1 and one.base != "void":
        return (_filled_struct if one.base in STRUCTS else _number), 1
    if one.pointers == 0:
        counts = one.name in ("n", "n_fields") and any(other.base in HANDLES and other.constant and other.pointers == 2 for other in parameters_of(name))
        return (_count if counts else _value), 1
    raise NotImplementedError(f"{name}: {one.name}")


@functools.lru_cache(None)
def steps(name):
    parameters, found = parameters_of(name), []
    while parameters:
        step, n = _step(name, parameters)
        found.append((step, parameters[0]))
        parameters = parameters[n:]
    return found


def run(name, /, *given, **named):
    """Calls a function of the library; (result or tuple of them, the call)."""
    call = Call(name, given, named)
    for step, one in steps(name):
        step(call, one)
    if call.given or call.named:
        raise TypeError(f"{name}: too many arguments: {', '.join(map(repr, call.given or call.named))}")
    function = getattr(lib, name)
    try:
        result = function(*call.arguments)
        if call.fill and result == 0:
            call.fill()
            result = function(*call.arguments)
    except (TypeError, OverflowError) as reason:
        raise ArgumentError(str(reason), name) from None
    if ffi.typeof(function).result.cname != "int32_t" or name in ("halo_version", "halo_element"):
        return result, call
    check(result, name)
    results = [read() for read in call.results]
    return (results[0] if len(results) == 1 else tuple(results) if results else None), call

# SPDX-License-Identifier: BSD-3-Clause
"""Structs from Python values and back. Lists may be anything with the buffer protocol (then they are read in place) or any sequence; their lengths are
compared with each other, and fill in the counts."""
import types

from . import _callbacks
from ._errors import ArgumentError, check
from ._library import FUNCTION_MEMBERS, HANDLES, STRUCTS, ffi, lib

# How long each list is that a struct points to: a member, and what is added to it. tests/test_interface.py compares with the headers.
LENGTHS = {
    "halo_context_options": {"settings": "n_settings", "allocators": "n_allocators"},
    "halo_blocks_desc": {"owner": "n_owner"},
    "halo_boxes_desc": {"boxes": "n_boxes", "owner": "n_boxes", "priority": "n_boxes"},
    "halo_regions_desc": {"cells": "n_parts*3", "owner": "n_parts", "joins": "n_joins", "vector_signs": "n_joins*3"},
    "halo_forest_desc": {"trees": "n_trees", "joins": "n_joins", "leaves": "n_leaves", "owner": "n_leaves"},
    "halo_keys_desc": {"keys": "n_keys", "flags": "n_keys", "weights": "n_keys", "owners": "n_keys", "part_offsets": "n_parts+1"},
    "halo_keys_edit": {"remove": "n_remove", "add": "n_add", "flags": "n_add", "weights": "n_add", "owners": "n_add"},
    "halo_graph_desc": {"keys": "n_owned", "offsets": "n_owned+1", "lengths": "n_owned", "neighbours": None, "owners": None},
    "halo_star_desc": {"leaves": "n_leaves", "ranks": "n_leaves", "indices": "n_leaves"},
    "halo_lists_desc": {"peers": "n_peers", "send_offsets": "n_peers+1", "receive_offsets": "n_peers+1", "send": None, "receive": None},
    "halo_exchange_desc": {"sections": None},
    "halo_run": {"field_mask": "n_fields", "sets": "n_fields", "devices": "n_fields"},
    "halo_map": {"to": None, "to_owners": "n_to"},
    "halo_mesh_set": {"keys": "n", "owners": "n"},
    "halo_mesh_map": {"keys": None},
    "halo_mesh_desc": {"sets": "n_sets", "maps": "n_maps"},
    "halo_particles_desc": {"column_bytes": "n_columns", "position": None, "vectors": "n_vectors"},
    "halo_sphere_desc": {"boxes": "n_boxes"},
    "halo_cubed_sphere_desc": {"owner": None},
    "halo_latitudes_desc": {"owner": None},
    "halo_reduced_rows_desc": {"cells": "n_rows"},
    "halo_stencil_desc": {"splitters": "n_splitters"},
    "halo_stencil_stage_desc": {"accesses": "n_accesses", "intervals": "n_intervals"},
}
# Lists whose length another list ends with, or another number gives: checked by a function of the struct and the lengths.
LENGTHS_BY_HAND = {
    "halo_graph_desc": lambda s, n: {name: s.offsets[s.n_owned] if s.offsets else s.n_owned * s.width for name in ("neighbours", "owners")},
    "halo_lists_desc": lambda s, n: {"send": s.send_offsets[s.n_peers] if s.send_offsets else 0, "receive": s.receive_offsets[s.n_peers] if s.receive_offsets else 0},
    "halo_particles_desc": lambda s, n: {"position": 1},
    "halo_cubed_sphere_desc": lambda s, n: {"owner": 6 * s.parts_per_side**2},
    "halo_latitudes_desc": lambda s, n: {"owner": s.parts[0] * s.parts[1]},
}
ROW_BYTES = {
    "halo_regions_desc": {"join_bytes": "halo_join"},
    "halo_mesh_desc": {"set_bytes": "halo_mesh_set", "map_bytes": "halo_mesh_map"},
    "halo_forest_desc": {"tree_bytes": "halo_tree", "join_bytes": "halo_tree_join", "leaf_bytes": "halo_leaf"},
}
FORMATS = {"int32_t": "i", "int64_t": "ql", "uint32_t": "I", "uint64_t": "QL", "uint8_t": "B", "double": "d"}


def _structured(values, base, where):
    """A structured array whose members are those of the struct, in place; None: it is no such array."""
    names = getattr(getattr(values, "dtype", None), "names", None)
    if names is None:
        return None
    view = memoryview(values)
    if list(names) != list(STRUCTS[base]) or view.itemsize != ffi.sizeof(base):
        raise ArgumentError(f"{where}: an array with members {', '.join(names)}, and those of {base} are wanted: {', '.join(STRUCTS[base])}")
    if not view.c_contiguous:
        raise ArgumentError(f"{where}: the array has gaps")
    return ffi.from_buffer(f"{base}[]", values)


def list_of(values, base, where):
    """(pointer, length, what must stay) of a list of a C type."""
    if base in STRUCTS:
        if getattr(values, "base", None) == base:
            return values.array, len(values), [values]
        if (rows := _structured(values, base, where)) is not None:
            return rows, len(rows), [rows]
        items = list(values)
        array = ffi.new(f"{base}[]", len(items))
        keep = [array]
        for i, item in enumerate(items):
            filled = struct(base, item, f"{where}[{i}]", keep)
            array[i] = filled[0]
        return array, len(items), keep
    if isinstance(values, ffi.CData):
        raise ArgumentError(f"{where}: a C pointer does not tell its length")
    try:
        view = memoryview(values)
    except TypeError:
        try:
            array = ffi.new(f"{base}[]", list(values))
        except (TypeError, OverflowError) as reason:
            raise ArgumentError(f"{where}: no list of {base}: {reason}") from None
        return array, len(array), [array]
    if view.format.lstrip("@=<") not in FORMATS.get(base, ()):
        raise ArgumentError(f"{where}: an array of format {view.format!r}, and {base} is wanted")
    if not view.c_contiguous:
        raise ArgumentError(f"{where}: the array has gaps")
    if view.nbytes == 0:
        return ffi.new(f"{base}[1]"), 0, []
    whole = ffi.from_buffer(f"{base}[]", values)
    return whole, view.nbytes // view.itemsize, [whole]


def _member(result, name, member, declared, value, where, keep, lengths):
    if member in FUNCTION_MEMBERS[name]:
        setattr(result, member, _callbacks.function(name, member, value, keep))
        return
    base, pointers = declared.replace("const ", "").split()[0], declared.count("*")
    if isinstance(value, ffi.CData):
        setattr(result, member, value)
        keep.append(value)
    elif pointers == 0 and "[" in declared:
        target = getattr(result, member)
        values = list(value)
        if len(values) > len(target):
            raise ArgumentError(f"{where}.{member}: {len(values)} values, at most {len(target)}")
        for i, one in enumerate(values):
            target[i] = one
    elif pointers == 0 and base in STRUCTS:
        setattr(result, member, struct(base, value, f"{where}.{member}", keep)[0])
    elif pointers == 0:
        setattr(result, member, value)
    elif base == "char":
        text = ffi.new("char[]", str(value).encode())
        keep.append(text)
        setattr(result, member, text)
    elif LENGTHS.get(name, {}).get(member, "") == "":
        raise ArgumentError(f"{where}.{member}: takes a C pointer alone")
    else:
        pointer, lengths[member], kept = list_of(value, base, f"{where}.{member}")
        keep += [pointer, *kept]
        setattr(result, member, pointer)


def _counted(result, name, given, where, lengths):
    """Counts that the lists tell, and lists that are too short."""
    for member, rule in LENGTHS.get(name, {}).items():
        if member not in lengths or rule is None:
            continue
        count, _, extra = rule.partition("+")
        count, _, factor = count.partition("*")
        factor, extra = int(factor or 1), int(extra or 0)
        if count not in given:
            if (lengths[member] - extra) % factor:
                raise ArgumentError(f"{where}.{member}: {lengths[member]} entries, not a multiple of {factor}")
            setattr(result, count, (lengths[member] - extra) // factor)
            given = {**given, count: None}
        wanted = getattr(result, count) * factor + extra
        if lengths[member] != wanted:
            raise ArgumentError(f"{where}.{member}: {lengths[member]} entries; with {count} = {getattr(result, count)} there must be {wanted}")
    for member, wanted in (LENGTHS_BY_HAND[name](result, lengths) if name in LENGTHS_BY_HAND else {}).items():
        if member in lengths and lengths[member] != wanted:
            raise ArgumentError(f"{where}.{member}: {lengths[member]} entries, and there must be {wanted}")


def initial(name):
    result = ffi.new(f"{name} *")
    if lib.halo_struct_init(name.encode(), result, ffi.sizeof(name)) != 0:
        if "struct_size" in STRUCTS[name]:
            check(lib.halo_struct_init(name.encode(), result, ffi.sizeof(name)), name)
    for member, row in ROW_BYTES.get(name, {}).items():  # as this package knows them
        setattr(result, member, ffi.sizeof(row))
    return result


def struct(name, values, where, keep):
    """A struct filled with its initial values, then with those of a mapping, of a list in the order of its members, or of an object with attributes."""
    if isinstance(values, ffi.CData):
        return values if ffi.typeof(values).kind == "pointer" else ffi.addressof(values)
    members = STRUCTS[name].keys() | set(FUNCTION_MEMBERS[name])
    if isinstance(values, types.SimpleNamespace):
        values = vars(values)
    elif not isinstance(values, dict):
        values = dict(zip([member for member in STRUCTS[name] if member not in ("struct_size", "struct_version")], values))
    result, lengths = initial(name), {}
    keep.append(result)
    for member, value in values.items():
        if member not in members:
            raise ArgumentError(f"{where}: there is no {member!r}: {', '.join(sorted(members - {'struct_size', 'struct_version', 'reserved'}))}")
        if value is None or member in ("struct_size", "struct_version"):
            continue
        try:
            _member(result, name, member, STRUCTS[name].get(member, ""), value, where, keep, lengths)
        except (TypeError, OverflowError) as reason:
            raise ArgumentError(f"{where}.{member}: {reason}") from None
    _counted(result, name, values, where, lengths)
    return result


def plain(value):
    """What the library has filled, as Python values: structs as namespaces, arrays as tuples, texts as str; functions stay C pointers."""
    if not isinstance(value, ffi.CData):
        return value
    kind = ffi.typeof(value)
    if kind.kind == "function":
        return value if value else None
    if kind.kind == "pointer":
        if kind.item.kind == "struct" and kind.item.cname not in HANDLES:
            return plain(value[0]) if value else None
        if kind.item.cname == "char":
            return ffi.string(value).decode(errors="replace") if value else None
        return value if value else None
    if kind.kind == "array":
        return tuple(plain(value[i]) for i in range(kind.length))
    names = [name for name, _ in kind.fields if name not in ("struct_size", "struct_version", "reserved")]
    return types.SimpleNamespace(**{name: plain(getattr(value, name)) for name in names})

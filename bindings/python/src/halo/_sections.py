# SPDX-License-Identifier: BSD-3-Clause
"""Sections of sets: lists alone, without a context."""
from ._calls import copied
from ._errors import ArgumentError, check
from ._library import ffi, lib
from ._memory import flat
from ._structs import initial, list_of, plain, struct


def _map(map, n, where, keep):
    """A halo_map whose list is as long as `n` entities want."""
    result = struct("halo_map", map, where, keep)
    _, length, _ = list_of(map["to"], "uint32_t", f"{where}.to")
    if length != n * result.arity:
        raise ArgumentError(f"{where}.to: {length} entries; {n} entities of arity {result.arity} must have {n * result.arity}")
    return result


def sections_classify(rank, owners, maps=()):
    """(section of each entity, an order by sections, sizes of the sections); maps are mappings with the members of halo_map."""
    keep = []
    mine, n, kept = list_of(owners, "int32_t", "owners")
    rows = ffi.new("halo_map[]", max(len(maps), 1))
    for i, one in enumerate(maps):
        rows[i] = _map(one, n, f"maps[{i}]", keep)[0]
    sections, order, sizes = ffi.new("int32_t[]", max(n, 1)), ffi.new("uint32_t[]", max(n, 1)), initial("halo_section_sizes")
    check(lib.halo_sections_classify(rank, mine, n, rows, len(maps), sections, order, sizes), "halo_sections_classify")
    del kept
    return copied(sections, n, "int32_t"), copied(order, n, "uint32_t"), plain(sizes)


def sections_reach(map, sections, begin, bits, groups):
    """Ors `bits` into the groups of what entities in sections of `begin` (section bits) touch. `groups`: an array of uint32, which is the result too."""
    keep, given = [], flat(groups, "groups", writable=True)
    pointer, n, kept = list_of(sections, "int32_t", "sections")
    if given.kind != "u4":
        raise ArgumentError(f"groups: elements of type {given.kind}, and u4 is wanted")
    one = _map({"n_to": given.count(), **map}, n, "map", keep)
    if given.count() < one.n_to:
        raise ArgumentError(f"groups: {given.count()} entries, and the map leads to {one.n_to}")
    check(lib.halo_sections_reach(one, pointer, n, begin, bits, ffi.cast("uint32_t *", given.pointer)), "halo_sections_reach")
    del kept
    return groups

# SPDX-License-Identifier: BSD-3-Clause
"""The tables of the package against the headers: what is added there must have its place here."""
import re
from pathlib import Path

import pytest

import halo
from halo import _calls, _library, _structs

# Lists that are not given as lists: `rows` is one of pointers; `data` and `layout` are made by methods; structs that the library fills; channels.
NO_LISTS = {("halo_graph_desc", "rows"), ("halo_run", "data"), ("halo_binding", "layout"), ("halo_channel_desc", "allocator"), ("halo_keys_report", "unclaimed"),
            ("halo_keys_report", "several_claim"), ("halo_mesh_local", "layer_ends"), ("halo_mesh_local", "reach_ends"), ("halo_mesh_local", "keys"),
            ("halo_mesh_local", "owners"), ("halo_particles_arrays", "counts"), ("halo_particles_arrays", "data"), ("halo_particles_arrays", "targets")}
# Pointers to one thing that the library fills; what has room for several stands in _calls.ROOM.
ONE = {"rank", "n_ranks", "done", "n", "n_done", "n_writable", "key", "index", "field", "stage", "writable", "state"}


def test_each_list_has_its_length():
    lists = {(struct, member) for struct, members in _library.STRUCTS.items() for member, text in members.items() if re.match(r"(const \w+|void \*const) \*", text)
             and not text.startswith("const char")}
    known = {(struct, member) for struct, members in _structs.LENGTHS.items() for member in members}
    assert lists - NO_LISTS == known
    assert NO_LISTS <= lists


def test_each_length_is_checked():
    by_hand = {struct: set() for struct in _structs.LENGTHS}
    for struct, members in _structs.LENGTHS.items():
        for member, rule in members.items():
            if rule is None:
                by_hand[struct].add(member)
            else:
                assert re.match(r"\w+", rule)[0] in _library.STRUCTS[struct], f"{struct}.{member}"
    told = {"halo_exchange_desc": {"sections"}, "halo_map": {"to"}, "halo_mesh_map": {"keys"}}
    assert {struct for struct, members in by_hand.items() if members} == _structs.LENGTHS_BY_HAND.keys() | told.keys()


def test_each_function_is_called_by_its_prototype_or_by_hand():
    assert _calls.BY_HAND | _calls.LEFT_OUT <= _library.PROTOTYPES.keys() and not _calls.BY_HAND & _calls.LEFT_OUT
    for name in _library.PROTOTYPES.keys() - _calls.BY_HAND - _calls.LEFT_OUT:
        for step, one in _calls.steps(name):
            assert step is not _calls._number or one.name in ONE, f"{name}: is {one.name} one number, or has it room for several?"
        assert callable(getattr(halo, name.removeprefix("halo_")))


def test_the_reference_names_what_there_is():
    page = (Path(__file__).resolve().parents[3] / "docs/reference.md").read_text()
    rows = dict(re.findall(r"^\| (halo_\w+)\(\) \| .* \| ([^|]*) \|$", page.partition("## Where nothing stands")[0], flags=re.M))
    assert rows.keys() >= _library.PROTOTYPES.keys()
    assert {name for name, python in rows.items() if python == "–"} == _calls.LEFT_OUT
    for name in re.findall(r"`halo\.([\w.]+)`", " ".join(rows.values())):
        kind, _, member = name.partition(".")
        assert not member or hasattr(getattr(halo, kind), member) or name == "Context.rank" or name == "Field.desc", name
        assert hasattr(halo, kind), name


@pytest.mark.parametrize("name", sorted(_library.STRUCTS))
def test_structs_are_those_of_the_library(name):
    struct = _structs.initial(name)
    if "struct_size" in _library.STRUCTS[name]:
        assert struct.struct_size == _library.ffi.sizeof(name)


def test_constants_and_functions_of_numbers():
    assert halo.KIND_REVERSE == 1 and halo.NO_INDEX == 2**32 - 1 and halo.TIMEOUT_CONFIGURED == -1.0 and halo.DEVICE_HOST == -1
    assert halo.element(1, 0, -1) == 5 and halo.version() == int("".join(f"{int(part):02}" for part in halo.__version__.split(".")))
    assert halo.info(None, halo.INFO_VERSION).startswith(f"halo {halo.__version__}")
    assert "element" in dir(halo) and "x" in halo.element.__doc__
    assert len(halo.sphere_position(halo.SPHERE_ICOSAHEDRON, 4, halo.SPHERE_CELLS, 3)) == 3
    kinds = halo.SPHERE_CELLS, halo.SPHERE_EDGES, halo.SPHERE_VERTICES
    assert [[halo.sphere_width(begin, to) for to in kinds] for begin in kinds] == [[3, 3, 3], [2, 4, 2], [6, 6, 6]] and halo.mesh_reach(2) == 64
    assert len(halo.sphere_key_neighbours(halo.SPHERE_ICOSAHEDRON, 4, halo.SPHERE_CELLS, 3, halo.SPHERE_CELLS)) == 3


def test_stencils_say_their_ghosts():
    with halo.Stencil(n_dims=2) as stencil:
        u, v = (stencil.add_field(name=name, n_components=1) for name in "uv")
        stencil.add_stage(name="diffuse", accesses=[{"field": u, "low": (-2, -1), "high": (2, 1)}, {"field": v, "mode": halo.STENCIL_WRITE}])
        stencil.analyse()
        desc = stencil.fill_field_desc(u)
        assert desc.ghost_low[:2] == (2, 1), desc
        assert "diffuse" in stencil.describe()

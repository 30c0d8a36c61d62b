# SPDX-License-Identifier: BSD-3-Clause
"""What the other tests do not call, on one rank; and that each function of the reference is called by some test."""
import re
from pathlib import Path

import numpy as np
import pytest

import halo
from halo import _library

HERE = Path(__file__).resolve().parent


def test_each_function_is_called_by_a_test():
    page = (HERE.parents[2] / "docs/reference.md").read_text().partition("## Where nothing stands")[0]
    tests = "".join(path.read_text() for path in HERE.glob("*.py"))
    for function, python in re.findall(r"^\| (halo_\w+)\(\) \| .* \| ([^|]*) \|$", page, flags=re.M):
        names = [name.split(".")[-1] for name in re.findall(r"`halo\.([\w.]+)`", python)]
        assert not names or any(re.search(rf"\b{name}\b", tests) for name in names), f"{function}: no test calls {python}"


@pytest.fixture
def grid(alone):
    return halo.Topology.blocks(alone, n_blocks=(2,), n_cells=(4,), periodic=(1,))


@pytest.fixture
def u(grid):
    field = halo.Field(grid, "u", ghosts=1)
    for gid in range(2):
        field.bind(gid, np.array([-1, *range(4 * gid, 4 * gid + 4), -1], float))
    return field


def test_contexts(alone):
    with pytest.raises(halo.ArgumentError, match="rank"):
        alone.rank_gone(7)
    before = alone.pool_stats(halo.MEMORY_HOST)
    with halo.Storage(alone, (1000,), memory=halo.MEMORY_HOST):
        assert alone.pool_stats(halo.MEMORY_HOST).held_bytes >= max(before.held_bytes, 8000)
    alone.trim()
    assert alone.pool_stats(halo.MEMORY_HOST).held_bytes <= before.held_bytes + 8000
    alone.destroy_with_all()
    with pytest.raises(halo.HandleError):
        alone.trim()


def test_exchanges_tell_about_themselves(u):
    with halo.Exchange(u) as ghosts:
        ghosts.prepare()
        ghosts.run()
        desc = ghosts.get_desc()
        assert desc.kind == halo.KIND_GHOSTS and desc.combine is None and desc.sections is None
        stats = ghosts.stats()
        assert stats.local_bytes == 4 * 8 and stats.payload_bytes == 0 and u.array(0).tolist() == [7, 0, 1, 2, 3, 4]


def test_layouts(alone, grid):
    with halo.Field(grid, "v", ghosts=1) as v:
        v.set_layout(alignment=1, ghost_low=(3, 0, 0))
        assert v.layout(0).first_owned == 3 and v.layout(1).elements == 8
        v.allocate(-1)
        assert v.array(0).shape == (6,)
    work = halo.layout_fill({"alignment": 1, "ghost_low": (1, 1, 0), "ghost_high": (1, 1, 0)}, (4, 3, 1), 8, 2, 1)
    assert work.elements == 6 * 5 * 2 and work.stride[1] == 6 and work.component_stride == 30


def test_points_that_are_mapped_and_edited(alone):
    with halo.Topology.keys(alone, keys=[10, 20, 30, 40], editable=1) as points:
        with halo.Field(points, "p") as p:
            p.map_points(0, [0, -1, 1, -1])
            assert p.layout(0).elements == 2
            p.bind(0, np.array([1.0, 2.0]))
        with points.edit_keys(remove=[1], add=[50, 60]) as edited:
            assert edited.keys_report().n_owned == 5 and edited.owners().tolist() == 5 * [0]
    with halo.Topology.keys(alone, keys=[10, 20]) as points:
        assert points.sharers(1).tolist() == [0]


def test_mapped_points_are_no_array(alone):
    with halo.Topology.blocks(alone, n_blocks=(1, 1), n_cells=(2, 2)) as grid, halo.Field(grid, "m", ghosts=1) as m:
        m.map_points(0, list(range(15, -1, -1)))
        m.allocate(0)
        with pytest.raises(halo.ArgumentError, match="its points are mapped"):
            m.array(0)


def test_memory_of_a_device_is_none_of_the_hosts(alone):
    class OnDevice:
        __cuda_array_interface__ = {"version": 3, "shape": (2,), "typestr": "<f8", "data": (4096, False), "strides": None}
    with pytest.raises(halo.ArgumentError, match="in a device's memory"):
        alone.allreduce(OnDevice())


def test_regions(alone):
    right = {"send_gid": 1, "receive_gid": 0, "send": ((0, 0, 0), (3, 1, 1)), "receive": ((4, 0, 0), (5, 3, 1)), "axis": (1, 0, 2), "sign": (1, -1, 1)}
    with halo.Topology.regions(alone, n_dims=2, cells=[4, 3, 1, 3, 4, 1], joins=[right], reach=1) as parts, halo.Field(parts, "u", ghosts=1) as field:
        for gid in range(2):
            field.bind(gid, np.zeros(field.shape(gid)))
        field.array(1)[1, 1:4] = [10, 11, 12]
        with halo.Exchange(field) as ghosts:
            ghosts.run()
        assert field.array(0)[1:4, 5].tolist() == [12, 11, 10]


def test_cells_that_need_no_ghosts(u):
    interior, rim = u.interior_rim(0, 1)
    assert (interior.low[0], interior.high[0]) == (1, 3) and [(one.low[0], one.high[0]) for one in rim] == [(0, 1), (3, 4)]


def test_sparse_arrivals_between_test_and_unpack(alone, grid):
    with halo.Field(grid, "s", ghosts=1, sparse=1, fill=-1.0) as s, halo.Exchange(s) as ghosts:
        s.bind(0, np.array([0.0, 1, 2, 3, 4, 0]))
        ghosts.start()
        while not ghosts.test():
            alone.progress()
        assert ghosts.arrivals() == [(s, 1)]
        s.bind(1, np.zeros(6))
        ghosts.unpack()
        ghosts.refine()
        assert s.array(1).tolist() == [4, -1, -1, -1, -1, 1]


def test_arrivals_of_a_controlled_field(alone, grid):
    asked = []

    def arrival(field, gid):
        asked.append((field.name, gid))
        field.allocate(gid)
    with halo.Field(grid, "c", ghosts=1, sparse=1) as c, halo.Field(grid, "d", ghosts=1, sparse=1, fill=-1.0, controller="c") as d:
        with halo.Exchange(d, arrival=arrival) as ghosts:
            c.allocate(0)
            d.array(0)[:] = [0, 1, 2, 3, 4, 0]
            ghosts.run()
            assert asked == [("c", 1)] and d.array(1).tolist() == [4, -1, -1, -1, -1, 1]


def test_freshness(u, alone):
    halo.access_mark_dirty(u, 0, halo.ON_HOST)
    with halo.Batch(alone, {"field": u, "mode": halo.READ, "through": halo.VIA_MAP}) as batch:
        batch.ready()
    assert halo.access_get_stats(alone, "u").started == 1 and u.array(1).tolist() == [3, 4, 5, 6, 7, 0]
    halo.access_freeze(u, 1)
    with pytest.raises(halo.StateError, match="frozen"):
        halo.access_mark_dirty(u, 0, halo.ON_HOST)
    halo.access_freeze(u, 0)
    halo.access_mark_dirty(u, 0, halo.ON_HOST)
    halo.access_mark_fresh(u, 0, halo.ON_HOST)
    assert halo.access_get_state(u, 0).freshness == halo.FRESHNESS_VALID


def test_channels_to_the_same_rank(alone):
    channels = [halo.Channel(alone, np.zeros(2), send_gid=i, receive_gid=i + 1) for i in range(2)]
    with halo.Group(alone, channels):
        channels[0].buffer[:] = 7
        halo.channel_send_many(channels[:1])
        channels[1].send_null()
        n, states = halo.channel_try_receive_many(channels)
        assert n == 2 and states.tolist() == [halo.RECEIVED, halo.RECEIVED_NULL] and channels[0].buffer.tolist() == [7, 7]
        halo.channel_stale_many(channels)
        channels[0].allocate()
        channels[0].release()
        channels[0].set_bytes(24)
        assert channels[0].get_desc().count == 3 and channels[0].get_desc().buffer is None
        channels[0].set_buffer(np.ones(3))
        desc = channels[0].get_desc()
        assert int(_library.ffi.cast("intptr_t", desc.buffer)) == channels[0].buffer.ctypes.data and desc.allocator is None
        with halo.Group(alone, channels[:1]) as group:
            assert group.get_desc().messages == halo.MESSAGES_PER_CHANNEL
            channels[0].send()
            assert channels[0].try_receive()[0] and channels[0].held().bytes == 24
            channels[0].stale()


def test_forests_by_functions(alone):
    leaves = halo.forest_uniform({"n_dims": 1, "n_cells": (8,), "trees": [{"n_roots": (2,)}]}, 1)
    assert [leaf.at[0] for leaf in leaves] == [0, 1, 2, 3] and np.asarray(leaves)["level"].tolist() == 4 * [1]
    with halo.Topology.forest(alone, n_dims=1, n_cells=(8,), trees=[{"n_roots": (2,)}], leaves=leaves) as forest, halo.Field(forest, "u") as field:
        field.set_prolongation(halo.PROLONG_CONSTANT)
        with pytest.raises(halo.ArgumentError, match="prolongation|9"):
            field.set_prolongation(9)
        with halo.Field(forest, "u again") as again:
            field.allocate(-1)
            field.array(0)[:] = 7
            again.allocate_from(field)
            assert (again.array(0) == 7).all()
        field.set_restriction(halo.RESTRICT_MEAN)
        with pytest.raises(halo.ArgumentError, match="restriction|9"):
            field.set_restriction(9)


def test_levels_of_boxes(alone):
    boxes = {"n_dims": 1, "domain": ((0,), (8,)), "boxes": [((0,), (8,))]}
    finer = {"n_dims": 1, "domain": ((0,), (16,)), "boxes": [((6,), (10,))]}
    with halo.Topology.boxes(alone, **boxes) as below, halo.Topology.boxes(alone, **finer) as above:
        with halo.Field(below, "u") as coarse, halo.Field(below, "later u") as newer, halo.Field(above, "u", ghosts=1) as fine:
            for field in (coarse, newer, fine):
                field.allocate(-1)
            coarse.array(0)[:] = np.arange(8.0)
            newer.array(0)[:] = np.arange(8.0) + 4
            with halo.Exchange.levels([coarse], [fine], [newer]) as ghosts:
                ghosts.set_fraction(0.5)
                ghosts.run()
                made = [row for row in ghosts.level_regions(2, 0) if row.what == halo.REGION_PROLONGATE]
                assert sorted((row.points.low[0], row.points.high[0]) for row in made) == [(-1, 0), (4, 5)]
            with halo.Exchange.levels([coarse], [fine], what=halo.LEVELS_WHOLE) as whole:
                whole.run()
                assert whole.levels_desc().what == halo.LEVELS_WHOLE
            assert [row.kind for row in coarse.level_boxes(above, 0)] == 2 * [halo.LEVEL_UNCOVERED] + 2 * [halo.LEVEL_BESIDE] + [halo.LEVEL_COVERED]
            assert len(fine.level_boxes(None, 0)) == 3


def test_values_at_any_entities(alone):
    with halo.Mesh(alone, sets=[{"name": "nodes", "keys": [5, 6, 7]}], maps=[{"name": "self", "from": 0, "to": 0, "keys": [5, 6, 7]}]) as mesh:
        with mesh.target_topology(0, [7, 5, 7]) as targets, halo.Field(targets, "u") as field:
            values = np.zeros(3)
            field.bind(0, values)
            field.bind(1, np.array([1.0, 2.0, 4.0]))
            with halo.Exchange(field, kind=halo.KIND_REVERSE) as added:
                added.run()
            assert dict(zip(mesh.local(0).keys, values)) == {5: 2, 6: 0, 7: 5}


def test_particles(alone):
    row = halo.Topology.blocks(alone, n_dims=1, n_blocks=(2,), n_cells=(4,))
    with halo.Particles(row, column_bytes=[8, 4], position={"column": (0, 0, 0), "offset": (0, 0, 0)}) as particles:
        x, number = np.array([[4.5, 1.0, 0.0], [7.0, 2.0, 0.0]]), np.array([[1, 2, 0], [3, 4, 0]], np.int32)
        particles.start([(x[part, :2], number[part, :2]) for part in range(2)])
        assert list(particles.counts()) == [1, 2]
        assert [(one.gid, one.place) for one in particles.left()] == [(1, 0)]
        with pytest.raises(halo.LimitError, match="part 1 has room for 1, there are 2"):
            particles.finish([(x[part, :1], number[part, :1]) for part in range(2)])
        particles.finish([(x[part], number[part]) for part in range(2)])
        assert list(x[1, :2]) == [2.0, 0.5] and list(number[1, :2]) == [4, 1] and number[0, 0] == 2
        with pytest.raises(halo.ArgumentError, match="2 columns"):
            particles.start([(x[0],), (x[1],)])
    with halo.Particles(row, column_bytes=[8]) as particles:
        particles.start([(x[0, :2],), (x[1, :0],)], targets=[[1, 0], []])
        assert list(particles.counts()) == [1, 1]
        particles.finish([(x[0],), (x[1],)])
    row.destroy()


def test_spheres(alone):
    key = halo.sphere_key(halo.SPHERE_ICOSAHEDRON, 4, halo.SPHERE_CELLS, halo.sphere_entity_of(halo.SPHERE_ICOSAHEDRON, 4, halo.SPHERE_CELLS, 9))
    assert key == 9
    with halo.Sphere(alone, n=4, parts_per_side=1) as sphere:
        ends = np.asarray(sphere.ring_ends(sphere.local_parts()[0], halo.SPHERE_CELLS))
        assert (np.diff(ends) >= 0).all() and ends[-1] == len(sphere.keys(sphere.local_parts()[0], halo.SPHERE_CELLS))


def full_ghosts(topology):
    """All cells are 1, and so are all ghosts then."""
    with halo.Field(topology, "u", ghosts=1 if not topology._points else None) as field:
        for gid in topology.local_parts():
            values = np.zeros(field.shape(gid))
            values[field.owned(gid) if not topology._points else slice(None)] = 1
            field.bind(gid, values)
        with halo.Exchange(field) as ghosts:
            ghosts.run()
        return min(np.asarray(field.array(gid)).sum() for gid in topology.local_parts())


def test_quadrilaterals(alone):
    with halo.Topology.cubed_sphere(alone, n=4, parts_per_side=1, reach=1) as cube:
        assert full_ghosts(cube) == 4 * 4 + 4 * 4  # all but the four corners, where three faces meet
    with halo.Topology.latitudes(alone, cells=(8, 4), parts=(2, 1), poles=1, reach=1) as latitudes:
        assert full_ghosts(latitudes) == 6 * 6
    cells = [4, 8, 8, 4]
    assert len(halo.reduced_rows_neighbours({"cells": cells}, 0)) >= 3
    with halo.Topology.reduced_rows(alone, cells=cells, rings=1) as rows:
        assert full_ghosts(rows) == sum(cells)


def test_stencils_by_levels(alone):
    with halo.Stencil(n_dims=3, cells=(4, 4, 6), splitters=[0, 3, 6]) as stencil:
        u, out = (stencil.add_field(name=name) for name in ("u", "out"))
        accesses = [{"field": out, "mode": halo.STENCIL_WRITE, "interval": halo.STENCIL_ALL}, {"field": u, "low": (-2, 0, 0), "high": (2, 0, 0), "interval": 0},
                    {"field": u, "low": (-1, 0, 0), "high": (1, 0, 0), "interval": 1}]
        intervals = [{"from": (0, 1), "to": (1, -1)}, {"from": (1, 1), "to": (2, -1)}]
        stencil.add_stage(name="smooth", accesses=accesses, intervals=intervals)
        stencil.analyse()
        assert [(one.first, one.last, one.low[0]) for one in stencil.exchange_ranges(0)] == [(0, 2, 2), (3, 5, 1)]
        assert len(stencil.stage_ranges(0)) >= 1 and len(stencil.loop_intervals(0)) == len(stencil.loops()) == 2
        assert stencil.summary().n_groups == 1 and isinstance(stencil.level_index((1, 1)), int)
        assert stencil.fill_layout_desc().ghost_low[0] == 2
        with stencil.create_topology(0, alone, dict(n_dims=3, n_blocks=(2, 1, 1), n_cells=(4, 4, 6), periodic=(1, 0, 0))) as blocks:
            desc = vars(stencil.fill_field_desc(u))
            with halo.Field(blocks, **{name: value for name, value in desc.items() if value is not None}) as field:
                for gid in range(2):
                    field.bind(gid, np.zeros(field.shape(gid)))
                    field.array(gid)[field.owned(gid)] = gid + 1
                with stencil.create_exchange(0, [field, None]) as ghosts:
                    ghosts.run()
                values = field.array(0)
                assert (values[:3, :, :2] == 2).all() and (values[3:, :, 1] == 2).all() and (values[3:, :, 0] == 0).all()

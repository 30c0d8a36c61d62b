# SPDX-License-Identifier: BSD-3-Clause
"""On any number of ranks: each works on its parts, and compares with the whole, computed by itself."""
import numpy as np
import pytest

import halo

N = 24  # cells along a side


def whole(kind="f8"):
    return np.random.default_rng(7).random((N, N)).astype(kind)


def step(now, new, rate=0.1):
    """All cells but the outermost, in the same order of operations everywhere."""
    new[1:-1, 1:-1] = now[1:-1, 1:-1] + rate * (((now[1:-1, :-2] + now[1:-1, 2:]) + (now[:-2, 1:-1] + now[2:, 1:-1])) - 4 * now[1:-1, 1:-1])


def around(values, low, high, width):
    """Cells low to high of a periodic square and `width` around them."""
    rows, columns = (np.arange(low[d] - width, high[d] + width) % N for d in (1, 0))
    return values[np.ix_(rows, columns)]


def blocks(world, n=3):
    return halo.Topology.blocks(world, n_blocks=(n, n), n_cells=(N // n, N // n), periodic=(1, 1))


@pytest.mark.parametrize("kind", ["f8", "f4"])
@pytest.mark.parametrize("axes", ["yx", "xy"])
def test_heat_is_that_of_one_rank_bit_for_bit(world, kind, axes):
    expected = whole(kind)
    with blocks(world) as grid, halo.Field(grid, "heat", dtype=kind, ghosts=1, n_sets=2) as heat:
        for gid in grid.local_parts():
            cells = grid.part(gid).cells
            for which in range(2):
                array = np.full(heat.shape(gid, axes), np.nan, kind)
                heat.bind(gid, array, set=which, axes=axes)
            own = around(expected, cells.low, cells.high, 0)
            heat.array(gid)[heat.owned(gid, axes)] = own if axes == "yx" else own.T
        with halo.Exchange(heat) as ghosts:
            for turn in range(20):
                now, new = turn % 2, 1 - turn % 2
                ghosts.run(sets=[now])
                for gid in grid.local_parts():
                    cells = grid.part(gid).cells
                    part = heat.array(gid, now) if axes == "yx" else heat.array(gid, now).T
                    assert np.array_equal(part, around(expected, cells.low, cells.high, 1)), f"ghosts of part {gid}, step {turn}"
                    step(part, heat.array(gid, new) if axes == "yx" else heat.array(gid, new).T)
                larger, result = around(expected, (0, 0), (N, N), 1), np.zeros((N + 2, N + 2), kind)
                step(larger, result)
                expected = result[1:-1, 1:-1]


def test_views_with_gaps_and_negative_strides_are_bound_as_they_lie(world):
    values = whole()
    with blocks(world) as grid, halo.Field(grid, "u", ghosts=(2, 1)) as u, halo.Exchange(u) as ghosts:
        rest = {}
        for gid in grid.local_parts():
            rows, columns = u.shape(gid)
            rest[gid] = np.full((2 * rows + 3, columns + 5), -1.0)
            view = rest[gid][1:1 + 2 * rows:2, 2:2 + columns][::-1]
            cells = grid.part(gid).cells
            view[u.owned(gid)] = around(values, cells.low, cells.high, 0)
            u.bind(gid, view)
        ghosts.run()
        for gid in grid.local_parts():
            cells = grid.part(gid).cells
            expected = around(values, cells.low, cells.high, 2)[1:-1]
            assert np.array_equal(u.array(gid), expected)
            assert np.count_nonzero(rest[gid] != -1.0) == expected.size


def test_larger_arrays_say_where_the_first_owned_point_is(world):
    values = whole()
    with blocks(world) as grid, halo.Field(grid, "u", ghosts=1) as u, halo.Exchange(u) as ghosts:
        for gid in grid.local_parts():
            array = np.full((N // 3 + 7, N // 3 + 6), -1.0)
            cells = grid.part(gid).cells
            array[3:3 + N // 3, 4:4 + N // 3] = around(values, cells.low, cells.high, 0)
            u.bind(gid, array, first=(4, 3))
        ghosts.run()
        for gid in grid.local_parts():
            cells = grid.part(gid).cells
            assert np.array_equal(u.array(gid)[2:4 + N // 3, 3:5 + N // 3], around(values, cells.low, cells.high, 1))
            assert (u.array(gid)[:2] == -1.0).all()


def test_parts_in_one_array_and_components_side_by_side(world):
    values = whole()
    with blocks(world) as grid, halo.Field(grid, "v", ghosts=1, n_components=2) as v, halo.Exchange(v) as ghosts:
        gids = list(grid.local_parts())
        together = np.zeros((len(gids), *(v.shape(gids[0], "yxc") if gids else (1, 1, 2))))
        for i, gid in enumerate(gids):
            cells = grid.part(gid).cells
            for c in range(2):
                together[i, 1:-1, 1:-1, c] = around(values, cells.low, cells.high, 0) + c
        v.bind_many(together, axes="yxc")
        ghosts.run(components=(1, 1))
        for i, gid in enumerate(gids):
            cells = grid.part(gid).cells
            assert np.array_equal(together[i, :, :, 1], around(values, cells.low, cells.high, 1) + 1)
            assert (together[i, 0, :, 0] == 0).all(), "component 0 was left out"


def test_storage_of_the_library(world):
    values = whole()
    with blocks(world) as grid, halo.Field(grid, "u", ghosts=1) as u, halo.Exchange(u) as ghosts:
        u.allocate(-1)
        for gid in grid.local_parts():
            cells = grid.part(gid).cells
            u.array(gid)[u.owned(gid)] = around(values, cells.low, cells.high, 0)
        for _ in range(5):
            ghosts.run()
        for gid in grid.local_parts():
            cells = grid.part(gid).cells
            assert np.array_equal(u.array(gid), around(values, cells.low, cells.high, 1))


def test_a_run_over_arrays_in_place_of_what_is_bound(world):
    values = whole()
    with blocks(world) as grid, halo.Field(grid, "u", ghosts=1) as u, halo.Exchange(u) as ghosts:
        for k in range(3):
            vectors = {}
            for gid in grid.local_parts():
                cells = grid.part(gid).cells
                vectors[gid] = np.zeros(u.shape(gid))
                vectors[gid][u.owned(gid)] = around(values, cells.low, cells.high, 0) + k
            ghosts.run(data=[vectors.values()])
            for gid in grid.local_parts():
                cells = grid.part(gid).cells
                assert np.array_equal(vectors[gid], around(values, cells.low, cells.high, 1) + k)


def test_boxes_and_phases(world):
    values = whole()
    with halo.Topology.boxes(world, domain=((0, 0), (N, N)), periodic=(1, 1), n_parts_per_rank=2) as grid:
        with halo.Field(grid, "u", ghosts=1) as u, halo.Exchange(u) as ghosts:
            for gid in grid.local_parts():
                cells = grid.part(gid).cells
                u.bind(gid, np.zeros(u.shape(gid)))
                u.array(gid)[u.owned(gid)] = around(values, cells.low, cells.high, 0)
            ghosts.post()
            ghosts.send()
            while not ghosts.test():
                world.progress()
            ghosts.unpack()
            ghosts.refine()
            for gid in grid.local_parts():
                cells = grid.part(gid).cells
                assert np.array_equal(u.array(gid), around(values, cells.low, cells.high, 1))


def test_keys_ghosts_and_sums_into_owners(world):
    n = 10
    first = world.rank * n
    last = world.n_ranks * n
    own = np.arange(first, first + n, dtype=np.uint64)
    wanted = np.array(sorted({(first - 1) % last, (first + n) % last} - set(own.tolist())), dtype=np.uint64)
    with halo.Topology.keys(world, keys=np.concatenate([own, wanted]), n_mine=n) as points, halo.Field(points, "u") as u:
        local = np.asarray(points.local_indices())
        values = np.zeros(u.shape(0 if world.n_ranks == 1 else world.rank))
        u.bind(points.local_parts()[0], values)
        values[local[:n]] = own * 1.5
        with halo.Exchange(u) as ghosts:
            ghosts.run()
        assert np.array_equal(values[local], np.concatenate([own, wanted]) * 1.5)
        values[:] = 1.0
        with halo.Exchange(u, kind=halo.KIND_REVERSE, op=halo.SUM) as sums:
            sums.run()
        assert values[local[:n]].sum() == n + len(wanted)
        report = points.keys_report()
        assert report.n_owned == n and report.n_global == last and report.n_unclaimed == 0


def ring(world, n):
    """Points 0, 1, ... in a ring, n of each rank; neighbours before and behind."""
    last, first = world.n_ranks * n, world.rank * n
    keys = np.arange(first, first + n, dtype=np.uint64)
    return keys, np.stack([(keys + last - 1) % last, (keys + 1) % last], axis=1).astype(np.uint64)


@pytest.mark.parametrize("known", [False, True])
def test_graph(world, known):
    n = 6
    keys, neighbours = ring(world, n)
    how = {"owner_of": lambda key: key // n} if known else {}
    with halo.Topology.graph(world, keys=keys, neighbours=neighbours, width=2, rings=2, **how) as graph, halo.Field(graph, "u", dtype="i8") as u:
        all_keys = np.asarray(graph.point_keys()).astype(np.int64)
        u.bind(graph.local_parts()[0], np.full(len(all_keys), -1))
        values = u.array(graph.local_parts()[0])
        values[:n] = keys
        with halo.Exchange(u) as ghosts:
            ghosts.run()
        assert np.array_equal(values, all_keys)
        offsets, places = map(np.asarray, graph.graph_rows())
        last = world.n_ranks * n
        for i in range(len(offsets) - 1):
            assert set(all_keys[places[offsets[i]:offsets[i + 1]]]) == {(all_keys[i] - 1) % last, (all_keys[i] + 1) % last}


def test_star_and_lists(world):
    after = (world.rank + 1) % world.n_ranks
    with halo.Topology.star(world, n_points=2, leaves=[1], ranks=[after], indices=[0]) as star, halo.Field(star, "u") as u:
        values = np.array([world.rank, -1.0])
        u.bind(star.local_parts()[0], values)
        with halo.Exchange(u) as ghosts:
            ghosts.run()
        assert values.tolist() == [world.rank, after]
    before = (world.rank - 1) % world.n_ranks
    peers = sorted({before, after})
    send = [[0] if peer == before else [] for peer in peers]
    receive = [[1] if peer == after else [] for peer in peers]
    offsets = [np.cumsum([0, *map(len, lists)]) for lists in (send, receive)]
    with halo.Topology.lists(world, n_points=2, peers=peers, send_offsets=offsets[0], send=sum(send, []), receive_offsets=offsets[1],
                             receive=sum(receive, [])) as lists, halo.Field(lists, "u") as u:
        values = np.array([world.rank, -1.0])
        u.bind(lists.local_parts()[0], values)
        with halo.Exchange(u) as ghosts:
            ghosts.run()
        assert values.tolist() == [world.rank, after]


def test_transfer_between_grids(world):
    values = whole()
    with blocks(world) as grid, blocks(world, 4) as other, halo.Field(grid, "from") as source, halo.Field(other, "to", ghosts=1) as target:
        for gid in grid.local_parts():
            cells = grid.part(gid).cells
            source.bind(gid, around(values, cells.low, cells.high, 0))
        for gid in other.local_parts():
            target.bind(gid, np.zeros(target.shape(gid)))
        with halo.Exchange.transfer([source], [target], destination_ghosts=(1, 1, 0, 1, 1, 0)) as transfer:
            transfer.run()
        for gid in other.local_parts():
            cells = other.part(gid).cells
            assert np.array_equal(target.array(gid), around(values, cells.low, cells.high, 1))


def test_faces_and_owner_masks(world):
    with blocks(world) as grid, halo.Field(grid, "flux", ghosts=1, centring=halo.CENTRE_FACES) as flux:
        for gid in grid.local_parts():
            flux.bind(gid, np.full(flux.shape(gid), float(gid)))
        with halo.Exchange(flux, shared=halo.SHARED_OWNER) as ghosts:
            ghosts.run()
        counted = sum(int(np.asarray(flux.owner_mask(gid)).sum()) for gid in grid.local_parts())
        assert world.allreduce(counted) == 2 * N * N


def test_reductions(world):
    with halo.Reduction(world, 3, "f8", halo.MAX) as reduction:
        for k in range(3):
            reduction.begin(np.array([world.rank, -world.rank, k], float))
            out = reduction.end(np.zeros(3))
            assert out.tolist() == [world.n_ranks - 1, 0, k]
    assert world.allreduce(world.rank) == world.n_ranks * (world.n_ranks - 1) // 2
    assert world.allreduce(np.arange(3) + world.rank, halo.MIN).tolist() == [0, 1, 2]


def test_channels_over_arrays_of_the_program(world):
    n, me = world.n_ranks, world.rank

    def around_the_ring(rank, count):  # the channel from a rank to the next
        ends = dict(send_gid=rank, receive_gid=(rank + 1) % n, send_rank=rank, receive_rank=(rank + 1) % n, element=14)
        return halo.Channel(world, np.full(count, float(me)), **ends)
    if n == 1:
        pytest.skip("both ends would be one channel")
    with around_the_ring(me, 3) as out, around_the_ring((me - 1) % n, 3) as into, halo.Group(world, [out, into]):
        for turn in range(3):
            out.buffer[:] = 10 * turn + me
            into.start_receive()
            out.send()
            while not into.try_receive()[0]:
                world.progress()
            assert into.buffer.tolist() == 3 * [10 * turn + (me - 1) % n] and into.state() == halo.RECEIVED
            into.stale()
            while not out.writable():
                world.progress()
        with pytest.raises(halo.ArgumentError, match="a buffer of 2 elements, and the channel has 3"):
            out.set_buffer(np.zeros(2))
        into.set_buffer(np.zeros(3))
        assert into.buffer.tolist() == [0, 0, 0] and into.get_key().element == 14
    with pytest.raises(halo.ArgumentError, match="MESSAGES_PER_CHANNEL"):
        halo.Group(world, [], messages=halo.MESSAGES_AGGREGATE)


def test_batches_of_accesses(world):
    after = (world.rank + 1) % world.n_ranks
    with halo.Topology.star(world, n_points=2, leaves=[1], ranks=[after], indices=[0]) as star, halo.Field(star, "u") as u:
        values = np.zeros(2)
        u.bind(star.local_parts()[0], values)
        halo.access_mark_dirty(u, 0, halo.ON_HOST)
        for turn in range(3):
            with halo.Batch(world, {"field": u, "mode": halo.WRITE, "whole": 1}) as batch:
                batch.ready()
                values[0] = 10 * turn + world.rank
            assert halo.access_get_state(u, 0).freshness == halo.FRESHNESS_STALE
            with halo.Batch(world, {"field": u, "mode": halo.READ, "through": halo.VIA_MAP}) as batch:
                batch.ready()
                assert values.tolist() == [10 * turn + world.rank, 10 * turn + after] and not batch.needs_exec
        assert halo.access_get_state(u, 0).freshness == halo.FRESHNESS_VALID
        with pytest.raises(halo.StateError, match="ready"), halo.Batch(world, {"field": u, "mode": halo.READ}) as batch:
            batch.end()
        with pytest.raises(halo.ArgumentError, match=r"accesses\[0\].field: NoneType is no halo_field"):
            halo.Batch(world, {"mode": halo.READ})


def test_combine_in_python(world):
    def combine(values, contributions):
        for i, one in enumerate(contributions):
            values[i] = 10 * values[i] + one

    with halo.Topology.star(world, n_points=2, leaves=[1], ranks=[0], indices=[0]) as star, halo.Field(star, "u", dtype="i4") as u:
        values = np.array([0, world.rank + 1], np.int32)
        u.bind(star.local_parts()[0], values)
        with halo.Exchange(u, kind=halo.KIND_REVERSE, op=halo.USER, combine=combine) as exchange:
            exchange.run()
        assert values[0] == (int("".join(str(rank + 1) for rank in range(world.n_ranks))) if world.rank == 0 else 0)


def test_mesh(world):
    n = 8
    keys, _ = ring(world, n)
    last = world.n_ranks * n
    ends = np.stack([keys, (keys + 1) % last], axis=1).astype(np.uint64)
    sets = [{"name": "edges", "keys": keys}, {"name": "nodes", "keys": keys}]
    with pytest.raises(halo.ArgumentError, match=r"maps\[0\].keys: 16 entries; of arity 3 there must be 24"):
        halo.Mesh(world, sets=sets, maps=[{"name": "ends", "from": 0, "to": 1, "arity": 3, "keys": ends}])
    with halo.Mesh(world, sets=sets, maps=[{"name": "ends", "from": 0, "to": 1, "arity": 2, "keys": ends}]) as mesh:
        edges, nodes = mesh.local(0), mesh.local(1)
        assert edges.n_owned == nodes.n_owned == n
        places, arity = mesh.map(0)
        places = np.asarray(places).reshape(-1, arity)
        node_keys, edge_keys = np.asarray(nodes.keys), np.asarray(edges.keys)
        assert np.array_equal(node_keys[places[:, 0]], edge_keys[:len(places)])
        moved, back = np.zeros((nodes.n, 2)), np.zeros((n, 2))
        mesh.distribute(1, np.stack([keys, -1.0 * keys], axis=1), moved)
        assert np.array_equal(moved[:n, 1], -1.0 * node_keys[:n])
        mesh.collect(1, moved, back)
        assert np.array_equal(back[:, 0], keys)
        with pytest.raises(halo.ArgumentError, match="mesh: local: shape .*and the set has"):
            mesh.distribute(1, back, np.zeros((nodes.n + 1, 2)))
        with pytest.raises(halo.ArgumentError, match="entities of 16 bytes that are brought, and 8 local"):
            mesh.distribute(1, back, np.zeros(nodes.n))
        with mesh.topology(1) as topology, halo.Field(topology, "u") as u:
            values = np.zeros(nodes.n)
            values[:n] = node_keys[:n]
            u.bind(topology.local_parts()[0], values)
            with halo.Exchange(u) as ghosts:
                ghosts.run()
            assert np.array_equal(values, node_keys)


def test_sphere(world):
    with halo.Sphere(world, n=4, parts_per_side=2) as sphere, sphere.topology(halo.SPHERE_CELLS) as cells, halo.Field(cells, "u", dtype="u8") as u:
        for gid in sphere.local_parts():
            keys = np.asarray(sphere.keys(gid, halo.SPHERE_CELLS))
            part = sphere.part(gid)
            assert part.n_local[0] == len(keys)
            u.bind(gid, np.where(np.arange(len(keys)) < part.n_owned[0], keys, 0))
        with halo.Exchange(u) as ghosts:
            ghosts.run()
        for gid in sphere.local_parts():
            assert np.array_equal(u.array(gid), sphere.keys(gid, halo.SPHERE_CELLS))


def test_misuse_on_one_rank_is_told_to_the_others(world):
    if world.n_ranks == 1:
        pytest.skip("of several ranks")
    keys = np.arange(3, dtype=np.uint64)  # owned by all of them
    with pytest.raises(halo.Error, match="key 0"):
        halo.Topology.graph(world, keys=keys, neighbours=np.zeros((3, 1), np.uint64), width=1)
    with blocks(world) as grid, halo.Field(grid, "u", ghosts=1) as u, halo.Exchange(u, timeout_seconds=20.0) as ghosts:
        for gid in grid.local_parts():
            if world.rank != 0:
                u.bind(gid, np.zeros(u.shape(gid)))
        with pytest.raises(halo.UnboundError if world.rank == 0 else halo.PeerError, match="u"):
            ghosts.start()
            ghosts.finish()


def test_an_exception_in_owner_of_fails_on_all_ranks(world):
    keys, neighbours = ring(world, 4)

    def owner_of(key):
        raise RuntimeError(f"no owner for {key}")
    if world.n_ranks == 1:
        pytest.skip("no neighbour is of another rank")
    with pytest.raises(halo.Error) as caught:
        halo.Topology.graph(world, keys=keys, neighbours=neighbours, width=2, owner_of=owner_of)
    assert isinstance(caught.value.__cause__, RuntimeError)

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
            assert list(transfer.transfer_desc().destination_ghosts) == [1, 1, 0, 1, 1, 0]
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


def test_channels_that_share_messages(world):
    n, me = world.n_ranks, world.rank
    if n == 1:
        pytest.skip("both ends would be one channel")
    before, after = (me - 1) % n, (me + 1) % n

    def end(sender, element):
        return halo.Channel(world, count=3, send_gid=sender, receive_gid=(sender + 1) % n, send_rank=sender, receive_rank=(sender + 1) % n, element=element)
    channels = [end(sender, element) for element in (4, 14) for sender in (me, before)]
    with halo.Group(world, channels, messages=halo.MESSAGES_AGGREGATE) as group:
        for turn in range(4):
            while not group.writable():
                world.progress()
            for row in (one for one in group.table() if one.sender):
                row.data[:] = 100 * turn + row.channel.get_key().element + me
                assert row.peer == after and row.bytes == 24
            del row
            group.start_receive()
            if turn % 2:  # in parts; the last one is null
                group.send_rows([0])
                group.send_rows([2], null_flags=[1])
            else:
                group.send()
            while not group.try_receive():
                world.progress()
            rows = [one for one in group.table() if not one.sender]
            assert [one.channel for one in rows] == channels[1::2]
            assert rows[0].data.tolist() == 3 * [100 * turn + 4 + before] and rows[0].state == halo.RECEIVED
            if turn % 2:
                assert rows[1].state == halo.RECEIVED_NULL
            else:
                assert rows[1].data.tolist() == 3 * [100 * turn + 14 + before]
            with pytest.raises(halo.Busy, match="group: an array over memory of the library is still in use"):
                group.destroy()
            del rows
            group.stale()
        with pytest.raises(halo.ArgumentError, match="null_flags: 1 entries for 4 rows"):
            group.send(null_flags=[0])
        group.drain(halo.TIMEOUT_CONFIGURED)


def test_lists_of_channels(world):
    n, me = world.n_ranks, world.rank
    if n == 1:
        pytest.skip("both ends would be one channel")

    def end(sender):
        return halo.Channel(world, np.full(4, float(me)), send_gid=sender, receive_gid=(sender + 1) % n, send_rank=sender, receive_rank=(sender + 1) % n, varies=1)
    out, into = end(me), end((me - 1) % n)
    with halo.Group(world, [out, into]):
        assert halo.Channel.find(world, send_gid=me, receive_gid=(me + 1) % n) is out
        with pytest.raises(halo.NotFoundError):
            halo.Channel.find(world, send_gid=n, receive_gid=0)
        n_writable, each = halo.channel_writable_many([out])
        assert n_writable == 1 and each.tolist() == [1]
        halo.channel_start_receive_many([into])
        out.send_bytes(16)
        states = 0, []
        while states[0] < 1:
            states = halo.channel_try_receive_many([into])
            world.progress()
        assert states[1].tolist() == [halo.RECEIVED] and into.held().bytes == 16
        assert into.buffer.tolist() == 2 * [(me - 1) % n] + 2 * [me]
        halo.channel_stale_many([into])
        while not out.writable():
            world.progress()


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
        with halo.Batch(world, {"field": u, "mode": halo.INC, "through": halo.VIA_MAP, "combine_order": halo.COMBINE_CANONICAL}, style=halo.STYLE_REVERSE) as batch:
            batch.ready()
            values += [1, 10]
            batch.end_and_send()
        with halo.Batch(world, {"field": u, "mode": halo.READ}) as batch:
            batch.ready()
            assert values[0] == 20 + world.rank + 11
        with pytest.raises(halo.StateError, match="ready"), halo.Batch(world, {"field": u, "mode": halo.READ}) as batch:
            batch.end()
        with pytest.raises(halo.ArgumentError, match=r"accesses\[0\].field: NoneType is no halo_field"):
            halo.Batch(world, {"mode": halo.READ})


def test_sections_by_hand(world):
    owners, ends = [0, 0, 1, 1], np.array([[0, 1], [1, 2], [2, 3], [3, 0]], np.uint32)
    sections, order, sizes = halo.sections_classify(0, owners, [{"to": ends, "to_owners": [0, 0, 1, 1], "arity": 2}])
    assert sections.tolist() == [halo.SECTION_CORE, halo.SECTION_OWNED, halo.SECTION_NON_EXEC, halo.SECTION_EXEC] and sizes.n == (1, 1, 1, 1)
    assert order.tolist() == [0, 1, 3, 2]
    groups = np.zeros(4, np.uint32)
    result = halo.sections_reach({"to": ends, "arity": 2}, sections, 1 << halo.SECTION_OWNED, 1 << 5, groups)
    assert result is groups and groups.tolist() == [0, 32, 32, 0]
    for text, call in ((r"maps\[0\].to: 3 entries; 4 entities of arity 1 must have 4", lambda: halo.sections_classify(0, owners, [{"to": ends[0, :1].repeat(3), "to_owners": [0], "arity": 1}])),
                       ("groups: elements of type f8", lambda: halo.sections_reach({"to": ends, "arity": 2}, sections, 1, 1, np.zeros(4))),
                       ("groups: 3 entries, and the map leads to 4", lambda: halo.sections_reach({"to": ends, "arity": 2, "n_to": 4}, sections, 1, 1, np.zeros(3, np.uint32)))):
        with pytest.raises(halo.ArgumentError, match=text):
            call()
    after = (world.rank + 1) % world.n_ranks
    with halo.Topology.star(world, n_points=3, leaves=[1, 2], ranks=[after, after], indices=[0, 0]) as star:
        if world.n_ranks > 1:
            star.set_sections([0, 1 << 4, 1 << 5])
            with halo.Field(star, "u") as u, halo.Exchange([u], sections=[1 << 5]) as some:
                values = np.array([world.rank, -1.0, -1.0])
                u.bind(star.local_parts()[0], values)
                some.run()
                assert values.tolist() == [world.rank, -1, after]


def test_reductions_of_items(world):
    norms = np.dtype([("residual", "f8", 2), ("least", "f8"), ("where", "i8"), ("step", "f4"), ("reach", "i4")])

    def widest(values, contributions):
        values[0] = max(values[0], contributions[0])
    at = {name: norms.fields[name][1] for name in norms.names}
    items = [{"n": 2, "offset": at["residual"]}, {"op": halo.MINLOC, "offset": at["least"], "index_offset": at["where"]},
             {"dtype": "f4", "op": halo.MAX, "offset": at["step"]}, {"dtype": "i4", "op": halo.USER, "offset": at["reach"], "combine": widest}]
    with halo.Reduction.items(world, items) as reduction:
        for turn in range(3):
            mine, out = np.zeros(1, norms), np.zeros(1, norms)
            mine[0] = ([1, world.rank], -world.rank, 7 * world.rank, turn + world.rank, 5 * world.rank)
            reduction.begin(mine)
            while not reduction.test():
                pass
            reduction.end(out)
            last = world.n_ranks - 1
            assert out[0]["residual"].tolist() == [world.n_ranks, last * world.n_ranks / 2] and out[0]["least"] == -last and out[0]["where"] == 7 * last
            assert out[0]["step"] == turn + last and out[0]["reach"] == 5 * last
        with pytest.raises(halo.ArgumentError, match="reduction: begin: 8 bytes, and the items end at 40"):
            reduction.begin(np.zeros(1))


def test_memory_of_the_context(world):
    values = whole()
    with blocks(world) as grid, halo.Field(grid, "u", ghosts=1) as u:
        with halo.Storage(world, (len(grid.local_parts()), N // 3 + 2, N // 3 + 2)) as storage:
            together = storage.array()
            assert not together.any()
            u.bind_many(together)
            for gid in grid.local_parts():
                cells = grid.part(gid).cells
                u.array(gid)[u.owned(gid)] = around(values, cells.low, cells.high, 0)
            with halo.Exchange(u) as ghosts:
                ghosts.run()
            for i, gid in enumerate(grid.local_parts()):
                cells = grid.part(gid).cells
                assert np.array_equal(together[i], around(values, cells.low, cells.high, 1))
                u.bind(gid, None)
            with pytest.raises(halo.Busy, match="storage: an array over memory of the library is still in use"):
                storage.destroy()
            del together
        assert u.device_array(0) is None if 0 in grid.local_parts() else True
        with pytest.raises(halo.HandleError, match="this Storage has been destroyed"):
            storage.array()


# forests: a linear function, of which minmod and means make its own values


def linear(low, high, level, width):
    y, x = (2.0**-level * (np.arange(low[d] - width, high[d] + width) + 0.5) for d in (1, 0))
    return 3.0 + x[np.newaxis, :] - 2.0 * y[:, np.newaxis]


def refined():
    forest = halo.Forest(n_cells=(8, 8), trees=[{"n_roots": (3, 2)}])
    marks = [halo.MARK_REFINE if leaf.at[:2] == (1, 0) else halo.MARK_KEEP for leaf in forest.leaves]
    where_from = forest.adapt(marks).tolist()
    assert len(forest.leaves) == 9 and sorted(where_from) == [0, 1, 1, 1, 1, 2, 3, 4, 5]
    return forest


def linear_ghosts(topology, forest, field):
    """Exchanges, with cells outside the domain from the function; all ghosts are its values then."""
    with halo.Exchange(field) as ghosts:
        ghosts.start()
        while not ghosts.test():
            topology.context.progress()
        ghosts.unpack()
        for gid in topology.local_parts():
            leaf, cells = forest.leaves[gid], topology.part(gid).cells
            first = [low // 2 for low in cells.low]
            coarse, before = ghosts.coarse_array(0, gid)
            for one in ghosts.coarse_boundaries(0, gid):
                low, high = ([a + b for a, b in zip(corner, first)] for corner in (one.ghosts.low, one.ghosts.high))
                where = tuple(slice(before[d] + one.ghosts.low[d], before[d] + one.ghosts.high[d]) for d in (1, 0))
                coarse[where] = linear(low, high, leaf.level - 1, 0)
            del coarse
        ghosts.refine()
        for gid in topology.local_parts():
            leaf, cells = forest.leaves[gid], topology.part(gid).cells
            for one in field.boundaries(gid):
                low, high = ([a + b for a, b in zip(corner, cells.low)] for corner in (one.ghosts.low, one.ghosts.high))
                field.array(gid)[field.slices(one.ghosts)] = linear(low, high, leaf.level, 0)
            assert np.array_equal(field.array(gid), linear(cells.low, cells.high, leaf.level, 2)), f"block {gid}"


def test_forests_ghosts_between_levels_and_another_list(world):
    old = refined()
    old.place(world.n_ranks, weights=[2.0**leaf.level for leaf in old.leaves])
    with old.topology(world) as before, halo.Field(before, "u", ghosts=2) as u:
        for gid in before.local_parts():
            cells = before.part(gid).cells
            u.bind(gid, np.zeros(u.shape(gid)))
            u.array(gid)[u.owned(gid)] = linear(cells.low, cells.high, old.leaves[gid].level, 0)
        linear_ghosts(before, old, u)
        new = halo.Forest(n_cells=(8, 8), trees=[{"n_roots": (3, 2)}], leaves=np.asarray(old.leaves))
        assert new.leaves == old.leaves
        marks = np.where(np.asarray(new.leaves)["level"] == 1, halo.MARK_COARSEN, halo.MARK_KEEP).astype(np.int32)
        marks[np.asarray(new.leaves)["at"][:, 0] == 0] = halo.MARK_REFINE
        where_from = new.adapt(marks)
        assert len(where_from) == len(new.leaves) and set(where_from) <= set(range(len(old.leaves)))
        assert sorted(set(new.place(world.n_ranks))) == list(range(min(world.n_ranks, len(new.leaves))))
        with new.topology(world) as after, halo.Field(after, "v", ghosts=2) as v:
            for gid in after.local_parts():
                v.bind(gid, np.zeros(v.shape(gid)))
            with halo.Exchange.transfer([u], [v]) as moved:
                moved.run()
            for gid in after.local_parts():
                cells = after.part(gid).cells
                assert np.array_equal(v.array(gid)[v.owned(gid)], linear(cells.low, cells.high, new.leaves[gid].level, 0)), f"block {gid}"
            linear_ghosts(after, new, v)


def test_fluxes_arrive_in_the_coarser_block(world):
    forest = refined()
    with forest.topology(world) as topology, halo.Field(topology, "flux", centring=halo.CENTRE_FACE_X) as flux:
        for gid in topology.local_parts():
            level, (rows, columns) = forest.leaves[gid].level, flux.shape(gid)
            fine = np.arange(rows) % 2 if level else np.full(rows, 9.0)
            flux.bind(gid, np.repeat(fine[:, np.newaxis], columns, axis=1).astype(float))
        with halo.Exchange(flux, kind=halo.KIND_FLUXES) as fluxes:
            fluxes.run()
        for gid in topology.local_parts():
            leaf, values = forest.leaves[gid], flux.array(gid)
            borders = {"0": values[:, 0], "8": values[:, -1]}
            if leaf.level == 0:
                touches = {"0": leaf.at[:2] == (2, 0), "8": leaf.at[:2] == (0, 0)}
                assert all((border == (0.5 if touches[side] else 9.0)).all() for side, border in borders.items())


def test_lists_of_leaves_that_do_not_fit(alone):
    forest = refined()
    refused = [("2 marks for 9 leaves", lambda: forest.adapt([0, 1])), ("3 weights for 9 leaves", lambda: forest.place(2, [1.0] * 3)),
               ("an array with members a, and those of halo_leaf", lambda: halo.Forest(n_cells=(8, 8), trees=[{}], leaves=np.zeros(1, [("a", "i4")]))),
               ("", lambda: forest.place(0)), ("7", lambda: forest.adapt(9 * [7])), ("leaf|leaves|covered|place",
                lambda: halo.Forest(n_cells=(8, 8), trees=[{}], leaves=[]).topology(alone))]
    for text, call in refused:
        with pytest.raises(halo.ArgumentError, match=text):
            call()
    with pytest.raises(halo.NotFoundError), halo.Topology.blocks(alone, n_blocks=(1,), n_cells=(4,)) as grid, halo.Field(grid, "u", ghosts=1) as u, halo.Exchange(u) as ghosts:
        ghosts.coarse_array(0, 0)
    with pytest.raises(IndexError):
        forest.leaves[9]
    assert forest.leaves[-1] == forest.leaves[8] and len(forest.leaves[2:4]) == 2


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
        with mesh.topology(1) as some, halo.Field(some, "v") as v, halo.Exchange([v], sections=[halo.mesh_reach(0)]) as read:
            v.bind(some.local_parts()[0], np.where(np.arange(nodes.n) < n, 1.0, 0.0))
            read.run()
            reached = np.isin(np.asarray(nodes.keys), ends)
            assert np.array_equal(v.array(some.local_parts()[0]) == 1, reached), "ghosts that own edges lead to, and no others"
        places, arity = mesh.map(0)
        places = np.asarray(places).reshape(-1, arity)
        node_keys, edge_keys = np.asarray(nodes.keys), np.asarray(edges.keys)
        assert np.array_equal(node_keys[places[:, 0]], edge_keys[:len(places)])
        moved, back = np.zeros((nodes.n, 2)), np.zeros((n, 2))
        mesh.distribute(1, np.stack([keys, -1.0 * keys], axis=1), moved)
        assert np.array_equal(moved[:n, 1], -1.0 * node_keys[:n])
        mesh.collect(1, moved, back)
        assert np.array_equal(back[:, 0], keys)
        layers = (1 + node_keys[:nodes.n_owned] % 3).astype(np.int32)
        with pytest.raises(halo.ArgumentError, match="mesh: layers: 1 entries for 8 own entities"):
            mesh.add_columns(1, [1])
        over_nodes, over_edges = mesh.add_columns(1, layers), mesh.add_columns(0, 1)
        starts = np.asarray(mesh.columns(over_nodes))
        assert np.array_equal(np.diff(starts), 1 + node_keys % 3), "of ghosts their owners tell"
        lowest = np.asarray(mesh.column_map(0, over_edges, over_nodes, [{"entry": 0, "layer": 0, "step": 1}, (1, 0, 1)])).reshape(-1, 2)
        assert np.array_equal(lowest, starts[places])
        with mesh.column_topology(over_nodes) as stacked, halo.Field(stacked, "t") as t:
            values, whose = np.zeros(starts[-1]), np.repeat(node_keys, np.diff(starts))
            values[:starts[nodes.n_owned]] = whose[:starts[nodes.n_owned]]
            t.bind(stacked.local_parts()[0], values)
            with halo.Exchange(t) as ghosts:
                ghosts.run()
            assert np.array_equal(values, whose)
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
            assert len(sphere.neighbours(gid, halo.SPHERE_CELLS, halo.SPHERE_VERTICES)) == halo.sphere_width(halo.SPHERE_CELLS, halo.SPHERE_VERTICES) * len(keys)
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

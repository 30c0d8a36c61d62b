# SPDX-License-Identifier: BSD-3-Clause
"""One rank: what binds, what is refused and in which words, callbacks, and the life of objects."""
import array
import ctypes
import gc
import os
import resource
import subprocess
import sys
import threading
import time
import types
import weakref

import numpy as np
import pytest

import halo


@pytest.fixture
def line(alone):
    return halo.Topology.blocks(alone, n_blocks=(2,), n_cells=(4,), periodic=(1,))


@pytest.fixture
def grid(alone):
    return halo.Topology.blocks(alone, n_blocks=(1, 2), n_cells=(4, 3), periodic=(1, 1))


class Interface:
    """An array of another library: only what __array_interface__ says."""

    def __init__(self, values, **changed):
        self.values, self.__array_interface__ = values, {**values.__array_interface__, **changed}


class Device:
    def __init__(self, values):
        self.values, self.__cuda_array_interface__ = values, {**values.__array_interface__, "version": 3}


# what binds


@pytest.mark.parametrize("make", [lambda: array.array("d", 6 * [0.0]), lambda: memoryview(bytearray(48)).cast("d"), lambda: np.zeros(6), lambda: np.zeros(12)[::2],
                                  lambda: Interface(np.zeros(6))])
def test_storage_of_any_kind(line, make):
    with halo.Field(line, "u", ghosts=1) as u, halo.Exchange(u) as ghosts:
        storage = [make(), make()]
        for gid, one in enumerate(storage):
            u.bind(gid, one)
            values = np.asarray(one.values if isinstance(one, Interface) else one)
            values[1:5] = gid + 1
        ghosts.run()
        for gid, one in enumerate(storage):
            assert np.asarray(one.values if isinstance(one, Interface) else one).tolist() == [2 - gid, *4 * [gid + 1], 2 - gid]


@pytest.mark.parametrize("kind", "f2 f4 f8 c8 c16 i1 i2 i4 i8 u1 u2 u4 u8 bool".split())
def test_types(line, kind):
    with halo.Field(line, "u", dtype=kind, ghosts=1) as u, halo.Exchange(u) as ghosts:
        for gid in range(2):
            u.bind(gid, np.zeros(6, kind))
            u.array(gid)[1:5] = 1
        ghosts.run()
        assert all((u.array(gid) == 1).all() for gid in range(2))


def test_elements_of_any_size(line):
    with halo.Field(line, "u", dtype=halo.BYTES, element_bytes=12, ghosts=1) as u, halo.Exchange(u) as ghosts:
        for gid in range(2):
            u.bind(gid, np.zeros(6, "i4,f8"))
            u.array(gid)[1:5] = (gid, 0.5)
        ghosts.run()
        assert u.array(0)[0].tolist() == (1, 0.5)


def test_what_is_bound_stays_alive_and_is_let_go(line):
    with halo.Field(line, "u", ghosts=1, n_sets=2) as u:
        def bound(set=0):
            storage = np.zeros(6)
            u.bind(0, storage, set=set)
            return weakref.ref(storage)
        first, second = bound(), bound(1)
        gc.collect()
        assert first() is not None and second() is not None
        third = bound()
        assert first() is None and third() is not None, "another one takes its place"
        u.bind(0, None)
        assert third() is None and u.array(0) is None
        buffer = bytearray(48)
        u.bind(1, memoryview(buffer).cast("d"))
        with pytest.raises(BufferError):
            buffer.append(0)
    assert second() is None
    buffer.append(0)


def test_arrays_over_storage_of_the_library_keep_it(grid, alone):
    u = halo.Field(grid, "u", ghosts=1, n_components=2)
    u.allocate(-1)
    values = u.array(1)
    assert values.shape == (2, 5, 6) and u.axes() == "cyx"
    for refused in (u.destroy, alone.destroy, lambda: u.bind(1, None)):
        with pytest.raises(halo.Busy, match="field u.*delete it first"):
            refused()
    values[:] = 1.0
    del values
    u.destroy()


def test_device_memory_wants_a_device(line):
    with halo.Field(line, "u", ghosts=1) as u, pytest.raises(halo.DeviceError):
        u.bind(0, Device(np.zeros(6)))


def from_host(view):
    """What the host sees of a device's memory that it shares."""
    interface = view.__cuda_array_interface__
    n = int(np.prod(interface["shape"]))
    assert interface["typestr"] == "<f8"
    return np.ctypeslib.as_array(ctypes.cast(interface["data"][0], ctypes.POINTER(ctypes.c_double)), (n,)).reshape(interface["shape"])


@pytest.fixture
def device():
    """A context with an OpenCL device, whose memory the host sees."""
    group = halo.Inproc(1)
    try:
        context = halo.Context.inproc(group, 0, settings={"device": "opencl"})
    except halo.Error as reason:
        pytest.skip(str(reason))
    with context:
        yield context
    group.destroy()


def soon(values, expected):
    """The stream is the device's: it comes there when it does."""
    end = time.monotonic() + 20
    while values.tolist() != expected and time.monotonic() < end:
        time.sleep(0.001)
    assert values.tolist() == expected


def test_storage_on_a_device(device):
    with halo.Topology.blocks(device, n_blocks=(2,), n_cells=(4,), periodic=(1,)) as line, halo.Field(line, "u", ghosts=1) as u, halo.Exchange(u) as ghosts:
        storage = halo.Storage(device, (2, 6), memory=halo.MEMORY_DEVICE, device=0)
        together = storage.array()
        values = from_host(together)
        values[:, 1:5] = [[1, 2, 3, 4], [5, 6, 7, 8]]
        u.bind_many(together, device=0)
        ghosts.run(stream=halo.STREAM_DEFAULT)
        soon(values, [[8, 1, 2, 3, 4, 5], [4, 5, 6, 7, 8, 1]])
        for gid in range(2):
            u.bind(gid, None)
        del together
        storage.destroy()


def test_loops_on_a_device(device):
    with halo.Topology.star(device, n_points=3, leaves=[2], ranks=[0], indices=[0]) as star, halo.Field(star, "u") as u:
        u.bind(0, np.array([1.0, 2.0, -1.0]))
        halo.access_mark_dirty(u, 0, halo.ON_HOST)
        assert u.device_array(0) is None
        with halo.Batch(device, {"field": u, "mode": halo.RW}, where=halo.ON_DEVICE, stream=halo.STREAM_DEFAULT) as batch:
            batch.ready()
            kept = u.device_array(0)
            there = from_host(kept)
            soon(there[:2], [1, 2])
            there[:2] = [3, 4]
        with halo.Batch(device, {"field": u, "mode": halo.READ, "through": halo.VIA_MAP}) as batch:
            batch.ready()
        assert u.array(0).tolist() == [3, 4, 3]
        with pytest.raises(halo.Busy, match="field u: an array over memory of the library is still in use"):
            u.destroy()
        del kept


def test_a_run_that_an_exception_passes_by_is_given_up(line):
    with halo.Field(line, "u", ghosts=1) as u:
        for gid in range(2):
            u.bind(gid, np.zeros(6))
        with pytest.raises(KeyError):
            with halo.Exchange(u) as ghosts:
                ghosts.start()
                raise KeyError
        with pytest.raises(halo.Busy):
            with halo.Exchange(u) as ghosts:
                ghosts.start()
        ghosts.finish()
        ghosts.destroy()


# what is refused, and in which words


@pytest.mark.parametrize("storage, text", [
    (np.zeros(5), "field u, part 0: 5 along x, and 6 are wanted: 1 ghosts, 4 points, 1 ghosts"),
    (np.zeros((6, 1)), "2 dimensions, and axes 'x' are wanted"),
    (np.zeros(6, "f4"), "elements of type f4, and f8 is wanted"),
    (np.zeros(6, ">f8"), "in the other order"),
    (np.frombuffer(bytes(48)), "read-only"),
    (bytes(48), "read-only"),
    (bytearray(48), "elements of type u1, and f8 is wanted"),
    ([0.0] * 6, "list has neither the buffer protocol nor an array interface"),
    (np.zeros(6, "f8,i4")["f0"], "a stride of 12 bytes is no whole number of elements of 8"),
])
def test_storage_that_does_not_fit(line, storage, text):
    with halo.Field(line, "u", ghosts=1) as u, pytest.raises(halo.ArgumentError) as caught:
        u.bind(0, storage)
    assert text in str(caught.value) and str(caught.value).startswith("field u, part 0")


def test_misuse(alone, grid):
    refused = [
        (halo.ArgumentError, "direction 0 has 0 blocks", lambda: halo.Topology.blocks(alone, n_blocks=(0, 1), n_cells=(2, 2))),
        (halo.ArgumentError, "there is no 'n_block': .*n_blocks", lambda: halo.Topology.blocks(alone, n_block=(1, 1))),
        (halo.ArgumentError, "n_cells: 4 values, at most 3", lambda: halo.Topology.blocks(alone, n_cells=(1, 1, 1, 1))),
        (halo.ArgumentError, "owners: 1 entries; with n_keys = 2", lambda: halo.Topology.keys(alone, keys=[1, 2], owners=[0])),
        (halo.ArgumentError, "flags: 3 entries; with n_keys = 2 there must be 2", lambda: halo.Topology.keys(alone, keys=[1, 2], flags=[0, 0, 0])),
        (halo.ArgumentError, "keys: an array of format 'd', and uint64_t is wanted", lambda: halo.Topology.keys(alone, keys=np.zeros(2))),
        (halo.ArgumentError, "keys: no list of uint64_t", lambda: halo.Topology.keys(alone, keys=[-1])),
        (halo.ArgumentError, "neighbours: 1 entries, and there must be 2", lambda: halo.Topology.graph(alone, keys=[1], offsets=[0, 2], neighbours=[1])),
        (halo.ArgumentError, "offsets: 1 entries; with n_owned = 1 there must be 2", lambda: halo.Topology.graph(alone, keys=[1], offsets=[0], neighbours=[])),
        (halo.ArgumentError, "fields.0.: Topology is no halo_field", lambda: halo.Exchange([grid])),
        (halo.ArgumentError, "context: Topology is no halo_context", lambda: halo.Topology.blocks(grid)),
        (halo.ArgumentError, "dtype 'f3'", lambda: halo.Field(grid, "v", dtype="f3")),
        (halo.NotFoundError, "nonsense", lambda: alone.setting("nonsense")),
        (halo.ExistsError, "u", lambda: halo.Field(grid, "u")),
        (halo.NotFoundError, "part 7|7", lambda: grid.part(7)),
        (halo.ArgumentError, "all parts: shape .*first axis is wanted to be the 2 local parts", lambda: u.bind_many(np.zeros((3, 5, 6)))),
        (halo.ArgumentError, "axes 'xz', and the field has 'yx'", lambda: u.bind(0, np.zeros((5, 6)), axes="xz")),
        (halo.ArgumentError, "5 along y from 1 on, and 5 are wanted", lambda: u.bind(0, np.zeros((5, 8)), first=(1, 2))),
        (halo.ArgumentError, "run.data: 1 arrays of field u, which has 2", lambda: ghosts.start(data=[[np.zeros((5, 6))]])),
        (halo.ArgumentError, "run.data of field u, part 0: .* along y", lambda: ghosts.start(data=[2 * [np.zeros((6, 5))]])),
        (halo.ArgumentError, "does not lie as", lambda: ghosts.start(data=[2 * [np.zeros((5, 6), order="F")]])),
        (halo.ArgumentError, "run.sets: 2 entries; with n_fields = 1 there must be 1", lambda: ghosts.start(mask=[1], sets=[0, 0])),
        (halo.StateError, "finish", lambda: ghosts.finish()),
        (halo.ArgumentError, "reduction: begin: 2 values, and the reduction has 3", lambda: reduction.begin(np.zeros(2))),
        (halo.ArgumentError, "reduction: end: the array is read-only", lambda: reduction.end(np.frombuffer(bytes(24)))),
        (TypeError, "gid is missing", lambda: grid.part()),
        (TypeError, "too many arguments", lambda: grid.part(0, 1)),
        (halo.ArgumentError, "sections: 2 entries for 1 fields", lambda: halo.Exchange(u, sections=[0, 0])),
        (AttributeError, "no attribute 'nothing'", lambda: halo.nothing),
        (TypeError, "str is no communicator", lambda: halo.Context("world")),
    ]
    u = halo.Field(grid, "u", ghosts=1)
    ghosts, reduction = halo.Exchange(u), halo.Reduction(alone, 3)
    for kind, text, call in refused:
        with pytest.raises(kind, match=text):
            call()
    for kind in (halo.ArgumentError, halo.BoundsError):
        assert issubclass(kind, ValueError) and issubclass(kind, halo.Error)
    with pytest.raises(halo.UnboundError) as caught:
        ghosts.start()
    assert caught.value.status == 15 and caught.value.call == "halo_exchange_start" and "u" in str(caught.value)


def test_objects_after_their_end(alone):
    grid = halo.Topology.blocks(alone, n_blocks=(2, 1), n_cells=(2, 2))
    u = halo.Field(grid, "u")
    with pytest.raises(halo.Busy, match="field"):
        grid.destroy()
    u.destroy()
    u.destroy()
    with pytest.raises(halo.HandleError, match="this Field has been destroyed"):
        u.layout(0)
    with pytest.raises(halo.HandleError, match="this Field has been destroyed"):
        halo.Exchange([u])
    alone.destroy()
    for call in (lambda: grid.part(0), lambda: alone.barrier(), lambda: halo.Topology.blocks(alone)):
        with pytest.raises(halo.HandleError, match="has been destroyed"):
            call()
    grid.destroy()


# callbacks


def test_an_exception_in_combine_is_the_cause(alone):
    with halo.Topology.star(alone, n_points=2, leaves=[1], ranks=[0], indices=[0]) as star, halo.Field(star, "u") as u:
        u.bind(0, np.zeros(2))
        with halo.Exchange(u, kind=halo.KIND_REVERSE, op=halo.USER, combine=lambda values, contributions: values[7]) as exchange:
            with pytest.raises(halo.ArgumentError, match="field u") as caught:
                exchange.run()
            assert isinstance(caught.value.__cause__, IndexError)


def test_log(monkeypatch):
    heard, group = [], halo.Inproc(1)
    with halo.Context.inproc(group, 0, settings={"log_level": "debug", "timeout": "5s"}, log=lambda level, text: heard.append((level, text))) as context:
        assert context.setting("timeout") == ("5s", "call")
        with halo.Topology.blocks(context, n_blocks=(2,), n_cells=(2,)) as grid, halo.Field(grid, "u") as u:
            u.allocate(-1)
            halo.Exchange(u).start()
            context.destroy()  # names what is in flight
    group.destroy()
    assert any("u" in text for _, text in heard), heard


def test_sparse_arrivals(alone):
    with halo.Topology.blocks(alone, n_blocks=(2,), n_cells=(3,), periodic=(1,)) as grid, halo.Field(grid, "u", ghosts=1, sparse=1, fill=-1.0) as u:
        asked = []

        def arrival(field, gid):
            asked.append((field.name, gid))
            if len(asked) == 1:
                raise halo.Declined("not now")
            field.bind(gid, np.zeros(5))
        with halo.Exchange(u, arrival=arrival) as ghosts:
            u.bind(0, np.array([0.0, 1, 2, 3, 0]))
            ghosts.run()
            assert u.array(1) is None
            ghosts.run()
            assert asked == 2 * [("u", 1)] and u.array(1).tolist() == [3, -1, -1, -1, 1]
        with halo.Exchange(u, arrival=lambda field, gid: 1 // 0) as ghosts:
            u.bind(1, None)
            with pytest.raises(halo.Error) as caught:
                ghosts.run()
            assert isinstance(caught.value.__cause__, ZeroDivisionError)
            if ghosts._run:
                ghosts.abandon()


# ranks as threads, and over an allgather in Python


def test_ranks_that_are_threads():
    n, group, results = 3, halo.Inproc(3), {}

    def rank(r):
        with halo.Context.inproc(group, r, settings={"timeout": "20s"}) as context, halo.Topology.blocks(context, n_blocks=(n,), n_cells=(2,), periodic=(1,)) as grid:
            with halo.Field(grid, "u", ghosts=1) as u, halo.Exchange(u) as ghosts:
                u.bind(r, np.array([-1.0, r, r, -1]))
                ghosts.run()
                results[r] = u.array(r).tolist()
    threads = [threading.Thread(target=rank, args=(r,)) for r in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    group.destroy()
    assert results == {r: [(r - 1) % n, r, r, (r + 1) % n] for r in range(n)}


def test_over_an_allgather_of_the_program():
    with halo.Context.over(0, 1, lambda mine: [mine]) as context:
        assert (context.rank, context.n_ranks) == (0, 1)
    with pytest.raises(halo.Error) as caught:
        halo.Context.over(0, 2, lambda mine: 1 // 0)
    assert isinstance(caught.value.__cause__, ZeroDivisionError) or "transport" in str(caught.value)


# whole lives


def test_what_is_lost_goes_with_its_context(alone, line):
    u = halo.Field(line, "u", ghosts=1)
    storage = np.zeros(6)
    for gid in range(2):
        u.bind(gid, storage if gid == 0 else np.zeros(6))
    ghosts = halo.Exchange(u)
    ghosts.start()
    with pytest.warns(ResourceWarning, match="Exchange lost without destroy"):
        del ghosts
    with pytest.raises(halo.Busy, match="exchanges over it still exist"):
        u.destroy()
    held = weakref.ref(storage)
    del u, storage
    gc.collect()
    assert held() is not None, "the library still knows it"
    alone.destroy()
    assert held() is None


def life(context, turn):
    with halo.Topology.blocks(context, n_blocks=(2, 1), n_cells=(4, 4), periodic=(1, 1)) as grid, halo.Field(grid, "u", ghosts=1) as u:
        for gid in range(2):
            u.bind(gid, np.full(u.shape(gid), float(turn)))
        with halo.Exchange(u) as ghosts:
            ghosts.run()
            ghosts.run(depth=1)
        assert u.array(0)[0, 0] == turn
        with pytest.raises(halo.ArgumentError):
            u.bind(0, np.zeros(1))


def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def test_ten_thousand_lives_do_not_grow(alone):
    turns = int(os.environ.get("PYTHON_LIVES", "10000"))
    for turn in range(turns // 5):
        life(alone, turn)
    before, objects = resident(), len(gc.get_objects())
    for turn in range(turns // 5, turns):
        life(alone, turn)
    assert len(gc.get_objects()) - objects < 200
    assert resident() - before < 4 << 20


def failing(name, library):
    """The library, whose function of that name tells of a device's failure once it has done what it is for."""
    def called(handle):
        assert getattr(library, name)(handle) == halo.SUCCESS
        return halo.DeviceError.status
    return types.SimpleNamespace(**{name: called})


def test_a_failure_that_destroying_tells_of_leaves_nothing(monkeypatch):
    group = halo.Inproc(1)
    context = halo.Context.inproc(group, 0)
    ghosts = halo.Exchange(halo.Field(halo.Topology.blocks(context, n_blocks=(2,), n_cells=(4,), periodic=(1,)), "u", ghosts=1))
    for one, module, name in ((ghosts, halo._handles, "halo_exchange_destroy"), (context, halo._context, "halo_context_destroy_with_all")):
        with monkeypatch.context() as patch, pytest.raises(halo.DeviceError):
            patch.setattr(module, "lib", failing(name, module.lib))
            one.destroy()
        with pytest.raises(halo.HandleError):
            one.pointer
        one.destroy()
    group.destroy()


def test_a_context_goes_with_arrays_that_its_objects_alone_keep():
    group = halo.Inproc(1)
    context = halo.Context.inproc(group, 0)
    line = halo.Topology.blocks(context, n_blocks=(2,), n_cells=(4,), periodic=(1,))
    u, storage = halo.Field(line, "u", ghosts=1), halo.Storage(context, (2, 6))
    together = storage.array()
    together[:, 1:5] = [[1, 2, 3, 4], [5, 6, 7, 8]]
    u.bind_many(together)
    channel = halo.Channel(context, storage.array()[0], send_gid=0, receive_gid=1)
    ghosts = halo.Exchange(u)
    ghosts.start(data=[[together[0], together[1]]])
    with pytest.raises(halo.Busy, match="an array over storage of the library is still in use"):
        context.destroy()
    ghosts.finish()
    assert u.array(0).tolist() == [8, 1, 2, 3, 4, 5]
    del together
    assert channel.buffer.tolist() == [8, 1, 2, 3, 4, 5]
    with pytest.raises(halo.Busy, match="storage: an array over memory of the library is still in use"):  # it is bound
        storage.destroy()
    with pytest.warns(ResourceWarning):
        halo.Field(line, "v", ghosts=1).bind_many(storage.array())
    ghosts.start()
    context.destroy()
    group.destroy()


def test_contexts_live_and_go():
    for turn in range(300):
        group = halo.Inproc(1)
        with halo.Context.inproc(group, 0) as context:
            life(context, turn)
        group.destroy()
        if turn == 100:
            before = resident()
    assert resident() - before < 4 << 20


def test_a_program_that_destroys_nothing_ends(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("import halo, numpy as np\ncontext = halo.Context()\ngrid = halo.Topology.blocks(context, n_blocks=(2,), n_cells=(2,), periodic=(1,))\n"
                       "u = halo.Field(grid, 'u', ghosts=1)\nu.allocate(-1)\nvalues = u.array(0)\nghosts = halo.Exchange(u)\nghosts.start()\nprint('end')\n")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMI", "HALO_"))}
    done = subprocess.run([sys.executable, "-W", "error", str(program)], capture_output=True, text=True, timeout=60, env=clean, check=False)
    assert (done.returncode, done.stdout) == (0, "end\n"), done.stderr

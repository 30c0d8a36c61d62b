# SPDX-License-Identifier: BSD-3-Clause
"""`world`: the ranks that the tests are started with, of mpi4py where PYTHON_WORLD says so, else those that libhalo finds."""
import os

import pytest

import halo


@pytest.fixture(scope="session")
def world():
    communicator = None
    if os.environ.get("PYTHON_WORLD") == "mpi4py":
        from mpi4py import MPI
        communicator = MPI.COMM_WORLD
    with halo.Context(communicator) as context:
        if "PYTHON_RANKS" in os.environ:
            assert context.n_ranks == int(os.environ["PYTHON_RANKS"])
        yield context


@pytest.fixture
def alone():
    """A context of one rank, whatever launcher there is."""
    group = halo.Inproc(1)
    with halo.Context.inproc(group, 0) as context:
        yield context
    group.destroy()

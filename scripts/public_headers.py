# SPDX-License-Identifier: BSD-3-Clause
"""Which public headers there are: found, not listed, so that a new one is checked like the others."""


def application(include):
    """C headers of programs that link the library."""
    return [path for path in sorted(include.glob("halo*.h")) if path.name not in ("halo_mpi.h", "halo_plugin.h")]


def everything(include):
    return sorted([*include.glob("halo*.h"), *include.glob("halo*.hpp")])

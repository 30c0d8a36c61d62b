# SPDX-License-Identifier: BSD-3-Clause
"""libhalo: ghost (halo) exchange for solvers, over its C interface.

Objects are Context, Topology, Forest, Field, Exchange, Reduction, Batch, Channel, Group, Mesh, Particles, Sphere, Stencil and Storage. Constants are those of the headers without HALO_, as
halo.KIND_REVERSE, and each function that no method stands for is one of this module without halo_, as halo.access_mark_dirty. The headers say what they promise.
"""
from ._access import Batch
from ._calls import BY_HAND, LEFT_OUT, STREAM_DEFAULT, STREAM_NONE
from ._channel import Channel, Group
from ._context import Context, Inproc
from ._errors import BY_STATUS, Error
from ._exchange import Exchange, Reduction
from ._field import Field, Topology
from ._handles import function as _function
from ._interface import CONSTANTS as _CONSTANTS
from ._interface import VERSION as __version__
from ._levels import Forest
from ._library import PROTOTYPES as _PROTOTYPES
from ._memory import View
from ._mesh import Mesh, Sphere, Stencil, mesh_reach, sphere_width
from ._particles import Particles
from ._rows import Rows
from ._sections import sections_classify, sections_reach
from ._storage import Storage

globals().update({_name.removeprefix("HALO_"): _value for _name, _value in _CONSTANTS.items() if not _name.startswith("HALO_ERR_")})
globals().update({_class.__name__: _class for _class in BY_STATUS.values()})


def __getattr__(name):
    whole = f"halo_{name}"
    if whole not in _PROTOTYPES or whole in BY_HAND or whole in LEFT_OUT:
        raise AttributeError(f"module 'halo' has no attribute {name!r}")
    return globals().setdefault(name, _function(whole))


def __dir__():
    return sorted({*globals(), *(name[5:] for name in _PROTOTYPES if name not in BY_HAND and name not in LEFT_OUT)})

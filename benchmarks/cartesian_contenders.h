// SPDX-License-Identifier: BSD-3-Clause
// Those that fill the ghosts of a CartesianWork: libhalo, and the three ways in which Cartesian codes do it by hand. What stays on the rank is
// copied directly by all of them.
#pragma once

#include <memory>

#include "cartesian_work.h"
#include "contenders.h"

namespace bench {

// How libhalo cuts the domain: one box per rank, `per_side` boxes of the same cells.
halo::Topology cut_domain(const Session &session, const CartesianSize &size, const Index &per_side);
std::vector<Index> places_of(const halo::Topology &topology, const CartesianSize &size, int32_t n_ranks);

// `messages`: HALO_MESSAGES_...
std::unique_ptr<Contender> make_cartesian_libhalo(const halo::Topology &topology, CartesianWork &work, int32_t messages);

// One message per direction to another rank, 26 at most, all fields in it; receives posted ahead of the exchange.
std::unique_ptr<Contender> make_directions(const Session &session, CartesianWork &work);

// x, y, z in turn, two messages each, all fields in them; edges and corners ride along in the ghosts that the sweeps before have filled.
std::unique_ptr<Contender> make_sweeps(const Session &session, CartesianWork &work);

// As make_directions, but MPI packs: a struct over the fields of subarrays.
std::unique_ptr<Contender> make_direction_datatypes(const Session &session, CartesianWork &work);

} // namespace bench

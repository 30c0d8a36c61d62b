// SPDX-License-Identifier: BSD-3-Clause
#include "plan/checked_edge.h"

namespace halo {

CheckedEdge checked(const FieldEdge &edge, const EdgeBoxes &boxes, bool combines) {
    CheckedEdge known;
    known.key = edge.key;
    known.field = edge.destination;
    known.source_field = edge.source;
    known.place = edge.place;
    known.send_rank = edge.edge.send_rank;
    known.hashed = !combines && !boxes.destination(edge).spec().sparse;
    known.n_points = edge.edge.receive.size();
    const Placement nowhere = boxes.dense(edge, 0, 0);
    if (edge.edge.ends != EdgeEnds::receive) boxes.pack(edge, nowhere, known.source);
    if (edge.edge.ends != EdgeEnds::send) known.target.push_back(boxes.unpack(edge, nowhere));
    if (!edge.edge.receive.listed)
        for (int d = 0; d < 3; ++d) known.low[d] = edge.edge.receive.box.low[d];
    return known;
}

} // namespace halo

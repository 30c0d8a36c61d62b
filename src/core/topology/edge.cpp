// SPDX-License-Identifier: BSD-3-Clause
#include "topology/centring.h"

#include <algorithm>

namespace halo {

GhostWidths GhostWidths::clipped(const GhostWidths &most) const {
    GhostWidths clipped;
    for (size_t d = 0; d < 3; ++d) {
        clipped.low[d] = std::min(low[d], most.low[d]);
        clipped.high[d] = std::min(high[d], most.high[d]);
    }
    return clipped;
}

GhostWidths GhostWidths::halved() const {
    GhostWidths coarse;
    for (size_t d = 0; d < 3; ++d) {
        coarse.low[d] = (low[d] + 1) / 2;
        coarse.high[d] = (high[d] + 1) / 2;
    }
    return coarse;
}

AxisMap AxisMap::inverse() const {
    AxisMap back;
    for (int8_t d = 0; d < 3; ++d) {
        back.axis[axis[d]] = d;
        back.sign[axis[d]] = sign[d];
        back.vector[axis[d]] = vector[d];
    }
    return back;
}

AxisMap AxisMap::then(const AxisMap &next) const {
    AxisMap both;
    for (int d = 0; d < 3; ++d) {
        both.axis[d] = next.axis[axis[d]];
        both.sign[d] = static_cast<int8_t>(sign[d] * next.sign[axis[d]]);
        both.vector[d] = static_cast<int8_t>(vector[d] * next.vector[axis[d]]);
    }
    return both;
}

int32_t element_across(int32_t element, const AxisMap &map) {
    const ElementOffset here = element_offset(element);
    ElementOffset there;
    for (int d = 0; d < 3; ++d) there[map.axis[d]] = -map.sign[d] * here[d];
    return HALO_ELEMENT(there[0], there[1], there[2]);
}

Centring centring_across(Centring centring, const AxisMap &map) {
    Centring there = 0;
    for (size_t d = 0; d < 3; ++d)
        if ((centring >> d & 1) != 0) there |= 1 << map.axis[d];
    return there;
}

int32_t place_across(const std::vector<Centring> &places, int32_t place, const AxisMap &map) {
    const Centring here = places[static_cast<size_t>(place)], there = centring_across(here, map);
    if (there == here) return place;
    const auto found = std::find(places.begin(), places.end(), there);
    return found == places.end() ? -1 : static_cast<int32_t>(found - places.begin());
}

std::string element_name(int32_t element) {
    const ElementOffset offset = element_offset(element);
    std::string name;
    for (size_t d = 0; d < 3; ++d)
        if (offset[d] != 0) name.append(name.empty() ? "" : " ").append(1, "xyz"[d]).append(1, offset[d] > 0 ? '+' : '-');
    return name;
}

int64_t key_extra(const EdgeIdentity &identity, int32_t place, int64_t copy_of_field) {
    return identity.tag + identity.piece + (static_cast<int64_t>(place) << 32) + (copy_of_field << 40);
}

int64_t volume(const halo_box &box) { return empty(box) ? 0 : (box.high[0] - box.low[0]) * (box.high[1] - box.low[1]) * (box.high[2] - box.low[2]); }

int64_t Region::size() const { return listed ? std::ssize(points) : volume(box); }

Edge reversed(const Edge &edge) {
    Edge back = edge;
    std::swap(back.send_gid, back.receive_gid);
    std::swap(back.send_rank, back.receive_rank);
    std::swap(back.send, back.receive);
    back.identity.element = element_across(edge.identity.element, edge.map.inverse());
    if (edge.ends != EdgeEnds::local) back.ends = edge.ends == EdgeEnds::send ? EdgeEnds::receive : EdgeEnds::send;
    back.from_owner = false;
    back.map = edge.map.inverse();
    return back;
}

bool restrict_receive(Edge &edge, const halo_box &kept) {
    const halo_box whole = edge.receive.box;
    edge.receive.box = intersection(whole, kept);
    for (int d = 0; d < 3; ++d) {
        const int64_t below = edge.receive.box.low[d] - whole.low[d];
        const int64_t above = whole.high[d] - edge.receive.box.high[d];
        const int there = edge.map.axis[d];
        edge.send.box.low[there] += edge.map.sign[d] > 0 ? below : above;
        edge.send.box.high[there] -= edge.map.sign[d] > 0 ? above : below;
    }
    return !empty(edge.receive.box);
}

bool restrict_send(Edge &edge, const halo_box &kept) {
    Edge back = reversed(edge);
    const bool some = restrict_receive(back, kept);
    edge.send = back.receive;
    edge.receive = back.send;
    return some;
}

bool clip_receive(Edge &edge, const Extent &cells, Centring centring, const GhostWidths &ghosts) {
    halo_box kept;
    for (int d = 0; d < 3; ++d) {
        kept.low[d] = -ghosts.low[d];
        kept.high[d] = points(cells[d], centring, d) + ghosts.high[d];
    }
    return restrict_receive(edge, kept);
}

} // namespace halo

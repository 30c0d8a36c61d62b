// SPDX-License-Identifier: BSD-3-Clause
// Edges of points divided by the groups that their ghosts belong to. Owners do not know these groups: they are told.
#include <cstring>

#include "comm/agree.h"
#include "topology/discovery.h"
#include "topology/points/points.h"

namespace halo {

namespace {

using EdgeKey = std::pair<int32_t, int64_t>; // as in PointEdges
using Groups = std::map<EdgeKey, std::vector<uint16_t>>;

constexpr uint32_t known_groups = 0xffff;

// A list per set of groups, each in the old order.
void divide(const std::map<EdgeKey, PointList> &lists, const Groups &groups, std::map<EdgeKey, PointList> &into) {
    for (const auto &[key, list] : lists) {
        const std::vector<uint16_t> &of_points = groups.at(key);
        for (int64_t i = 0; i < list.size(); ++i)
            into[{ key.first, key.second | static_cast<int64_t>(of_points[static_cast<size_t>(i)]) << section_shift }].add(list[i]);
    }
}

// The lists of one rank follow each other by kind of edge, as both ends know them.
std::vector<Delivery> pack(const Groups &groups, int32_t self) {
    std::vector<Delivery> out;
    for (const auto &[key, list] : groups) {
        if (key.first == self) continue;
        if (out.empty() || out.back().rank != key.first) out.push_back({ key.first, {} });
        const auto *bytes = reinterpret_cast<const std::byte *>(list.data());
        out.back().bytes.insert(out.back().bytes.end(), bytes, bytes + list.size() * sizeof list[0]);
    }
    return out;
}

Groups unpack(const std::map<EdgeKey, PointList> &lists, const std::vector<Delivery> &came) {
    Groups groups;
    std::map<int32_t, size_t> taken; // bytes, by rank
    for (const auto &[key, list] : lists) {
        const auto bytes = static_cast<size_t>(list.size()) * sizeof(uint16_t);
        for (const Delivery &delivery : came) {
            if (delivery.rank != key.first) continue;
            size_t &offset = taken[key.first];
            if (offset + bytes > delivery.bytes.size())
                fail(HALO_ERR_MISMATCH, "sections: rank %d receives %zu points of this rank, which sends it more", key.first,
                     delivery.bytes.size() / sizeof(uint16_t));
            std::vector<uint16_t> &told = groups[key];
            told.resize(static_cast<size_t>(list.size()));
            std::memcpy(told.data(), delivery.bytes.data() + offset, bytes);
            offset += bytes;
        }
    }
    return groups;
}

} // namespace

void PointsTopology::set_sections(std::span<const uint32_t> groups) {
    together(context_, "sections", [&] {
        if (!fields.empty()) fail(HALO_BUSY, "sections: %zu fields use the topology already", fields.size());
        if (has_sections_) fail(HALO_ERR_STATE, "sections: the topology has them already");
        if (std::ssize(groups) != n_points_)
            fail(HALO_ERR_ARGUMENT, "sections: groups of %lld points; this rank has %lld", static_cast<long long>(std::ssize(groups)),
                 static_cast<long long>(n_points_));
        for (const auto &[key, list] : forward_.receive)
            for (int64_t i = 0; i < list.size(); ++i)
                if ((groups[list[i]] & ~known_groups) != 0)
                    fail(HALO_ERR_ARGUMENT, "sections: groups %#x of point %u have bits beyond the lowest 16", groups[list[i]], list[i]);
    });
    Groups here, there;
    for (const auto &[key, list] : forward_.receive)
        for (int64_t i = 0; i < list.size(); ++i) here[key].push_back(static_cast<uint16_t>(groups[list[i]]));
    std::vector<int32_t> askers;
    for (const auto &[key, list] : forward_.send)
        if (key.first != context_.rank() && (askers.empty() || askers.back() != key.first)) askers.push_back(key.first);
    const std::vector<Delivery> came = Discovery(context_, discovery_kind(context_), "sections").answer(pack(here, context_.rank()), askers);
    together(context_, "sections", [&] { there = unpack(forward_.send, came); });
    for (const auto &[key, list] : here)
        if (key.first == context_.rank()) there[key] = list;
    PointEdges divided;
    divide(forward_.send, there, divided.send);
    divide(forward_.receive, here, divided.receive);
    divided.close();
    if (parts_) forward_parts_ = parts_->split(context_, divided); // which may time out: nothing has changed then
    forward_ = std::move(divided);
    has_sections_ = true;
}

} // namespace halo

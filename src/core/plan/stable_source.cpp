// SPDX-License-Identifier: BSD-3-Clause
#include "plan/stable_source.h"

#include <map>

namespace halo {

namespace {

// Points by (field, part) and number.
class MarkedPoints {
public:
    void mark(int32_t field, int64_t gid, const Region &region) {
        std::vector<bool> &marks = marks_[{ field, gid }];
        for_each_point(region, [&](size_t point) {
            if (point >= marks.size()) marks.resize(2 * point + 1);
            return marks[point] = true;
        });
    }
    bool any(int32_t field, int64_t gid, const Region &region) const {
        const auto found = marks_.find({ field, gid });
        if (found == marks_.end()) return false;
        const std::vector<bool> &marks = found->second;
        return !for_each_point(region, [&](size_t point) { return point >= marks.size() || !marks[point]; });
    }

private:
    // Until visit(point) says false, which is returned.
    template <class Visit>
    static bool for_each_point(const Region &region, Visit &&visit) {
        bool on = true;
        if (region.listed)
            for (size_t i = 0; on && i < region.points.size(); ++i) on = visit(size_t{ region.points[i] });
        else
            for (int64_t x = region.box.low[0]; on && x < region.box.high[0]; ++x) on = visit(static_cast<size_t>(x));
        return on;
    }

    std::map<std::pair<int32_t, int64_t>, std::vector<bool>> marks_;
};

} // namespace

bool sources_stay(const EdgeBoxes &boxes, const CollectedEdges &edges) {
    MarkedPoints receiving;
    const auto receive = [&](const FieldEdge &one) { receiving.mark(one.destination, one.edge.recv_gid, one.edge.receive); };
    const auto stays = [&](const FieldEdge &one) {
        return !boxes.has_cells(one) && !receiving.any(one.source, one.edge.send_gid, one.edge.send);
    };
    for (const FieldEdge &edge : edges.local) {
        if (boxes.has_cells(edge)) return false;
        receive(edge);
    }
    for (const auto &[peer, both] : edges.peers)
        for (const FieldEdge &edge : both.receive) receive(edge);
    for (const FieldEdge &edge : edges.local)
        if (!stays(edge)) return false;
    for (const auto &[peer, both] : edges.peers)
        for (const FieldEdge &edge : both.send)
            if (!stays(edge)) return false;
    return true;
}

} // namespace halo

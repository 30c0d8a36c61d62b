// SPDX-License-Identifier: BSD-3-Clause
#include "topology/boxes/grid.h"

#include <algorithm>

#include "base/error.h"
#include "topology/boxes/box_calculus.h"

namespace halo {

namespace {

using Cuts = std::array<std::vector<int64_t>, 3>;

std::string name_of(const PlacedBox &box) { return format("box %lld, %s,", static_cast<long long>(box.gid), text_of(box.cells).c_str()); }

// Where boxes begin, per direction.
Cuts cuts_of(const std::vector<PlacedBox> &boxes) {
    Cuts cuts;
    for (size_t d = 0; d < 3; ++d) {
        for (const PlacedBox &box : boxes) cuts[d].push_back(box.cells.low[d]);
        std::ranges::sort(cuts[d]);
        cuts[d].erase(std::unique(cuts[d].begin(), cuts[d].end()), cuts[d].end());
    }
    return cuts;
}

int64_t end_of(const std::vector<int64_t> &cuts, size_t place, int64_t end) { return place + 1 < cuts.size() ? cuts[place + 1] : end; }

// Each ends where another begins, or the domain ends.
std::string why_not_side_by_side(const std::vector<PlacedBox> &boxes, const Cuts &cuts, const halo_box &domain) {
    for (const PlacedBox &box : boxes)
        for (size_t d = 0; d < 3; ++d) {
            const auto place = static_cast<size_t>(std::ranges::lower_bound(cuts[d], box.cells.low[d]) - cuts[d].begin());
            const int64_t end = end_of(cuts[d], place, domain.high[d]);
            if (box.cells.high[d] == end) continue;
            const auto other = std::ranges::find_if(boxes, [&](const PlacedBox &one) { return one.cells.low[d] == end; });
            return name_of(box) +
                   format(" ends at %lld along %c, not at %lld, where ", static_cast<long long>(box.cells.high[d]), "xyz"[d],
                          static_cast<long long>(end)) +
                   (other == boxes.end() ? "the domain does" : name_of(*other) + " begins");
        }
    return {};
}

// In rows: each place has one.
std::string why_not_filled(const std::vector<PlacedBox> &boxes, const Cuts &cuts, const halo_box &domain) {
    std::array<size_t, 3> place{};
    const auto expected = [&] {
        halo_box box;
        for (size_t d = 0; d < 3; ++d) {
            box.low[d] = cuts[d][place[d]];
            box.high[d] = end_of(cuts[d], place[d], domain.high[d]);
        }
        return box;
    };
    for (size_t i = 0; i < boxes.size(); ++i) {
        if (i > 0 && equal(boxes[i].cells, boxes[i - 1].cells)) return name_of(boxes[i - 1]) + " and " + name_of(boxes[i]) + " lie on each other";
        if (place[2] == cuts[2].size() || !equal(boxes[i].cells, expected())) break;
        if (++place[0] < cuts[0].size()) continue;
        place[0] = 0;
        if (++place[1] < cuts[1].size()) continue;
        place[1] = 0;
        ++place[2];
    }
    if (place[2] == cuts[2].size()) return {};
    return "no box has the cells " + text_of(expected()) + ", though others begin there along each direction, as " + name_of(boxes[0]) +
           " does along some";
}

// The same of two neighbours all along a border.
std::string why_owners_change(const std::vector<PlacedBox> &boxes, const Cuts &cuts, const Extent &period) {
    const std::array<size_t, 3> step{ 1, cuts[0].size(), cuts[0].size() * cuts[1].size() };
    for (size_t d = 0; d < 3; ++d) {
        const size_t n = cuts[d].size();
        std::vector<const PlacedBox *> first(n, nullptr); // below each border, where it has been looked at
        for (size_t i = 0; i < boxes.size(); ++i) {
            const size_t place = i / step[d] % n;
            if (n == 1 || (place + 1 == n && period[d] == 0)) continue;
            const auto above = [&](const PlacedBox &box) -> const PlacedBox & {
                const auto at = static_cast<size_t>(&box - boxes.data());
                return boxes[place + 1 < n ? at + step[d] : at - place * step[d]];
            };
            if (!first[place]) first[place] = &boxes[i];
            const PlacedBox &known = *first[place];
            if (precedes(known, above(known)) == precedes(boxes[i], above(boxes[i]))) continue;
            return format("of boxes %lld and %lld the %s owns the points between them, of %lld and %lld, along the same border across %c, the other",
                          static_cast<long long>(known.gid), static_cast<long long>(above(known).gid),
                          precedes(known, above(known)) ? "first" : "second", static_cast<long long>(boxes[i].gid),
                          static_cast<long long>(above(boxes[i]).gid), "xyz"[d]);
        }
    }
    return {};
}

} // namespace

std::string why_no_grid(std::vector<PlacedBox> boxes, const halo_box &domain, const Extent &period, bool shared) {
    if (boxes.empty()) return "there are no boxes";
    std::ranges::sort(boxes, {}, [](const PlacedBox &box) {
        return std::array<int64_t, 4>{ box.cells.low[2], box.cells.low[1], box.cells.low[0], box.gid };
    });
    const Cuts cuts = cuts_of(boxes);
    for (size_t d = 0; d < 3; ++d)
        if (cuts[d][0] != domain.low[d])
            return format("no box begins at %lld along %c, where the domain does: ", static_cast<long long>(domain.low[d]), "xyz"[d]) +
                   name_of(boxes[0]) + " is the first";
    std::string why = why_not_side_by_side(boxes, cuts, domain);
    if (why.empty()) why = why_not_filled(boxes, cuts, domain);
    if (why.empty() && shared) why = why_owners_change(boxes, cuts, period);
    return why;
}

} // namespace halo

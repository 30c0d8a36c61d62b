// SPDX-License-Identifier: BSD-3-Clause
#include "sphere/charts.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/limits.h"
#include "comm/agree.h"
#include "topology/even_owner.h"

namespace halo {

namespace {

// The lists of a halo_regions_desc.
struct Joined {
    std::vector<int64_t> cells;
    std::vector<halo_join> joins;
    std::vector<int32_t> vector_signs;
};

halo_box counted_from(const halo_box &origin, halo_box box) {
    for (size_t d = 0; d < 3; ++d) {
        box.low[d] -= origin.low[d];
        box.high[d] -= origin.low[d];
    }
    return box;
}

// What a part has of `wanted`, ghosts or cells of its own, in a chart that a passage leads to.
void add_joins(Joined &joined, const ChartsDesc &desc, int64_t gid, const Passage &passage, const halo_box &wanted) {
    const halo_box across = passage.forward(wanted);
    const auto first = [&](size_t d) { return even_owner(across.low[d], desc.cells[d], desc.parts[d]); };
    const auto last = [&](size_t d) { return even_owner(across.high[d] - 1, desc.cells[d], desc.parts[d]); };
    for (int64_t j = first(1); j <= last(1); ++j)
        for (int64_t i = first(0); i <= last(0); ++i) {
            const int64_t sender = (passage.chart * desc.parts[1] + j) * desc.parts[0] + i;
            const halo_box sent = intersection(across, desc.part(sender)), received = passage.back(sent);
            if (sender == gid && sent.low[0] == received.low[0] && sent.low[1] == received.low[1]) continue; // its own cells
            halo_join join{ sender, gid, counted_from(desc.part(sender), sent), counted_from(desc.part(gid), received), { 0, 1, 2 }, { 1, 1, 1 } };
            for (size_t d = 0; d < 2; ++d) {
                join.axis[d] = passage.axis[d];
                join.sign[d] = passage.sign[d];
            }
            joined.joins.push_back(join);
            joined.vector_signs.insert(joined.vector_signs.end(), { passage.vector[0], passage.vector[1], 1 });
        }
}

Joined join(const ChartsDesc &desc, const Passages &passages) {
    Joined joined;
    for (int64_t gid = 0; gid < desc.n_parts(); ++gid) {
        const halo_box own = desc.part(gid);
        halo_box reached = own;
        for (size_t d = 0; d < 3; ++d) joined.cells.push_back(own.high[d] - own.low[d]);
        for (size_t d = 0; d < 2; ++d) {
            reached.low[d] -= desc.reach;
            reached.high[d] += desc.reach;
        }
        for (const Passage &passage : passages[static_cast<size_t>(desc.chart_of(gid))])
            if (const halo_box wanted = intersection(reached, passage.cells); !empty(wanted)) add_joins(joined, desc, gid, passage, wanted);
    }
    return joined;
}

Joined join_together(Context &context, const ChartsDesc &desc, FunctionRef<Passages()> passages) {
    Joined joined;
    together(context, desc.what, [&] {
        desc.check();
        joined = join(desc, passages());
    });
    return joined;
}

// The description points into `joined`.
halo_regions_desc regions_of(const ChartsDesc &desc, const Joined &joined) {
    halo_regions_desc regions = HALO_REGIONS_DESC_INIT;
    regions.n_dims = desc.levels > 0 ? 3 : 2;
    regions.cells = joined.cells.data();
    regions.owner = desc.owner;
    regions.n_parts = desc.n_parts();
    regions.joins = joined.joins.data();
    regions.n_joins = std::ssize(joined.joins);
    regions.reach = desc.reach;
    regions.vector_signs = joined.vector_signs.data();
    return regions;
}

} // namespace

halo_box Passage::forward(const halo_box &here) const {
    halo_box across = here;
    for (size_t d = 0; d < 2; ++d) {
        const auto there = static_cast<size_t>(axis[d]);
        across.low[there] = shift[d] + (sign[d] > 0 ? here.low[d] : 1 - here.high[d]);
        across.high[there] = shift[d] + (sign[d] > 0 ? here.high[d] : 1 - here.low[d]);
    }
    return across;
}

halo_box Passage::back(const halo_box &across) const {
    halo_box here = across;
    for (size_t d = 0; d < 2; ++d) {
        const auto there = static_cast<size_t>(axis[d]);
        here.low[d] = sign[d] > 0 ? across.low[there] - shift[d] : shift[d] + 1 - across.high[there];
        here.high[d] = sign[d] > 0 ? across.high[there] - shift[d] : shift[d] + 1 - across.low[there];
    }
    return here;
}

halo_box ChartsDesc::part(int64_t gid) const {
    const std::array<int64_t, 2> at{ gid % parts[0], gid / parts[0] % parts[1] };
    halo_box box = chart();
    for (size_t d = 0; d < 2; ++d) {
        box.low[d] = even_begin(at[d], cells[d], parts[d]);
        box.high[d] = even_begin(at[d] + 1, cells[d], parts[d]);
    }
    return box;
}

void ChartsDesc::check() const {
    for (size_t d = 0; d < 2; ++d) {
        if (cells[d] < 1 || parts[d] < 1 || parts[d] > cells[d])
            fail(HALO_ERR_ARGUMENT, "%s: %lld cells in direction %zu, in %lld parts", what, static_cast<long long>(cells[d]), d,
                 static_cast<long long>(parts[d]));
        check_limit(format("%s: cells in direction %zu", what, d).c_str(), cells[d], limits::part_cells);
        if (reach > cells[d])
            fail(HALO_ERR_ARGUMENT, "%s: reach is %d, where there are %lld cells in direction %zu", what, reach, static_cast<long long>(cells[d]), d);
    }
    if (levels < 0) fail(HALO_ERR_ARGUMENT, "%s: %lld levels", what, static_cast<long long>(levels));
    check_limit(format("%s: levels", what).c_str(), levels, limits::part_cells);
    if (reach < 0) fail(HALO_ERR_ARGUMENT, "%s: reach is %d, it must be 0 or more", what, reach);
    (Checked(parts[0]) * parts[1] * n_charts).value(format("%s: the number of parts", what).c_str(), limits::cut_boxes);
}

ChartsTopology::ChartsTopology(Context &context, const ChartsDesc &desc, FunctionRef<Passages()> passages)
    : RegionsTopology(context, regions_of(desc, join_together(context, desc, passages))),
      desc_(desc) {
    desc_.owner = nullptr; // the caller's list
}

halo_part ChartsTopology::part(int64_t gid) const {
    halo_part part = RegionsTopology::part(gid);
    part.cells = desc_.part(gid);
    return part;
}

} // namespace halo

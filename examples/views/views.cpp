// SPDX-License-Identifier: BSD-3-Clause
// Fields whose storage is views of four kinds: first index fastest, last index fastest, Fortran's bounds from 1, padded rows. Each cell gets its
// place in the domain; after one exchange every ghost of every view must show the place that it stands for. Runs alone and under any mpirun.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bind.h"

namespace {

constexpr int n_components = 2;
constexpr std::int64_t ghosts = 2;
constexpr std::int64_t domain[2] = { 24, 18 };

using Cells = views::View<double, 3>; // x, y, component

struct Storage {
    std::vector<double> memory;
    Cells view;
    views::Indices<3> first; // index of the first owned cell

    Storage(std::int64_t elements, const views::Indices<3> &first_owned, auto &&make_view)
        : memory(elements, -1.0),
          view(make_view(memory.data())),
          first(first_owned) {}
};

Storage make_storage(int kind, std::int64_t nx, std::int64_t ny) {
    const std::int64_t wx = nx + 2 * ghosts, wy = ny + 2 * ghosts, padded = wx + 3;
    const views::Indices<3> extents{ wx, wy, n_components };
    const views::Indices<3> from_minus{ -ghosts, -ghosts, 0 };
    const std::int64_t elements = padded * wy * n_components;
    switch (kind) {
    case 0: return Storage(elements, { 0, 0, 0 }, [&](double *data) { return Cells(data, from_minus, extents, views::LayoutLeft{}); });
    case 1: return Storage(elements, { 0, 0, 0 }, [&](double *data) { return Cells(data, from_minus, extents, views::LayoutRight{}); });
    case 2:
        return Storage(elements, { 1, 1, 1 }, [&](double *data) { return Cells(data, { 1 - ghosts, 1 - ghosts, 1 }, extents, views::LayoutLeft{}); });
    default:
        return Storage(elements, { 0, 0, 0 }, [&](double *data) {
            return Cells(data, from_minus, extents, views::Indices<3>{ 1, padded, padded * wy });
        });
    }
}

double value_at(std::int64_t x, std::int64_t y, std::int64_t component) {
    const std::int64_t wrapped_x = (x + domain[0]) % domain[0];
    const std::int64_t wrapped_y = (y + domain[1]) % domain[1];
    return static_cast<double>(wrapped_x + domain[0] * (wrapped_y + domain[1] * component));
}

// Calls visit(element, value it should have) for the cells of a part, and its ghosts if asked.
template <class Visit>
void for_each_cell(const halo_part &part, const Storage &storage, bool with_ghosts, Visit &&visit) {
    const std::int64_t around = with_ghosts ? ghosts : 0;
    const std::int64_t nx = part.cells.high[0] - part.cells.low[0], ny = part.cells.high[1] - part.cells.low[1];
    for (std::int64_t c = 0; c < n_components; ++c)
        for (std::int64_t j = -around; j < ny + around; ++j)
            for (std::int64_t i = -around; i < nx + around; ++i)
                visit(storage.view(storage.first[0] + i, storage.first[1] + j, storage.view.low(2) + c),
                      value_at(part.cells.low[0] + i, part.cells.low[1] + j, c));
}

halo::Topology cut_domain(const halo::Context &context) {
    halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
    desc.n_dims = 2;
    desc.n_parts_per_rank = 4;
    for (int d = 0; d < 2; ++d) {
        desc.domain.high[d] = domain[d];
        desc.periodic[d] = 1;
    }
    return halo::Topology(context, desc);
}

halo::Field make_field(const halo::Topology &topology) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = "place";
    desc.n_components = n_components;
    for (int d = 0; d < 2; ++d) desc.ghost_low[d] = desc.ghost_high[d] = ghosts;
    return halo::Field(topology, desc);
}

// Cells and ghosts that are not as they should be.
std::int64_t run(const halo::Context &context) {
    const halo::Topology topology = cut_domain(context);
    halo::Field field = make_field(topology);
    std::vector<Storage> storages;
    for (const std::int64_t gid : topology.local_parts()) {
        const halo_part part = topology.part(gid);
        storages.push_back(
            make_storage(static_cast<int>(storages.size()) % 4, part.cells.high[0] - part.cells.low[0], part.cells.high[1] - part.cells.low[1]));
        views::bind(field, part, storages.back().view, storages.back().first);
        for_each_cell(part, storages.back(), false, [](double &element, double value) { element = value; });
    }
    halo::Exchange exchange({ field });
    exchange.start();
    exchange.finish();
    std::int64_t wrong = 0;
    for (std::size_t p = 0; p < storages.size(); ++p)
        for_each_cell(topology.part(topology.local_parts()[p]), storages[p], true, [&](double &element, double value) { wrong += element != value; });
    return context.allreduce(wrong, HALO_SUM);
}

// A view without room for the ghosts is refused.
bool refuses_narrow_views(const halo::Context &context) {
    const halo::Topology topology = cut_domain(context);
    halo::Field field = make_field(topology);
    const halo_part part = topology.part(topology.local_parts()[0]);
    std::vector<double> memory(domain[0] * domain[1] * n_components);
    const Cells narrow(memory.data(), { 0, 0, 0 }, { part.cells.high[0] - part.cells.low[0], part.cells.high[1] - part.cells.low[1], n_components },
                       views::LayoutLeft{});
    try {
        views::bind(field, part, narrow);
        return false;
    } catch (const halo::error &error) {
        return error.status() == HALO_ERR_BOUNDS;
    }
}

} // namespace

int main() {
    try {
        const halo::Context context;
        const std::int64_t wrong = run(context);
        const bool refuses = refuses_narrow_views(context);
        if (context.rank() == 0)
            std::printf("%d ranks: %lld cells are wrong; a view that is too narrow is %s\n", context.n_ranks(), static_cast<long long>(wrong),
                        refuses ? "refused" : "ACCEPTED");
        return wrong == 0 && refuses ? EXIT_SUCCESS : EXIT_FAILURE;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return EXIT_FAILURE;
    }
}

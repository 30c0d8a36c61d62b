// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/kinds/forest_steps.h"

#include <algorithm>

#include "base/types.h"
#include "topology/centring.h"
#include "topology/forest/block_box.h"
#include "topology/forest/coarsened.h"

namespace halo {

namespace {

bool are_even(const GhostWidths &widths) {
    bool all = true;
    for (size_t d = 0; d < 3; ++d) all = all && widths.low[d] % 2 == 0 && widths.high[d] % 2 == 0;
    return all;
}

} // namespace

int32_t reach_of(const Field &field) {
    const int32_t directions = (1 << field.topology().n_dims()) - 1;
    const auto has_cells = [&](Centring place) { return (place & directions) != directions; };
    return field.prolongation() != HALO_PROLONG_CONSTANT && std::ranges::any_of(field.spec().places, has_cells) ? 1 : 0;
}

void refuse(const Field &field, const std::string &why) { fail(HALO_ERR_ARGUMENT, "exchange: field %s: %s", field.spec().name.c_str(), why.c_str()); }

void check_on_forest(const Field &field) {
    const FieldSpec &spec = field.spec();
    if (!dynamic_cast<const ForestTopology *>(&field.topology())) refuse(field, "it is on no forest");
    if (field.is_mapped()) refuse(field, "it has a map of points: blocks of several levels have theirs in rows");
    if (!has_level_operators(spec.type)) refuse(field, format("values of %s have no means: real and complex ones have", type_name(spec.type)));
}

void check_pairs(const Field &field, const GhostWidths &widths) {
    if (divides_cells(field) && !are_even(widths))
        refuse(field, format("HALO_PROLONG_DIVERGENCE makes the faces of whole coarse cells: ghosts %d %d %d and %d %d %d come in pairs",
                             widths.low[0], widths.low[1], widths.low[2], widths.high[0], widths.high[1], widths.high[2]));
}

ForestSteps::ForestSteps(const char *what, const std::vector<Field *> &fields, std::vector<LevelGhosts> ghosts)
    : LevelSteps(what),
      fields_(fields),
      ghosts_(std::move(ghosts)) {
    for (size_t f = 0; f < fields.size(); ++f) {
        const int32_t n_dims = forest(f).n_dims();
        const LevelGhosts &read = ghosts_[f];
        edges_.push_back(std::make_shared<FieldLevelEdges>(forest(f), read));
        add(*fields[f], { &kept_by<CoarsenedForest>(forest(f)), read.coarse(n_dims), halves(n_dims), read.reach, read.widths });
    }
}

// Pair by pair.
void divide(const ForestTopology &forest, LevelWork &work, const halo_box &cells) {
    halo_box coarse = cells;
    for (int d = 0; d < forest.n_dims(); ++d) {
        coarse.low[d] = floor_divide(cells.low[d], 2);
        coarse.high[d] = floor_divide(cells.high[d], 2);
    }
    work.divided.push_back(coarse);
}

namespace {

// Of one field's ghosts, or fluxes.
class WorkFinder {
public:
    WorkFinder(const Field &field, FieldLevelEdges &edges, LevelWorks &works)
        : field_(field),
          places_(field.spec().places),
          forest_(forest_of(field)),
          edges_(edges),
          works_(works) {}

    void find_ghosts() {
        if (divides_cells(field_))
            for (const int64_t gid : forest_.local_parts()) find_divided(gid);
        for_each_place([&](int32_t place, const LevelEdges &edges) { find_ghosts(place, edges); });
    }
    void find_fluxes() {
        for_each_place([&](int32_t place, const LevelEdges &edges) { find_sent(place, edges, LevelWay::fluxes); });
    }

private:
    template <class Visit>
    void for_each_place(Visit &&visit) {
        for (int32_t place = 0; place < std::ssize(places_); ++place)
            edges_.in(places_[static_cast<size_t>(place)], [&](const LevelEdges &edges) { visit(place, edges); });
    }
    LevelWork &work_of(int64_t gid) { return works_[static_cast<size_t>(forest_.local_index(gid))]; }
    void find_ghosts(int32_t place, const LevelEdges &edges);
    void find_sent(int32_t place, const LevelEdges &edges, LevelWay way);
    void find_divided(int64_t gid);

    const Field &field_;
    const std::vector<Centring> &places_;
    const ForestTopology &forest_;
    FieldLevelEdges &edges_;
    LevelWorks &works_;
};

void WorkFinder::find_ghosts(int32_t place, const LevelEdges &edges) {
    for (const LevelWay way : { LevelWay::to_coarser, LevelWay::beside }) find_sent(place, edges, way);
    const bool halves = halves_ghosts(field_, edges_.ghosts());
    for (const int64_t gid : forest_.local_parts()) {
        LevelWork &work = work_of(gid);
        for (const halo_box &box : edges.made(gid)) work.made.emplace_back(place, box);
        LevelEdges::Read read = edges.read(gid);
        for (const halo_box &box : read.inside) work.send(place, box);
        if (halves) work.halved_ghosts = std::move(read.beside);
    }
}

// Made from the sender's own values, at its place.
void WorkFinder::find_sent(int32_t place, const LevelEdges &edges, LevelWay way) {
    edges.emit(way, [&](const Edge &edge) {
        if (edge.ends != EdgeEnds::receive) work_of(edge.send_gid).send(place_across(places_, place, edge.map), edge.send.box);
    });
}

// Ghosts behind coarser blocks.
void WorkFinder::find_divided(int64_t gid) {
    const LevelGhosts &ghosts = edges_.ghosts();
    for_each_element(forest_.n_dims(), [&](int32_t element, const ElementOffset &) {
        const halo_box cells = element_box(whole_block(forest_.cells_of(gid)), ghosts.widths, element);
        if (empty(cells) || !in_stencil(element, ghosts.stencil)) return;
        if (forest_.across(forest_.leaf(gid), element).is == Across::Is::coarser) divide(forest_, work_of(gid), cells);
    });
}

} // namespace

void ForestSteps::find_ghosts() {
    find(LevelWay::to_finer, [](WorkFinder finder) { finder.find_ghosts(); });
}

void ForestSteps::find_fluxes() {
    find(LevelWay::fluxes, [](WorkFinder finder) { finder.find_fluxes(); });
}

template <class Find>
void ForestSteps::find(LevelWay way, Find &&find) {
    for (size_t f = 0; f < fields_.size(); ++f)
        set_work(f,
                 known_work(field(f), *edges_of_levels(edges_[f], way), [&](LevelWorks &works) { find(WorkFinder(field(f), *edges_[f], works)); }));
}

void ForestSteps::check_run(const halo_run &run, size_t field) const {
    check_pairs(*fields_[field], ghosts_[field].widths.clipped(widths_of(run)));
    const LevelGhosts &ghosts = ghosts_[field];
    if (ghosts.reach == 0 || ghosts.widths == GhostWidths{} || !halves_ghosts(*fields_[field], ghosts)) return;
    LevelGhosts narrowed = ghosts;
    narrowed.widths = ghosts.widths.clipped(widths_of(run));
    if (!narrowed.halves_ghosts(forest(field).n_dims()))
        fail(HALO_ERR_ARGUMENT,
             "exchange: a run with depth %d, has_ghosts %d: ghosts of field %s between levels come in pairs, two or more on each side", run.depth,
             run.has_ghosts, fields_[field]->spec().name.c_str());
}

std::unique_ptr<Exchange> one_round(const std::vector<Field *> &fields, RoundSpec round, std::unique_ptr<ForestSteps> steps) {
    ForestSteps &used = *steps;
    std::vector<RoundSpec> rounds;
    rounds.push_back(std::move(round));
    auto exchange = std::make_unique<Exchange>(fields, std::move(rounds), std::move(steps));
    used.forget_edges();
    return exchange;
}

} // namespace halo

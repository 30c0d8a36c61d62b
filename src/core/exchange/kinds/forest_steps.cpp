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
        add(*fields[f], { std::make_unique<CoarsenedForest>(forest(f)), read.coarse(n_dims), halves(n_dims), read.reach, read.widths });
    }
}

void ForestSteps::divide(size_t field, int64_t gid, const halo_box &cells) {
    halo_box coarse = cells;
    for (int d = 0; d < forest(field).n_dims(); ++d) {
        coarse.low[d] = floor_divide(cells.low[d], 2);
        coarse.high[d] = floor_divide(cells.high[d], 2);
    }
    work_of(field, gid).divided.push_back(coarse);
}

void ForestSteps::find_ghosts() {
    for (size_t f = 0; f < fields_.size(); ++f) find_ghosts(f);
}

void ForestSteps::find_fluxes() {
    for (size_t f = 0; f < fields_.size(); ++f) find_fluxes(f);
}

// Made from the sender's own values, at its place.
void ForestSteps::add_sent(size_t field, int32_t place, const Edge &edge) {
    if (edge.ends == EdgeEnds::receive) return;
    work_of(field, edge.send_gid).send(place_across(fields_[field]->spec().places, place, edge.map), edge.send.box);
}

void ForestSteps::find_ghosts(size_t field) {
    const std::vector<Centring> &places = fields_[field]->spec().places;
    if (divides_cells(*fields_[field]))
        for (const int64_t gid : forest(field).local_parts()) find_divided(field, gid);
    for (int32_t place = 0; place < std::ssize(places); ++place)
        edges_[field]->in(places[static_cast<size_t>(place)], [&](const LevelEdges &edges) { find_ghosts(field, place, edges); });
}

void ForestSteps::find_ghosts(size_t field, int32_t place, const LevelEdges &edges) {
    for (const LevelWay way : { LevelWay::to_coarser, LevelWay::beside }) edges.emit(way, [&](const Edge &edge) { add_sent(field, place, edge); });
    for (const int64_t gid : forest(field).local_parts()) {
        Work &work = work_of(field, gid);
        for (const halo_box &box : edges.made(gid)) work.made.emplace_back(place, box);
        LevelEdges::Read read = edges.read(gid);
        for (const halo_box &box : read.inside) work.send(place, box);
        if (halves_ghosts(field)) work.halved_ghosts = std::move(read.beside);
    }
}

// Ghosts behind coarser blocks.
void ForestSteps::find_divided(size_t field, int64_t gid) {
    const LevelGhosts &ghosts = ghosts_[field];
    for_each_element(forest(field).n_dims(), [&](int32_t element, const ElementOffset &) {
        const halo_box cells = element_box(whole_block(forest(field).cells_of(gid)), ghosts.widths, element);
        if (empty(cells) || !in_stencil(element, ghosts.stencil)) return;
        if (forest(field).across(forest(field).leaf(gid), element).is == Across::Is::coarser) divide(field, gid, cells);
    });
}

void ForestSteps::find_fluxes(size_t field) {
    const std::vector<Centring> &places = fields_[field]->spec().places;
    for (int32_t place = 0; place < std::ssize(places); ++place)
        edges_[field]->in(places[static_cast<size_t>(place)],
                          [&](const LevelEdges &edges) { edges.emit(LevelWay::fluxes, [&](const Edge &edge) { add_sent(field, place, edge); }); });
}

void ForestSteps::check_run(const halo_run &run, size_t field) const {
    check_pairs(*fields_[field], ghosts_[field].widths.clipped(widths_of(run)));
    const LevelGhosts &ghosts = ghosts_[field];
    if (ghosts.reach == 0 || ghosts.widths == GhostWidths{} || !halves_ghosts(field)) return;
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

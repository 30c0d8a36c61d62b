// SPDX-License-Identifier: BSD-3-Clause
// Steps around a round on forests: beside each field stands one on the blocks of the next coarser level. And what of a field the kinds of exchange on
// forests look at.
#pragma once

#include "exchange/kinds/level_steps.h"
#include "topology/forest/level_edges.h"

namespace halo {

inline const ForestTopology &forest_of(const Field &field) { return static_cast<const ForestTopology &>(field.topology()); }
inline bool has_cells_alone(const Field &field) { return field.spec().places == std::vector<Centring>{ HALO_CENTRE_CELL }; }
inline bool divides_cells(const Field &field) { return field.prolongation() == HALO_PROLONG_DIVERGENCE; }
// Coarse cells around one, in directions in which values have slopes.
int32_t reach_of(const Field &field);

[[noreturn]] void refuse(const Field &field, const std::string &why);
// Can it be exchanged between levels?
void check_on_forest(const Field &field);
// Ghosts that come with whole coarse cells.
void check_pairs(const Field &field, const GhostWidths &widths);

// As LevelGhosts says, which knows of cells.
inline bool halves_ghosts(const Field &field, const LevelGhosts &ghosts) {
    return has_cells_alone(field) && ghosts.halves_ghosts(field.topology().n_dims());
}
// Cells whose faces within coarse ones are made from those around them.
void divide(const ForestTopology &forest, LevelWork &work, const halo_box &cells);

class ForestSteps : public LevelSteps {
public:
    // `ghosts` of each field: how many coarse cells are read around it.
    ForestSteps(const char *what, const std::vector<Field *> &fields, std::vector<LevelGhosts> ghosts);
    // Of a field, for the sources of its pieces. The exchange is made: forgotten.
    const std::shared_ptr<FieldLevelEdges> &edges(size_t field) const { return edges_[field]; }
    void forget_edges() noexcept {
        for (const auto &edges : edges_) edges->forget();
    }
    // What there is to do.
    void find_ghosts();
    void find_fluxes();

protected:
    const Field &field(size_t field) const { return *fields_[field]; }
    const ForestTopology &forest(size_t field) const { return forest_of(*fields_[field]); }

private:
    template <class Find>
    void find(LevelWay way, Find &&find);
    void check_run(const halo_run &run, size_t field) const override;

    std::vector<Field *> fields_;
    std::vector<LevelGhosts> ghosts_;
    std::vector<std::shared_ptr<FieldLevelEdges>> edges_; // of each field
};

// An exchange of one round.
std::unique_ptr<Exchange> one_round(const std::vector<Field *> &fields, RoundSpec round, std::unique_ptr<ForestSteps> steps);

} // namespace halo

// SPDX-License-Identifier: BSD-3-Clause
// Between two levels of boxes. Beside each fine field stands one of the cells of the coarser level: what a coarse field gets is averaged there before
// it is sent, what a fine field is made from is received there. Of coarse fields at two times, what lies between them is sent.
#include "exchange/kinds/kinds.h"

#include <algorithm>

#include "base/types.h"
#include "exchange/kinds/level_steps.h"
#include "topology/boxes/box_calculus.h"
#include "topology/boxes/hierarchy.h"
#include "topology/centring.h"

namespace halo {

namespace {

constexpr int32_t kind_hierarchy = 103; // beside what HALO_KIND_... names

bool reads_around(const Field &field) { return field.prolongation() != HALO_PROLONG_CONSTANT; }

// Fields at one place of the lists.
struct Place {
    size_t coarse;
    std::optional<size_t> newer;
    size_t fine;
};

class Levels {
public:
    Levels(const std::vector<Field *> &fields, const BetweenLists &lists)
        : fields_(fields),
          n_(fields.size() / static_cast<size_t>(lists.n_lists)),
          has_newer_(lists.n_lists == 3),
          what_(lists.levels->what) {}

    void check() const;
    std::unique_ptr<LevelSteps> steps() const;
    void add_pieces(const LevelSteps &steps, RoundSpec &round) const;
    std::string text() const;

private:
    bool averages() const { return what_ == HALO_LEVELS_AVERAGE || what_ == HALO_LEVELS_FLUXES; }
    Place place(size_t i) const { return { i, has_newer_ ? std::optional(n_ + i) : std::nullopt, fields_.size() - n_ + i }; }
    const Field &coarse(size_t i) const { return *fields_[place(i).coarse]; }
    const Field &fine(size_t i) const { return *fields_[place(i).fine]; }
    const Topology &coarse_topology(size_t i) const { return coarse(i).topology(); }
    const Topology &fine_topology(size_t i) const { return fine(i).topology(); }
    MadeCells made(size_t i) const { return { fine(i).spec().ghosts, reads_around(fine(i)) ? 1 : 0, what_ == HALO_LEVELS_WHOLE }; }
    std::shared_ptr<EdgeSource> edges(size_t i) const;
    void set_sent(LevelSteps &steps, size_t i) const;
    void set_made(LevelSteps &steps, size_t i) const;
    void check_field(size_t i, const Field &field) const;
    void check_pair(size_t i) const;
    void check_nested(size_t i) const;
    [[noreturn]] void refuse(size_t i, const std::string &why) const {
        fail(HALO_ERR_ARGUMENT, "levels of field %s and field %s: %s", coarse(i).spec().name.c_str(), fine(i).spec().name.c_str(), why.c_str());
    }

    const std::vector<Field *> &fields_;
    size_t n_; // places
    bool has_newer_;
    int32_t what_;
};

void Levels::check() const {
    if (what_ < HALO_LEVELS_GHOSTS || what_ > HALO_LEVELS_FLUXES) fail(HALO_ERR_ARGUMENT, "levels: what %d is none of HALO_LEVELS_...", what_);
    if (averages() && has_newer_)
        fail(HALO_ERR_ARGUMENT, "levels: HALO_LEVELS_%s fills fields of one time, and has no newer ones",
             what_ == HALO_LEVELS_AVERAGE ? "AVERAGE" : "FLUXES");
    for (size_t i = 0; i < n_; ++i) check_pair(i);
    for (size_t i = 0; i < n_; ++i) check_nested(i);
}

void Levels::check_field(size_t i, const Field &field) const {
    const FieldSpec &spec = field.spec(), &as = coarse(i).spec();
    if (spec.sparse) refuse(i, "sparse fields have no levels");
    if (field.is_mapped()) refuse(i, "fields with a map of points have no levels");
    if (!has_level_operators(spec.type)) refuse(i, format("values of %s have no means: real and complex ones have", type_name(spec.type)));
    if (spec.type != as.type) refuse(i, "their types differ");
    if (spec.n_components != as.n_components) refuse(i, "their numbers of components differ");
    if (spec.places != as.places) refuse(i, "their centrings differ");
}

void Levels::check_pair(size_t i) const {
    check_field(i, coarse(i));
    check_field(i, fine(i));
    if (has_newer_) {
        const Field &newer = *fields_[*place(i).newer];
        check_field(i, newer);
        if (&newer.topology() != &coarse_topology(i)) refuse(i, format("field %s of a later time is on another topology", newer.spec().name.c_str()));
    }
    if (what_ == HALO_LEVELS_FLUXES && !std::ranges::all_of(fine(i).spec().places, is_face)) refuse(i, "fluxes are values on faces");
    if (!averages() && fine(i).spec().places != std::vector<Centring>{ HALO_CENTRE_CELL }) refuse(i, "cells alone are made from a coarser level");
    if (const std::string why = Hierarchy::why_none(coarse_topology(i), fine_topology(i)); !why.empty()) refuse(i, why);
}

void Levels::check_nested(size_t i) const {
    const MadeCells cells = made(i);
    const auto bad = Hierarchy(coarse_topology(i), fine_topology(i)).first_not_nested(averages() ? nullptr : &cells);
    if (!bad) return;
    const std::string box = format("box %lld, %s, ", static_cast<long long>(bad->gid), text_of(bad->box).c_str());
    if (empty(bad->missing)) refuse(i, box + "does not begin and end where cells of the coarser level do");
    refuse(i, box + format("needs cells %s of the coarser level, which are in none of its boxes", text_of(bad->missing).c_str()));
}

std::shared_ptr<EdgeSource> Levels::edges(size_t i) const {
    if (averages()) return edges_to_coarser(coarse_topology(i), fine_topology(i), what_ == HALO_LEVELS_FLUXES);
    return edges_to_finer(coarse_topology(i), fine_topology(i), made(i));
}

std::unique_ptr<LevelSteps> Levels::steps() const {
    auto steps = std::make_unique<LevelSteps>("values between levels are made");
    for (size_t f = 0; f < fields_.size(); ++f) {
        const bool is_fine = f >= fields_.size() - n_;
        BesideField beside;
        if (f < n_ && has_newer_) {
            beside.parts = &kept_by<CoarsenedParts>(coarse_topology(f), beside.ratio);
            beside.newer = *place(f).newer;
        }
        if (is_fine) {
            const size_t i = f - (fields_.size() - n_);
            const MadeCells cells = made(i);
            beside.ratio = Hierarchy(coarse_topology(i), fine_topology(i)).ratio();
            beside.parts = &kept_by<CoarsenedParts>(fine_topology(i), beside.ratio);
            if (!averages()) beside = { beside.parts, cells.coarse(beside.ratio), beside.ratio, cells.reach, cells.widths, {} };
        }
        steps->add(*fields_[f], std::move(beside));
    }
    for (size_t i = 0; i < n_; ++i) {
        if (averages() || has_newer_) set_sent(*steps, i);
        if (!averages()) set_made(*steps, i);
    }
    return steps;
}

// Made from the sender's own values.
void Levels::set_sent(LevelSteps &steps, size_t i) const {
    const size_t sender = averages() ? place(i).fine : place(i).coarse;
    const Topology &topology = fields_[sender]->topology();
    const std::vector<Centring> &places = fields_[sender]->spec().places;
    const std::shared_ptr<EdgeSource> source = edges(i);
    steps.set_work(sender, known_work(*fields_[sender], *source, [&](LevelWorks &works) {
                       for (int32_t p = 0; p < std::ssize(places); ++p)
                           source->emit(places[static_cast<size_t>(p)], [&](const Edge &edge) {
                               if (edge.ends != EdgeEnds::receive)
                                   works[static_cast<size_t>(topology.local_index(edge.send_gid))].send(p, edge.send.box);
                           });
                   }));
}

void Levels::set_made(LevelSteps &steps, size_t i) const {
    const std::vector<int64_t> &gids = fine_topology(i).local_parts();
    const Hierarchy hierarchy(coarse_topology(i), fine_topology(i));
    steps.set_work(place(i).fine, known_work(fine(i), *edges(i), [&](LevelWorks &works) {
                       for (size_t part = 0; part < gids.size(); ++part)
                           for (const halo_box &box : hierarchy.made(gids[part], made(i))) works[part].made.emplace_back(0, box);
                   }));
}

void Levels::add_pieces(const LevelSteps &steps, RoundSpec &round) const {
    const auto add = [&](size_t source, size_t destination, std::shared_ptr<EdgeSource> edges, int32_t kind) {
        round.pieces.push_back(
            { static_cast<int32_t>(source), static_cast<int32_t>(destination), std::move(edges), {}, meaning_of(kind, {}, HALO_SHARED_KEEP) });
    };
    for (size_t i = 0; i < n_; ++i) {
        const auto beside = [&](size_t field) { return static_cast<size_t>(steps.place_beside(field)); };
        TopologyUse own;
        own.request.ghosts = fine(i).spec().ghosts;
        if (what_ == HALO_LEVELS_GHOSTS) add(place(i).fine, place(i).fine, edges_of_topology(fine_topology(i), own), HALO_KIND_GHOSTS);
        if (averages()) add(beside(place(i).fine), place(i).coarse, edges(i), kind_hierarchy);
        if (!averages()) add(has_newer_ ? beside(place(i).coarse) : place(i).coarse, beside(place(i).fine), edges(i), kind_hierarchy);
    }
}

// With what the peers' texts must have alike.
std::string Levels::text() const {
    static constexpr const char *names[] = { "ghosts of a finer level", "whole boxes of a finer level", "means of a finer level",
                                             "fluxes of a finer level" };
    std::string text = names[what_];
    if (has_newer_) text += ", between two times";
    for (size_t i = 0; i < n_; ++i) text += averages() ? text_of_restriction(fine(i)) : text_of_prolongation(fine(i));
    return text;
}

} // namespace

std::unique_ptr<Exchange> make_hierarchy(const std::vector<Field *> &fields, const halo_exchange_desc &desc, const BetweenLists &lists) {
    RoundSpec round = round_of(fields, desc);
    const Levels levels(fields, lists);
    levels.check();
    round.kind = levels.text();
    auto steps = levels.steps();
    steps->allocate();
    levels.add_pieces(*steps, round);
    round.fields = steps->fields();
    round.beside = steps.get();
    std::vector<RoundSpec> rounds;
    rounds.push_back(std::move(round));
    return std::make_unique<Exchange>(fields, std::move(rounds), std::move(steps));
}

} // namespace halo

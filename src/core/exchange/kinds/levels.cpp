// SPDX-License-Identifier: BSD-3-Clause
// Ghosts and fluxes of forests with several levels. Beside each field stands one of the cells of the next coarser level: what goes to a coarser block
// is halved there before it is sent, what comes from one is received there and made into ghosts when the round is over.
#include "exchange/kinds/kinds.h"

#include <algorithm>

#include "base/types.h"
#include "exchange/kinds/level_steps.h"
#include "topology/centring.h"
#include "topology/forest/block_box.h"
#include "topology/forest/coarsened.h"
#include "topology/forest/level_edges.h"
#include "topology/forest/remesh_edges.h"

namespace halo {

namespace {

constexpr int32_t kind_levels = 101; // beside what HALO_KIND_... names
constexpr int32_t kind_remesh = 102;

const ForestTopology &forest_of(const Field &field) { return static_cast<const ForestTopology &>(field.topology()); }

[[noreturn]] void refuse(const Field &field, const std::string &why) {
    fail(HALO_ERR_ARGUMENT, "exchange: field %s: %s", field.spec().name.c_str(), why.c_str());
}

bool is_linear(const Field &field) { return field.prolongation() == HALO_PROLONG_MINMOD; }

LevelGhosts ghosts_of(const Field &field, const halo_exchange_desc &desc) {
    const GhostWidths widths = desc.shared == HALO_SHARED_ONLY ? GhostWidths{} : field.spec().ghosts;
    return { widths, desc.stencil, is_linear(field) ? 1 : 0, desc.shared };
}

bool has_cells_alone(const Field &field) { return field.spec().places == std::vector<Centring>{ HALO_CENTRE_CELL }; }

// Blocks that touch where ghosts are made, or where the cells lie that these are made from, must differ by one level.
void check_balance(const Field &field, const LevelGhosts &ghosts) {
    static constexpr const char *names[] = { "FULL", "EDGES", "FACES" };
    const int32_t balance = forest_of(field).balance();
    const int32_t wanted = ghosts.stencil == HALO_STENCIL_FULL                        ? HALO_BALANCE_FULL
                           : ghosts.stencil == HALO_STENCIL_EDGES && ghosts.reach > 0 ? HALO_BALANCE_FULL
                           : ghosts.stencil == HALO_STENCIL_EDGES || ghosts.reach > 0 ? HALO_BALANCE_EDGES
                                                                                      : HALO_BALANCE_FACES;
    const int32_t most = field.topology().n_dims() == 3   ? HALO_BALANCE_FULL
                         : field.topology().n_dims() == 2 ? HALO_BALANCE_EDGES
                                                          : HALO_BALANCE_FACES;
    if (balance > std::max(wanted, most))
        refuse(field, format("its stencil and prolongation want a forest of HALO_BALANCE_%s, not of HALO_BALANCE_%s", names[std::max(wanted, most)],
                             names[balance]));
}

void check_widths(const Field &field, const LevelGhosts &ghosts) {
    const Extent cells = field.topology().cells_of(0);
    const GhostWidths coarse = ghosts.coarse(field.topology().n_dims());
    for (int d = 0; d < field.topology().n_dims(); ++d)
        if (std::max(ghosts.widths.low[d], ghosts.widths.high[d]) > cells[d] / 2 || std::max(coarse.low[d], coarse.high[d]) > cells[d] / 2)
            refuse(field,
                   format("ghosts %d and %d along direction %d, but blocks of %lld cells between levels have at most %lld", ghosts.widths.low[d],
                          ghosts.widths.high[d], d, static_cast<long long>(cells[d]), static_cast<long long>(2 * (cells[d] / 2 - ghosts.reach))));
}

void check_field(const Field &field) {
    const FieldSpec &spec = field.spec();
    if (!dynamic_cast<const ForestTopology *>(&field.topology())) refuse(field, "it is on no forest");
    if (field.is_mapped()) refuse(field, "it has a map of points: blocks of several levels have theirs in rows");
    if (!has_level_operators(spec.type)) refuse(field, format("values of %s have no means: real and complex ones have", type_name(spec.type)));
}

void check_ghosts(const std::vector<Field *> &fields, const halo_exchange_desc &desc) {
    if (desc.kind != HALO_KIND_GHOSTS) fail(HALO_ERR_ARGUMENT, "exchange: kind %d: blocks of several levels exchange ghosts", desc.kind);
    for (const Field *field : fields) {
        check_field(*field);
        const LevelGhosts ghosts = ghosts_of(*field, desc);
        for (const Centring place : field->spec().places) forest_of(*field).check_points(ghosts.request(place));
        check_balance(*field, ghosts);
        check_widths(*field, ghosts);
    }
}

void check_fluxes(const std::vector<Field *> &fields, const halo_exchange_desc &desc) {
    if (desc.shared != HALO_SHARED_KEEP || desc.stencil != HALO_STENCIL_FULL || desc.pattern != HALO_PATTERN_DIRECT)
        fail(HALO_ERR_ARGUMENT, "exchange: HALO_KIND_FLUXES goes over faces alone, not shared %d, stencil %d, pattern %d", desc.shared, desc.stencil,
             desc.pattern);
    for (const Field *field : fields) {
        check_field(*field);
        for (const Centring place : field->spec().places)
            if (place != HALO_CENTRE_FACE_X && place != HALO_CENTRE_FACE_Y && place != HALO_CENTRE_FACE_Z)
                refuse(*field, "fluxes are values on faces");
    }
}

// Between the blocks of two forests, by number of the fields.
struct Move {
    size_t from;
    size_t to;
    std::shared_ptr<EdgeSource> merged;
    std::shared_ptr<EdgeSource> split;
};

// Steps around a round on a forest: beside each field stands one on the blocks of the next coarser level.
class ForestSteps final : public LevelSteps {
public:
    // `ghosts` of each field: how many coarse cells are read around it.
    ForestSteps(const char *what, const std::vector<Field *> &fields, std::vector<LevelGhosts> ghosts)
        : LevelSteps(what),
          fields_(fields),
          ghosts_(std::move(ghosts)) {
        for (size_t f = 0; f < fields.size(); ++f) {
            const ForestTopology &forest = forest_of(*fields[f]);
            const LevelGhosts &read = ghosts_[f];
            add(*fields[f],
                { std::make_unique<CoarsenedForest>(forest), read.coarse(forest.n_dims()), halves(forest.n_dims()), read.reach, read.widths });
        }
    }
    // What there is to do.
    void find_ghosts() {
        for (size_t f = 0; f < fields_.size(); ++f) find_ghosts(f);
    }
    void find_fluxes() {
        for (size_t f = 0; f < fields_.size(); ++f) find_fluxes(f);
    }
    // Of a field in the first half to that in the second, over edges which may have to be looked up first.
    void add_move(Move move) { moves_.push_back(std::move(move)); }
    void before_send(const halo_run &run) override {
        find_moves();
        LevelSteps::before_send(run);
    }

private:
    const ForestTopology &forest(size_t field) const { return forest_of(*fields_[field]); }
    bool halves_ghosts(size_t field) const { return has_cells_alone(*fields_[field]) && ghosts_[field].halves_ghosts(forest(field).n_dims()); }
    Work &work_of(size_t field, int64_t gid) { return work(field, forest(field).local_index(gid)); }
    void add_sent(size_t field, int32_t place, const Edge &edge);
    void find_ghosts(size_t field);
    void find_fluxes(size_t field);
    void find_moves();
    void check_run(const halo_run &run, size_t field) const override;

    std::vector<Field *> fields_;
    std::vector<LevelGhosts> ghosts_;
    std::vector<Move> moves_; // for which it has not been found yet what there is to do
};

// Made from the sender's own values, at its place.
void ForestSteps::add_sent(size_t field, int32_t place, const Edge &edge) {
    if (edge.ends == EdgeEnds::receive) return;
    work_of(field, edge.send_gid).send(place_across(fields_[field]->spec().places, place, edge.map), edge.send.box);
}

void ForestSteps::find_ghosts(size_t field) {
    const std::vector<Centring> &places = fields_[field]->spec().places;
    for (int32_t place = 0; place < std::ssize(places); ++place) {
        const LevelEdges edges(forest(field), ghosts_[field], places[static_cast<size_t>(place)]);
        for (const int64_t gid : forest(field).local_parts()) {
            Work &work = work_of(field, gid);
            for (const halo_box &box : edges.made(gid)) work.made.emplace_back(place, box);
            for (const halo_box &box : edges.read_inside(gid)) work.send(place, box);
            if (halves_ghosts(field)) work.halved_ghosts = edges.read_beside(gid);
        }
        for (const LevelWay way : { LevelWay::to_coarser, LevelWay::beside })
            edges.emit(way, [&](const Edge &edge) { add_sent(field, place, edge); });
    }
}

void ForestSteps::find_fluxes(size_t field) {
    const std::vector<Centring> &places = fields_[field]->spec().places;
    for (int32_t place = 0; place < std::ssize(places); ++place)
        LevelEdges(forest(field), ghosts_[field], places[static_cast<size_t>(place)]).emit(LevelWay::fluxes, [&](const Edge &edge) {
            add_sent(field, place, edge);
        });
}

void ForestSteps::find_moves() {
    if (moves_.empty()) return;
    for (size_t f = 0; f < fields_.size(); ++f)
        for (const int64_t gid : forest(f).local_parts()) work_of(f, gid) = {};
    for (const Move &move : moves_) {
        move.merged->emit(HALO_CENTRE_CELL, [&](const Edge &edge) {
            if (edge.ends != EdgeEnds::receive) work_of(move.from, edge.send_gid).send(0, edge.send.box);
        });
        const halo_box block = whole_block(forest(move.to).cells_of(0));
        move.split->emit(HALO_CENTRE_CELL, [&](const Edge &edge) {
            if (edge.ends != EdgeEnds::send) work_of(move.to, edge.receive_gid).made.emplace_back(0, block);
        });
    }
    moves_.clear();
}

void ForestSteps::check_run(const halo_run &run, size_t field) const {
    const LevelGhosts &ghosts = ghosts_[field];
    if (ghosts.reach == 0 || ghosts.widths == GhostWidths{} || !halves_ghosts(field)) return;
    LevelGhosts narrowed = ghosts;
    narrowed.widths = ghosts.widths.clipped(widths_of(run));
    if (!narrowed.halves_ghosts(forest(field).n_dims()))
        fail(HALO_ERR_ARGUMENT,
             "exchange: a run with depth %d, has_ghosts %d: ghosts of field %s between levels come in pairs, two or more on each side", run.depth,
             run.has_ghosts, fields_[field]->spec().name.c_str());
}

std::unique_ptr<Exchange> one_round(const std::vector<Field *> &fields, RoundSpec round, std::unique_ptr<RoundSteps> steps) {
    std::vector<RoundSpec> rounds;
    rounds.push_back(std::move(round));
    return std::make_unique<Exchange>(fields, std::move(rounds), std::move(steps));
}

// A field's blocks become those of another list.
void check_remesh(const Field &source, const Field &destination, const halo_transfer_desc &transfer) {
    const FieldSpec &from = source.spec(), &to = destination.spec();
    const auto refuse = [&](const std::string &why) {
        fail(HALO_ERR_ARGUMENT, "transfer from field %s to field %s: %s", from.name.c_str(), to.name.c_str(), why.c_str());
    };
    for (const Field *field : { &source, &destination }) {
        check_field(*field);
        if (!has_cells_alone(*field)) refuse("between forests cells are moved, not faces, edges or nodes");
    }
    if (from.type != to.type) refuse("their types differ");
    if (from.sparse != to.sparse) refuse("one is sparse, the other is not");
    if (from.n_components != to.n_components) refuse("their numbers of components differ");
    if (forest_of(source).leaves().trees() != forest_of(destination).leaves().trees()) refuse("their forests have different trees or joins");
    if (source.topology().cells_of(0) != destination.topology().cells_of(0)) refuse("their blocks have different numbers of cells");
    if (transfer.op != HALO_TRANSFER_COPY) refuse("between forests cells are copied, not added");
    for (int i = 0; i < 6; ++i)
        if (transfer.source_ghosts[i] != 0 || transfer.destination_ghosts[i] != 0) refuse("between forests owned cells alone are filled");
    const int32_t reach = is_linear(destination) ? 1 : 0;
    for (size_t d = 0; d < static_cast<size_t>(source.topology().n_dims()); ++d)
        if (std::min(from.ghosts.low[d], from.ghosts.high[d]) < reach)
            refuse(format("minmod prolongation reads one layer of the source's ghosts, of which there are %d and %d along direction %zu",
                          from.ghosts.low[d], from.ghosts.high[d], d));
}

std::string text_of(const Field &field) {
    return format(", %s prolongation of %s", is_linear(field) ? "minmod" : "constant", field.spec().name.c_str());
}

} // namespace

bool is_forest(const Topology &topology) { return dynamic_cast<const ForestTopology *>(&topology) != nullptr; }

bool has_levels(const Topology &topology) {
    const auto *forest = dynamic_cast<const ForestTopology *>(&topology);
    return forest && forest->has_levels();
}

std::unique_ptr<Exchange> make_levels(const std::vector<Field *> &fields, const halo_exchange_desc &desc) {
    check_ghosts(fields, desc);
    std::vector<LevelGhosts> all_ghosts;
    for (const Field *field : fields) all_ghosts.push_back(ghosts_of(*field, desc));
    auto steps = std::make_unique<ForestSteps>("ghosts between levels are made", fields, all_ghosts);
    steps->find_ghosts();
    RoundSpec round = topology_round(fields, desc);
    round.fields = steps->fields();
    round.beside = steps.get();
    const auto n = static_cast<int32_t>(fields.size());
    for (int32_t f = 0; f < n; ++f) {
        const Field &field = *fields[static_cast<size_t>(f)];
        const LevelGhosts &ghosts = all_ghosts[static_cast<size_t>(f)];
        round.kind += text_of(field);
        const auto add = [&](int32_t source, int32_t destination, LevelWay way) {
            round.pieces.push_back(
                { source, destination, edges_of_levels(forest_of(field), ghosts, way), {}, meaning_of(kind_levels, {}, desc.shared) });
        };
        add(n + f, f, LevelWay::to_coarser);
        add(f, n + f, LevelWay::to_finer);
        const bool halves = has_cells_alone(field) && (ghosts.reach == 0 || ghosts.halves_ghosts(field.topology().n_dims()));
        if (!halves) add(n + f, n + f, LevelWay::beside);
    }
    return one_round(fields, std::move(round), std::move(steps));
}

std::unique_ptr<Exchange> make_fluxes(const std::vector<Field *> &fields, const halo_exchange_desc &desc) {
    check_fields(fields);
    check_fluxes(fields, desc);
    auto steps = std::make_unique<ForestSteps>("fluxes of finer blocks are averaged", fields, std::vector<LevelGhosts>(fields.size()));
    steps->find_fluxes();
    RoundSpec round = round_of(fields, desc);
    round.fields = steps->fields();
    round.beside = steps.get();
    round.kind = "fluxes of finer blocks";
    const auto n = static_cast<int32_t>(fields.size());
    for (int32_t f = 0; f < n; ++f)
        round.pieces.push_back({ n + f,
                                 f,
                                 edges_of_levels(forest_of(*fields[static_cast<size_t>(f)]), {}, LevelWay::fluxes),
                                 {},
                                 meaning_of(HALO_KIND_FLUXES, {}, desc.shared),
                                 SparseRule::corrected });
    return one_round(fields, std::move(round), std::move(steps));
}

// Fields on the old list, then those on the new one.
std::unique_ptr<Exchange> make_remesh(const std::vector<Field *> &fields, const halo_exchange_desc &desc, const halo_transfer_desc &transfer) {
    check_fields(fields);
    const auto n = static_cast<int32_t>(fields.size() / 2);
    RoundSpec round = round_of(fields, desc);
    round.kind = "blocks of one list to those of another";
    std::vector<LevelGhosts> ghosts(fields.size());
    for (int32_t f = 0; f < n; ++f) {
        const Field &destination = *fields[static_cast<size_t>(n + f)];
        check_remesh(*fields[static_cast<size_t>(f)], destination, transfer);
        ghosts[static_cast<size_t>(n + f)].reach = is_linear(destination) ? 1 : 0;
        round.kind += text_of(destination);
    }
    auto steps = std::make_unique<ForestSteps>("blocks of another list are filled", fields, ghosts);
    round.fields = steps->fields();
    round.beside = steps.get();
    std::shared_ptr<RemeshLeaves> leaves;
    for (int32_t f = 0; f < n; ++f) {
        const ForestTopology &from = forest_of(*fields[static_cast<size_t>(f)]), &to = forest_of(*fields[static_cast<size_t>(n + f)]);
        if (!leaves || &leaves->from().forest() != &from || &leaves->to().forest() != &to) leaves = std::make_shared<RemeshLeaves>(from, to);
        const auto between = [&](RemeshWay way) -> std::shared_ptr<EdgeSource> {
            return edges_of_remesh(leaves, ghosts[static_cast<size_t>(n + f)].reach, way);
        };
        const Move move{ static_cast<size_t>(f), static_cast<size_t>(n + f), between(RemeshWay::merged), between(RemeshWay::split) };
        const uint64_t meaning = meaning_of(kind_remesh, {}, desc.shared);
        round.pieces.push_back({ f, n + f, between(RemeshWay::same), {}, meaning, SparseRule::moved });
        round.pieces.push_back({ 2 * n + f, n + f, move.merged, {}, meaning, SparseRule::moved });
        round.pieces.push_back({ f, 3 * n + f, move.split, {}, meaning, SparseRule::moved });
        steps->add_move(move);
    }
    return one_round(fields, std::move(round), std::move(steps));
}

} // namespace halo

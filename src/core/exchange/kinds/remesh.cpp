// SPDX-License-Identifier: BSD-3-Clause
// Blocks of one forest become those of another over the same trees.
#include <algorithm>
#include <map>

#include "exchange/kinds/forest_steps.h"
#include "exchange/kinds/kinds.h"
#include "field/other_blocks.h"
#include "topology/forest/block_box.h"
#include "topology/forest/remesh_edges.h"

namespace halo {

namespace {

constexpr int32_t kind_remesh = 102; // beside what HALO_KIND_... names

// Between the blocks of two forests, by number of the fields.
struct Move {
    size_t from;
    size_t to;
    std::shared_ptr<EdgeSource> merged;
    std::shared_ptr<EdgeSource> split;
    std::shared_ptr<EdgeSource> beside;
};

// Over edges which may have to be looked up first.
class RemeshSteps final : public ForestSteps {
public:
    using ForestSteps::ForestSteps;
    void add_move(const Move &move) {
        if (move.split->is_known())
            find(move);
        else
            moves_.push_back(move);
    }
    void prepare() override {
        find_moves();
        ForestSteps::prepare();
    }
    void add_read_ghosts(size_t field) { read_ghosts_.push_back(field); }
    void begin(halo_run &run) override {
        for (const size_t f : read_ghosts_)
            if (takes_field(run, f) && field(f).in_flight > 0)
                fail(HALO_BUSY, "transfer from field %s: an exchange of it is in flight, whose ghosts are read where blocks are split",
                     field(f).spec().name.c_str());
        find_moves();
        ForestSteps::begin(run);
    }
    std::vector<halo_level_region> level_regions(size_t field, int64_t part) override {
        if (std::ranges::any_of(moves_, [](const Move &move) { return !move.split->is_known(); }))
            fail(HALO_ERR_STATE, "transfer: blocks have not been looked up yet: halo_exchange_prepare does that");
        find_moves();
        return LevelSteps::level_regions(field, part);
    }

private:
    bool knows_work() const override { return moves_.empty(); }
    void find_moves();
    void find(const Move &move);

    std::vector<size_t> read_ghosts_; // fields
    std::vector<Move> moves_;         // for which it has not been found yet what there is to do
};

void RemeshSteps::find_moves() {
    for (const Move &move : moves_) find(move);
    moves_.clear();
}

// Whole blocks that were part of another are made, but for what blocks beside them had as fine.
class MoveFinder {
public:
    MoveFinder(const Move &move, const Field &field) : move_(move), field_(field), forest_(forest_of(field)), places_(field.spec().places) {}

    void find_sent(LevelWorks &works) const {
        for (int32_t place = 0; place < std::ssize(places_); ++place) find_sent(works, place);
    }
    void find_made(LevelWorks &works) const {
        for (int32_t place = 0; place < std::ssize(places_); ++place) find_made(works, place);
    }

private:
    LevelWork &work_of(LevelWorks &works, int64_t gid) const { return works[static_cast<size_t>(forest_.local_index(gid))]; }
    void find_sent(LevelWorks &works, int32_t place) const;
    void find_made(LevelWorks &works, int32_t place) const;

    const Move &move_;
    const Field &field_; // one of the two
    const ForestTopology &forest_;
    const std::vector<Centring> &places_;
};

void MoveFinder::find_sent(LevelWorks &works, int32_t place) const {
    move_.merged->emit(places_[static_cast<size_t>(place)], [&](const Edge &edge) {
        if (edge.ends != EdgeEnds::receive) work_of(works, edge.send_gid).send(place, edge.send.box);
    });
}

void MoveFinder::find_made(LevelWorks &works, int32_t place) const {
    const Centring centring = places_[static_cast<size_t>(place)];
    const halo_box block = points_of(whole_block(forest_.cells_of(0)), centring);
    std::map<int64_t, std::vector<halo_box>> made;
    move_.split->emit(centring, [&](const Edge &edge) {
        if (edge.ends != EdgeEnds::send) made[edge.receive_gid] = { block };
    });
    move_.beside->emit(centring, [&](const Edge &edge) {
        if (edge.ends != EdgeEnds::send) subtract(made[edge.receive_gid], edge.receive.box);
    });
    for (const auto &[gid, boxes] : made) {
        for (const halo_box &box : boxes) work_of(works, gid).made.emplace_back(place, box);
        if (place == 0 && divides_cells(field_)) divide(forest_, work_of(works, gid), whole_block(forest_.cells_of(gid)));
    }
}

void RemeshSteps::find(const Move &move) {
    const Field &from = field(move.from), &to = field(move.to);
    set_work(move.from, known_work(from, *move.merged, [&](LevelWorks &works) { MoveFinder(move, from).find_sent(works); }));
    set_work(move.to, known_work(to, *move.split, [&](LevelWorks &works) { MoveFinder(move, to).find_made(works); }));
}

// A field's blocks become those of another list.
void check_remesh(const Field &source, const Field &destination, const halo_transfer_desc &transfer) {
    const FieldSpec &from = source.spec(), &to = destination.spec();
    const auto refuse = [&](const std::string &why) {
        fail(HALO_ERR_ARGUMENT, "transfer from field %s to field %s: %s", from.name.c_str(), to.name.c_str(), why.c_str());
    };
    for (const Field *field : { &source, &destination }) {
        check_on_forest(*field);
        for (const Centring place : field->spec().places) forest_of(*field).check_points({ {}, HALO_STENCIL_FULL, place, HALO_SHARED_ONLY });
    }
    if (const char *const why = why_no_move(source, destination)) refuse(why);
    if (transfer.op != HALO_TRANSFER_COPY) refuse("between forests values are copied, not added");
    for (int i = 0; i < 6; ++i)
        if (transfer.source_ghosts[i] != 0 || transfer.destination_ghosts[i] != 0) refuse("between forests owned points alone are filled");
    const int32_t reach = reach_of(destination);
    for (size_t d = 0; d < static_cast<size_t>(source.topology().n_dims()); ++d)
        if (std::min(from.ghosts.low[d], from.ghosts.high[d]) < reach)
            refuse(format("%s prolongation reads one layer of the source's ghosts, of which there are %d and %d along direction %zu",
                          prolongation_of(destination), from.ghosts.low[d], from.ghosts.high[d], d));
}

} // namespace

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
        ghosts[static_cast<size_t>(n + f)].reach = reach_of(destination);
        round.kind += text_of_prolongation(destination) + text_of_restriction(*fields[static_cast<size_t>(f)]);
    }
    auto steps = std::make_unique<RemeshSteps>("blocks of another list are filled", fields, ghosts);
    round.fields = steps->fields();
    round.beside = steps.get();
    const bool points = std::ranges::any_of(fields, [](const Field *field) { return !has_cells_alone(*field); });
    std::shared_ptr<RemeshLeaves> leaves;
    for (int32_t f = 0; f < n; ++f) {
        const ForestTopology &from = forest_of(*fields[static_cast<size_t>(f)]), &to = forest_of(*fields[static_cast<size_t>(n + f)]);
        if (!leaves || &leaves->from().forest() != &from || &leaves->to().forest() != &to) leaves = std::make_shared<RemeshLeaves>(from, to, points);
        const auto between = [&](RemeshWay way) -> std::shared_ptr<EdgeSource> {
            return edges_of_remesh(leaves, ghosts[static_cast<size_t>(n + f)].reach, way);
        };
        const Move move{ static_cast<size_t>(f), static_cast<size_t>(n + f), between(RemeshWay::merged), between(RemeshWay::split),
                         between(RemeshWay::beside) };
        const Field &source = *fields[static_cast<size_t>(f)];
        const Field *const aged = source.is_released_by_age() && fields[static_cast<size_t>(n + f)]->is_released_by_age() ? &source : nullptr;
        const uint64_t meaning = meaning_of(kind_remesh, {}, desc.shared) | uint64_t{ aged != nullptr } << 32;
        round.pieces.push_back({ f, n + f, between(RemeshWay::same), {}, meaning, SparseRule::moved, aged });
        round.pieces.push_back({ 2 * n + f, n + f, move.merged, {}, meaning, SparseRule::moved, aged });
        round.pieces.push_back({ f, 3 * n + f, move.split, {}, meaning, SparseRule::moved, aged });
        round.pieces.push_back({ f, n + f, move.beside, {}, meaning, SparseRule::moved });
        steps->add_move(move);
        if (ghosts[static_cast<size_t>(n + f)].reach > 0) steps->add_read_ghosts(static_cast<size_t>(f));
    }
    steps->allocate();
    return one_round(fields, std::move(round), std::move(steps));
}

} // namespace halo

// SPDX-License-Identifier: BSD-3-Clause
// Exchanges between levels of fields on a device against the same ones of fields on the host, which are compared with their definitions elsewhere:
// all of storage, bit by bit. With CONFORMANCE_STORAGE=device.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "box_levels.h"
#include "twins.h"

namespace {

using namespace levels;
using conformance::Bytes;
using conformance::text_of;

// A field on the host and its twin on the device, with the same bits; and what is written there.
class Both {
public:
    Both(halo_topology *topology, halo_field_desc desc, int32_t prolongation, int32_t restriction = HALO_RESTRICT_MEAN)
        : bytes_per_number_(bytes_of_number(desc.type)) {
        const int64_t element = bytes_of(desc.type);
        const std::string name = desc.name;
        const int64_t *gids = nullptr;
        int64_t n = 0;
        OK(halo_topology_local_parts(topology, &gids, &n));
        for (size_t side = 0; side < 2; ++side) {
            const std::string own_name = name + (side == 0 ? " of the host" : " of the device");
            desc.name = own_name.c_str();
            OK(halo_field_create(topology, &desc, &fields_[side]));
            OK(halo_field_set_prolongation(fields_[side], prolongation));
            OK(halo_field_set_restriction(fields_[side], restriction));
            for (int64_t part = 0; part < n; ++part) {
                halo_layout layout = HALO_LAYOUT_INIT;
                OK(halo_field_layout(fields_[side], gids[part], &layout));
                Bytes &memory = memory_[side].emplace_back(static_cast<size_t>(layout.elements * element));
                halo_binding binding = HALO_BINDING_INIT;
                binding.data = memory.data();
                if (side == 1) conformance::place(binding, memory.data());
                if (memory.empty()) binding.data = conformance::placed(conformance::somewhere());
                OK(halo_field_bind(fields_[side], gids[part], &binding));
            }
        }
    }
    ~Both() {
        for (halo_field *&field : fields_) halo_field_destroy(&field);
    }
    Both(const Both &) = delete;
    Both &operator=(const Both &) = delete;

    halo_field *on(size_t side) const { return fields_[side]; }
    // Numbers of all sizes, small ones and zeros too.
    void fill(Random &random) {
        for (size_t part = 0; part < memory_[0].size(); ++part) {
            Bytes &memory = memory_[0][part];
            for (size_t at = 0; at < memory.size(); at += static_cast<size_t>(bytes_per_number_))
                write_number(memory.data() + at, bytes_per_number_, random);
            memory_[1][part] = memory;
            conformance::upload(memory_[1][part].data(), memory_[1][part].size());
        }
    }
    void compare(const std::string &what) {
        for (size_t part = 0; part < memory_[0].size(); ++part) {
            Bytes &found = memory_[1][part];
            const Bytes &wanted = memory_[0][part];
            conformance::download(found.data(), found.size());
            const auto differs = std::mismatch(found.begin(), found.end(), wanted.begin()).first - found.begin();
            if (differs < std::ssize(found))
                stop("%s: number %lld of part %zu differs from the host's", what.c_str(), static_cast<long long>(differs / bytes_per_number_), part);
        }
    }

private:
    int64_t bytes_per_number_;
    halo_field *fields_[2] = {};
    std::array<std::vector<Bytes>, 2> memory_;
};

class LevelsOnDevices : public OnDevices {};
INSTANTIATE_TEST_SUITE_P(Ranks, LevelsOnDevices, numbers_of_ranks(), testing::PrintToStringParamName());

// Of as many components as there are, in all layers; then of the last one, in two.
void run_all(const Exchanges &exchanges, const std::vector<Both *> &fields, Random &random, int32_t n_components, int32_t depth,
             const std::string &what) {
    for (int turn = 0; turn < 3; ++turn) {
        halo_run how = HALO_RUN_INIT;
        if (turn == 2) how.first_component = n_components - 1, how.n_components = 1, how.depth = depth;
        for (Both *field : fields) field->fill(random);
        exchanges.run(how, random() % 2 == 0);
        for (Both *field : fields) field->compare(text_of("%s, run %d", what.c_str(), turn));
    }
}

TEST_P(LevelsOnDevices, GhostsAreThoseOfTheHost) {
    for_each_case(24, [](uint64_t number, Rank &rank) {
        Random all(number), random(number * 100 + static_cast<uint64_t>(rank.rank));
        const Shape shape = shape_of(all);
        const Model model(shape, number, rank.size);
        const Forest forest(model, rank);
        std::vector<int32_t> centrings = centrings_of(shape);
        centrings.insert(centrings.end(), 4, HALO_CENTRE_CELL);
        const int32_t centring = centrings[all() % centrings.size()];
        const bool divides = centring == HALO_CENTRE_FACES && !shape.turned;
        const int32_t prolongation = divides ? HALO_PROLONG_DIVERGENCE : all() % 3 == 0 ? HALO_PROLONG_CONSTANT : HALO_PROLONG_MINMOD;
        halo_field_desc desc = desc_of(all, "u", shape.n_dims, centring, 2);
        halo_field_desc of_cells = desc_of(all, "v", shape.n_dims, HALO_CENTRE_CELL, 2);
        of_cells.n_components = desc.n_components;
        Both u(forest.topology(), desc, prolongation), v(forest.topology(), of_cells, HALO_PROLONG_MINMOD);
        halo_exchange_desc how = HALO_EXCHANGE_DESC_INIT;
        how.shared = HALO_SHARED_KEEP + static_cast<int32_t>(all() % 2);
        how.messages = all() % 4 == 0 ? HALO_MESSAGES_PER_CHANNEL : HALO_MESSAGES_AUTO;
        const Exchanges exchanges = exchanges_of<Both>({ &u, &v }, &how);
        run_all(exchanges, { &u, &v }, random, desc.n_components, 2,
                text_of("case %llu, centring %d", static_cast<unsigned long long>(number), centring));
    });
}

TEST_P(LevelsOnDevices, FluxesAreThoseOfTheHost) {
    for_each_case(12, [](uint64_t number, Rank &rank) {
        Random all(number), random(number * 100 + static_cast<uint64_t>(rank.rank));
        const Shape shape = shape_of(all);
        const Model model(shape, number, rank.size);
        const Forest forest(model, rank);
        halo_field_desc desc = desc_of(all, "flux", shape.n_dims, HALO_CENTRE_FACES, 0);
        desc.vector = shape.turned ? HALO_VECTOR_ALONG : HALO_VECTOR_NONE;
        Both flux(forest.topology(), desc, HALO_PROLONG_CONSTANT);
        halo_exchange_desc how = HALO_EXCHANGE_DESC_INIT;
        how.kind = HALO_KIND_FLUXES;
        const Exchanges exchanges = exchanges_of<Both>({ &flux }, &how);
        run_all(exchanges, { &flux }, random, desc.n_components, 0, text_of("case %llu", static_cast<unsigned long long>(number)));
    });
}

TEST_P(LevelsOnDevices, BlocksOfAnotherListAreThoseOfTheHost) {
    for_each_case(12, [](uint64_t number, Rank &rank) {
        Random all(number), random(number * 100 + static_cast<uint64_t>(rank.rank));
        const Shape shape = shape_of(all);
        const Model before(shape, number, rank.size);
        const Model after(before, adapted(before, number), number, rank.size, number % 2 == 0);
        const Forest old_blocks(before, rank), new_blocks(after, rank);
        const bool faces = !shape.turned && all() % 3 == 0;
        halo_field_desc desc = desc_of(all, "u", shape.n_dims, faces ? HALO_CENTRE_FACES : HALO_CENTRE_CELL, 1);
        const int32_t prolongation = faces ? HALO_PROLONG_DIVERGENCE : HALO_PROLONG_MINMOD;
        Both from(old_blocks.topology(), desc, prolongation);
        for (int d = 0; d < 3; ++d) desc.ghost_low[d] = desc.ghost_high[d] = 0;
        Both to(new_blocks.topology(), desc, prolongation);
        const Exchanges exchanges = transfers_of(from, to);
        run_all(exchanges, { &from, &to }, random, desc.n_components, 0, text_of("case %llu", static_cast<unsigned long long>(number)));
    });
}

TEST_P(LevelsOnDevices, LevelsOfBoxesAreThoseOfTheHost) {
    for_each_case(24, [](uint64_t number, Rank &rank) {
        Random all(number), random(number * 100 + static_cast<uint64_t>(rank.rank));
        BoxLevels::Shape shape;
        shape.n_dims = 1 + static_cast<int32_t>(all() % 3);
        shape.prolongation = all() % 3 == 0 ? HALO_PROLONG_CONSTANT : HALO_PROLONG_MINMOD;
        const int32_t what = HALO_LEVELS_GHOSTS + static_cast<int32_t>(all() % 4);
        const bool goes_down = what == HALO_LEVELS_AVERAGE || what == HALO_LEVELS_FLUXES;
        const bool has_newer = !goes_down && all() % 2 == 0;
        const int32_t centrings[] = { HALO_CENTRE_CELL, HALO_CENTRE_NODE, HALO_CENTRE_FACES };
        const int32_t centring = what == HALO_LEVELS_FLUXES ? HALO_CENTRE_FACES : goes_down ? centrings[all() % 3] : HALO_CENTRE_CELL;
        for (size_t d = 0; d < static_cast<size_t>(shape.n_dims); ++d) {
            shape.periodic[d] = static_cast<int32_t>(all() % 2);
            shape.low[d] = shape.high[d] = 2;
        }
        const BoxLevels model(shape, number, 2, rank.size);
        std::array<halo_topology *, 2> levels{};
        for (int32_t l = 0; l < 2; ++l) {
            const halo_boxes_desc boxes = model.desc(l);
            OK(halo_topology_create_boxes(rank.context, &boxes, &levels[static_cast<size_t>(l)]));
        }
        {
            const halo_field_desc desc = desc_of(all, "u", shape.n_dims, centring, 2);
            halo_field_desc later = desc;
            later.name = "later u";
            Both coarse(levels[0], desc, shape.prolongation), newer(levels[0], later, shape.prolongation), fine(levels[1], desc, shape.prolongation);
            halo_levels_desc how = HALO_LEVELS_DESC_INIT;
            how.what = what;
            const Exchanges exchanges([&](size_t side, halo_exchange **made) {
                halo_field *of_coarse = coarse.on(side), *of_newer = newer.on(side), *of_fine = fine.on(side);
                OK(halo_exchange_create_levels(&of_coarse, has_newer ? &of_newer : nullptr, &of_fine, 1, &how, made));
                if (has_newer) OK(halo_exchange_set_fraction(*made, 0.3));
            });
            run_all(
                exchanges, { &coarse, &newer, &fine }, random, desc.n_components, 1,
                text_of("case %llu, what %d, ratio %lld", static_cast<unsigned long long>(number), what, static_cast<long long>(model.ratio()[0])));
        }
        for (halo_topology *&level : levels) OK(halo_topology_destroy(&level));
    });
}

// The program's own operators get what it has asked the exchange for: memory of the device.
TEST_P(LevelsOnDevices, CoarseCellsOfOwnOperatorsAreOnTheDevice) {
    for_each_case(6, [](uint64_t number, Rank &rank) {
        Random all(number), random(number * 100 + static_cast<uint64_t>(rank.rank));
        const Shape shape = shape_of(all);
        const Model model(shape, number, rank.size);
        if (!model.has_levels()) return;
        const Forest forest(model, rank);
        const halo_field_desc desc = desc_of(all, "u", shape.n_dims, HALO_CENTRE_CELL, 2);
        Both u(forest.topology(), desc, HALO_PROLONG_OWN, HALO_RESTRICT_OWN);
        const Exchanges exchanges = exchanges_of<Both>({ &u });
        const int64_t *gids = nullptr;
        int64_t n = 0;
        OK(halo_topology_local_parts(forest.topology(), &gids, &n));
        const size_t element = desc.type == HALO_FLOAT32 ? 4 : desc.type == HALO_COMPLEX128 ? 16 : 8;
        const auto for_each_part = [&](auto &&visit) {
            for (int64_t part = 0; part < n; ++part) {
                std::array<void *, 2> coarse{};
                halo_layout layout = HALO_LAYOUT_INIT;
                for (size_t side = 0; side < 2; ++side) OK(halo_exchange_coarse_data(exchanges.on(side), 0, gids[part], &coarse[side], &layout));
                if ((coarse[0] == nullptr) != (coarse[1] == nullptr)) stop("part %lld: coarse cells on one side", static_cast<long long>(gids[part]));
                if (coarse[0]) visit(static_cast<std::byte *>(coarse[0]), coarse[1], static_cast<size_t>(layout.elements) * element);
            }
        };
        u.fill(random);
        for_each_part([&](std::byte *host, void *own, size_t bytes) {
            for (size_t i = 0; i < bytes; ++i) host[i] = static_cast<std::byte>(random() & 0x3f);
            conformance::test_device().copy(conformance::test_device().enter(own), { { own, host, bytes } }, nullptr);
            conformance::test_device().synchronize(conformance::test_device().enter(own), nullptr);
        });
        exchanges.run(HALO_RUN_INIT, true);
        u.compare("own operators"); // its own cells and the ghosts behind equal blocks
        for_each_part([&](const std::byte *host, void *own, size_t bytes) {
            std::vector<std::byte> found(bytes);
            const halo_stream last = conformance::finish_stream() == HALO_STREAM_DEFAULT ? nullptr : conformance::finish_stream();
            conformance::test_device().copy(conformance::test_device().enter(own), { { found.data(), own, bytes } }, last);
            if (std::memcmp(found.data(), host, bytes) != 0) stop("case %llu: coarse cells differ", static_cast<unsigned long long>(number));
        });
    });
}

void expect_refused(halo_exchange *exchange, const halo_run &run, const char *text) {
    const halo_stream first = conformance::stream();
    if (const halo_status status = halo_exchange_start(exchange, &run, first); status != HALO_ERR_DEVICE || !std::strstr(halo_last_error(), text))
        stop("status %d: %s", status, halo_last_error());
}

// The first of this shape in which blocks of two levels meet.
Model of_levels(const Shape &shape, int32_t n_ranks) {
    uint64_t seed = 1;
    while (!Model(shape, seed, n_ranks).has_levels()) ++seed;
    return { shape, seed, n_ranks };
}

// What the program has made itself stays where it was.
TEST_P(LevelsOnDevices, CoarseCellsOfOwnOperatorsDoNotMove) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        Shape shape;
        shape.n_dims = 2, shape.n_cells = 8, shape.n_roots = { 4, 4, 1 }, shape.deepest = 1;
        const Model model = of_levels(shape, rank.size);
        const Forest forest(model, rank);
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = "u", desc.ghost_low[0] = desc.ghost_low[1] = desc.ghost_high[0] = desc.ghost_high[1] = 2;
        const Both u(forest.topology(), desc, HALO_PROLONG_OWN, HALO_RESTRICT_OWN);
        const Exchanges exchanges = exchanges_of<Both>({ &u });
        const int64_t *gids = nullptr;
        int64_t n = 0;
        OK(halo_topology_local_parts(forest.topology(), &gids, &n));
        std::vector<void *> on_host(static_cast<size_t>(n));
        for (size_t part = 0; part < on_host.size(); ++part) OK(halo_field_data(u.on(0), gids[part], 0, &on_host[part]));
        constexpr int32_t device = HALO_DEVICE_HOST;
        halo_run run = HALO_RUN_INIT;
        run.n_fields = 1, run.devices = &device, run.data = on_host.data(), run.n_data = n;
        expect_refused(exchanges.on(1), run, "coarse points that its own restriction makes in device memory of device 0, as its set 0 is");
        exchanges.run(HALO_RUN_INIT, true);
    });
}

TEST_P(LevelsOnDevices, TwoTimesOfAFieldAreInTheSameMemory) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        halo_boxes_desc boxes = HALO_BOXES_DESC_INIT;
        boxes.n_dims = 1, boxes.domain.high[0] = 32 * rank.size, boxes.n_parts_per_rank = 1;
        std::array<halo_topology *, 2> levels{};
        for (halo_topology *&level : levels) {
            OK(halo_topology_create_boxes(rank.context, &boxes, &level));
            boxes.domain.high[0] *= 2;
        }
        {
            halo_field_desc desc = HALO_FIELD_DESC_INIT;
            desc.name = "u", desc.ghost_low[0] = desc.ghost_high[0] = 2;
            const Both coarse(levels[0], desc, HALO_PROLONG_CONSTANT), fine(levels[1], desc, HALO_PROLONG_CONSTANT);
            desc.name = "later u";
            const Both newer(levels[0], desc, HALO_PROLONG_CONSTANT);
            halo_field *of_coarse = coarse.on(1), *of_newer = newer.on(0), *of_fine = fine.on(1);
            halo_levels_desc how = HALO_LEVELS_DESC_INIT;
            how.what = HALO_LEVELS_GHOSTS;
            halo_exchange *exchange = nullptr;
            OK(halo_exchange_create_levels(&of_coarse, &of_newer, &of_fine, 1, &how, &exchange));
            expect_refused(exchange, HALO_RUN_INIT, "of a later time are in memory of different devices");
            OK(halo_exchange_destroy(&exchange));
        }
        for (halo_topology *&level : levels) OK(halo_topology_destroy(&level));
    });
}

// They go where the field is when they are asked for, but not in the middle of another call. What else is known of them is told there too.
TEST_P(LevelsOnDevices, CoarseCellsMoveInNoCallback) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        Shape shape;
        shape.n_dims = 2, shape.n_cells = 8, shape.n_roots = { 3, 3, 1 }, shape.deepest = 1;
        const Model model = of_levels(shape, rank.size);
        const Forest forest(model, rank);
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = "u";
        for (int d = 0; d < 2; ++d) desc.ghost_low[d] = desc.ghost_high[d] = 2;
        Both u(forest.topology(), desc, HALO_PROLONG_MINMOD);
        const Exchanges exchanges = exchanges_of<Both>({ &u });
        struct Asked {
            halo_exchange *exchange;
            int64_t gid;
            halo_status data = HALO_SUCCESS, boundaries = HALO_ERR_STATE, regions = HALO_ERR_STATE;
        };
        const int64_t *gids = nullptr;
        int64_t n = 0;
        OK(halo_topology_local_parts(forest.topology(), &gids, &n));
        if (n == 0) stop("a rank has no block");
        Asked asked{ exchanges.on(1), gids[0] };
        void *before = nullptr, *after = nullptr;
        for (int64_t part = 0; part < n && !before; ++part) { // the first that has any
            asked.gid = gids[part];
            OK(halo_exchange_coarse_data(asked.exchange, 0, asked.gid, &before, nullptr));
        }
        if (!before) stop("no block of rank %d touches another level", rank.rank);
        const halo_binding nothing = HALO_BINDING_INIT;
        for (int64_t part = 0; part < n; ++part) OK(halo_field_bind(u.on(1), gids[part], &nothing));
        OK(halo_field_allocate(u.on(1), -1)); // on the host
        const auto mine = static_cast<uint64_t>(rank.rank);
        const uint64_t nobodys = 1000;
        halo_graph_desc points = HALO_GRAPH_DESC_INIT;
        points.n_owned = points.width = 1, points.keys = &mine, points.neighbours = &nobodys;
        points.owner_user = &asked;
        points.owner_of = [](void *self, uint64_t) {
            Asked &now = *static_cast<Asked *>(self);
            void *data = nullptr;
            int64_t many = 0;
            now.data = halo_exchange_coarse_data(now.exchange, 0, now.gid, &data, nullptr);
            now.boundaries = halo_exchange_coarse_boundaries(now.exchange, 0, now.gid, sizeof(halo_boundary), nullptr, 0, &many);
            now.regions = halo_exchange_level_regions(now.exchange, 0, now.gid, sizeof(halo_level_region), nullptr, 0, &many);
            return int32_t{ -1 };
        };
        halo_topology *graph = nullptr;
        OK(halo_topology_create_graph(rank.context, &points, &graph));
        OK(halo_topology_destroy(&graph));
        if (asked.data != HALO_ERR_STATE) stop("coarse cells have moved in a callback: status %d", asked.data);
        OK(asked.boundaries);
        OK(asked.regions);
        OK(halo_exchange_coarse_data(asked.exchange, 0, asked.gid, &after, nullptr));
        if (after == before) stop("coarse cells are where the field was");
    });
}

// However many blocks and fields: restriction, packing, copies within the rank, unpacking, restriction of ghosts, prolongation, division.
TEST_P(LevelsOnDevices, LaunchesDoNotGrowWithBlocksAndFields) {
    for (const int64_t n_roots : { 1, 3 })
        for (const size_t n_fields : { size_t{ 1 }, size_t{ 4 } }) {
            conformance::run(GetParam(), {}, [&](Rank &rank) {
                Shape shape;
                shape.n_dims = 2, shape.n_cells = 8, shape.n_roots = { 2 * n_roots, n_roots, 1 }, shape.deepest = 1;
                const Model model = of_levels(shape, rank.size);
                const Forest forest(model, rank);
                std::vector<std::unique_ptr<Both>> fields;
                for (size_t f = 0; f < n_fields; ++f) {
                    const std::string name = text_of("f%zu", f);
                    halo_field_desc desc = HALO_FIELD_DESC_INIT;
                    desc.name = name.c_str(), desc.centring = f == 1 ? HALO_CENTRE_FACES : HALO_CENTRE_CELL;
                    for (int d = 0; d < 2; ++d) desc.ghost_low[d] = desc.ghost_high[d] = 2;
                    fields.push_back(std::make_unique<Both>(forest.topology(), desc, f == 1 ? HALO_PROLONG_DIVERGENCE : HALO_PROLONG_MINMOD));
                }
                const Exchanges exchanges([&](size_t side, halo_exchange **made) {
                    std::vector<halo_field *> all;
                    for (const auto &one : fields) all.push_back(one->on(side));
                    OK(halo_exchange_create(all.data(), static_cast<int32_t>(all.size()), nullptr, made));
                });
                Random random(1);
                for (const auto &one : fields) one->fill(random);
                for (int turn = 1; turn <= 3; ++turn) {
                    exchanges.run(HALO_RUN_INIT, false);
                    const int64_t most = turn * (n_fields > 1 ? 7 : 6), n = exchanges.launches();
                    const bool right = rank.size == 1 ? n == most - 2 * turn : n <= most; // one rank packs and unpacks nothing
                    if (!right) stop("%zu fields: %lld launches in %d runs", n_fields, static_cast<long long>(n), turn);
                }
                for (const auto &one : fields) one->compare("launches");
            });
            if (HasFailure()) return;
        }
}

} // namespace

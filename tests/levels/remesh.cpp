// SPDX-License-Identifier: BSD-3-Clause
// Blocks of one list to those of another: they stay, move to other ranks, are refined, are coarsened.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <tuple>

#include "filled.h"

namespace {

using namespace levels;

// A field on one list of blocks: without ghosts, or with those of one on another list, and its storage where blocks stay.
class Target {
public:
    Target(const Case &of, const Model &model, const Rank &rank, const halo_field *before = nullptr)
        : of_(of),
          model_(model),
          forest_(model, rank),
          values_(forest_.topology(), of.shape, (before ? of : without_ghosts(of)).desc(), of.prolongation, before) {}

    void check(const Model &before) const {
        values_.for_each([&](const At &at) {
            if (!at.is_owned) return;
            const int32_t level = model_.blocks()[static_cast<size_t>(at.gid)].level;
            const double is = values_.load(at);
            const double wanted =
                values_.rounded(before.moved(level, model_.in_space(at.gid, at.point, of_.shape.n_cells), at.component, of_.prolongation));
            if (is != wanted)
                stop("case %llu: part %lld (level %d), cell (%lld, %lld, %lld), component %d is %.17g, wanted %.17g",
                     static_cast<unsigned long long>(of_.seed), static_cast<long long>(at.gid), level, static_cast<long long>(at.point[0]),
                     static_cast<long long>(at.point[1]), static_cast<long long>(at.point[2]), at.component, is, wanted);
        });
    }
    halo_field *field() const { return values_.field(); }

private:
    static Case without_ghosts(Case of) {
        of.low = of.high = {};
        return of;
    }

    const Case &of_;
    const Model &model_;
    Forest forest_;
    Stored values_;
};

class Remesh : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, Remesh, testing::ValuesIn(conformance::rank_counts()), testing::PrintToStringParamName());

TEST_P(Remesh, MovesWhatTheModelSays) {
    for (uint64_t number = 0; number < static_cast<uint64_t>(conformance::number_from("LEVELS_CASES", 40)); ++number) {
        Case of(number);
        for (size_t d = 0; d < static_cast<size_t>(of.shape.n_dims); ++d) of.low[d] = std::max(of.low[d], 1), of.high[d] = std::max(of.high[d], 1);
        conformance::run(GetParam(), {}, [&](Rank &rank) {
            const Model before(of.shape, of.seed, rank.size);
            const Model after(before, adapted(before, number), number, rank.size, number % 2 == 0);
            Filled source(of, before, rank);
            const Target target(of, after, rank);
            halo_field *from = source.field(), *to = target.field();
            halo_exchange *move = nullptr;
            OK(halo_exchange_create_transfer(&from, &to, 1, nullptr, &move));
            for (int again = 0; again < 2; ++again) {
                source.fill();
                source.fill_all_ghosts();
                OK(halo_exchange_start(move, nullptr, HALO_STREAM_NONE));
                OK(halo_exchange_finish(move, HALO_STREAM_NONE));
                target.check(before);
            }
            OK(halo_exchange_destroy(&move));
        });
        if (HasFailure()) return;
    }
}

// Blocks of both lists that are on this rank in both: their storage is one.
void expect_kept(const Rank &rank, const halo_field *field, const Model &after, const halo_field *from, const Model &before) {
    const halo_forest_desc &now = after.desc(), &then = before.desc();
    const auto number = [](const halo_leaf &leaf) { return std::tuple(leaf.tree, leaf.level, leaf.at[0], leaf.at[1], leaf.at[2]); };
    for (int64_t gid = 0; gid < now.n_leaves; ++gid) {
        if (now.owner[gid] != rank.rank) continue;
        void *data = nullptr, *was = nullptr;
        OK(halo_field_data(field, gid, 0, &data));
        for (int64_t old = 0; old < then.n_leaves; ++old)
            if (then.owner[old] == rank.rank && number(then.leaves[old]) == number(now.leaves[gid])) OK(halo_field_data(from, old, 0, &was));
        if (!data || (was && was != data)) stop("part %lld has storage %p, was at %p", static_cast<long long>(gid), data, was);
    }
}

TEST_P(Remesh, StorageOfBlocksThatStayIsKept) {
    for (uint64_t number = 0; number < static_cast<uint64_t>(conformance::number_from("LEVELS_CASES", 40)); ++number) {
        Case of(number);
        for (size_t d = 0; d < static_cast<size_t>(of.shape.n_dims); ++d) of.low[d] = std::max(of.low[d], 1), of.high[d] = std::max(of.high[d], 1);
        const conformance::Settings settings{ { "check", number % 3 == 0 ? "full" : "no" } };
        conformance::run(GetParam(), settings, [&](Rank &rank) {
            const Model before(of.shape, of.seed, rank.size);
            const Model after(before, adapted(before, number), number, rank.size, number % 2 == 0);
            auto source = std::make_unique<Filled>(of, before, rank);
            source->fill();
            source->fill_all_ghosts();
            const Target target(of, after, rank, source->field());
            halo_field *from = source->field(), *to = target.field();
            expect_kept(rank, to, after, from, before);
            halo_exchange *move = nullptr;
            OK(halo_exchange_create_transfer(&from, &to, 1, nullptr, &move));
            for (int again = 0; again < 2; ++again) {
                OK(halo_exchange_start(move, nullptr, HALO_STREAM_NONE));
                OK(halo_exchange_finish(move, HALO_STREAM_NONE));
                target.check(before);
            }
            OK(halo_exchange_destroy(&move));
            source.reset();
            target.check(before); // the values have outlived the other field
        });
        if (HasFailure()) return;
    }
}

// What the program has bound it binds for new blocks, too; a rank that had no blocks does as the others do.
TEST_P(Remesh, StorageIsAsTheFieldBeforeHasIt) {
    for (const bool is_bound : { false, true })
        conformance::run(GetParam(), {}, [&](Rank &rank) {
            halo_tree tree = HALO_TREE_INIT;
            std::vector<halo_leaf> leaves(1, halo_leaf HALO_LEAF_INIT);
            std::vector<int32_t> owners(1);
            halo_field_desc spec = HALO_FIELD_DESC_INIT;
            spec.ghost_low[0] = spec.ghost_high[0] = 2;
            halo_topology *topologies[2] = {};
            halo_field *fields[2] = {};
            const auto make = [&](size_t number) {
                halo_forest_desc desc = HALO_FOREST_DESC_INIT;
                desc.n_dims = 1, desc.n_cells[0] = 8, desc.trees = &tree, desc.n_trees = 1;
                desc.leaves = leaves.data(), desc.n_leaves = std::ssize(leaves), desc.owner = owners.data();
                OK(halo_topology_create_forest(rank.context, &desc, &topologies[number]));
                OK(halo_field_create(topologies[number], &spec, &fields[number]));
            };
            std::vector<double> memory(12);
            halo_binding binding = HALO_BINDING_INIT;
            binding.data = memory.data();
            make(0);
            if (!is_bound)
                OK(halo_field_allocate(fields[0], -1));
            else if (rank.rank == 0)
                OK(halo_field_bind(fields[0], 0, &binding));
            leaves.assign(2, halo_leaf HALO_LEAF_INIT);
            for (size_t i = 0; i < 2; ++i) leaves[i].level = 1, leaves[i].at[0] = static_cast<int64_t>(i);
            owners = { 0, rank.size - 1 };
            make(1);
            OK(halo_field_allocate_from(fields[1], fields[0]));
            for (const int64_t gid : parts_of(topologies[1])) {
                void *data = nullptr;
                OK(halo_field_data(fields[1], gid, 0, &data));
                if ((data == nullptr) != is_bound)
                    stop("rank %d: part %lld has storage: %d", rank.rank, static_cast<long long>(gid), data != nullptr);
            }
            for (halo_field *field : fields) OK(halo_field_destroy(&field));
            for (halo_topology *topology : topologies) OK(halo_topology_destroy(&topology));
        });
}

// Small for two runs on one list, it is released after the third on the next.
TEST(RemeshOfSparse, StorageThatIsKeptIsAsOldAsItWas) {
    conformance::run(1, {}, [](Rank &rank) {
        halo_tree tree = HALO_TREE_INIT;
        tree.n_roots[0] = 4;
        std::vector<halo_leaf> leaves(4, halo_leaf HALO_LEAF_INIT);
        for (size_t i = 0; i < leaves.size(); ++i) leaves[i].at[0] = static_cast<int64_t>(i);
        const auto make = [&](halo_topology *&topology, halo_field *&field, halo_exchange *&exchange, const halo_field *before) {
            halo_forest_desc desc = HALO_FOREST_DESC_INIT;
            desc.n_dims = 1, desc.n_cells[0] = 8, desc.trees = &tree, desc.n_trees = 1;
            desc.leaves = leaves.data(), desc.n_leaves = std::ssize(leaves);
            OK(halo_topology_create_forest(rank.context, &desc, &topology));
            halo_field_desc spec = HALO_FIELD_DESC_INIT;
            spec.sparse = 1, spec.release_after = 3, spec.ghost_low[0] = spec.ghost_high[0] = 2;
            OK(halo_field_create(topology, &spec, &field));
            OK(before ? halo_field_allocate_from(field, before) : halo_field_allocate(field, -1));
            OK(halo_exchange_create(&field, 1, nullptr, &exchange));
        };
        const auto run_once = [](halo_exchange *exchange) {
            OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
            OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
        };
        const auto expect_storage = [&](const halo_field *field, bool wanted) { // of the first block, which is rank 0's
            void *data = nullptr;
            if (rank.rank != 0) return;
            OK(halo_field_data(field, 0, 0, &data));
            EXPECT_EQ(data != nullptr, wanted);
        };
        halo_topology *first = nullptr, *second = nullptr;
        halo_field *u = nullptr, *v = nullptr;
        halo_exchange *of_u = nullptr, *of_v = nullptr;
        make(first, u, of_u, nullptr);
        for (int n = 0; n < 2; ++n) run_once(of_u);
        leaves.push_back(leaves.back());
        for (size_t i = 3; i < 5; ++i) leaves[i].level = 1, leaves[i].at[0] = static_cast<int64_t>(i + 3);
        make(second, v, of_v, u);
        run_once(of_v);
        expect_storage(v, true);
        run_once(of_v);
        expect_storage(v, false);
        expect_storage(u, true);
        for (halo_exchange *exchange : { of_u, of_v }) OK(halo_exchange_destroy(&exchange));
        for (halo_field *field : { u, v }) OK(halo_field_destroy(&field));
        for (halo_topology *topology : { first, second }) OK(halo_topology_destroy(&topology));
    });
}

// One list of blocks in a row, and a sparse field on it that is released by age.
class Row {
public:
    Row(const Rank &rank, const std::vector<halo_leaf> &leaves, int32_t shift) {
        halo_tree tree = HALO_TREE_INIT;
        tree.n_roots[0] = 5;
        std::vector<int32_t> owners;
        for (size_t i = 0; i < leaves.size(); ++i)
            owners.push_back((static_cast<int32_t>(i) * rank.size / static_cast<int32_t>(leaves.size()) + shift) % rank.size);
        halo_forest_desc desc = HALO_FOREST_DESC_INIT;
        desc.n_dims = 1, desc.n_cells[0] = 8, desc.trees = &tree, desc.n_trees = 1;
        desc.leaves = leaves.data(), desc.n_leaves = std::ssize(leaves), desc.owner = owners.data();
        OK(halo_topology_create_forest(rank.context, &desc, &topology_));
        halo_field_desc spec = HALO_FIELD_DESC_INIT;
        spec.sparse = 1, spec.release_after = 3, spec.ghost_low[0] = spec.ghost_high[0] = 2;
        OK(halo_field_create(topology_, &spec, &field_));
        OK(halo_field_set_prolongation(field_, HALO_PROLONG_CONSTANT));
        OK(halo_exchange_create(&field_, 1, nullptr, &exchange_));
    }
    ~Row() {
        halo_exchange_destroy(&exchange_);
        halo_field_destroy(&field_);
        halo_topology_destroy(&topology_);
    }
    Row(const Row &) = delete;
    Row &operator=(const Row &) = delete;

    halo_field *field() const { return field_; }
    std::vector<int64_t> gids() const { return parts_of(topology_); }
    void run() const {
        OK(halo_exchange_start(exchange_, nullptr, HALO_STREAM_NONE));
        OK(halo_exchange_finish(exchange_, HALO_STREAM_NONE));
    }
    double *data(int64_t gid) const {
        void *data = nullptr;
        OK(halo_field_data(field_, gid, 0, &data));
        return static_cast<double *>(data);
    }
    void take_from(const Row &before) const {
        halo_exchange *move = nullptr;
        OK(halo_exchange_create_transfer(&before.field_, &field_, 1, nullptr, &move));
        OK(halo_exchange_start(move, nullptr, HALO_STREAM_NONE));
        for (int32_t done = 0; done == 0;) OK(halo_exchange_test(move, &done));
        int64_t n = 0;
        OK(halo_exchange_arrivals(move, nullptr, 0, &n));
        std::vector<halo_arrival> arrivals(static_cast<size_t>(n));
        OK(halo_exchange_arrivals(move, arrivals.data(), n, &n));
        for (const halo_arrival &arrival : arrivals) OK(halo_field_allocate(field_, arrival.gid));
        OK(halo_exchange_finish(move, HALO_STREAM_NONE));
        OK(halo_exchange_destroy(&move));
    }

private:
    halo_topology *topology_ = nullptr;
    halo_field *field_ = nullptr;
    halo_exchange *exchange_ = nullptr;
};

// What has been small for two runs is released after the third one, wherever it is then: whether blocks stay, move, are divided, or made one.
TEST_P(Remesh, BlocksAreAsOldAsTheyWere) {
    for (const bool keeps : { false, true })
        conformance::run(GetParam(), {}, [&](Rank &rank) {
            const auto leaf = [](int32_t level, int64_t at) {
                halo_leaf made = HALO_LEAF_INIT;
                made.level = level, made.at[0] = at;
                return made;
            };
            const Row before(rank, { leaf(0, 0), leaf(0, 1), leaf(0, 2), leaf(1, 6), leaf(1, 7), leaf(0, 4) }, 0);
            const Row after(rank, { leaf(0, 0), leaf(0, 1), leaf(1, 4), leaf(1, 5), leaf(0, 3), leaf(0, 4) }, keeps ? 0 : 1);
            for (const int64_t gid : before.gids()) {
                OK(halo_field_allocate(before.field(), gid));
                if (gid == 0) before.data(gid)[6] = 1; // in its middle: nothing goes to others
            }
            for (int n = 0; n < 2; ++n) before.run();
            if (keeps) OK(halo_field_allocate_from(after.field(), before.field()));
            after.take_from(before);
            for (int n = 0; n < 2; ++n) {
                for (const int64_t gid : after.gids())
                    if (!after.data(gid)) stop("after %d runs: part %lld has no storage", n, static_cast<long long>(gid));
                after.run();
            }
            for (const int64_t gid : after.gids())
                if ((after.data(gid) != nullptr) != (gid == 0))
                    stop("part %lld has storage: %d", static_cast<long long>(gid), after.data(gid) != nullptr);
        });
}

TEST(RemeshRefuses, StorageOfAnotherShape) {
    conformance::run(1, {}, [](Rank &rank) {
        Case of(3);
        of.low = of.high = { 2, of.shape.n_dims > 1 ? 2 : 0, of.shape.n_dims > 2 ? 2 : 0 };
        const Model model(of.shape, of.seed, rank.size);
        const Filled source(of, model, rank);
        const Forest forest(model, rank);
        const auto refuse = [&](const std::function<void(halo_field_desc &)> &change, const char *text) {
            halo_field_desc desc = of.desc();
            change(desc);
            halo_field *field = nullptr;
            OK(halo_field_create(forest.topology(), &desc, &field));
            EXPECT_EQ(halo_field_allocate_from(field, source.field()), HALO_ERR_ARGUMENT) << text;
            EXPECT_TRUE(std::strstr(halo_last_error(), text)) << halo_last_error();
            OK(halo_field_destroy(&field));
        };
        refuse([&](halo_field_desc &desc) { desc.type = of.type == HALO_FLOAT64 ? HALO_FLOAT32 : HALO_FLOAT64; }, "their types differ");
        refuse([](halo_field_desc &desc) { ++desc.n_components; }, "their numbers of components differ");
        refuse([](halo_field_desc &desc) { desc.centring = HALO_CENTRE_NODE; }, "their centrings differ");
        refuse([](halo_field_desc &desc) { ++desc.ghost_low[0]; }, "their ghosts differ");
        refuse([](halo_field_desc &desc) { ++desc.n_sets; }, "their numbers of binding sets differ");
        refuse([](halo_field_desc &desc) { desc.sparse = 1; }, "one is sparse, the other is not");
        EXPECT_EQ(halo_field_allocate_from(source.field(), source.field()), HALO_ERR_ARGUMENT);
        EXPECT_TRUE(std::strstr(halo_last_error(), "they are one field")) << halo_last_error();
        halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
        blocks.n_dims = 1, blocks.n_cells[0] = 4;
        halo_topology *other = nullptr;
        halo_field *field = nullptr;
        const halo_field_desc desc = HALO_FIELD_DESC_INIT;
        OK(halo_topology_create_blocks(rank.context, &blocks, &other));
        OK(halo_field_create(other, &desc, &field));
        EXPECT_EQ(halo_field_allocate_from(field, source.field()), HALO_ERR_ARGUMENT);
        EXPECT_TRUE(std::strstr(halo_last_error(), "its topology is no forest")) << halo_last_error();
        OK(halo_field_destroy(&field));
        OK(halo_topology_destroy(&other));
    });
}

void refuse(const std::function<void(halo_forest_desc &, halo_field_desc &, halo_transfer_desc &)> &change, const char *text) {
    conformance::run(2, {}, [&](Rank &rank) {
        Case of(3);
        of.low = of.high = { 2, of.shape.n_dims > 1 ? 2 : 0, of.shape.n_dims > 2 ? 2 : 0 };
        const Model model(of.shape, of.seed, rank.size);
        Filled source(of, model, rank);
        halo_forest_desc forest = model.desc();
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.type = of.type, desc.name = "v", desc.n_components = of.n_components;
        halo_transfer_desc how = HALO_TRANSFER_DESC_INIT;
        change(forest, desc, how);
        halo_topology *topology = nullptr;
        halo_field *from = source.field(), *to = nullptr;
        OK(halo_topology_create_forest(rank.context, &forest, &topology));
        OK(halo_field_create(topology, &desc, &to));
        halo_exchange *move = nullptr;
        if (halo_exchange_create_transfer(&from, &to, 1, &how, &move) != HALO_ERR_ARGUMENT) stop("it was not refused: %s", text);
        if (!std::strstr(halo_last_error(), text)) stop("\"%s\" is not in \"%s\"", text, halo_last_error());
        OK(halo_field_destroy(&to));
        OK(halo_topology_destroy(&topology));
    });
}

TEST(RemeshRefuses, OtherFieldsAndForests) {
    refuse([](halo_forest_desc &, halo_field_desc &field, halo_transfer_desc &) { field.type = HALO_INT64; }, "values of int64 have no means");
    refuse([](halo_forest_desc &, halo_field_desc &field, halo_transfer_desc &) { field.n_components += 1; }, "their numbers of components differ");
    refuse([](halo_forest_desc &, halo_field_desc &field, halo_transfer_desc &) { field.centring = HALO_CENTRE_NODE; }, "their centrings differ");
    refuse(
        [](halo_forest_desc &forest, halo_field_desc &, halo_transfer_desc &) {
            forest.n_cells[0] += 2;
            forest.n_cells[1] = forest.n_dims > 1 ? forest.n_cells[1] + 2 : 1;
            forest.n_cells[2] = forest.n_dims > 2 ? forest.n_cells[2] + 2 : 1;
        },
        "different numbers of cells");
    refuse([](halo_forest_desc &, halo_field_desc &, halo_transfer_desc &how) { how.op = HALO_TRANSFER_ADD; },
           "between forests values are copied, not added");
    refuse([](halo_forest_desc &, halo_field_desc &, halo_transfer_desc &how) { how.source_ghosts[0] = 1; },
           "between forests owned points alone are filled");
}

// The blocks of one level, and those that they become when all are refined so many times.
struct Refined {
    Case of = plain();
    Model before, after;

    Refined(const Rank &rank, int32_t times) : before(of.shape, 1, rank.size), after(before, leaves(times), 1, rank.size) {}

private:
    static Case plain() {
        Case of(0);
        of.shape = Shape{};
        of.shape.n_dims = 1, of.shape.deepest = 0, of.low = of.high = { 1, 0, 0 }, of.type = HALO_FLOAT64, of.n_components = 1;
        of.prolongation = HALO_PROLONG_MINMOD;
        return of;
    }
    std::vector<halo_leaf> leaves(int32_t level) const {
        int64_t n = 0;
        OK(halo_forest_uniform(&before.desc(), level, sizeof(halo_leaf), nullptr, 0, &n));
        std::vector<halo_leaf> list(static_cast<size_t>(n));
        OK(halo_forest_uniform(&before.desc(), level, sizeof(halo_leaf), list.data(), n, &n));
        return list;
    }
};

// What splits reads ghosts, which must have come.
TEST(RemeshRefuses, ToReadGhostsThatAreUnderWay) {
    conformance::run(2, {}, [](Rank &rank) {
        const Refined lists(rank, 1);
        Filled coarse(lists.of, lists.before, rank), fine(lists.of, lists.after, rank);
        halo_field *from = coarse.field(), *to = fine.field();
        halo_exchange *ghosts = nullptr, *move = nullptr;
        OK(halo_exchange_create(&from, 1, nullptr, &ghosts));
        OK(halo_exchange_create_transfer(&from, &to, 1, nullptr, &move));
        for (int turn = 0; turn < 3; ++turn) {
            OK(halo_exchange_start(ghosts, nullptr, HALO_STREAM_NONE));
            if (halo_exchange_start(move, nullptr, HALO_STREAM_NONE) != HALO_BUSY || !std::strstr(halo_last_error(), "whose ghosts are read"))
                stop("ghosts are under way: %s", halo_last_error());
            OK(halo_exchange_finish(ghosts, HALO_STREAM_NONE));
            OK(halo_exchange_start(move, nullptr, HALO_STREAM_NONE));
            OK(halo_exchange_finish(move, HALO_STREAM_NONE));
        }
        OK(halo_exchange_destroy(&move));
        OK(halo_exchange_destroy(&ghosts));
    });
}

// Two levels at once must go through a list between.
TEST(RemeshRefuses, MoreThanOneLevel) {
    conformance::run(2, {}, [](Rank &rank) {
        const Refined lists(rank, 2);
        Filled coarse(lists.of, lists.before, rank), fine(lists.of, lists.after, rank);
        for (const auto &[source, destination] : { std::pair{ coarse.field(), fine.field() }, std::pair{ fine.field(), coarse.field() } }) {
            halo_field *from = source, *to = destination;
            halo_exchange *move = nullptr;
            if (halo_exchange_create_transfer(&from, &to, 1, nullptr, &move) != HALO_ERR_ARGUMENT ||
                !std::strstr(halo_last_error(), "has come about by more than one level"))
                stop("two levels: %s", halo_last_error());
        }
    });
}

} // namespace

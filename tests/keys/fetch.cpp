// SPDX-License-Identifier: BSD-3-Clause
// HALO_KIND_FETCH on random sets of keys against the model; and what is refused.
#include <gtest/gtest.h>

#include <numeric>

#include "storage.h"

namespace {

using namespace keys;
using conformance::Rank;

// Values of one field on one topology.
template <class T>
struct Variable {
    const Model &model;
    halo_topology *topology;
    std::vector<uint32_t> indices;
    std::unique_ptr<Storage<T>> storage;

    Variable(const Model &of, Rank &rank, const char *name, Random &random) : model(of), topology(of.make(rank.context, rank.rank)) {
        indices = model.local_indices(rank.rank);
        halo_keys_report report = HALO_KEYS_REPORT_INIT;
        OK(halo_topology_keys_report(topology, &report));
        const auto n_components = static_cast<int32_t>(pick(random, 1, 3));
        const auto layout = static_cast<int>((pick(random, 0, 2) + rank.rank) % 3);
        storage = std::make_unique<Storage<T>>(topology, name, n_components, report.n_points, layout, rank.rank);
    }
    ~Variable() {
        storage.reset();
        halo_topology_destroy(&topology);
    }

    void fill(uint64_t seed, int32_t rank) {
        for (size_t i = 0; i < indices.size(); ++i)
            for (int32_t c = 0; indices[i] != HALO_NO_INDEX && c < storage->n_components(); ++c)
                storage->at(indices[i], c) = value_of<T>(seed, rank, static_cast<int64_t>(i), c);
    }
    // Components [0, n_changed) are as fetched, the others as filled; nothing else has been written.
    bool right(uint64_t seed, int32_t rank, halo_op op, int32_t n_changed) const {
        Values<T> wanted(storage->values().size(), T{ 99 });
        const auto &entries = model.ranks[static_cast<size_t>(rank)];
        for (size_t i = 0; i < indices.size(); ++i)
            for (int32_t c = 0; indices[i] != HALO_NO_INDEX && c < storage->n_components(); ++c)
                storage->at(wanted, indices[i], c) =
                    c < n_changed ? expected<T>(seed, HALO_KIND_FETCH, op, model.facts.at(entries[i].key), { rank, static_cast<int64_t>(i) }, c)
                                  : value_of<T>(seed, rank, static_cast<int64_t>(i), c);
        return std::memcmp(wanted.data(), storage->values().data(), wanted.size() * sizeof(T)) == 0;
    }
};

void in_phases(halo_exchange *exchange, const halo_run *run) {
    OK(halo_exchange_post(exchange, run));
    halo_status status = HALO_BUSY;
    while (status == HALO_BUSY) status = halo_exchange_send(exchange, HALO_STREAM_NONE);
    OK(status);
    int32_t done = 0;
    while (!done) OK(halo_exchange_test(exchange, &done));
    OK(halo_exchange_unpack(exchange, HALO_STREAM_NONE));
    OK(halo_exchange_refine(exchange, HALO_STREAM_NONE));
}

halo_status by_hand(void *, void *values, const void *contributions, int64_t n, halo_type, int64_t element_bytes) {
    for (int64_t i = 0; i < n; ++i) {
        double value, contribution;
        std::memcpy(&value, static_cast<char *>(values) + i * element_bytes, sizeof value);
        std::memcpy(&contribution, static_cast<const char *>(contributions) + i * element_bytes, sizeof contribution);
        value += contribution;
        std::memcpy(static_cast<char *>(values) + i * element_bytes, &value, sizeof value);
    }
    return HALO_SUCCESS;
}

template <class T>
void run_seed(Rank &rank, uint64_t seed) {
    Random random(seed);
    const Model first = random_model(random, rank.size), second = random_model(random, rank.size);
    Variable<T> u(first, rank, "u", random), v(second, rank, "v", random);
    halo_field *fields[2] = { u.storage->field(), v.storage->field() };
    halo_op op = any_op<T>(random);
    const auto given = [](halo_op of) { return std::is_same_v<T, double> && of == HALO_SUM ? HALO_USER : of; };
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.kind = HALO_KIND_FETCH;
    desc.op = given(op);
    desc.combine = by_hand;
    desc.messages = static_cast<int32_t>(pick(random, HALO_MESSAGES_AGGREGATE, HALO_MESSAGES_PER_CHANNEL));
    desc.source_stable = static_cast<int32_t>(pick(random, 0, 1));
    halo_exchange *exchange = nullptr;
    OK(halo_exchange_create(fields, 2, &desc, &exchange));
    const int32_t only_second[2] = { 0, 1 };
    for (int turn = 0; turn < 3; ++turn) {
        halo_run run = HALO_RUN_INIT;
        if (turn > 0) op = any_op<T>(random), run.op = given(op);
        run.n_components = turn == 1 ? 1 : 0;
        run.n_fields = 2, run.field_mask = turn == 2 ? only_second : nullptr;
        u.fill(seed, rank.rank);
        v.fill(seed + 1, rank.rank);
        if (pick(random, 0, 1) == 0) {
            in_phases(exchange, &run);
        } else {
            OK(halo_exchange_start(exchange, &run, HALO_STREAM_NONE));
            OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
        }
        const int32_t of_u = turn == 2 ? 0 : turn == 1 ? 1 : 9, of_v = turn == 1 ? 1 : 9;
        if (!u.right(seed, rank.rank, op, of_u) || !v.right(seed + 1, rank.rank, op, of_v))
            conformance::stop("seed %llu, turn %d, op %d: wrong values", static_cast<unsigned long long>(seed), turn, op);
    }
    OK(halo_exchange_destroy(&exchange));
}

class Fetches : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, Fetches, testing::ValuesIn(conformance::rank_counts()));

TEST_P(Fetches, AsTheModel) {
    const int64_t n_cases = conformance::number_from("KEYS_CASES", 40);
    const auto first = static_cast<uint64_t>(conformance::number_from("KEYS_SEED", 1));
    conformance::run(GetParam(), {}, [&](Rank &rank) {
        for (uint64_t seed = first; seed < first + static_cast<uint64_t>(n_cases); ++seed) {
            switch (seed % 5) {
            case 0: run_seed<double>(rank, seed); break;
            case 1: run_seed<int32_t>(rank, seed); break;
            case 2: run_seed<uint8_t>(rank, seed); break;
            case 3: run_seed<int16_t>(rank, seed); break;
            default: run_seed<int64_t>(rank, seed); break;
            }
        }
    });
}

// All ranks draw numbers from one counter: each gets its own.
TEST_P(Fetches, ACounter) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        const int64_t n = rank.rank == 0 ? 2 : 1;
        const int32_t root_rank = 0;
        const uint32_t root = 0;
        halo_star_desc desc = HALO_STAR_DESC_INIT;
        desc.n_points = n;
        desc.n_leaves = 1;
        desc.ranks = &root_rank;
        desc.indices = &root;
        halo_topology *topology = nullptr;
        OK(halo_topology_create_star(rank.context, &desc, &topology));
        {
            Storage<int64_t> counter(topology, "counter", 1, n, 2, rank.rank);
            counter.at(0, 0) = 100;
            counter.at(n - 1, 0) = 1;
            halo_field *field = counter.field();
            halo_exchange_desc way = HALO_EXCHANGE_DESC_INIT;
            way.kind = HALO_KIND_FETCH;
            halo_exchange *exchange = nullptr;
            OK(halo_exchange_create(&field, 1, &way, &exchange));
            OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
            OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
            if (counter.at(n - 1, 0) != 100 + rank.rank) conformance::stop("drew %lld", static_cast<long long>(counter.at(n - 1, 0)));
            if (rank.rank == 0 && counter.at(0, 0) != 100 + rank.size) conformance::stop("left at %lld", static_cast<long long>(counter.at(0, 0)));
            OK(halo_exchange_destroy(&exchange));
        }
        OK(halo_topology_destroy(&topology));
    });
}

// A star with its centre on one rank: leaves of every rank, in the order of its roots unless `indices` names them.
halo_topology *make_star(Rank &rank, int32_t centre, int64_t n_roots, std::vector<uint32_t> indices) {
    const auto n_leaves = std::ssize(indices);
    const std::vector<int32_t> ranks(indices.size(), centre);
    halo_star_desc desc = HALO_STAR_DESC_INIT;
    desc.n_points = n_roots + n_leaves;
    desc.n_leaves = n_leaves;
    desc.ranks = ranks.data();
    desc.indices = indices.data();
    halo_topology *topology = nullptr;
    OK(halo_topology_create_star(rank.context, &desc, &topology));
    return topology;
}

halo_topology *make_star(Rank &rank, int32_t centre, int64_t n_roots, int64_t n_leaves) {
    std::vector<uint32_t> indices(static_cast<size_t>(n_leaves));
    std::iota(indices.begin(), indices.end(), 0U);
    return make_star(rank, centre, n_roots, std::move(indices));
}

TEST_P(Fetches, LongRuns) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        constexpr int64_t n = 1500; // more than the caller's function is given at once
        const int64_t n_roots = rank.rank == 0 ? n : 0;
        halo_topology *topology = make_star(rank, 0, n_roots, n);
        for (const halo_op op : { HALO_SUM, HALO_USER })
            for (const int32_t stable : { 0, 1 }) {
                Storage<double> counters(topology, "counters", 1, n_roots + n, 2, rank.rank);
                for (int64_t i = 0; i < n_roots; ++i) counters.at(i, 0) = 100.0 * static_cast<double>(i);
                for (int64_t i = 0; i < n; ++i) counters.at(n_roots + i, 0) = 1;
                halo_field *field = counters.field();
                halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
                desc.kind = HALO_KIND_FETCH;
                desc.op = op;
                desc.combine = by_hand;
                desc.source_stable = stable;
                halo_exchange *exchange = nullptr;
                OK(halo_exchange_create(&field, 1, &desc, &exchange));
                OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
                OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
                for (int64_t i = 0; i < n; ++i) {
                    const double drawn = counters.at(n_roots + i, 0), before = 100.0 * static_cast<double>(i);
                    if (drawn != before + rank.rank)
                        conformance::stop("op %d: rank %d drew %g from %lld", op, rank.rank, drawn, static_cast<long long>(i));
                    if (n_roots > 0 && counters.at(i, 0) != before + rank.size) conformance::stop("op %d: left at %g", op, counters.at(i, 0));
                }
                OK(halo_exchange_destroy(&exchange));
            }
        OK(halo_topology_destroy(&topology));
    });
}

// Leaves of one root are apart in their rank's list: the function is given as many as can be before a root comes again.
TEST_P(Fetches, RootsThatComeAgain) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        constexpr int64_t n_leaves = 20, n_each = 5;
        const int64_t n_roots = rank.rank == 0 ? n_each : 0;
        std::vector<uint32_t> indices;
        for (uint32_t i = 0; i < n_leaves; ++i) indices.push_back(i * 3 % n_each);
        halo_topology *topology = make_star(rank, 0, n_roots, indices);
        for (const halo_op op : { HALO_SUM, HALO_USER }) {
            Storage<double> counters(topology, "counters", 1, n_roots + n_leaves, 1, rank.rank);
            for (int64_t i = 0; i < n_roots; ++i) counters.at(i, 0) = 100.0 * static_cast<double>(i);
            for (int64_t i = 0; i < n_leaves; ++i) counters.at(n_roots + i, 0) = 1;
            halo_field *field = counters.field();
            std::vector<int64_t> lengths;
            halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
            desc.kind = HALO_KIND_FETCH;
            desc.combine_user = &lengths;
            desc.combine = [](void *user, void *values, const void *contributions, int64_t n, halo_type type, int64_t bytes) {
                static_cast<std::vector<int64_t> *>(user)->push_back(n);
                return by_hand(nullptr, values, contributions, n, type, bytes);
            };
            halo_exchange *exchange = nullptr;
            OK(halo_exchange_create(&field, 1, &desc, &exchange));
            halo_run run = HALO_RUN_INIT;
            run.op = op;
            OK(halo_exchange_start(exchange, &run, HALO_STREAM_NONE));
            OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
            for (int64_t i = 0; i < n_leaves; ++i) {
                const double before = 100.0 * indices[static_cast<size_t>(i)] + static_cast<double>(rank.rank * n_leaves / n_each + i / n_each);
                if (counters.at(n_roots + i, 0) != before)
                    conformance::stop("op %d: rank %d drew %g from leaf %lld", op, rank.rank, counters.at(n_roots + i, 0), static_cast<long long>(i));
            }
            const size_t n_calls = op == HALO_USER && rank.rank == 0 ? static_cast<size_t>(rank.size * n_leaves / n_each) : 0;
            if (lengths != std::vector<int64_t>(n_calls, n_each)) conformance::stop("op %d: %zu calls", op, lengths.size());
            OK(halo_exchange_destroy(&exchange));
        }
        OK(halo_topology_destroy(&topology));
    });
}

// Ranks 0 and 2 have copies of a point of rank 1, and do not talk to each other. Rank 0 must not wait for the second round of a run that rank 2 has
// refused, and the next run is a new one.
TEST(FetchFails, OnRanksThatDoNotKnowTheOneThatFailed) {
    if (!conformance::threads()) GTEST_SKIP() << "wants three ranks";
    conformance::run(3, { { "timeout", "20s" } }, [](Rank &rank) {
        const int64_t n_leaves = rank.rank == 1 ? 0 : 1;
        halo_topology *topology = make_star(rank, 1, 1 - n_leaves, n_leaves);
        {
            Storage<int64_t> counter(topology, "counter", 1, 1, 2, rank.rank);
            halo_field *field = counter.field();
            halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
            desc.kind = HALO_KIND_FETCH;
            halo_exchange *exchange = nullptr;
            OK(halo_exchange_create(&field, 1, &desc, &exchange));
            const int32_t no_such_set = 7;
            for (int turn = 0; turn < 6; ++turn) {
                halo_run run = HALO_RUN_INIT;
                if (turn == 1) run.first_component = -1;
                if (turn == 3) run.n_fields = 1, run.sets = &no_such_set;
                counter.at(0, 0) = n_leaves > 0 ? 1 : 10 * turn;
                halo_status status = halo_exchange_start(exchange, rank.rank == 2 ? &run : nullptr, HALO_STREAM_NONE);
                if (status == HALO_SUCCESS) status = halo_exchange_finish(exchange, HALO_STREAM_NONE);
                const bool fails = turn == 1 || turn == 3;
                const halo_status wanted = !fails ? HALO_SUCCESS : rank.rank == 2 ? HALO_ERR_ARGUMENT : HALO_ERR_PEER;
                if (status != wanted) conformance::stop("turn %d: %s: %s", turn, halo_status_name(status), halo_last_error());
                const int64_t drawn[] = { 10 * turn, 10 * turn + 2, 10 * turn + 1 };
                if (!fails && counter.at(0, 0) != drawn[rank.rank])
                    conformance::stop("turn %d: rank %d has %lld", turn, rank.rank, static_cast<long long>(counter.at(0, 0)));
            }
            OK(halo_exchange_destroy(&exchange));
        }
        OK(halo_topology_destroy(&topology));
    });
}

// It is called between the two rounds, of which the second then has to be called off.
TEST_P(Fetches, AFunctionThatFails) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        halo_topology *topology = make_star(rank, 0, rank.rank == 0 ? 1 : 0, 1);
        {
            const int64_t leaf = rank.rank == 0 ? 1 : 0;
            Storage<double> counter(topology, "counter", 1, leaf + 1, 2, rank.rank);
            halo_field *field = counter.field();
            halo_status returned = HALO_SUCCESS;
            halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
            desc.kind = HALO_KIND_FETCH;
            desc.op = HALO_USER;
            desc.combine_user = &returned;
            desc.combine = [](void *user, void *values, const void *contributions, int64_t n, halo_type type, int64_t bytes) {
                by_hand(nullptr, values, contributions, n, type, bytes);
                return *static_cast<halo_status *>(user);
            };
            halo_exchange *exchange = nullptr;
            OK(halo_exchange_create(&field, 1, &desc, &exchange));
            for (int turn = 0; turn < 6; ++turn) {
                const bool fails = turn % 3 == 1;
                returned = fails ? HALO_ERR_LIMIT : HALO_SUCCESS;
                if (rank.rank == 0) counter.at(0, 0) = 10 * turn;
                counter.at(leaf, 0) = 1;
                halo_status status = halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE);
                if (status == HALO_SUCCESS) status = halo_exchange_finish(exchange, HALO_STREAM_NONE);
                const halo_status wanted = !fails ? HALO_SUCCESS : rank.rank == 0 ? HALO_ERR_LIMIT : HALO_ERR_PEER;
                if (status != wanted) conformance::stop("turn %d: %s: %s", turn, halo_status_name(status), halo_last_error());
                if (fails && !std::strstr(halo_last_error(), "the combine callback returned HALO_ERR_LIMIT for field counter, part 0"))
                    conformance::stop("turn %d: %s", turn, halo_last_error());
                if (!fails && counter.at(leaf, 0) != 10 * turn + rank.rank) conformance::stop("turn %d: drew %g", turn, counter.at(leaf, 0));
            }
            OK(halo_exchange_destroy(&exchange));
        }
        OK(halo_topology_destroy(&topology));
    });
}

TEST_P(Fetches, AfterAbandonNothingGoes) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        halo_topology *topology = make_star(rank, 0, rank.rank == 0 ? 1 : 0, 1);
        {
            Storage<int64_t> counter(topology, "counter", 1, rank.rank == 0 ? 2 : 1, 2, rank.rank);
            halo_field *field = counter.field();
            halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
            desc.kind = HALO_KIND_FETCH;
            halo_exchange *exchange = nullptr;
            OK(halo_exchange_create(&field, 1, &desc, &exchange));
            OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
            if (halo_exchange_destroy(&exchange) != HALO_BUSY) conformance::stop("a run is in flight");
            OK(halo_exchange_abandon(exchange));
            if (halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE) != HALO_ERR_STATE || !std::strstr(halo_last_error(), "abandoned"))
                conformance::stop("started after abandon: %s", halo_last_error());
            OK(halo_exchange_destroy(&exchange));
        }
        OK(halo_topology_destroy(&topology));
    });
}

TEST_P(Fetches, Refused) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        const halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
        const uint64_t key = 3;
        halo_keys_desc keys_desc = HALO_KEYS_DESC_INIT;
        keys_desc.n_keys = 1;
        keys_desc.keys = &key;
        halo_topology *cells = nullptr, *points = nullptr;
        OK(halo_topology_create_blocks(rank.context, &blocks, &cells));
        OK(halo_topology_create_keys(rank.context, &keys_desc, &points));
        const halo_field_desc field_desc = HALO_FIELD_DESC_INIT;
        halo_field *on_cells = nullptr, *on_points = nullptr;
        OK(halo_field_create(cells, &field_desc, &on_cells));
        OK(halo_field_create(points, &field_desc, &on_points));
        const auto refused = [&](halo_field *field, const halo_exchange_desc &desc, const char *text) {
            halo_exchange *exchange = nullptr;
            if (halo_exchange_create(&field, 1, &desc, &exchange) != HALO_ERR_ARGUMENT || !std::strstr(halo_last_error(), text))
                conformance::stop("'%s' is not in: %s", text, halo_last_error());
        };
        halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
        desc.kind = HALO_KIND_FETCH;
        refused(on_cells, desc, "not on a topology of points");
        desc.op = HALO_BAND;
        refused(on_points, desc, "operation 9");
        desc.op = HALO_USER;
        refused(on_points, desc, "without a function");
        desc.op = HALO_SUM;
        desc.edges = HALO_EDGES_LOCAL;
        refused(on_points, desc, "edges 1");
        desc.edges = HALO_EDGES_ALL;
        const uint32_t some = 1;
        desc.sections = &some;
        refused(on_points, desc, "sections 0x1");
        desc.sections = nullptr;
        halo_exchange *exchange = nullptr;
        OK(halo_exchange_create(&on_points, 1, &desc, &exchange));
        if (halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE) != HALO_ERR_UNBOUND) conformance::stop("no storage: %s", halo_last_error());
        if (halo_field_destroy(&on_points) != HALO_BUSY) conformance::stop("the field is in use");
        OK(halo_exchange_destroy(&exchange));
        OK(halo_field_destroy(&on_points));
        OK(halo_field_destroy(&on_cells));
        OK(halo_topology_destroy(&points));
        OK(halo_topology_destroy(&cells));
    });
}

} // namespace

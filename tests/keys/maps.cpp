// SPDX-License-Identifier: BSD-3-Clause
// Fields with values at some points only, in an order of their own: exchanges of them, against the same exchanges of a field with a value at each
// point.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "storage.h"

namespace {

using namespace keys;
using conformance::Rank;

constexpr int64_t gap = -7; // in storage

// Does a field of `number` have a value at the key?
bool has_value(uint64_t seed, int number, uint64_t key) {
    Random random(seed * 31 + static_cast<uint64_t>(number) * 1009 + key * 7919);
    return pick(random, 0, 3) != 0;
}

// A field on all points, and one on some of them with positions in random order.
struct Twins {
    halo_field *whole = nullptr;
    halo_field *some = nullptr;
    std::vector<int64_t> positions;
    Values<int64_t> whole_values, some_values;
    int32_t n_components = 1;

    Twins(const Rank &rank, halo_topology *topology, const std::vector<uint64_t> &key_of_point, uint64_t seed, int number) {
        Random random(seed + static_cast<uint64_t>(number));
        n_components = static_cast<int32_t>(pick(random, 1, 3));
        const bool together = pick(random, 0, 1) != 0;
        std::vector<int64_t> free(key_of_point.size() + 3);
        std::iota(free.begin(), free.end(), 0);
        Random own(seed * 64 + static_cast<uint64_t>(rank.rank));
        std::shuffle(free.begin(), free.end(), own);
        for (size_t i = 0; i < key_of_point.size(); ++i)
            positions.push_back(has_value(seed, number, key_of_point[i]) ? free[i] : -1 - pick(own, 0, 2));
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.type = HALO_INT64;
        desc.n_components = n_components;
        desc.name = number == 0 ? "whole" : "another whole";
        OK(halo_field_create(topology, &desc, &whole));
        desc.name = number == 0 ? "some" : "some others";
        OK(halo_field_create(topology, &desc, &some));
        OK(halo_field_map_points(some, rank.rank, positions.data(), static_cast<int64_t>(positions.size())));
        bind(rank, whole, whole_values, together);
        bind(rank, some, some_values, together);
    }
    ~Twins() {
        halo_field_destroy(&whole);
        halo_field_destroy(&some);
    }
    Twins(const Twins &) = delete;
    Twins &operator=(const Twins &) = delete;

    void bind(const Rank &rank, halo_field *field, Values<int64_t> &values, bool together) const {
        halo_layout layout = HALO_LAYOUT_INIT;
        OK(halo_field_layout(field, rank.rank, &layout));
        if (together) {
            layout.component_stride = 1;
            layout.stride[0] = n_components;
        }
        values.assign(static_cast<size_t>(layout.elements), gap);
        halo_binding binding = HALO_BINDING_INIT;
        conformance::place(binding, values.empty() ? conformance::somewhere() : values.data());
        binding.layout = &layout;
        OK(halo_field_bind(field, rank.rank, &binding));
    }
    int64_t &at(halo_field *field, Values<int64_t> &values, int32_t rank, int64_t position, int32_t component) const {
        halo_layout layout = HALO_LAYOUT_INIT;
        OK(halo_field_layout(field, rank, &layout));
        return values[static_cast<size_t>(layout.first_owned + position * layout.stride[0] + component * layout.component_stride)];
    }
    void upload() const {
        for (const Values<int64_t> *values : { &whole_values, &some_values }) conformance::upload(values->data(), values->size() * sizeof(int64_t));
    }
    void download() {
        for (Values<int64_t> *values : { &whole_values, &some_values }) conformance::download(values->data(), values->size() * sizeof(int64_t));
    }
    void fill(const Rank &rank, uint64_t seed) {
        for (size_t i = 0; i < positions.size(); ++i)
            for (int32_t c = 0; c < n_components; ++c) {
                const int64_t value = value_of<int64_t>(seed, rank.rank, static_cast<int64_t>(i), c);
                at(whole, whole_values, rank.rank, static_cast<int64_t>(i), c) = value;
                if (positions[i] >= 0) at(some, some_values, rank.rank, positions[i], c) = value;
            }
    }
    // Where there is a value it is that of the other field, and nothing else has been written.
    void check(const Rank &rank, uint64_t seed, int32_t kind) {
        Values<int64_t> wanted(some_values.size(), gap);
        for (size_t i = 0; i < positions.size(); ++i)
            for (int32_t c = 0; positions[i] >= 0 && c < n_components; ++c)
                at(some, wanted, rank.rank, positions[i], c) = at(whole, whole_values, rank.rank, static_cast<int64_t>(i), c);
        if (wanted != some_values) conformance::stop("seed %llu, kind %d: wrong values", static_cast<unsigned long long>(seed), kind);
    }
};

void run_exchange(const Rank &rank, std::vector<std::unique_ptr<Twins>> &twins, uint64_t seed, int32_t kind) {
    Random random(seed + static_cast<uint64_t>(kind));
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.kind = kind;
    desc.op = any_op<int64_t>(random);
    desc.messages = static_cast<int32_t>(pick(random, HALO_MESSAGES_AGGREGATE, HALO_MESSAGES_PER_CHANNEL));
    desc.source_stable = static_cast<int32_t>(pick(random, 0, 1));
    std::vector<halo_field *> fields;
    for (const auto &twin : twins) fields.push_back(twin->whole), fields.push_back(twin->some);
    halo_exchange *exchange = nullptr;
    OK(halo_exchange_create(fields.data(), static_cast<int32_t>(fields.size()), &desc, &exchange));
    for (int run = 0; run < 4; ++run) {
        for (const auto &twin : twins) twin->fill(rank, seed), twin->upload();
        OK(halo_exchange_start(exchange, nullptr, conformance::stream()));
        OK(halo_exchange_finish(exchange, conformance::finish_stream()));
        for (const auto &twin : twins) twin->download(), twin->check(rank, seed, kind);
    }
    OK(halo_exchange_destroy(&exchange));
}

class Maps : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, Maps, testing::ValuesIn(conformance::rank_counts()));

TEST_P(Maps, AsAFieldOnAllPoints) {
    const auto n_cases = static_cast<uint64_t>(conformance::number_from("KEYS_CASES", 30));
    conformance::run(GetParam(), {}, [&](Rank &rank) {
        for (uint64_t seed = 1; seed <= n_cases; ++seed) {
            Random random(seed);
            conformance::begin_case(seed);
            const Model model = random_model(random, rank.size);
            halo_topology *topology = model.make(rank.context, rank.rank);
            const auto &entries = model.ranks[static_cast<size_t>(rank.rank)];
            std::vector<uint32_t> indices(entries.size());
            int64_t n = 0;
            OK(halo_topology_local_indices(topology, indices.data(), std::ssize(indices), &n));
            halo_keys_report report = HALO_KEYS_REPORT_INIT;
            OK(halo_topology_keys_report(topology, &report));
            std::vector<uint64_t> key_of_point(static_cast<size_t>(report.n_points));
            for (size_t i = 0; i < indices.size(); ++i)
                if (indices[i] != HALO_NO_INDEX) key_of_point[indices[i]] = entries[i].key;
            std::vector<std::unique_ptr<Twins>> twins;
            twins.reserve(2);
            for (int number = 0; number < 2; ++number) twins.push_back(std::make_unique<Twins>(rank, topology, key_of_point, seed, number));
            for (const int32_t kind : { HALO_KIND_GHOSTS, HALO_KIND_REVERSE, HALO_KIND_SHARED_REDUCE }) run_exchange(rank, twins, seed, kind);
            twins.clear();
            OK(halo_topology_destroy(&topology));
        }
    });
}

// Rank r has points r and r + 1 of a ring: it owns the first.
halo_topology *ring(const Rank &rank) {
    const uint32_t index = 0;
    const int32_t from = (rank.rank + 1) % rank.size;
    halo_star_desc star = HALO_STAR_DESC_INIT;
    star.n_points = 2;
    star.n_leaves = 1;
    star.ranks = &from;
    star.indices = &index;
    halo_topology *topology = nullptr;
    OK(halo_topology_create_star(rank.context, &star, &topology));
    return topology;
}

TEST_P(Maps, Refused) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        halo_topology *topology = ring(rank);
        halo_field *field = nullptr;
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = "u";
        OK(halo_field_create(topology, &desc, &field));
        const auto refused = [&](halo_status status, std::vector<int64_t> positions, const char *text) {
            const halo_status got = halo_field_map_points(field, rank.rank, positions.data(), static_cast<int64_t>(positions.size()));
            EXPECT_EQ(got, status) << halo_last_error();
            EXPECT_NE(std::strstr(halo_last_error(), text), nullptr) << halo_last_error();
        };
        refused(HALO_ERR_ARGUMENT, { 0, 1, 2 }, "a map of 3 points, the part has 2");
        refused(HALO_ERR_ARGUMENT, { 4, 4 }, "points 0 and 1 are both at position 4");
        refused(HALO_ERR_BOUNDS, { 0, int64_t{ 1 } << 32 }, "position 4294967296");
        const std::vector<int64_t> second_only = { -1, 0 };
        OK(halo_field_map_points(field, rank.rank, second_only.data(), 2));
        halo_exchange_desc fetch = HALO_EXCHANGE_DESC_INIT;
        fetch.kind = HALO_KIND_FETCH;
        halo_exchange *exchange = nullptr;
        EXPECT_EQ(halo_exchange_create(&field, 1, &fetch, &exchange), HALO_ERR_ARGUMENT);
        EXPECT_NE(std::strstr(halo_last_error(), "a value at every point"), nullptr) << halo_last_error();
        OK(halo_field_allocate(field, -1));
        refused(HALO_BUSY, { 0, 1 }, "storage is bound");
        OK(halo_field_destroy(&field));
        OK(halo_topology_destroy(&topology));
    });
}

// Two ranks that do not agree where there are values are told which channel it is.
TEST_P(Maps, OtherPointsOnTheOtherSide) {
    conformance::run(GetParam(), { { "timeout", "20" } }, [](Rank &rank) {
        if (rank.size != 2) return; // of several mismatches a rank names one
        for (const bool by_number : { true, false }) {
            halo_topology *topology = nullptr;
            const std::vector<uint32_t> indices = { 0, 1 };
            const int32_t next = (rank.rank + 1) % rank.size;
            const std::vector<int32_t> from = { next, next };
            halo_star_desc star = HALO_STAR_DESC_INIT;
            star.n_points = 4;
            star.n_leaves = 2;
            star.ranks = from.data();
            star.indices = indices.data();
            OK(halo_topology_create_star(rank.context, &star, &topology));
            halo_field_desc desc = HALO_FIELD_DESC_INIT;
            desc.name = "u";
            halo_field *field = nullptr;
            OK(halo_field_create(topology, &desc, &field));
            // Owned points 0 and 1, copies 2 and 3: the copies lack another one, or one more.
            const std::vector<int64_t> positions = { 0, -1, by_number ? -1 : 5, by_number ? 5 : 6 };
            OK(halo_field_map_points(field, rank.rank, positions.data(), 4));
            OK(halo_field_allocate(field, -1));
            halo_exchange *exchange = nullptr;
            OK(halo_exchange_create(&field, 1, nullptr, &exchange));
            OK(halo_exchange_start(exchange, nullptr, conformance::stream()));
            EXPECT_EQ(halo_exchange_finish(exchange, conformance::finish_stream()), HALO_ERR_MISMATCH);
            EXPECT_NE(std::strstr(halo_last_error(), "channel"), nullptr) << halo_last_error();
            EXPECT_NE(std::strstr(halo_last_error(), by_number ? "leave out different points" : "8 bytes"), nullptr) << halo_last_error();
            OK(halo_context_barrier(rank.context));
            OK(halo_exchange_destroy(&exchange));
            OK(halo_field_destroy(&field));
            OK(halo_topology_destroy(&topology));
        }
    });
}

} // namespace

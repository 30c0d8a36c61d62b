// SPDX-License-Identifier: BSD-3-Clause
// Rows of different lengths around the sphere, against a search through all pairs of cells.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <vector>

#include "grid.h"
#include "halo_sphere.h"
#include "placed.h"
#include "ranks.h"

namespace conformance {

namespace {

using Keys = std::vector<uint64_t>;

struct Rows {
    std::vector<int64_t> cells;
    bool poles = true;

    explicit Rows(Random &random) : poles(chance(random, 0.6)) {
        for (int64_t n = pick(random, 1, 5); n > 0; --n) cells.push_back(pick(random, 1, 9));
    }
    halo_reduced_rows_desc desc() const {
        halo_reduced_rows_desc desc = HALO_REDUCED_ROWS_DESC_INIT;
        desc.n_rows = std::ssize(cells);
        desc.cells = cells.data();
        desc.poles = poles;
        return desc;
    }
    uint64_t n_cells() const {
        uint64_t n = 0;
        for (const int64_t row : cells) n += static_cast<uint64_t>(row);
        return n;
    }
    Keys neighbours(uint64_t key) const {
        const halo_reduced_rows_desc all = desc();
        int64_t n = 0;
        OK(halo_reduced_rows_neighbours(&all, key, nullptr, 0, &n));
        Keys found(static_cast<size_t>(n));
        OK(halo_reduced_rows_neighbours(&all, key, found.data(), n, &n));
        return found;
    }
};

struct Cell {
    size_t row;
    int64_t i;
};

Cell cell_of(const Rows &rows, uint64_t key) {
    Cell cell{ 0, static_cast<int64_t>(key) };
    for (; cell.i >= rows.cells[cell.row]; ++cell.row) cell.i -= rows.cells[cell.row];
    return cell;
}

// Do two arcs of the circle have more than an end in common? The second one is turned by half of the way around if so said.
bool meet(int64_t a, int64_t n_a, int64_t b, int64_t n_b, bool turned) {
    const int64_t all = 2 * n_a * n_b; // of whose parts both are made
    for (const int64_t turn : { -2, -1, 0, 1, 2 }) {
        const int64_t low = 2 * n_a * b + turn * all + (turned ? all / 2 : 0), high = low + 2 * n_a;
        if (std::max(low, 2 * n_b * a) < std::min(high, 2 * n_b * (a + 1))) return true;
    }
    return false;
}

bool share_a_side(const Rows &rows, uint64_t one, uint64_t other) {
    const Cell a = cell_of(rows, one), b = cell_of(rows, other);
    const int64_t n_a = rows.cells[a.row], n_b = rows.cells[b.row];
    if (one == other) return false;
    if (a.row == b.row && ((a.i + 1) % n_a == b.i || (b.i + 1) % n_a == a.i)) return true;
    if (a.row + 1 == b.row || b.row + 1 == a.row) return meet(a.i, n_a, b.i, n_b, false);
    const bool at_pole = a.row == 0 || a.row + 1 == rows.cells.size();
    return rows.poles && a.row == b.row && at_pole && meet(a.i, n_a, b.i, n_b, true);
}

TEST(ReducedRows, NeighboursShareASide) {
    for (uint64_t number = 0; number < 300; ++number) {
        Random random(number);
        const Rows rows(random);
        for (uint64_t key = 0; key < rows.n_cells(); ++key) {
            Keys found = rows.neighbours(key), right;
            for (uint64_t other = 0; other < rows.n_cells(); ++other)
                if (share_a_side(rows, key, other)) right.push_back(other);
            std::sort(found.begin(), found.end());
            ASSERT_EQ(found, right) << "key " << key << " of rows " << number;
        }
    }
}

TEST(ReducedRows, NeighboursHaveTheirOrder) {
    Random random(0);
    Rows rows(random);
    rows.cells = { 4, 8, 12 };
    rows.poles = true;
    EXPECT_EQ(rows.neighbours(1), (Keys{ 0, 2, 3, 6, 7 }));    // west, east, across the pole, the row after
    EXPECT_EQ(rows.neighbours(4), (Keys{ 11, 5, 0, 12, 13 })); // west is the row's last one
    EXPECT_EQ(rows.neighbours(23), (Keys{ 22, 12, 11, 17 }));  // the last row's last one
    rows.cells = { 1, 3 };
    EXPECT_EQ(rows.neighbours(0), (Keys{ 1, 2, 3 })); // is all of its row, and across the pole itself
    EXPECT_EQ(rows.neighbours(2), (Keys{ 1, 3, 0 })); // across the pole the same again
}

class ReducedRowsOfRanks : public testing::TestWithParam<int32_t> {};

TEST_P(ReducedRowsOfRanks, HaveTheirNeighboursAsGhosts) {
    run(GetParam(), {}, [](Rank &rank) {
        for (uint64_t number = 0; number < 60; ++number) {
            begin_case(number);
            Random random(number + 1000);
            const Rows rows(random);
            halo_reduced_rows_desc desc = rows.desc();
            desc.rings = static_cast<int32_t>(pick(random, 1, 3));
            halo_topology *topology = nullptr;
            OK(halo_topology_create_reduced_rows(rank.context, &desc, &topology));
            halo_keys_report report = HALO_KEYS_REPORT_INIT;
            OK(halo_topology_keys_report(topology, &report));
            Keys keys(static_cast<size_t>(report.n_points));
            int64_t n = 0;
            OK(halo_topology_point_keys(topology, keys.data(), report.n_points, &n));
            const auto all = static_cast<int64_t>(rows.n_cells()), first = rank.rank * all / rank.size;
            if (report.n_owned != (rank.rank + 1) * all / rank.size - first) stop("rows %d: not an equal run", static_cast<int>(number));
            std::set<uint64_t> reached, ring;
            for (int64_t i = 0; i < report.n_owned; ++i) {
                if (keys[static_cast<size_t>(i)] != static_cast<uint64_t>(first + i)) stop("rows %d: another cell", static_cast<int>(number));
                reached.insert(keys[static_cast<size_t>(i)]);
            }
            for (int32_t k = 0; k < desc.rings; ++k) {
                for (const uint64_t key : reached)
                    for (const uint64_t next : rows.neighbours(key)) ring.insert(next);
                reached.insert(ring.begin(), ring.end());
            }
            if (reached != std::set<uint64_t>(keys.begin(), keys.end()) || reached.size() != keys.size())
                stop("rows %d: other ghosts", static_cast<int>(number));
            halo_field_desc field_desc = HALO_FIELD_DESC_INIT;
            halo_field *field = nullptr;
            halo_exchange *exchange = nullptr;
            OwnMemory<double> values(keys.size() + 1, -1);
            for (int64_t i = 0; i < report.n_owned; ++i) values[static_cast<size_t>(i)] = static_cast<double>(keys[static_cast<size_t>(i)]);
            field_desc.name = "u";
            OK(halo_field_create(topology, &field_desc, &field));
            halo_binding memory = HALO_BINDING_INIT;
            place(memory, values.data());
            OK(halo_field_bind(field, rank.rank, &memory));
            upload(values.data(), values.size() * sizeof(double));
            OK(halo_exchange_create(&field, 1, nullptr, &exchange));
            OK(halo_exchange_start(exchange, nullptr, stream()));
            OK(halo_exchange_finish(exchange, finish_stream()));
            download(values.data(), values.size() * sizeof(double));
            for (size_t i = 0; i < keys.size(); ++i)
                if (values[i] != static_cast<double>(keys[i])) stop("rows %d: a ghost has another value", static_cast<int>(number));
            OK(halo_exchange_destroy(&exchange));
            OK(halo_field_destroy(&field));
            OK(halo_topology_destroy(&topology));
        }
    });
}

INSTANTIATE_TEST_SUITE_P(Ranks, ReducedRowsOfRanks, testing::ValuesIn(rank_counts()));

TEST(ReducedRows, ThatCannotBeAreRefused) {
    const int64_t cells[] = { 4, 0 };
    halo_reduced_rows_desc desc = HALO_REDUCED_ROWS_DESC_INIT;
    int64_t n = 0;
    const auto refused = [&](uint64_t key, halo_status status, const char *text) {
        EXPECT_EQ(halo_reduced_rows_neighbours(&desc, key, nullptr, 0, &n), status);
        EXPECT_NE(std::strstr(halo_last_error(), text), nullptr) << halo_last_error();
    };
    refused(0, HALO_ERR_ARGUMENT, "reduced rows: 0 rows");
    desc.n_rows = 2, desc.cells = cells;
    refused(0, HALO_ERR_ARGUMENT, "row 1 has 0 cells");
    desc.n_rows = 1;
    refused(4, HALO_ERR_BOUNDS, "there are 4 cells, and none has key 4");
    run(threads() ? 2 : 0, {}, [&](Rank &rank) {
        if (rank.size == 1) return;
        const int64_t lengths[] = { 4, rank.rank == 0 ? 8 : 9 };
        halo_reduced_rows_desc rows = HALO_REDUCED_ROWS_DESC_INIT;
        rows.n_rows = 2, rows.cells = lengths;
        halo_topology *topology = nullptr;
        const halo_status got = halo_topology_create_reduced_rows(rank.context, &rows, &topology);
        if (got != HALO_ERR_MISMATCH || !std::strstr(halo_last_error(), "row 1: 8 cells")) stop("%s: %s", halo_status_name(got), halo_last_error());
    });
}

} // namespace

} // namespace conformance

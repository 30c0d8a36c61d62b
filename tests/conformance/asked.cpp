// SPDX-License-Identifier: BSD-3-Clause
// What is asked of a field and of an exchange: a description that makes an equal field, what goes to and comes from each peer, and which points count
// where parts share them.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "box_model.h"
#include "halo_access.h"
#include "halo_levels.h"
#include "ranks.h"

namespace conformance {

namespace {

void want(bool good, const char *what, int line) {
    if (!good) stop("line %d: %s: %s", line, what, halo_last_error());
}
#define WANT(condition) want((condition), #condition, __LINE__)

halo_topology *make_blocks(const Rank &rank, int32_t n_dims, int64_t n_blocks, int64_t n_cells, bool periodic) {
    halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
    desc.n_dims = n_dims;
    for (int d = 0; d < n_dims; ++d) desc.n_blocks[d] = n_blocks, desc.n_cells[d] = n_cells, desc.periodic[d] = periodic;
    halo_topology *topology = nullptr;
    OK(halo_topology_create_blocks(rank.context, &desc, &topology));
    return topology;
}

halo_field *make_field(halo_topology *topology, const halo_field_desc &desc) {
    halo_field *field = nullptr;
    OK(halo_field_create(topology, &desc, &field));
    OK(halo_field_allocate(field, -1));
    return field;
}

halo_field_desc described(const char *name, int32_t ghosts, int32_t n_dims) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = name;
    for (int d = 0; d < n_dims; ++d) desc.ghost_low[d] = desc.ghost_high[d] = ghosts;
    return desc;
}

halo_field_desc desc_of(const halo_field *field) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    OK(halo_field_get_desc(field, &desc));
    return desc;
}

// All but the name.
bool equal(halo_field_desc a, halo_field_desc b) {
    a.name = b.name = nullptr;
    return std::memcmp(&a, &b, sizeof a) == 0;
}

class Asked : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, Asked, testing::ValuesIn(rank_counts()), testing::PrintToStringParamName());

TEST_P(Asked, ADescriptionMakesAnEqualField) {
    run(GetParam(), {}, [](Rank &rank) {
        halo_topology *topology = make_blocks(rank, 2, 3, 4, true), *other = make_blocks(rank, 2, 2, 4, false);
        halo_field_desc given = described("given", 2, 2);
        given.type = HALO_BYTES, given.element_bytes = 12, given.n_components = 3, given.centring = HALO_CENTRE_FACES, given.n_sets = 2;
        given.ghost_high[1] = 0;
        halo_field_desc sparse = described("sparse", 1, 2);
        sparse.type = HALO_FLOAT32, sparse.element_bytes = 4, sparse.sparse = 1, sparse.threshold = 0.5, sparse.fill = -2, sparse.n_components = 2;
        sparse.vector = 1, sparse.centring = HALO_CENTRE_NODE;
        for (const halo_field_desc &desc : { given, sparse }) {
            std::string name = desc.name;
            halo_field_desc named = desc;
            named.name = name.c_str();
            halo_field *field = nullptr, *again = nullptr, *beside = nullptr;
            OK(halo_field_create(topology, &named, &field));
            name.assign(name.size(), 'x'); // the field has a copy
            halo_field_desc got = desc_of(field);
            WANT(equal(got, desc) && std::strcmp(got.name, desc.name) == 0);
            OK(halo_field_create(other, &got, &again));
            WANT(equal(desc_of(again), desc) && std::strcmp(desc_of(again).name, desc.name) == 0);
            WANT(halo_field_create(topology, &got, &beside) == HALO_ERR_EXISTS);
            got.name = nullptr;
            OK(halo_field_create(topology, &got, &beside));
            WANT(desc_of(beside).name && std::strcmp(desc_of(beside).name, desc.name) != 0); // the library's own
            WANT(equal(desc_of(beside), desc));
            for (halo_field **each : { &beside, &again, &field }) OK(halo_field_destroy(each));
        }
        const halo_field_desc plain = HALO_FIELD_DESC_INIT;
        halo_field *field = nullptr;
        OK(halo_field_create(topology, &plain, &field));
        WANT(desc_of(field).element_bytes == 8 && desc_of(field).centring == HALO_CENTRE_CELL);
        OK(halo_field_destroy(&field));
        for (halo_topology **each : { &topology, &other }) OK(halo_topology_destroy(each));
    });
}

TEST_P(Asked, ADescriptionMakesAnEqualExchange) {
    run(GetParam(), {}, [](Rank &rank) {
        const auto desc_of_exchange = [](const halo_exchange *exchange) {
            halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
            OK(halo_exchange_get_desc(exchange, &desc));
            return desc;
        };
        const auto same = [](const halo_exchange_desc &a, const halo_exchange_desc &b) { return std::memcmp(&a, &b, sizeof a) == 0; };
        halo_topology *topology = make_blocks(rank, 2, 3, 4, true);
        halo_field *u = make_field(topology, described("u", 2, 2));
        int user = 0;
        halo_exchange_desc sum = HALO_EXCHANGE_DESC_INIT, own = HALO_EXCHANGE_DESC_INIT;
        sum.kind = HALO_KIND_REVERSE, sum.op = HALO_MAX, sum.messages = HALO_MESSAGES_AGGREGATE, sum.source_stable = 1, sum.timeout_seconds = 7;
        own.kind = HALO_KIND_SHARED_REDUCE, own.op = HALO_USER, own.stencil = HALO_STENCIL_FACES, own.combine_user = &user;
        own.combine = [](void *, void *, const void *, int64_t, halo_type, int64_t) { return HALO_SUCCESS; };
        for (const halo_exchange_desc &desc : { sum, own }) {
            halo_exchange *exchange = nullptr, *again = nullptr;
            OK(halo_exchange_create(&u, 1, &desc, &exchange));
            const halo_exchange_desc got = desc_of_exchange(exchange);
            WANT(same(got, desc));
            OK(halo_exchange_create(&u, 1, &got, &again));
            WANT(same(desc_of_exchange(again), desc));
            for (halo_exchange **each : { &again, &exchange }) OK(halo_exchange_destroy(each));
        }
        halo_transfer_desc way = HALO_TRANSFER_DESC_INIT;
        way.op = HALO_TRANSFER_ADD, way.source_ghosts[3] = 1, way.destination_ghosts[1] = 2, way.messages = HALO_MESSAGES_AGGREGATE,
        way.timeout_seconds = 9;
        halo_field *v = make_field(topology, described("v", 2, 2));
        halo_exchange *transfer = nullptr;
        OK(halo_exchange_create_transfer(&u, &v, 1, &way, &transfer));
        halo_exchange_desc of_transfer = HALO_EXCHANGE_DESC_INIT;
        of_transfer.messages = HALO_MESSAGES_AGGREGATE, of_transfer.timeout_seconds = 9;
        WANT(same(desc_of_exchange(transfer), of_transfer));
        halo_transfer_desc got = HALO_TRANSFER_DESC_INIT;
        OK(halo_exchange_get_transfer_desc(transfer, &got));
        WANT(std::memcmp(&got, &way, sizeof way) == 0);
        halo_levels_desc between_levels = HALO_LEVELS_DESC_INIT;
        WANT(halo_exchange_get_levels_desc(transfer, &between_levels) == HALO_ERR_NOT_FOUND);
        WANT(std::strstr(halo_last_error(), "halo_exchange_create_levels has not made it"));
        OK(halo_exchange_destroy(&transfer));
        for (halo_field **each : { &v, &u }) OK(halo_field_destroy(each));
        OK(halo_topology_destroy(&topology));
    });
}

TEST_P(Asked, ADescriptionOfAnExchangeHasItsSections) {
    run(GetParam(), {}, [](Rank &rank) {
        const uint64_t keys[] = { static_cast<uint64_t>(rank.rank), static_cast<uint64_t>((rank.rank + 1) % rank.size) };
        halo_keys_desc points = HALO_KEYS_DESC_INIT;
        points.n_keys = rank.size > 1 ? 2 : 1, points.keys = keys, points.n_mine = 1;
        halo_topology *topology = nullptr;
        OK(halo_topology_create_keys(rank.context, &points, &topology));
        const uint32_t groups[] = { 0, 4 };
        OK(halo_topology_set_sections(topology, groups, points.n_keys));
        halo_field *fields[] = { make_field(topology, described("u", 0, 0)), make_field(topology, described("v", 0, 0)) };
        uint32_t sections[] = { 4, 0 };
        halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT, got = HALO_EXCHANGE_DESC_INIT;
        desc.sections = sections;
        halo_exchange *exchange = nullptr;
        OK(halo_exchange_create(fields, 2, &desc, &exchange));
        sections[0] = 8; // the exchange has a copy
        OK(halo_exchange_get_desc(exchange, &got));
        WANT(got.sections && got.sections != sections && got.sections[0] == 4 && got.sections[1] == 0);
        OK(halo_exchange_destroy(&exchange));
        for (halo_field *&each : fields) OK(halo_field_destroy(&each));
        OK(halo_topology_destroy(&topology));
    });
}

// ---- peers

std::vector<halo_peer_row> peers_of(const halo_exchange *exchange) {
    int64_t n = -1;
    OK(halo_exchange_peers(exchange, sizeof(halo_peer_row), nullptr, 0, &n));
    std::vector<halo_peer_row> rows(static_cast<size_t>(n));
    if (n > 0) OK(halo_exchange_peers(exchange, sizeof(halo_peer_row), rows.data(), n, &n));
    return rows;
}

halo_exchange_stats stats_of(const halo_exchange *exchange) {
    halo_exchange_stats stats = HALO_EXCHANGE_STATS_INIT;
    OK(halo_exchange_get_stats(exchange, &stats));
    return stats;
}

int64_t payload_of_a_run(halo_exchange *exchange, const halo_run *run) {
    const int64_t before = stats_of(exchange).payload_bytes;
    OK(halo_exchange_start(exchange, run, HALO_STREAM_NONE));
    OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
    return stats_of(exchange).payload_bytes - before;
}

int64_t sum(const std::vector<halo_peer_row> &rows, int64_t halo_peer_row::*figure) {
    return std::accumulate(rows.begin(), rows.end(), int64_t{ 0 }, [&](int64_t all, const halo_peer_row &row) { return all + row.*figure; });
}

// By rank, this one is not there, and both ends of each pair tell the same.
void check_ends(const Rank &rank, const std::vector<halo_peer_row> &rows) {
    int32_t last = -1;
    const auto n = static_cast<size_t>(rank.size);
    std::vector<int64_t> told(2 * n * n); // by sender, receiver: bytes and channels, what the sender has more
    for (const halo_peer_row &row : rows) {
        WANT(row.rank > last && row.rank < rank.size && row.rank != rank.rank);
        WANT(row.channels_sent + row.channels_received > 0);
        last = row.rank;
        const size_t sent = static_cast<size_t>(rank.rank) * n + static_cast<size_t>(row.rank);
        const size_t received = static_cast<size_t>(row.rank) * n + static_cast<size_t>(rank.rank);
        told[2 * sent] += row.bytes_sent, told[2 * sent + 1] += row.channels_sent;
        told[2 * received] -= row.bytes_received, told[2 * received + 1] -= row.channels_received;
    }
    OK(halo_context_allreduce(rank.context, told.data(), told.data(), std::ssize(told), HALO_INT64, HALO_SUM));
    for (const int64_t more : told) WANT(more == 0);
}

// Values of one size in all fields: nothing is between them.
void check_peers(const Rank &rank, std::vector<halo_field *> fields, const halo_exchange_desc &desc) {
    for (const int32_t messages : { HALO_MESSAGES_AGGREGATE, HALO_MESSAGES_PER_CHANNEL }) {
        halo_exchange_desc way = desc;
        way.messages = messages;
        halo_exchange *exchange = nullptr;
        OK(halo_exchange_create(fields.data(), static_cast<int32_t>(fields.size()), &way, &exchange));
        const std::vector<halo_peer_row> rows = peers_of(exchange); // before anything has run
        check_ends(rank, rows);
        WANT(payload_of_a_run(exchange, nullptr) == sum(rows, &halo_peer_row::bytes_sent));
        const halo_exchange_stats stats = stats_of(exchange);
        WANT(stats.channels_send == sum(rows, &halo_peer_row::channels_sent));
        WANT(stats.channels_receive == sum(rows, &halo_peer_row::channels_received));
        WANT(stats.n_peers <= std::ssize(rows));
        std::vector<int32_t> first_only(fields.size(), 0);
        first_only[0] = 1;
        halo_run narrow = HALO_RUN_INIT;
        narrow.field_mask = first_only.data(), narrow.n_fields = static_cast<int32_t>(fields.size());
        WANT(payload_of_a_run(exchange, &narrow) <= sum(rows, &halo_peer_row::bytes_sent));
        const std::vector<halo_peer_row> after = peers_of(exchange); // of whole runs still
        WANT(after.size() == rows.size() && (rows.empty() || std::memcmp(after.data(), rows.data(), rows.size() * sizeof rows[0]) == 0));
        OK(halo_exchange_destroy(&exchange));
    }
}

TEST_P(Asked, PeersOfBlocks) {
    run(GetParam(), {}, [](Rank &rank) {
        halo_topology *topology = make_blocks(rank, 2, 3, 4, true);
        std::vector<halo_field *> fields;
        for (const int32_t centring : { HALO_CENTRE_CELL, HALO_CENTRE_NODE }) {
            halo_field_desc desc = described(centring == HALO_CENTRE_CELL ? "cells" : "nodes", 2, 2);
            desc.centring = centring, desc.n_components = 1 + centring % 3;
            fields.push_back(make_field(topology, desc));
        }
        for (const int32_t kind : { HALO_KIND_GHOSTS, HALO_KIND_REVERSE, HALO_KIND_SHARED_REDUCE })
            for (const int32_t shared : { HALO_SHARED_KEEP, HALO_SHARED_OWNER, HALO_SHARED_ONLY }) {
                halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
                desc.kind = kind, desc.shared = shared;
                check_peers(rank, fields, desc);
            }
        halo_exchange_desc sweeps = HALO_EXCHANGE_DESC_INIT;
        sweeps.pattern = HALO_PATTERN_SWEEPS, sweeps.source_stable = 1;
        check_peers(rank, { fields[0] }, sweeps);
        halo_exchange_desc local = HALO_EXCHANGE_DESC_INIT;
        local.edges = HALO_EDGES_LOCAL;
        halo_exchange *exchange = nullptr;
        OK(halo_exchange_create(fields.data(), 1, &local, &exchange));
        WANT(peers_of(exchange).empty());
        OK(halo_exchange_destroy(&exchange));
        for (halo_field *&field : fields) OK(halo_field_destroy(&field));
        OK(halo_topology_destroy(&topology));
    });
}

TEST_P(Asked, PeersOfSparseFieldsAreTheMost) {
    run(GetParam(), {}, [](Rank &rank) {
        halo_topology *topology = make_blocks(rank, 1, 2 * rank.size, 4, true);
        std::vector<halo_peer_row> rows[2];
        for (const int32_t sparse : { 0, 1 }) {
            halo_field_desc desc = described("u", 1, 1);
            desc.sparse = sparse;
            halo_field *field = make_field(topology, desc);
            halo_exchange *exchange = nullptr;
            OK(halo_exchange_create(&field, 1, nullptr, &exchange));
            rows[sparse] = peers_of(exchange);
            const int64_t payload = payload_of_a_run(exchange, nullptr); // all values are 0
            WANT(payload == (sparse ? 0 : sum(rows[0], &halo_peer_row::bytes_sent)));
            OK(halo_exchange_destroy(&exchange));
            OK(halo_field_destroy(&field));
        }
        WANT(rows[0].size() == rows[1].size());
        WANT(rows[0].empty() || std::memcmp(rows[0].data(), rows[1].data(), rows[0].size() * sizeof rows[0][0]) == 0);
        OK(halo_topology_destroy(&topology));
    });
}

// Each rank has ten points of its own and reads two of each other's; rank 1 has none.
TEST_P(Asked, PeersOfKeys) {
    run(GetParam(), {}, [](Rank &rank) {
        std::vector<uint64_t> keys;
        for (int32_t other = 0; other < rank.size && rank.rank != 1; ++other)
            if (other != 1)
                for (uint64_t i = 0; i < (other == rank.rank ? 10 : 2); ++i) keys.push_back(100 * static_cast<uint64_t>(other) + i);
        std::vector<int32_t> owners;
        for (const uint64_t key : keys) owners.push_back(static_cast<int32_t>(key / 100));
        halo_keys_desc desc = HALO_KEYS_DESC_INIT;
        desc.n_keys = std::ssize(keys), desc.keys = keys.data(), desc.owners = owners.data();
        halo_topology *topology = nullptr;
        OK(halo_topology_create_keys(rank.context, &desc, &topology));
        halo_field *field = make_field(topology, described("u", 0, 1));
        const int64_t n_others = rank.rank == 1 ? 0 : rank.size - 1 - (rank.size > 1 ? 1 : 0);
        halo_exchange *exchange = nullptr;
        OK(halo_exchange_create(&field, 1, nullptr, &exchange));
        const std::vector<halo_peer_row> rows = peers_of(exchange);
        WANT(std::ssize(rows) == n_others);
        for (const halo_peer_row &row : rows) WANT(row.bytes_sent == 16 && row.bytes_received == 16);
        OK(halo_exchange_destroy(&exchange));
        for (const int32_t kind : { HALO_KIND_GHOSTS, HALO_KIND_REVERSE, HALO_KIND_SHARED_REDUCE, HALO_KIND_FETCH }) {
            halo_exchange_desc way = HALO_EXCHANGE_DESC_INIT;
            way.kind = kind;
            check_peers(rank, { field }, way);
        }
        OK(halo_field_destroy(&field));
        OK(halo_topology_destroy(&topology));
    });
}

halo_topology *make_line(const Rank &rank, int64_t shift, bool distributed) {
    const int64_t length = 6 * rank.size;
    std::vector<halo_box> boxes;
    std::vector<int32_t> owners;
    for (int32_t owner = 0; owner < rank.size; ++owner) {
        const int64_t low = 6 * ((owner + shift) % rank.size);
        if (distributed && owner != rank.rank) continue;
        boxes.push_back({ { low, 0, 0 }, { low + 6, 1, 1 } });
        owners.push_back(owner);
    }
    halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
    desc.n_dims = 1, desc.domain.high[0] = length, desc.reach = 1, desc.distributed = distributed;
    desc.boxes = boxes.data(), desc.n_boxes = std::ssize(boxes), desc.owner = distributed ? nullptr : owners.data();
    halo_topology *topology = nullptr;
    OK(halo_topology_create_boxes(rank.context, &desc, &topology));
    return topology;
}

TEST_P(Asked, PeersOfTransfers) {
    run(GetParam(), {}, [](Rank &rank) {
        for (const bool distributed : { false, true }) {
            halo_topology *topologies[2] = { make_line(rank, 0, distributed), make_line(rank, 1, distributed) };
            halo_field *fields[2] = {};
            for (int side = 0; side < 2; ++side) fields[side] = make_field(topologies[side], described(side == 0 ? "from" : "to", 0, 1));
            halo_exchange *exchange = nullptr;
            OK(halo_exchange_create_transfer(&fields[0], &fields[1], 1, nullptr, &exchange));
            int64_t n = -1;
            if (distributed) {
                WANT(halo_exchange_peers(exchange, sizeof(halo_peer_row), nullptr, 0, &n) == HALO_ERR_STATE);
                WANT(std::strstr(halo_last_error(), "its peers are not known before it is prepared, or runs") && n == -1);
                OK(halo_exchange_prepare(exchange));
            }
            const std::vector<halo_peer_row> rows = peers_of(exchange);
            check_ends(rank, rows);
            WANT(std::ssize(rows) == (rank.size == 1 ? 0 : rank.size == 2 ? 1 : 2));
            WANT(sum(rows, &halo_peer_row::bytes_received) == (rank.size == 1 ? 0 : 48));
            WANT(payload_of_a_run(exchange, nullptr) == sum(rows, &halo_peer_row::bytes_sent));
            OK(halo_exchange_destroy(&exchange));
            for (int side = 0; side < 2; ++side) {
                OK(halo_field_destroy(&fields[side]));
                OK(halo_topology_destroy(&topologies[side]));
            }
        }
    });
}

// Rows of callers with longer structs, and arrays that are too small.
TEST_P(Asked, PeersInRowsOfAnySize) {
    run(GetParam(), {}, [](Rank &rank) {
        halo_topology *topology = make_blocks(rank, 1, rank.size, 4, true);
        halo_field *field = make_field(topology, described("u", 1, 1));
        halo_exchange *exchange = nullptr;
        OK(halo_exchange_create(&field, 1, nullptr, &exchange));
        const std::vector<halo_peer_row> rows = peers_of(exchange);
        constexpr size_t longer = sizeof(halo_peer_row) + 8;
        std::vector<std::byte> memory(longer * (rows.size() + 1), std::byte{ 0x5a });
        int64_t n = -1;
        OK(halo_exchange_peers(exchange, longer, reinterpret_cast<halo_peer_row *>(memory.data()), std::ssize(rows) + 1, &n));
        WANT(n == std::ssize(rows));
        constexpr std::byte nothing[8] = {};
        for (size_t i = 0; i < rows.size(); ++i) {
            WANT(std::memcmp(memory.data() + i * longer, &rows[i], sizeof rows[i]) == 0);
            WANT(std::memcmp(memory.data() + i * longer + sizeof rows[i], nothing, 8) == 0);
        }
        WANT(memory[rows.size() * longer] == std::byte{ 0x5a }); // behind them nothing is written
        WANT(halo_exchange_peers(exchange, 8, nullptr, 0, &n) == HALO_ERR_VERSION && std::strstr(halo_last_error(), "halo_peer_row: row_bytes is 8"));
        WANT(halo_exchange_peers(exchange, 5000, nullptr, 0, &n) == HALO_ERR_LIMIT);
        if (rows.size() > 1) WANT(halo_exchange_peers(exchange, longer, reinterpret_cast<halo_peer_row *>(memory.data()), 1, &n) == HALO_ERR_LIMIT);
        OK(halo_exchange_destroy(&exchange));
        OK(halo_field_destroy(&field));
        OK(halo_topology_destroy(&topology));
    });
}

// ---- owner masks: those of boxes are compared with the model in box_queries.cpp

std::vector<uint8_t> mask_of(const halo_field *field, int64_t gid) {
    int64_t n = -1;
    OK(halo_field_owner_mask(field, gid, nullptr, 0, &n));
    std::vector<uint8_t> mask(static_cast<size_t>(n), 7);
    if (n > 0) OK(halo_field_owner_mask(field, gid, mask.data(), n, &n));
    return mask;
}

std::vector<int64_t> local_parts(const halo_topology *topology) {
    const int64_t *gids = nullptr;
    int64_t n = 0;
    OK(halo_topology_local_parts(topology, &gids, &n));
    return { gids, gids + n };
}

// The square of a norm over the nodes of a grid, in whole numbers: that of the serial grid, whatever parts and ranks there are.
TEST_P(Asked, ANormOverNodes) {
    run(GetParam(), {}, [](Rank &rank) {
        constexpr int64_t n_blocks = 3, n_cells = 4, period = n_blocks * n_cells;
        const auto value = [](int64_t x, int64_t y) { return 3 * x * x + 7 * y + 1; };
        for (const bool periodic : { false, true }) {
            const int64_t n_nodes = periodic ? period : period + 1;
            int64_t serial = 0;
            for (int64_t y = 0; y < n_nodes; ++y)
                for (int64_t x = 0; x < n_nodes; ++x) serial += value(x, y) * value(x, y);
            halo_topology *topology = make_blocks(rank, 2, n_blocks, n_cells, periodic);
            halo_field_desc desc = described("nodes", 1, 2);
            desc.type = HALO_INT64, desc.centring = HALO_CENTRE_NODE;
            halo_field *field = make_field(topology, desc);
            int64_t mine = 0;
            for (const int64_t gid : local_parts(topology)) {
                halo_part part = HALO_PART_INIT;
                OK(halo_topology_part(topology, gid, &part));
                const std::vector<uint8_t> mask = mask_of(field, gid);
                WANT(std::ssize(mask) == (n_cells + 1) * (n_cells + 1));
                for (int64_t y = 0; y <= n_cells; ++y)
                    for (int64_t x = 0; x <= n_cells; ++x) {
                        const int64_t here = value((part.cells.low[0] + x) % n_nodes, (part.cells.low[1] + y) % n_nodes);
                        mine += mask[static_cast<size_t>(y * (n_cells + 1) + x)] * here * here;
                    }
            }
            int64_t all = 0;
            OK(halo_context_allreduce(rank.context, &mine, &all, 1, HALO_INT64, HALO_SUM));
            WANT(all == serial);
            OK(halo_field_destroy(&field));
            OK(halo_topology_destroy(&topology));
        }
    });
}

// Points: of keys in several parts, ignored ones, ghosts, copies of a rank's own, and what nobody owns.
TEST_P(Asked, OwnerMasksOfPoints) {
    run(GetParam(), {}, [](Rank &rank) {
        const auto first = static_cast<uint64_t>(2 * rank.rank), last = static_cast<uint64_t>(2 * rank.size);
        const uint64_t keys[] = { first, first + 1, first, 1000, (first + 2) % last, 5000 };
        const int32_t flags[] = { HALO_KEY_CLAIM, HALO_KEY_CLAIM, 0, HALO_KEY_IGNORE, HALO_KEY_WANT, HALO_KEY_WANT };
        halo_keys_desc desc = HALO_KEYS_DESC_INIT;
        desc.n_keys = 6, desc.keys = keys, desc.flags = flags, desc.numbering = HALO_NUMBERING_AS_GIVEN;
        halo_topology *topology = nullptr;
        OK(halo_topology_create_keys(rank.context, &desc, &topology));
        halo_field *field = make_field(topology, described("u", 0, 1));
        WANT((mask_of(field, rank.rank) == std::vector<uint8_t>{ 1, 1, 0, 0, 0, 0 }));
        OK(halo_field_destroy(&field));
        OK(halo_topology_destroy(&topology));

        const uint64_t in_parts[] = { first, first + 1, first + 1, (first + 2) % last };
        const int64_t offsets[] = { 0, 2, 2, 4 }; // the one in the middle has none
        const int32_t none[] = { 0, 0, 0, HALO_KEY_WANT };
        desc.n_keys = 4, desc.keys = in_parts, desc.flags = none, desc.n_parts = 3, desc.part_offsets = offsets;
        OK(halo_topology_create_keys(rank.context, &desc, &topology));
        field = make_field(topology, described("u", 0, 1));
        const int64_t part = 3 * rank.rank;
        WANT((mask_of(field, part) == std::vector<uint8_t>{ 1, 1 }) && mask_of(field, part + 1).empty());
        WANT((mask_of(field, part + 2) == std::vector<uint8_t>{ 0, 0 }));
        OK(halo_field_destroy(&field));
        OK(halo_topology_destroy(&topology));

        for (const int32_t sharers : { 0, 1 }) { // a root, a leaf of the next rank's root, and one of its own
            const int32_t ranks[] = { (rank.rank + 1) % rank.size, rank.rank };
            const uint32_t indices[] = { 0, 0 };
            halo_star_desc star = HALO_STAR_DESC_INIT;
            star.sharers = sharers, star.n_points = 3, star.n_leaves = 2, star.ranks = ranks, star.indices = indices;
            OK(halo_topology_create_star(rank.context, &star, &topology));
            field = make_field(topology, described("u", 0, 1));
            WANT((mask_of(field, rank.rank) == std::vector<uint8_t>{ 1, 0, 0 }));
            OK(halo_field_destroy(&field));
            OK(halo_topology_destroy(&topology));
        }
    });
}

TEST_P(Asked, OwnerMasksThatAreRefused) {
    run(GetParam(), {}, [](Rank &rank) {
        halo_topology *topology = make_blocks(rank, 1, rank.size, 4, true);
        halo_field *field = make_field(topology, described("u", 1, 1));
        uint8_t mask[8];
        int64_t n = -1;
        const int64_t gid = local_parts(topology)[0];
        OK(halo_field_owner_mask(field, gid, mask, 8, &n));
        WANT(n == 4);
        WANT(halo_field_owner_mask(field, gid, mask, 3, &n) == HALO_ERR_LIMIT &&
             std::strstr(halo_last_error(), "mask: the array has room for 3, there are 4"));
        WANT(halo_field_owner_mask(field, gid, nullptr, 4, &n) == HALO_ERR_ARGUMENT);
        WANT(halo_field_owner_mask(field, gid, mask, -1, &n) == HALO_ERR_ARGUMENT);
        WANT(halo_field_owner_mask(field, gid, mask, 4, nullptr) == HALO_ERR_ARGUMENT);
        WANT(halo_field_owner_mask(field, rank.size, mask, 4, &n) == HALO_ERR_NOT_FOUND);
        if (rank.size > 1) WANT(halo_field_owner_mask(field, (rank.rank + 1) % rank.size, mask, 4, &n) == HALO_ERR_NOT_FOUND);
        OK(halo_field_destroy(&field));
        OK(halo_topology_destroy(&topology));

        std::vector<int64_t> cells;
        for (int32_t part = 0; part < rank.size; ++part) cells.insert(cells.end(), { 4, 2, 1 });
        halo_regions_desc regions = HALO_REGIONS_DESC_INIT;
        regions.n_dims = 2, regions.cells = cells.data(), regions.n_parts = rank.size, regions.reach = 1;
        OK(halo_topology_create_regions(rank.context, &regions, &topology));
        field = make_field(topology, described("cells", 1, 2));
        WANT((mask_of(field, rank.rank) == std::vector<uint8_t>(8, 1)));
        OK(halo_field_destroy(&field));
        halo_field_desc nodes = described("nodes", 1, 2);
        nodes.centring = HALO_CENTRE_NODE;
        field = make_field(topology, nodes);
        uint8_t many[15];
        WANT(halo_field_owner_mask(field, rank.rank, many, 15, &n) == HALO_ERR_ARGUMENT && std::strstr(halo_last_error(), "joins are of cells"));
        OK(halo_field_destroy(&field));
        OK(halo_topology_destroy(&topology));
    });
}

} // namespace

} // namespace conformance

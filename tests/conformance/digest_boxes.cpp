// SPDX-License-Identifier: BSD-3-Clause
#include "digest_boxes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace conformance {

namespace {

constexpr int32_t ghosts = 2;
constexpr int32_t n_steps = 4;

// A box every three cells or so, cut at places that depend on `seed`; every seventh is left out.
std::vector<halo_box> uneven_boxes(int64_t seed) {
    std::vector<halo_box> boxes;
    for (int64_t z = 0; z < 8; z += 4)
        for (int64_t y = 0; y < 9; y += 3)
            for (int64_t low = 0, x = 0; low < 14; ++x) {
                const int64_t high = std::min<int64_t>(14, low + 2 + (x * seed + y + z) % 4);
                if (std::ssize(boxes) % 7 != 6 || seed == 1) boxes.push_back({ { low, y, z }, { high, y + 3, z + 4 } });
                low = high;
            }
    return boxes;
}

halo_topology *make_boxes(const Rank &rank, int64_t seed) {
    const std::vector<halo_box> boxes = uneven_boxes(seed);
    halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
    desc.domain = { { 0, 0, 0 }, { 14, 9, 8 } };
    desc.periodic[0] = desc.periodic[2] = 1;
    desc.boxes = boxes.data();
    desc.n_boxes = std::ssize(boxes);
    halo_topology *topology = nullptr;
    OK(halo_topology_create_boxes(rank.context, &desc, &topology));
    return topology;
}

// Two squares, the second turned by a quarter against the first.
halo_topology *make_turned(const Rank &rank) {
    static constexpr int64_t cells[] = { 5, 5, 1, 5, 5, 1 };
    static constexpr halo_join joins[] = { { 0, 1, { { 3, 0, 0 }, { 5, 5, 1 } }, { { 0, -2, 0 }, { 5, 0, 1 } }, { 1, 0, 2 }, { -1, 1, 1 } },
                                           { 1, 0, { { 0, 0, 0 }, { 5, 2, 1 } }, { { 5, 0, 0 }, { 7, 5, 1 } }, { 1, 0, 2 }, { 1, -1, 1 } } };
    halo_regions_desc desc = HALO_REGIONS_DESC_INIT;
    desc.n_dims = 2;
    desc.cells = cells;
    desc.n_parts = 2;
    desc.joins = joins;
    desc.n_joins = 2;
    desc.reach = ghosts;
    halo_topology *topology = nullptr;
    OK(halo_topology_create_regions(rank.context, &desc, &topology));
    return topology;
}

class Variable {
public:
    Variable(halo_topology *topology, const char *name, int32_t centring, int32_t n_dims = 3) : topology_(topology) {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = name;
        desc.centring = centring;
        desc.n_components = n_dims;
        desc.vector = 1;
        for (int32_t d = 0; d < n_dims; ++d) desc.ghost_low[d] = desc.ghost_high[d] = ghosts;
        OK(halo_field_create(topology, &desc, &field_));
        OK(halo_field_allocate(field_, -1));
        for_each_value([](int64_t gid, int64_t i, double &value) { value = std::cos(static_cast<double>(gid * 131 + i)) * std::exp2(i % 40); });
    }
    halo_field *field() const { return field_; }

    // Keeps sums from growing without bound.
    void shrink() {
        for_each_value([](int64_t, int64_t, double &value) { value *= 0.125; });
    }
    uint64_t digest() {
        uint64_t sum = 0;
        for_each_value([&](int64_t gid, int64_t i, double &value) {
            uint64_t bits;
            std::memcpy(&bits, &value, sizeof bits);
            bits = (bits ^ static_cast<uint64_t>(gid * 1000003 + i)) * 0x9e3779b97f4a7c15u;
            sum += (bits ^ bits >> 29) * 0xbf58476d1ce4e5b9u >> 24;
        });
        return sum;
    }
    void destroy() { OK(halo_field_destroy(&field_)); }

private:
    template <class Visit>
    void for_each_value(Visit &&visit) {
        const int64_t *gids = nullptr;
        int64_t n = 0;
        OK(halo_topology_local_parts(topology_, &gids, &n));
        for (int64_t p = 0; p < n; ++p) {
            halo_layout layout = HALO_LAYOUT_INIT;
            void *data = nullptr;
            OK(halo_field_layout(field_, gids[p], &layout));
            OK(halo_field_data(field_, gids[p], 0, &data));
            for (int64_t i = 0; i < layout.elements; ++i) visit(gids[p], i, static_cast<double *>(data)[i]);
        }
    }

    halo_topology *topology_;
    halo_field *field_ = nullptr;
};

void run_once(halo_exchange *exchange) {
    OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
    OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
    OK(halo_exchange_destroy(&exchange));
}

void exchange(std::vector<halo_field *> fields, int32_t kind, int32_t shared, int32_t order) {
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.kind = kind;
    desc.shared = shared;
    desc.combine_order = order;
    halo_exchange *exchange = nullptr;
    OK(halo_exchange_create(fields.data(), static_cast<int32_t>(fields.size()), &desc, &exchange));
    run_once(exchange);
}

void transfer(halo_field *from, halo_field *to, int32_t op) {
    halo_transfer_desc desc = HALO_TRANSFER_DESC_INIT;
    desc.op = op;
    for (int d = 0; d < 6; ++d) desc.source_ghosts[d] = desc.destination_ghosts[d] = 1;
    halo_exchange *exchange = nullptr;
    OK(halo_exchange_create_transfer(&from, &to, 1, &desc, &exchange));
    run_once(exchange);
}

} // namespace

uint64_t digest_of_boxes(const Rank &rank) {
    halo_topology *first = make_boxes(rank, 5);
    halo_topology *second = make_boxes(rank, 1);
    halo_topology *turned = make_turned(rank);
    std::vector<Variable> all{ { first, "faces", HALO_CENTRE_FACES },
                               { first, "nodes", HALO_CENTRE_NODE },
                               { second, "other nodes", HALO_CENTRE_NODE },
                               { turned, "velocity", HALO_CENTRE_CELL, 2 } };
    const std::vector<halo_field *> combined{ all[0].field(), all[1].field(), all[3].field() };
    for (int32_t step = 0; step < n_steps; ++step) {
        exchange(combined, HALO_KIND_GHOSTS, HALO_SHARED_OWNER, HALO_COMBINE_BY_GID);
        exchange(combined, HALO_KIND_REVERSE, HALO_SHARED_OWNER, step % 2 == 0 ? HALO_COMBINE_BY_GID : HALO_COMBINE_CANONICAL);
        exchange(combined, HALO_KIND_SHARED_REDUCE, HALO_SHARED_OWNER, step % 2 == 0 ? HALO_COMBINE_CANONICAL : HALO_COMBINE_BY_GID);
        for (Variable &variable : all) variable.shrink();
        transfer(all[1].field(), all[2].field(), step % 2 == 0 ? HALO_TRANSFER_ADD : HALO_TRANSFER_COPY);
        transfer(all[2].field(), all[1].field(), HALO_TRANSFER_COPY);
    }
    int64_t sum = 0;
    for (Variable &variable : all) sum += static_cast<int64_t>(variable.digest());
    OK(halo_context_allreduce(rank.context, &sum, &sum, 1, HALO_INT64, HALO_SUM));
    for (Variable &variable : all) variable.destroy();
    OK(halo_topology_destroy(&first));
    OK(halo_topology_destroy(&second));
    OK(halo_topology_destroy(&turned));
    return static_cast<uint64_t>(sum);
}

} // namespace conformance

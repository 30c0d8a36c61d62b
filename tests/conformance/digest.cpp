// SPDX-License-Identifier: BSD-3-Clause
// A small solver with a dense and a sparse field, and exchanges over boxes. Prints the library's checksum and a digest of all it computed, ghosts
// included: it must be the same however many ranks there are and whatever carries their messages.
//
// usage: halo_digest [--ranks N]     N ranks as threads; without it the ranks of the launcher, or one
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>

#include "digest_boxes.h"
#include "library.h"
#include "ranks.h"
#include "storage.h"

namespace conformance {

namespace {

constexpr int n_steps = 12;
constexpr double threshold = 1e-3;

struct Mesh {
    Grid grid;
    Ghosts ghosts;
    halo_topology *topology = nullptr;
    std::vector<int64_t> gids;
};

Mesh make_mesh(const Rank &rank) {
    Mesh mesh;
    mesh.grid.n_dims = 3;
    mesh.grid.blocks = { 4, 3, 2 };
    mesh.grid.cells = { 5, 4, 6 };
    mesh.grid.periodic = { true, false, true };
    mesh.grid.number();
    mesh.grid.place_by_curve(rank.size);
    mesh.ghosts.low = mesh.ghosts.high = { 1, 1, 1 };
    const halo_blocks_desc desc = mesh.grid.desc();
    OK(halo_topology_create_blocks(rank.context, &desc, &mesh.topology));
    mesh.gids = mesh.grid.local(rank.rank);
    return mesh;
}

halo_field *make_field(const Mesh &mesh, const char *name, bool sparse) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = name;
    for (int d = 0; d < 3; ++d) desc.ghost_low[d] = desc.ghost_high[d] = 1;
    desc.sparse = sparse;
    desc.n_sets = sparse ? 1 : 2;
    desc.threshold = threshold;
    halo_field *field = nullptr;
    OK(halo_field_create(mesh.topology, &desc, &field));
    return field;
}

struct View {
    double *data = nullptr;
    halo_layout layout = HALO_LAYOUT_INIT;
    double &at(const Triple &cell) const { return data[element_at(layout, cell, 0)]; }
};

View view_of(halo_field *field, int64_t gid, int32_t set) {
    View view;
    void *data = nullptr;
    OK(halo_field_data(field, gid, set, &data));
    OK(halo_field_layout(field, gid, &view.layout));
    view.data = static_cast<double *>(data);
    return view;
}

template <class Visit>
void for_each_owned(const Mesh &mesh, Visit &&visit) {
    for_each_cell(mesh.grid, Ghosts{}, visit);
}

// Mean over the 27 cells around, in one written order.
double mean(const View &u, const Triple &cell) {
    double sum = 0;
    for (int64_t z = -1; z <= 1; ++z)
        for (int64_t y = -1; y <= 1; ++y)
            for (int64_t x = -1; x <= 1; ++x) sum += u.at({ cell[0] + x, cell[1] + y, cell[2] + z });
    return sum / 27;
}

void step_dense(const Mesh &mesh, halo_field *u, halo_exchange *exchange, int32_t step) {
    const int32_t old_set = step % 2;
    halo_run run = HALO_RUN_INIT;
    run.n_fields = 1, run.sets = &old_set;
    OK(halo_exchange_start(exchange, &run, HALO_STREAM_NONE));
    OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
    for (const int64_t gid : mesh.gids) {
        const View before = view_of(u, gid, old_set);
        const View after = view_of(u, gid, 1 - old_set);
        for_each_owned(mesh, [&](const Triple &cell) { after.at(cell) = mean(before, cell) + std::sin(before.at(cell)); });
    }
}

halo_status allocate_arrival(void *, const halo_arrival *arrival) { return halo_field_allocate(arrival->field, arrival->gid); }

// The tracer moves one cell along x where there is storage; parts that have become empty give theirs back.
void step_sparse(const Mesh &mesh, halo_field *tracer, halo_exchange *exchange) {
    OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
    OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
    for (const int64_t gid : mesh.gids) {
        const View c = view_of(tracer, gid, 0);
        if (!c.data) continue;
        double most = 0;
        for (int64_t z = 0; z < mesh.grid.cells[2]; ++z)
            for (int64_t y = 0; y < mesh.grid.cells[1]; ++y)
                for (int64_t x = mesh.grid.cells[0] - 1; x >= 0; --x) {
                    c.at({ x, y, z }) = 0.75 * c.at({ x - 1, y, z }) + 0.2 * c.at({ x, y, z });
                    most = std::fmax(most, std::fabs(c.at({ x, y, z })));
                }
        halo_binding nothing = HALO_BINDING_INIT;
        if (most < threshold / 10) OK(halo_field_bind(tracer, gid, &nothing));
    }
}

uint64_t hash_bytes(uint64_t hash, const void *data, size_t bytes) {
    const auto *byte = static_cast<const unsigned char *>(data);
    for (size_t i = 0; i < bytes; ++i) hash = (hash ^ byte[i]) * 1099511628211u;
    return hash;
}

// A sum over parts, so that their order does not matter.
uint64_t digest_of(const Rank &rank, const Mesh &mesh, halo_field *field, int32_t set, int64_t &n_stored) {
    int64_t sums[3] = {}; // low and high half, parts with storage
    for (const int64_t gid : mesh.gids) {
        const View view = view_of(field, gid, set);
        uint64_t hash = hash_bytes(14695981039346656037u, &gid, sizeof gid);
        if (view.data) for_each_cell(mesh.grid, mesh.ghosts, [&](const Triple &cell) { hash = hash_bytes(hash, &view.at(cell), sizeof(double)); });
        sums[0] += static_cast<int64_t>(hash & 0xffffffffu);
        sums[1] += static_cast<int64_t>(hash >> 32);
        sums[2] += view.data != nullptr;
    }
    OK(halo_context_allreduce(rank.context, sums, sums, 3, HALO_INT64, HALO_SUM));
    n_stored = sums[2];
    return static_cast<uint64_t>(sums[0]) + (static_cast<uint64_t>(sums[1]) << 32);
}

void begin(const Mesh &mesh, halo_field *u, halo_field *tracer) {
    OK(halo_field_allocate(u, -1));
    for (const int64_t gid : mesh.gids) {
        for (int32_t set = 0; set < 2; ++set) {
            const View view = view_of(u, gid, set);
            for_each_cell(mesh.grid, mesh.ghosts, [&](const Triple &cell) {
                Triple global;
                const bool inside = mesh.grid.global_cell(gid, cell, global);
                view.at(cell) = inside ? std::cos(static_cast<double>(global[0] * 7 + global[1] * 3 + global[2])) : 0.5;
            });
        }
        if (mesh.grid.coordinates[gid] != Triple{ 1, 1, 0 }) continue;
        OK(halo_field_allocate(tracer, gid));
        view_of(tracer, gid, 0).at({ 3, 2, 2 }) = 100;
    }
}

void solve(Rank &rank) {
    Mesh mesh = make_mesh(rank);
    halo_field *u = make_field(mesh, "u", false);
    halo_field *tracer = make_field(mesh, "tracer", true);
    begin(mesh, u, tracer);
    halo_exchange *dense = nullptr;
    halo_exchange *sparse = nullptr;
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    OK(halo_exchange_create(&u, 1, &desc, &dense));
    desc.arrival = allocate_arrival;
    OK(halo_exchange_create(&tracer, 1, &desc, &sparse));
    for (int32_t step = 0; step < n_steps; ++step) {
        step_dense(mesh, u, dense, step);
        step_sparse(mesh, tracer, sparse);
    }
    int64_t stored = 0;
    const uint64_t first = digest_of(rank, mesh, u, n_steps % 2, stored);
    const uint64_t second = digest_of(rank, mesh, tracer, 0, stored);
    const uint64_t boxes = digest_of_boxes(rank);
    if (prints(rank)) {
        std::printf("library %s\n", library_sha256().c_str());
        std::printf("digest dense %016llx sparse %016llx in %lld parts, boxes %016llx\n", static_cast<unsigned long long>(first),
                    static_cast<unsigned long long>(second), static_cast<long long>(stored), static_cast<unsigned long long>(boxes));
    }
    OK(halo_exchange_destroy(&dense));
    OK(halo_exchange_destroy(&sparse));
    OK(halo_field_destroy(&u));
    OK(halo_field_destroy(&tracer));
    OK(halo_topology_destroy(&mesh.topology));
}

} // namespace

} // namespace conformance

int main(int argc, char **argv) {
    int32_t n_ranks = 0;
    if (argc == 3 && std::strcmp(argv[1], "--ranks") == 0)
        n_ranks = std::atoi(argv[2]);
    else
        conformance::set_processes();
    conformance::run(n_ranks, {}, conformance::solve);
    return testing::Test::HasFailure();
}

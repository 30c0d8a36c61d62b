// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>

#include <halo_sphere.hpp>

namespace {

constexpr int32_t cells = HALO_SPHERE_CELLS, vertices = HALO_SPHERE_VERTICES;
constexpr const char *names[] = { "on cells", "on edges", "on vertices" };

double value(int32_t kind, uint64_t key) { return kind + 3.0 * static_cast<double>(key); }

// What one part stores of a kind.
struct Stored {
    std::vector<uint64_t> keys;
    std::vector<double> values;
};

} // namespace

int main() try {
    const halo::Context context;
    halo_sphere_desc desc = HALO_SPHERE_DESC_INIT; // an icosahedron: ten parallelograms of 8 x 8 squares, each cut into 2 x 2 parts
    desc.n = 8, desc.parts_per_side = 2;
    desc.rings[cells] = desc.rings[HALO_SPHERE_EDGES] = 2; // vertices read the cells and edges around them
    halo::Sphere sphere(context, desc);

    std::vector<halo::Topology> topologies;
    std::vector<halo::Field> fields;
    std::vector<Stored> stored[3]; // of each part
    for (int32_t kind = cells; kind <= vertices; ++kind) {
        topologies.push_back(sphere.topology(kind));
        halo_field_desc field_desc = HALO_FIELD_DESC_INIT;
        field_desc.name = names[kind];
        fields.emplace_back(topologies.back(), field_desc);
        for (const int64_t gid : sphere.local_parts()) {
            Stored &here = stored[kind].emplace_back();
            here.keys = sphere.keys(gid, kind);
            here.values.resize(here.keys.size());
            for (size_t i = 0; i < static_cast<size_t>(sphere.part(gid).n_owned[kind]); ++i) here.values[i] = value(kind, here.keys[i]);
            fields.back().bind(gid, here.values.data());
        }
    }
    halo::Exchange ghosts({ fields[0].get(), fields[1].get(), fields[2].get() }); // one message for each peer
    ghosts.start();
    ghosts.finish();

    int wrong = 0;
    for (size_t p = 0; p < sphere.local_parts().size(); ++p) { // the sum over the cells around each vertex, by local indices and by keys
        const int64_t gid = sphere.local_parts()[p];
        const std::vector<uint32_t> around = sphere.neighbours(gid, vertices, cells);
        for (size_t v = 0; v < static_cast<size_t>(sphere.part(gid).n_owned[vertices]); ++v) {
            uint64_t keys[6];
            int32_t n_keys = 0;
            halo::check(halo_sphere_key_neighbours(desc.solid, desc.n, vertices, stored[vertices][p].keys[v], cells, keys, &n_keys));
            double sum = 0;
            for (size_t k = 0; k < 6 && around[6 * v + k] != HALO_NO_INDEX; ++k) sum += stored[cells][p].values[around[6 * v + k]];
            for (int32_t k = 0; k < n_keys; ++k) sum -= value(cells, keys[k]);
            wrong += sum != 0;
        }
        for (int32_t kind = cells; kind <= vertices; ++kind)
            for (size_t i = 0; i < stored[kind][p].keys.size(); ++i) wrong += stored[kind][p].values[i] != value(kind, stored[kind][p].keys[i]);
    }
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
} catch (const halo::error &failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
}

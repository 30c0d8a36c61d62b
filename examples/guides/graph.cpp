// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cstdio>

#include <halo.hpp>

namespace {

constexpr int64_t nx = 6, ny = 12; // a mesh of cells with four neighbours each; at its border, fewer
constexpr int32_t rings = 2;
constexpr uint64_t nobody = UINT64_MAX;

uint64_t key_of(int64_t x, int64_t y) { return x < 0 || x >= nx || y < 0 || y >= ny ? nobody : static_cast<uint64_t>(x + nx * y); }
std::array<uint64_t, 4> around(uint64_t key) {
    const int64_t x = static_cast<int64_t>(key) % nx, y = static_cast<int64_t>(key) / nx;
    return { key_of(x - 1, y), key_of(x + 1, y), key_of(x, y - 1), key_of(x, y + 1) };
}
double value(uint64_t key) { return static_cast<double>(key * key); }

} // namespace

int main() try {
    const halo::Context context;
    const int64_t rank = context.rank(), n_ranks = context.n_ranks();

    std::vector<uint64_t> keys, neighbours; // this rank's rows of cells, and their neighbours, of whatever rank
    for (int64_t i = nx * (ny * rank / n_ranks); i < nx * (ny * (rank + 1) / n_ranks); ++i) {
        keys.push_back(static_cast<uint64_t>(i));
        for (const uint64_t neighbour : around(keys.back())) neighbours.push_back(neighbour);
    }
    halo_graph_desc desc = HALO_GRAPH_DESC_INIT;
    desc.rings = rings, desc.n_owned = static_cast<int64_t>(keys.size()), desc.keys = keys.data(), desc.neighbours = neighbours.data(),
    desc.width = 4;
    desc.has_skip = 1, desc.skip = nobody;
    const halo::Topology cells(context, desc);
    const std::vector<uint64_t> key = cells.point_keys(); // of each local cell: owned ones as given, then ghosts by ring
    const std::vector<int32_t> ring = cells.rings();

    halo_field_desc field_desc = HALO_FIELD_DESC_INIT;
    field_desc.name = "u";
    std::vector<double> u(key.size());
    halo::Field field(cells, field_desc);
    field.bind(rank, u.data());
    halo::Exchange ghosts({ field });
    for (size_t i = 0; i < keys.size(); ++i) u[i] = value(key[i]);
    ghosts.start();
    ghosts.finish();

    int wrong = 0;
    for (size_t i = 0; i < u.size(); ++i) wrong += u[i] != value(key[i]) || (ring[i] == 0) != (i < keys.size()) || ring[i] > rings;

    const auto &[begin, local] = cells.graph_rows(); // the tables again, by local index: of owned cells and of ghosts of ring 1
    for (size_t i = 0; i + 1 < begin.size(); ++i)    // so a stencil can run there without another exchange
        for (size_t j = 0; j < 4; ++j) {
            const uint32_t neighbour = local[static_cast<size_t>(begin[i]) + j];
            wrong += (neighbour == HALO_NO_INDEX ? nobody : key[neighbour]) != around(key[i])[j];
        }
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
} catch (const halo::error &failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
}

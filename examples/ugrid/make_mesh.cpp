// SPDX-License-Identifier: BSD-3-Clause
// Write an icosahedral grid to a NetCDF file: meshes to try ugrid with.
//   ugrid_mesh FILE SQUARES [ugrid|icon|hexagons]    triangles in the conventions of UGRID or as ICON has them; hexagons and pentagons in those of
//   UGRID
#include "mesh.h"

#include <halo_sphere.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace {

constexpr std::int32_t solid = HALO_SPHERE_ICOSAHEDRON;

/// The faces of one kind, with those of the other for nodes.
ugrid::Mesh make_mesh(std::int64_t n, std::int32_t faces, std::int32_t nodes) {
    const auto count = [&](std::int32_t kind) { return static_cast<std::uint64_t>(kind == HALO_SPHERE_CELLS ? 20 * n * n : 10 * n * n + 2); };
    ugrid::Mesh mesh;
    for (std::uint64_t node = 0; node < count(nodes); ++node) {
        double at[3];
        halo::check(halo_sphere_position(solid, n, nodes, node, at));
        mesh.longitude.push_back(std::atan2(at[1], at[0]));
        mesh.latitude.push_back(std::asin(at[2]));
    }
    for (std::uint64_t face = 0; face < count(faces); ++face) {
        std::uint64_t around[6];
        std::int32_t n_around = 0;
        halo::check(halo_sphere_key_neighbours(solid, n, faces, face, nodes, around, &n_around));
        mesh.nodes.insert(mesh.nodes.end(), around, around + n_around);
        mesh.first.push_back(std::ssize(mesh.nodes));
    }
    return mesh;
}

} // namespace

int main(int argc, char **argv) {
    try {
        const std::string kind = argc > 3 ? argv[3] : "ugrid";
        if (argc < 3 || (kind != "ugrid" && kind != "icon" && kind != "hexagons"))
            throw std::runtime_error("usage: ugrid_mesh FILE SQUARES [ugrid|icon|hexagons]");
        const bool hexagons = kind == "hexagons";
        const auto mesh =
            make_mesh(std::stoll(argv[2]), hexagons ? HALO_SPHERE_VERTICES : HALO_SPHERE_CELLS, hexagons ? HALO_SPHERE_CELLS : HALO_SPHERE_VERTICES);
        ugrid::write_mesh(mesh, argv[1], kind == "icon" ? ugrid::Format::icon : ugrid::Format::ugrid);
        std::printf("%s: %lld faces, %zu nodes\n", argv[1], static_cast<long long>(mesh.n_faces()), mesh.longitude.size());
        return EXIT_SUCCESS;
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "ugrid_mesh: %s\n", failure.what());
        return EXIT_FAILURE;
    }
}

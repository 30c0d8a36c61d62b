// SPDX-License-Identifier: BSD-3-Clause
// Ghosts of a mesh from a NetCDF file: read, cut by METIS, k rings around each part. One program for every way to run it:
//   ugrid FILE                          alone
//   mpirun -n 4 ugrid FILE              with MPI, though nothing here links it
//   ugrid --inproc 4 FILE               ranks as threads of one process
// `--rings K` (2); `--picture PREFIX` writes the faces with the rings of rank 0, for draw.py. Every rank reads the whole file: it is as small as
// that.
#include "mesh.h"
#include "program.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <stdexcept>
#include <string>

namespace {

struct Arguments {
    std::int32_t n_rings = 2;
    std::string picture, file;
};

/// The rings of a rank by a search over the whole mesh: 0 for its own faces, -1 for what lies farther out.
std::vector<std::int32_t> search_rings(const ugrid::Neighbours &neighbours, const std::vector<std::int32_t> &parts, std::int32_t rank,
                                       std::int32_t n_rings) {
    std::vector<std::int32_t> rings(parts.size(), -1);
    for (std::size_t face = 0; face < parts.size(); ++face)
        if (parts[face] == rank) rings[face] = 0;
    for (std::int32_t ring = 0; ring < n_rings; ++ring)
        for (std::size_t face = 0; face < parts.size(); ++face)
            if (rings[face] == ring)
                for (auto k = neighbours.first[face]; k < neighbours.first[face + 1]; ++k) {
                    auto &other = rings[static_cast<std::size_t>(neighbours.faces[static_cast<std::size_t>(k)])];
                    if (other < 0) other = ring + 1;
                }
    return rings;
}

/// What this rank tells the library: its faces, their neighbours, and who owns those.
halo::Topology make_topology(const halo::Context &context, const ugrid::Neighbours &neighbours, const std::vector<std::int32_t> &parts,
                             std::int32_t n_rings) {
    std::vector<std::uint64_t> own, around;
    std::vector<std::int64_t> offsets{ 0 };
    std::vector<std::int32_t> owners;
    for (std::size_t face = 0; face < parts.size(); ++face) {
        if (parts[face] != context.rank()) continue;
        own.push_back(face);
        for (auto k = neighbours.first[face]; k < neighbours.first[face + 1]; ++k) {
            around.push_back(static_cast<std::uint64_t>(neighbours.faces[static_cast<std::size_t>(k)]));
            owners.push_back(parts[static_cast<std::size_t>(around.back())]);
        }
        offsets.push_back(std::ssize(around));
    }
    owners.push_back(0); // a rank without faces gives a list too
    halo_graph_desc desc = HALO_GRAPH_DESC_INIT;
    desc.rings = n_rings;
    desc.n_owned = std::ssize(own), desc.keys = own.data();
    desc.offsets = offsets.data(), desc.neighbours = around.data(), desc.owners = owners.data();
    return halo::Topology(context, desc);
}

double value(std::uint64_t face) { return std::sqrt(static_cast<double>(face) + 2); }

/// Ghosts that have not the value of their face, or are not in the ring that the search finds; and faces that are missing.
std::int64_t count_wrong(const halo::Context &context, const halo::Topology &topology, halo::Exchange &exchange, const double *values,
                         const std::vector<std::int32_t> &right) {
    const auto keys = topology.point_keys();
    const auto rings = topology.rings();
    exchange.start();
    exchange.finish();
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) wrong += values[i] != value(keys[i]) || rings[i] != right[static_cast<std::size_t>(keys[i])];
    wrong += std::abs(std::count_if(right.begin(), right.end(), [](auto ring) { return ring >= 0; }) - std::ssize(keys));
    return context.allreduce(wrong, HALO_SUM);
}

void report(const halo::Context &context, const halo::Topology &topology, std::int32_t n_rings, const halo_exchange_stats &stats) {
    const auto rings = topology.rings();
    std::vector<std::int64_t> counts;
    for (std::int32_t ring = 0; ring <= n_rings; ++ring) counts.push_back(std::count(rings.begin(), rings.end(), ring));
    std::vector<std::int64_t> least = counts, most = counts;
    context.allreduce(std::span<std::int64_t>(least), HALO_MIN);
    context.allreduce(std::span<std::int64_t>(most), HALO_MAX);
    std::int64_t sent[] = { stats.messages_sent, stats.payload_bytes };
    context.allreduce(std::span<std::int64_t>(sent), HALO_SUM);
    if (context.rank() != 0) return;
    for (std::size_t ring = 0; ring < counts.size(); ++ring)
        std::printf("  %s %zu: %lld to %lld faces on a rank\n", ring == 0 ? "own, ring" : "ghosts, ring", ring, static_cast<long long>(least[ring]),
                    static_cast<long long>(most[ring]));
    std::printf("  an exchange: %lld bytes of values between all ranks, the first one with %lld messages\n", static_cast<long long>(sent[1]),
                static_cast<long long>(sent[0]));
}

/// One line for each face: its ring, its number, then the corners of its polygon.
void write_picture(const ugrid::Mesh &mesh, const std::vector<std::int32_t> &rings, const std::string &file) {
    std::ofstream out(file);
    for (std::int64_t face = 0; face < mesh.n_faces(); ++face) {
        out << rings[static_cast<std::size_t>(face)] << ' ' << face;
        for (const std::int64_t node : mesh.nodes_of(face)) {
            const double longitude = mesh.longitude[static_cast<std::size_t>(node)], latitude = mesh.latitude[static_cast<std::size_t>(node)];
            out << ' ' << std::cos(latitude) * std::cos(longitude) << ' ' << std::cos(latitude) * std::sin(longitude) << ' ' << std::sin(latitude);
        }
        out << '\n';
    }
    if (!out.flush()) throw std::runtime_error(file + ": cannot be written");
}

/// What one rank does.
bool run_all(const halo::Context &context, const Arguments &arguments) {
    static std::mutex one_rank; // NetCDF and METIS serve one thread at a time
    std::unique_lock alone(one_rank);
    const ugrid::Mesh mesh = ugrid::read_mesh(arguments.file);
    const auto neighbours = ugrid::find_neighbours(mesh);
    const auto parts = ugrid::cut(neighbours, context.n_ranks());
    alone.unlock();
    const auto right = search_rings(neighbours, parts, context.rank(), arguments.n_rings);

    const halo::Topology topology = make_topology(context, neighbours, parts, arguments.n_rings);
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = "values";
    halo::Field field(topology, desc);
    field.allocate();
    double *values = field.data(context.rank());
    const auto keys = topology.point_keys();
    for (std::size_t i = 0; i < keys.size(); ++i) values[i] = parts[static_cast<std::size_t>(keys[i])] == context.rank() ? value(keys[i]) : -1;
    halo::Exchange exchange({ field });
    const std::int64_t wrong = count_wrong(context, topology, exchange, values, right);

    if (context.rank() == 0)
        std::printf("%s: %lld faces, %zu nodes, %d ranks\n", arguments.file.c_str(), static_cast<long long>(mesh.n_faces()), mesh.longitude.size(),
                    context.n_ranks());
    report(context, topology, arguments.n_rings, exchange.stats());
    if (context.rank() == 0) {
        std::printf("ghosts that are not those of a search over the whole mesh: %lld   %s\n", static_cast<long long>(wrong),
                    wrong == 0 ? "pass" : "FAIL");
        if (!arguments.picture.empty()) write_picture(mesh, right, arguments.picture + "_0.txt");
    }
    return wrong == 0;
}

} // namespace

int main(int argc, char **argv) {
    Arguments arguments;
    CLI::App options("Ghosts of a mesh from a file of UGRID or ICON", "ugrid");
    options.add_option("--rings", arguments.n_rings, "of ghosts")->check(CLI::PositiveNumber)->capture_default_str();
    options.add_option("--picture", arguments.picture, "prefix of a file for draw.py: the faces with the rings of rank 0");
    options.add_option("FILE", arguments.file, "NetCDF")->required();
    return ranks::run_program(options, argc, argv, [&](const halo::Context &context) { return run_all(context, arguments); });
}

// SPDX-License-Identifier: BSD-3-Clause
#include "vtk_file.h"

#include "manufactured.h"

#include <bit>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace fem {

namespace {

static_assert(std::endian::native == std::endian::little, "the files say little-endian");

std::string opening(const std::string &type) {
    std::string text("<?xml version=\"1.0\"?>\n<VTKFile type=\"");
    return text.append(type).append("\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n");
}

/// The arrays of a file: named in its head, stored behind it, each after its size in bytes.
class Arrays {
public:
    template <class T>
    std::string add(const std::string &name, const std::string &type, int components, const std::vector<T> &values) {
        const auto offset = bytes_.size();
        const std::uint64_t size = values.size() * sizeof(T);
        append(&size, sizeof size);
        append(values.data(), size);
        return "<DataArray type=\"" + type + "\" Name=\"" + name + "\" NumberOfComponents=\"" + std::to_string(components) +
               "\" format=\"appended\" offset=\"" + std::to_string(offset) + "\"/>\n";
    }
    const std::string &bytes() const { return bytes_; }

private:
    void append(const void *data, std::size_t size) { bytes_.append(static_cast<const char *>(data), size); }

    std::string bytes_;
};

/// What goes into one file, numbered without the nodes that only the halo has.
struct Piece {
    std::vector<double> positions, values, errors;
    std::vector<std::int64_t> corners, ends;
    std::vector<std::uint8_t> types;
    std::vector<std::int32_t> ranks;
};

Piece make_piece(const Space &space, const std::vector<double> &solution, std::int32_t rank) {
    constexpr std::uint8_t vtk_tetrahedron = 10;
    const auto &mesh = space.mesh();
    Piece piece;
    std::vector<std::int64_t> place(mesh.nodes.size(), -1);
    for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
        const auto &node = mesh.nodes[i];
        if (!node.of_own_element) continue;
        place[i] = static_cast<std::int64_t>(piece.values.size());
        piece.positions.insert(piece.positions.end(), node.position.begin(), node.position.end());
        piece.values.push_back(solution[i]);
        piece.errors.push_back(solution[i] - exact_solution(node.position));
    }
    for (const auto &tetrahedron : mesh.tetrahedra) {
        if (!tetrahedron.own) continue;
        for (const auto node : tetrahedron.nodes) piece.corners.push_back(place[node]);
        piece.ends.push_back(static_cast<std::int64_t>(piece.corners.size()));
        piece.types.push_back(vtk_tetrahedron);
        piece.ranks.push_back(rank);
    }
    return piece;
}

void write_piece(const Piece &piece, const std::string &file) {
    Arrays arrays;
    std::ofstream out(file, std::ios::binary);
    out << opening("UnstructuredGrid") << "<UnstructuredGrid>\n<Piece NumberOfPoints=\"" << piece.values.size() << "\" NumberOfCells=\""
        << piece.types.size() << "\">\n<Points>\n"
        << arrays.add("position", "Float64", 3, piece.positions) << "</Points>\n<Cells>\n"
        << arrays.add("connectivity", "Int64", 1, piece.corners) << arrays.add("offsets", "Int64", 1, piece.ends)
        << arrays.add("types", "UInt8", 1, piece.types) << "</Cells>\n<PointData Scalars=\"solution\">\n"
        << arrays.add("solution", "Float64", 1, piece.values) << arrays.add("error", "Float64", 1, piece.errors) << "</PointData>\n<CellData>\n"
        << arrays.add("rank", "Int32", 1, piece.ranks) << "</CellData>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_"
        << arrays.bytes() << "\n</AppendedData>\n</VTKFile>\n";
    if (!out.flush()) throw std::runtime_error(file + ": cannot be written");
}

std::string piece_file(const std::string &prefix, std::int32_t rank) { return prefix + "_" + std::to_string(rank) + ".vtu"; }

void write_index(const std::string &prefix, std::int32_t n_ranks) {
    std::ofstream out(prefix + ".pvtu");
    out << opening("PUnstructuredGrid") << "<PUnstructuredGrid GhostLevel=\"0\">\n"
        << "<PPoints>\n<PDataArray type=\"Float64\" Name=\"position\" NumberOfComponents=\"3\"/>\n</PPoints>\n"
        << "<PPointData Scalars=\"solution\">\n<PDataArray type=\"Float64\" Name=\"solution\"/>\n<PDataArray type=\"Float64\" "
           "Name=\"error\"/>\n</PPointData>\n"
        << "<PCellData>\n<PDataArray type=\"Int32\" Name=\"rank\"/>\n</PCellData>\n";
    const auto name = std::filesystem::path(prefix).filename().string();
    for (std::int32_t rank = 0; rank < n_ranks; ++rank) out << "<Piece Source=\"" << piece_file(name, rank) << "\"/>\n";
    out << "</PUnstructuredGrid>\n</VTKFile>\n";
    if (!out.flush()) throw std::runtime_error(prefix + ".pvtu: cannot be written");
}

} // namespace

void write_vtk(const halo::Context &context, const Space &space, const std::vector<double> &solution, const std::string &prefix) {
    write_piece(make_piece(space, solution, context.rank()), piece_file(prefix, context.rank()));
    if (context.rank() == 0) write_index(prefix, context.n_ranks());
}

} // namespace fem

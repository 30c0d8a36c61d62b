// SPDX-License-Identifier: BSD-3-Clause
#include "matrix.h"

#include <algorithm>
#include <cmath>

namespace fem {

namespace {

Point difference(const Point &a, const Point &b) { return { a[0] - b[0], a[1] - b[1], a[2] - b[2] }; }
Point cross(const Point &a, const Point &b) { return { a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0] }; }
double dot(const Point &a, const Point &b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

std::array<Point, 4> corners_of(const Mesh &mesh, const Tetrahedron &tetrahedron) {
    std::array<Point, 4> corners;
    for (std::size_t i = 0; i < 4; ++i) corners[i] = mesh.nodes[tetrahedron.nodes[i]].position;
    return corners;
}

/// Six times the volume, with a sign.
double determinant(const std::array<Point, 4> &corners) {
    return dot(difference(corners[1], corners[0]), cross(difference(corners[2], corners[0]), difference(corners[3], corners[0])));
}

using Small = std::array<std::array<double, 4>, 4>;

/// The gradient of the hat function at corner i is the normal of the face across from it, divided by the determinant.
Small stiffness(const std::array<Point, 4> &corners) {
    std::array<Point, 4> normals;
    for (std::size_t i = 0; i < 4; ++i) {
        const auto &a = corners[(i + 1) % 4], &b = corners[(i + 2) % 4], &c = corners[(i + 3) % 4];
        normals[i] = cross(difference(b, a), difference(c, a));
        if (i % 2 == 1) normals[i] = { -normals[i][0], -normals[i][1], -normals[i][2] };
    }
    const double scale = 1 / (6 * std::fabs(determinant(corners)));
    Small small;
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 4; ++j) small[i][j] = dot(normals[i], normals[j]) * scale;
    return small;
}

/// Nodes of the tetrahedra around each owned node, by key, none twice.
void find_columns(const Space &space, Matrix &matrix) {
    const auto &mesh = space.mesh();
    std::vector<std::vector<std::uint32_t>> rows(space.n_owned());
    for (const auto &tetrahedron : mesh.tetrahedra)
        for (const auto row : tetrahedron.nodes)
            if (row < rows.size()) rows[row].insert(rows[row].end(), tetrahedron.nodes.begin(), tetrahedron.nodes.end());
    matrix.first.push_back(0);
    for (std::uint32_t row = 0; row < rows.size(); ++row) {
        auto &columns = rows[row];
        std::sort(columns.begin(), columns.end(), [&](auto a, auto b) { return mesh.nodes[a].key < mesh.nodes[b].key; });
        columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
        const bool needs_others = std::any_of(columns.begin(), columns.end(), [&](auto column) { return column >= space.n_owned(); });
        (needs_others ? matrix.border : matrix.core).push_back(row);
        matrix.columns.insert(matrix.columns.end(), columns.begin(), columns.end());
        matrix.first.push_back(matrix.columns.size());
        columns = {};
    }
    matrix.values.assign(matrix.columns.size(), 0.0);
}

} // namespace

double volume(const Mesh &mesh, const Tetrahedron &tetrahedron) { return std::fabs(determinant(corners_of(mesh, tetrahedron))) / 6; }

Matrix assemble_stiffness(const Space &space) {
    Matrix matrix;
    find_columns(space, matrix);
    for (const auto &tetrahedron : space.mesh().tetrahedra) {
        const auto small = stiffness(corners_of(space.mesh(), tetrahedron));
        for (std::size_t i = 0; i < 4; ++i) {
            const auto row = tetrahedron.nodes[i];
            if (row >= space.n_owned()) continue;
            for (std::size_t j = 0; j < 4; ++j) {
                const auto begin = matrix.columns.begin() + static_cast<std::ptrdiff_t>(matrix.first[row]);
                const auto entry = std::find(begin, matrix.columns.end(), tetrahedron.nodes[j]) - matrix.columns.begin();
                matrix.values[static_cast<std::size_t>(entry)] += small[i][j];
            }
        }
    }
    return matrix;
}

std::vector<double> assemble_load(const Space &space, const std::vector<double> &values) {
    std::vector<double> load(space.n_owned(), 0.0);
    for (const auto &tetrahedron : space.mesh().tetrahedra) {
        const auto &nodes = tetrahedron.nodes;
        const double share = volume(space.mesh(), tetrahedron) / 20;
        const double sum = values[nodes[0]] + values[nodes[1]] + values[nodes[2]] + values[nodes[3]];
        for (const auto node : nodes)
            if (node < load.size()) load[node] += share * (sum + values[node]);
    }
    return load;
}

void Matrix::multiply(const std::vector<std::uint32_t> &rows, const std::vector<double> &x, std::vector<double> &product) const {
    for (const auto row : rows) {
        double sum = 0;
        for (std::size_t entry = first[row]; entry < first[row + 1]; ++entry) sum += values[entry] * x[columns[entry]];
        product[row] = sum;
    }
}

std::vector<double> Matrix::diagonal() const {
    std::vector<double> diagonal(first.size() - 1);
    for (std::uint32_t row = 0; row < diagonal.size(); ++row)
        for (std::size_t entry = first[row]; entry < first[row + 1]; ++entry)
            if (columns[entry] == row) diagonal[row] = values[entry];
    return diagonal;
}

double Matrix::greatest_row_sum() const {
    double greatest = 0;
    for (std::size_t row = 0; row + 1 < first.size(); ++row) {
        double sum = 0, size = 0;
        for (std::size_t entry = first[row]; entry < first[row + 1]; ++entry) {
            sum += values[entry];
            size += std::fabs(values[entry]);
        }
        greatest = std::max(greatest, std::fabs(sum) / size);
    }
    return greatest;
}

} // namespace fem

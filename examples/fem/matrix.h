// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "space.h"

#include <cstdint>
#include <vector>

namespace fem {

/// Rows of the owned nodes. Entries of a row stand in the order of their nodes' keys and are summed by the keys of the tetrahedra, so a row has the
/// same bits on whatever rank it is.
struct Matrix {
    std::vector<std::size_t> first;     ///< of each row; one more at the end
    std::vector<std::uint32_t> columns; ///< nodes
    std::vector<double> values;
    std::vector<std::uint32_t> core;   ///< rows whose columns are owned: they need no exchange
    std::vector<std::uint32_t> border; ///< the other rows

    /// product[row] = sum of the row's entries times x, for these rows.
    void multiply(const std::vector<std::uint32_t> &rows, const std::vector<double> &x, std::vector<double> &product) const;
    std::vector<double> diagonal() const;

    /// Greatest |sum of a row| / (sum of the sizes of its entries): constants have no gradient.
    double greatest_row_sum() const;
};

/// Integrals of the products of gradients of the hat functions.
Matrix assemble_stiffness(const Space &space);

/// Integrals of hat functions times the function that has these values at the nodes and is linear between. Of owned nodes.
std::vector<double> assemble_load(const Space &space, const std::vector<double> &values);

/// Of one tetrahedron.
double volume(const Mesh &mesh, const Tetrahedron &tetrahedron);

} // namespace fem

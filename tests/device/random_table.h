// SPDX-License-Identifier: BSD-3-Clause
// Random copy tables with their storage, and the plainest way to carry them out.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "halo_plugin.h"

namespace halo::test {

using Random = std::mt19937_64;

// Inclusive.
int64_t pick(Random &random, int64_t low, int64_t high);
template <class T>
T one_of(Random &random, const std::vector<T> &values) {
    return values[static_cast<size_t>(pick(random, 0, static_cast<int64_t>(values.size()) - 1))];
}

// What random shapes may look like.
struct ShapeLimits {
    std::vector<uint32_t> element_bytes = { 1, 2, 3, 4, 7, 8, 16, 24 };
    std::vector<uint32_t> run = { 0, 1, 2, 3, 4, 5, 8, 16, 33 };
    uint32_t most_lines = 5;  // along each outer index
    bool contiguous = false;  // along x, on both sides
    bool same_layout = false; // of the destination and all sources
    bool permuted = true;     // any order of the indices in memory, either sign
    bool gaps = true;         // between pieces
};

class RandomTable {
public:
    RandomTable(Random &random, const ShapeLimits &limits, int n_shapes, int rows_per_shape);

    const std::vector<halo_copy_shape> &shapes() const { return shapes_; }
    const std::vector<halo_copy_row> &rows() const { return rows_; }
    std::vector<std::vector<unsigned char>> &storage() { return storage_; }
    std::vector<void *> bases() { return bases_of(storage_); }
    static std::vector<void *> bases_of(std::vector<std::vector<unsigned char>> &storage);
    // Base 0 belongs to no row.
    void add_row(Random &random, uint32_t shape);

private:
    // Strides of x, y, z, component and where the first element lies in as many bytes as are needed.
    struct Layout {
        int64_t stride[4];
        int64_t first;
        int64_t bytes;
    };
    Layout random_layout(Random &random, const ShapeLimits &limits, int64_t element_bytes, int64_t nx, const uint32_t *n);
    void add_shape(Random &random, const ShapeLimits &limits);

    struct Extent {
        Layout dst;
        Layout src[HALO_COPY_PIECES];
    };
    std::vector<halo_copy_shape> shapes_;
    std::vector<Extent> extents_;
    std::vector<halo_copy_row> rows_;
    std::vector<std::vector<unsigned char>> storage_;
};

// Calls `each(destination, source)` for every element of the row, in its order.
void for_each_element(const halo_copy_shape &shape, const halo_copy_row &row, void *const *bases,
                      const std::function<void(unsigned char *, const unsigned char *)> &each);

} // namespace halo::test

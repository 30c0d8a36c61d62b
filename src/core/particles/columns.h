// SPDX-License-Identifier: BSD-3-Clause
// What a particle consists of: an element in each column, and in them its position and vectors.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <optional>
#include <vector>

#include "base/terms.h"
#include "halo_particles.h"
#include "topology/edge.h"

namespace halo {

// Arrays of one part, or of some particles in a message: one for each column.
using ColumnPointers = const std::byte *const *;

class ParticleColumns {
public:
    // Of n_dims directions.
    ParticleColumns(const halo_particles_desc &desc, int32_t n_dims);

    size_t size() const { return bytes_.size(); }
    size_t bytes(size_t column) const { return bytes_[column]; }
    // Of the elements of all columns before this one: of size(), all.
    size_t bytes_before(size_t column) const { return before_[column]; }
    size_t record_bytes() const { return before_.back(); }
    bool has_position() const { return position_.has_value(); }
    int32_t n_dims() const { return n_dims_; }
    Terms terms() const;

    // Component d of the positions of a part: the first one, and from each to the next.
    struct Component {
        const std::byte *first;
        size_t stride;
        double operator[](int64_t i) const {
            double value;
            std::memcpy(&value, first + static_cast<size_t>(i) * stride, sizeof value);
            return value;
        }
    };
    Component position(ColumnPointers data, size_t d) const;

    // In particle `i` of `n` that lie column by column.
    void set_position(std::byte *columns, int64_t n, int64_t i, const std::array<double, 3> &position) const;
    void turn_vectors(std::byte *columns, int64_t n, int64_t i, const AxisMap &map) const;

private:
    void read_columns(const halo_particles_desc &desc);
    halo_particle_vector checked(const halo_particle_vector &vector, const char *what) const;
    std::byte *component(std::byte *columns, int64_t n, int64_t i, const halo_particle_vector &vector, size_t d) const;

    int32_t n_dims_;
    std::vector<size_t> bytes_;
    std::vector<size_t> before_{ 0 };
    std::optional<halo_particle_vector> position_;
    std::vector<halo_particle_vector> vectors_;
};

} // namespace halo

// SPDX-License-Identifier: BSD-3-Clause
#include "particles/columns.h"

#include "base/checked.h"

namespace halo {

namespace {

constexpr int64_t most_listed = 1024; // columns, vectors
constexpr int64_t most_bytes = 1 << 20;

std::string text_of(const halo_particle_vector &vector, int32_t n_dims) {
    std::string text;
    for (int32_t d = 0; d < n_dims; ++d)
        text += format("%scolumn %d byte %lld", d == 0 ? "" : ", ", vector.column[d], static_cast<long long>(vector.offset[d]));
    return text;
}

} // namespace

ParticleColumns::ParticleColumns(const halo_particles_desc &desc, int32_t n_dims) : n_dims_(n_dims) {
    read_columns(desc);
    if (desc.n_vectors < 0) fail(HALO_ERR_ARGUMENT, "particles: %d vectors", desc.n_vectors);
    check_limit("particles: n_vectors", desc.n_vectors, most_listed);
    if (desc.n_vectors > 0 && !desc.vectors) fail(HALO_ERR_ARGUMENT, "particles: %d vectors, and vectors is NULL", desc.n_vectors);
    if (desc.n_vectors > 0 && !desc.position)
        fail(HALO_ERR_ARGUMENT, "particles: %d vectors without a position: nothing is known of how they turn", desc.n_vectors);
    if (desc.position) position_ = checked(*desc.position, "the position");
    for (int32_t i = 0; i < desc.n_vectors; ++i) vectors_.push_back(checked(desc.vectors[i], format("vector %d", i).c_str()));
}

void ParticleColumns::read_columns(const halo_particles_desc &desc) {
    if (desc.n_columns < 1) fail(HALO_ERR_ARGUMENT, "particles: %d columns; there must be 1 or more", desc.n_columns);
    check_limit("particles: n_columns", desc.n_columns, most_listed);
    if (!desc.column_bytes) fail(HALO_ERR_ARGUMENT, "particles: column_bytes is NULL");
    Checked all = 0;
    for (int32_t c = 0; c < desc.n_columns; ++c) {
        if (desc.column_bytes[c] < 1)
            fail(HALO_ERR_ARGUMENT, "particles: an element of column %d has %lld bytes", c, static_cast<long long>(desc.column_bytes[c]));
        all = all + desc.column_bytes[c];
        bytes_.push_back(static_cast<size_t>(desc.column_bytes[c]));
        before_.push_back(static_cast<size_t>(all.value("particles: the bytes of a particle", most_bytes)));
    }
}

halo_particle_vector ParticleColumns::checked(const halo_particle_vector &vector, const char *what) const {
    for (int32_t d = 0; d < n_dims_; ++d) {
        const int32_t column = vector.column[d];
        if (column < 0 || column >= static_cast<int32_t>(size()))
            fail(HALO_ERR_ARGUMENT, "particles: %s along direction %d is in column %d; there are columns 0 to %zu", what, d, column, size() - 1);
        const auto bytes = static_cast<int64_t>(bytes_[static_cast<size_t>(column)]);
        if (vector.offset[d] < 0 || vector.offset[d] > bytes - static_cast<int64_t>(sizeof(double)))
            fail(HALO_ERR_ARGUMENT, "particles: %s along direction %d begins at byte %lld of column %d, whose elements have %lld", what, d,
                 static_cast<long long>(vector.offset[d]), column, static_cast<long long>(bytes));
    }
    return vector;
}

Terms ParticleColumns::terms() const {
    Terms terms;
    terms.add("columns of a particle", std::to_string(size()));
    for (size_t c = 0; c < size(); ++c) terms.add("column " + std::to_string(c), std::to_string(bytes_[c]), "bytes");
    terms.add("position", position_ ? text_of(*position_, n_dims_) : "none");
    terms.add("list of vectors", std::to_string(vectors_.size()), "vectors");
    for (size_t i = 0; i < vectors_.size(); ++i) terms.add("vector " + std::to_string(i), text_of(vectors_[i], n_dims_));
    return terms;
}

ParticleColumns::Component ParticleColumns::position(ColumnPointers data, size_t d) const {
    const auto column = static_cast<size_t>(position_->column[d]);
    return { data[column] + position_->offset[d], bytes_[column] };
}

std::byte *ParticleColumns::component(std::byte *columns, int64_t n, int64_t i, const halo_particle_vector &vector, size_t d) const {
    const auto column = static_cast<size_t>(vector.column[d]);
    return columns + before_[column] * static_cast<size_t>(n) + bytes_[column] * static_cast<size_t>(i) + vector.offset[d];
}

void ParticleColumns::set_position(std::byte *columns, int64_t n, int64_t i, const std::array<double, 3> &position) const {
    for (size_t d = 0; d < static_cast<size_t>(n_dims_); ++d) std::memcpy(component(columns, n, i, *position_, d), &position[d], sizeof position[d]);
}

void ParticleColumns::turn_vectors(std::byte *columns, int64_t n, int64_t i, const AxisMap &map) const {
    for (const halo_particle_vector &vector : vectors_) {
        std::array<double, 3> turned{};
        for (size_t d = 0; d < static_cast<size_t>(n_dims_); ++d) {
            double value;
            std::memcpy(&value, component(columns, n, i, vector, d), sizeof value);
            turned[static_cast<size_t>(map.axis[d])] = map.vector[d] < 0 ? -value : value;
        }
        for (size_t d = 0; d < static_cast<size_t>(n_dims_); ++d) std::memcpy(component(columns, n, i, vector, d), &turned[d], sizeof turned[d]);
    }
}

} // namespace halo

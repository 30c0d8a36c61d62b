// SPDX-License-Identifier: BSD-3-Clause
#include "ghost_case.h"

namespace halo::test {

namespace {

constexpr int64_t value_bytes = sizeof(double);

int wrapped(int i, int n) { return (i + n) % n; }

} // namespace

GhostWork::GhostWork(const GhostCase &what)
    : case_(what),
      along_(what.cells / what.block),
      stored_(what.block + 2 * what.ghost),
      values_per_block_(int64_t{ stored_ } * stored_ * stored_ * what.components),
      shapes_(9) {
    const int n = along_ * along_ * along_;
    for (int i = 0; i < n; ++i) {
        storage_.push_back(std::make_unique<double[]>(static_cast<size_t>(values_per_block_)));
        bases_.push_back(storage_.back().get());
    }
    for (int i = 0; i < n; ++i)
        for (int z = -1; z <= 1; ++z)
            for (int y = -1; y <= 1; ++y) add_row(i, y, z);
}

int GhostWork::neighbour(int i, int x, int y, int z) const {
    const int bx = i % along_, by = i / along_ % along_, bz = i / along_ / along_;
    return (wrapped(bz + z, along_) * along_ + wrapped(by + y, along_)) * along_ + wrapped(bx + x, along_);
}

int64_t GhostWork::value_index(int x, int y, int z, int c) const { return ((int64_t{ c } * stored_ + z) * stored_ + y) * stored_ + x; }

GhostWork::Span GhostWork::span(int direction) const {
    const int b = case_.block, g = case_.ghost;
    if (direction == 0) return { g, b, g };
    return direction < 0 ? Span{ 0, g, b } : Span{ g + b, g, g };
}

void GhostWork::add_row(int i, int y, int z) {
    const auto number = static_cast<uint32_t>((z + 1) * 3 + y + 1);
    halo_copy_shape shape{};
    halo_copy_row row{};
    const int64_t strides[3] = { value_index(0, 1, 0, 0) * value_bytes, value_index(0, 0, 1, 0) * value_bytes,
                                 value_index(0, 0, 0, 1) * value_bytes };
    shape.element_bytes = value_bytes;
    shape.dst_step = value_bytes;
    shape.n[0] = static_cast<uint32_t>(span(y).n);
    shape.n[1] = static_cast<uint32_t>(span(z).n);
    shape.n[2] = static_cast<uint32_t>(case_.components);
    row.shape = number;
    row.dst_base = static_cast<uint32_t>(i);
    row.dst_offset = value_index(0, span(y).begin, span(z).begin, 0) * value_bytes;
    for (int d = 0; d < 3; ++d) shape.dst_stride[d] = strides[d];
    for (int x = -1; x <= 1; ++x) {
        if (x == 0 && y == 0 && z == 0) continue;
        const uint32_t p = shape.n_pieces++;
        shape.run[p] = static_cast<uint32_t>(span(x).n);
        shape.dst_shift[p] = span(x).begin * value_bytes;
        shape.src_step[p] = value_bytes;
        for (int d = 0; d < 3; ++d) shape.src_stride[p][d] = strides[d];
        row.src_base[p] = static_cast<uint32_t>(neighbour(i, x, y, z));
        row.src_offset[p] = value_index(span(x).src_begin, span(y).src_begin, span(z).src_begin, 0) * value_bytes;
    }
    shapes_[number] = shape;
    rows_.push_back(row);
}

int64_t GhostWork::ghost_bytes() const {
    const int64_t owned = int64_t{ case_.block } * case_.block * case_.block * case_.components;
    return n_blocks() * (values_per_block_ - owned) * value_bytes;
}

double GhostWork::owned_value(int i, int x, int y, int z, int c) const {
    return static_cast<double>(i * values_per_block_ + value_index(x, y, z, c));
}

void GhostWork::fill() {
    const int g = case_.ghost, end = g + case_.block;
    const auto owned = [=](int at) { return at >= g && at < end; };
    for (int i = 0; i < n_blocks(); ++i)
        for (int c = 0; c < case_.components; ++c)
            for (int z = 0; z < stored_; ++z)
                for (int y = 0; y < stored_; ++y)
                    for (int x = 0; x < stored_; ++x)
                        block(i)[value_index(x, y, z, c)] = owned(x) && owned(y) && owned(z) ? owned_value(i, x, y, z, c) : -1.0;
}

int64_t GhostWork::wrong_values() const {
    const int b = case_.block, g = case_.ghost;
    const auto side = [=](int at) { return at < g ? -1 : at >= g + b ? 1 : 0; };
    int64_t wrong = 0;
    for (int i = 0; i < n_blocks(); ++i)
        for (int c = 0; c < case_.components; ++c)
            for (int z = 0; z < stored_; ++z)
                for (int y = 0; y < stored_; ++y)
                    for (int x = 0; x < stored_; ++x) {
                        const int sx = side(x), sy = side(y), sz = side(z);
                        const double expected = owned_value(neighbour(i, sx, sy, sz), x - sx * b, y - sy * b, z - sz * b, c);
                        wrong += block(i)[value_index(x, y, z, c)] == expected ? 0 : 1;
                    }
    return wrong;
}

} // namespace halo::test

// SPDX-License-Identifier: BSD-3-Clause
#include "random_table.h"

#include <algorithm>
#include <numeric>

namespace halo::test {

int64_t pick(Random &random, int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random); }

RandomTable::RandomTable(Random &random, const ShapeLimits &limits, int n_shapes, int rows_per_shape) : storage_(1) {
    for (int s = 0; s < n_shapes; ++s) {
        add_shape(random, limits);
        for (int r = 0; r < rows_per_shape; ++r) add_row(random, static_cast<uint32_t>(s));
    }
    std::shuffle(rows_.begin(), rows_.end(), random);
}

std::vector<void *> RandomTable::bases_of(std::vector<std::vector<unsigned char>> &storage) {
    std::vector<void *> bases;
    bases.reserve(storage.size());
    for (std::vector<unsigned char> &each : storage) bases.push_back(each.empty() ? nullptr : each.data());
    return bases;
}

RandomTable::Layout RandomTable::random_layout(Random &random, const ShapeLimits &limits, int64_t element_bytes, int64_t nx, const uint32_t *n) {
    const int64_t extent[4] = { nx, n[0], n[1], n[2] };
    int order[4] = { 0, 1, 2, 3 };
    if (limits.permuted) std::shuffle(order, order + 4, random);
    if (limits.contiguous) std::rotate(order, std::find(order, order + 4, 0), order + 4);
    Layout layout{};
    int64_t step = element_bytes;
    for (const int d : order) {
        const bool backwards = limits.permuted && !(limits.contiguous && d == 0) && pick(random, 0, 3) == 0;
        layout.stride[d] = backwards ? -step : step;
        if (backwards && extent[d] > 0) layout.first += (extent[d] - 1) * step;
        const int64_t padding = d == 0 && limits.contiguous ? 0 : pick(random, 0, 2) * element_bytes;
        step = std::max<int64_t>(extent[d], 1) * step + padding;
    }
    layout.bytes = step;
    return layout;
}

void RandomTable::add_shape(Random &random, const ShapeLimits &limits) {
    halo_copy_shape shape{};
    Extent extent{};
    shape.n_pieces = static_cast<uint32_t>(pick(random, 1, 3));
    shape.element_bytes = one_of(random, limits.element_bytes);
    for (uint32_t &n : shape.n) n = static_cast<uint32_t>(pick(random, 0, 19) == 0 ? 0 : pick(random, 1, limits.most_lines));
    const uint32_t end_run = one_of(random, limits.run);
    for (uint32_t p = 0; p < shape.n_pieces; ++p) shape.run[p] = p == 1 || pick(random, 0, 5) == 0 ? one_of(random, limits.run) : end_run;
    std::vector<uint32_t> order(shape.n_pieces);
    std::iota(order.begin(), order.end(), 0U);
    if (limits.gaps && pick(random, 0, 4) == 0) std::shuffle(order.begin(), order.end(), random);
    int64_t begin[HALO_COPY_PIECES] = {}, nx = 0;
    for (const uint32_t p : order) {
        begin[p] = nx;
        nx += shape.run[p] + (limits.gaps ? pick(random, 0, 1) : 0);
    }
    extent.dst = random_layout(random, limits, shape.element_bytes, nx, shape.n);
    shape.dst_step = extent.dst.stride[0];
    std::copy_n(extent.dst.stride + 1, 3, shape.dst_stride);
    for (uint32_t p = 0; p < shape.n_pieces; ++p) {
        extent.src[p] = limits.same_layout ? extent.dst : random_layout(random, limits, shape.element_bytes, shape.run[p], shape.n);
        if (!limits.same_layout && pick(random, 0, 5) == 0) extent.src[p].stride[pick(random, 1, 3)] = 0; // one line is read again and again
        shape.src_step[p] = extent.src[p].stride[0];
        std::copy_n(extent.src[p].stride + 1, 3, shape.src_stride[p]);
        shape.dst_shift[p] = begin[p] * shape.dst_step;
    }
    shapes_.push_back(shape);
    extents_.push_back(extent);
}

void RandomTable::add_row(Random &random, uint32_t shape) {
    const auto new_base = [&](int64_t bytes) {
        std::vector<unsigned char> &mine = storage_.emplace_back(static_cast<size_t>(bytes));
        for (unsigned char &byte : mine) byte = static_cast<unsigned char>(random());
        return static_cast<uint32_t>(storage_.size() - 1);
    };
    const Extent &extent = extents_[shape];
    halo_copy_row row{};
    row.shape = shape;
    const int64_t lead = pick(random, 0, 9); // addresses need not be aligned
    row.dst_base = new_base(extent.dst.bytes + lead);
    row.dst_offset = extent.dst.first + lead;
    for (uint32_t p = 0; p < HALO_COPY_PIECES; ++p) {
        if (p >= shapes_[shape].n_pieces) {
            row.src_base[p] = UINT32_MAX; // not to be looked at
            continue;
        }
        const int64_t src_lead = pick(random, 0, 9);
        row.src_base[p] = new_base(extent.src[p].bytes + src_lead);
        row.src_offset[p] = extent.src[p].first + src_lead;
    }
    rows_.push_back(row);
}

void for_each_element(const halo_copy_shape &shape, const halo_copy_row &row, void *const *bases,
                      const std::function<void(unsigned char *, const unsigned char *)> &each) {
    for (int64_t c = 0; c < shape.n[2]; ++c)
        for (int64_t z = 0; z < shape.n[1]; ++z)
            for (int64_t y = 0; y < shape.n[0]; ++y)
                for (uint32_t p = 0; p < shape.n_pieces; ++p)
                    for (int64_t x = 0; x < shape.run[p]; ++x) {
                        const int64_t *d = shape.dst_stride, *s = shape.src_stride[p];
                        auto *dst = static_cast<unsigned char *>(bases[row.dst_base]) + row.dst_offset + shape.dst_shift[p];
                        const auto *src = static_cast<const unsigned char *>(bases[row.src_base[p]]) + row.src_offset[p];
                        each(dst + y * d[0] + z * d[1] + c * d[2] + x * shape.dst_step, src + y * s[0] + z * s[1] + c * s[2] + x * shape.src_step[p]);
                    }
}

} // namespace halo::test

// SPDX-License-Identifier: BSD-3-Clause
#include "expert_copy.h"

#include <cstring>

namespace halo::test {

namespace {

template <int n>
[[gnu::always_inline]] inline void copy_run(double *dst, const double *src) {
    typedef double Four __attribute__((vector_size(32), aligned(8)));
    typedef double Two __attribute__((vector_size(16), aligned(8)));
    int i = 0;
    for (; i + 4 <= n; i += 4) *reinterpret_cast<Four *>(dst + i) = *reinterpret_cast<const Four *>(src + i);
    for (; i + 2 <= n; i += 2) *reinterpret_cast<Two *>(dst + i) = *reinterpret_cast<const Two *>(src + i);
    for (; i < n; ++i) dst[i] = src[i];
}

template <int block, int components, int ghost, int y, int z>
[[gnu::always_inline]] inline void copy_row(const ExpertRow &row) {
    constexpr int stored = block + 2 * ghost;
    constexpr int ny = y == 0 ? block : ghost, nz = z == 0 ? block : ghost;
    double *const dst = row.dst;
    const double *const left = row.src[0], *const middle = row.src[1], *const right = row.src[2];
    for (int c = 0; c < components; ++c)
        for (int k = 0; k < nz; ++k)
            for (int j = 0; j < ny; ++j) {
                const int64_t at = ((int64_t{ c } * stored + k) * stored + j) * stored;
                copy_run<ghost>(dst + at, left + at);
                if constexpr (y != 0 || z != 0) copy_run<block>(dst + at + ghost, middle + at);
                copy_run<ghost>(dst + at + ghost + block, right + at);
            }
}

template <int block, int components, int ghost>
void copy_blocks(const ExpertRow *rows, size_t n_blocks) {
    for (size_t i = 0; i < n_blocks; ++i, rows += 9) {
        copy_row<block, components, ghost, -1, -1>(rows[0]);
        copy_row<block, components, ghost, 0, -1>(rows[1]);
        copy_row<block, components, ghost, 1, -1>(rows[2]);
        copy_row<block, components, ghost, -1, 0>(rows[3]);
        copy_row<block, components, ghost, 0, 0>(rows[4]);
        copy_row<block, components, ghost, 1, 0>(rows[5]);
        copy_row<block, components, ghost, -1, 1>(rows[6]);
        copy_row<block, components, ghost, 0, 1>(rows[7]);
        copy_row<block, components, ghost, 1, 1>(rows[8]);
    }
}

} // namespace

ExpertCopy::ExpertCopy(const GhostWork &work) {
    const auto at = [](void *base, int64_t offset) { return reinterpret_cast<double *>(static_cast<char *>(base) + offset); };
    for (const halo_copy_row &row : work.rows()) {
        const halo_copy_shape &shape = work.shapes()[row.shape];
        ExpertRow &mine = rows_.emplace_back();
        mine.dst = at(work.bases()[row.dst_base], row.dst_offset);
        for (uint32_t p = 0; p < shape.n_pieces; ++p) // the block's own row has no middle
            mine.src[shape.n_pieces == 2 ? 2 * p : p] = at(work.bases()[row.src_base[p]], row.src_offset[p]);
    }
    const GhostCase &what = work.what();
    if (what.block == 32)
        function_ = copy_blocks<32, 4, 2>;
    else if (what.block == 16)
        function_ = what.components == 4 ? copy_blocks<16, 4, 2> : copy_blocks<16, 1, 2>;
    else
        function_ = what.components == 4 ? copy_blocks<8, 4, 2> : copy_blocks<8, 1, 1>;
}

} // namespace halo::test

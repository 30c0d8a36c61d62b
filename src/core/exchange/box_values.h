// SPDX-License-Identifier: BSD-3-Clause
// Check mode: the values that one box takes from a part's storage, or puts there. What is done with a row is compiled for the usual size and step.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "plan/lower/copy_rows.h"

namespace halo {

// Where the values of a row lie whose 8 bytes each are side by side.
struct SideBySide {
    int64_t begin;
    int64_t operator()(int64_t i) const { return begin + i * 8; }
    int64_t first_element() const { return static_cast<int64_t>(static_cast<uint64_t>(begin) / 8); }
};

class BoxValues {
public:
    static BoxValues of_source(const BoxCopy &box) { return { box, box.src_offset, box.src_stride, box.src_list }; }
    static BoxValues of_target(const BoxCopy &box) { return { box, box.dst_offset, box.dst_stride, box.dst_list }; }

    int64_t n_points() const { return n_[0] * n_[1] * n_[2]; }
    int64_t n_components() const { return n_[3]; }
    int64_t bytes() const { return n_points() * n_[3] * element_bytes_; }

    // Calls visit(point, n, bytes, at) for each row along x: its first point, how many, the size of a value, and where that of the i-th lies: at(i).
    // Components outermost, then points by number, x fastest. Ghosts are narrow: rows of few values side by side have their number as a constant.
    // Rows of ghosts are short and far apart: storage is fetched some rows ahead.
    template <class Visit>
    void for_each_row(const std::byte *storage, Visit &&visit) const {
        if (element_bytes_ != 8) return visit_any(storage, element_bytes_, visit);
        if (list_ || stride_[0] != 8) return visit_any(storage, Constant<8>(), visit);
        switch (n_[0]) {
        case 1: return visit_dense(storage, Constant<1>(), visit);
        case 2: return visit_dense(storage, Constant<2>(), visit);
        case 3: return visit_dense(storage, Constant<3>(), visit);
        case 4: return visit_dense(storage, Constant<4>(), visit);
        default: return visit_dense(storage, n_[0], visit);
        }
    }

    // Where a point is in the box, and its value of a component.
    std::array<int64_t, 3> place(int64_t point) const { return { point % n_[0], point / n_[0] % n_[1], point / n_[0] / n_[1] }; }
    int64_t offset(int64_t point, int64_t component) const {
        const auto [x, y, z] = place(point);
        return row(y, z, component) + (list_ ? list_[x] : x) * stride_[0];
    }

private:
    static constexpr int64_t rows_ahead = 16;

    BoxValues(const BoxCopy &box, int64_t first, const std::array<int64_t, 4> &stride, const uint32_t *list)
        : first_(first),
          element_bytes_(box.element_bytes),
          n_{ box.n[0], box.n[1], box.n[2], box.n[3] },
          stride_(stride),
          list_(list) {}

    int64_t row(int64_t y, int64_t z, int64_t component) const { return first_ + y * stride_[1] + z * stride_[2] + component * stride_[3]; }

    template <int64_t value>
    using Constant = std::integral_constant<int64_t, value>;

    // Calls visit(point, offset) for each row.
    template <class Visit>
    void visit_rows(const std::byte *storage, Visit &&visit) const {
        const auto [nx, ny, nz, n_components] = n_;
        const int64_t step = stride_[1];
        const uintptr_t ahead = reinterpret_cast<uintptr_t>(storage) + static_cast<uintptr_t>(rows_ahead * step); // may lie outside
        for (int64_t component = 0, point = 0; component < n_components; ++component, point = 0)
            for (int64_t z = 0; z < nz; ++z) {
                int64_t begin = row(0, z, component);
                for (int64_t y = 0; y < ny; ++y, point += nx, begin += step) {
                    __builtin_prefetch(reinterpret_cast<const void *>(ahead + static_cast<uintptr_t>(begin)));
                    visit(point, begin);
                }
            }
    }
    template <class N, class Visit>
    void visit_dense(const std::byte *storage, N n, Visit &visit) const {
        visit_rows(storage, [&](int64_t point, int64_t begin) { visit(point, n, Constant<8>(), SideBySide{ begin }); });
    }
    template <class Bytes, class Visit>
    void visit_any(const std::byte *storage, Bytes bytes, Visit &visit) const {
        visit_rows(storage, [&](int64_t point, int64_t begin) {
            if (list_)
                visit(point, n_[0], bytes, [begin, list = list_, step = stride_[0]](int64_t i) { return begin + list[i] * step; });
            else
                visit(point, n_[0], bytes, [begin, step = stride_[0]](int64_t i) { return begin + i * step; });
        });
    }

    int64_t first_;
    int64_t element_bytes_;
    std::array<int64_t, 4> n_;
    std::array<int64_t, 4> stride_;
    const uint32_t *list_;
};

} // namespace halo

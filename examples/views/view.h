// SPDX-License-Identifier: BSD-3-Clause
// A view of an array in the manner of Kokkos::View: extents, strides, a layout, and lower bounds, so that ghosts may have negative indices and
// loops may count as in Fortran. Owns nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace views {

struct LayoutLeft {};  // first index runs fastest, as in Fortran
struct LayoutRight {}; // last index runs fastest, as in C

template <std::size_t rank>
using Indices = std::array<std::int64_t, rank>;

template <class T, std::size_t rank>
class View {
public:
    View(T *data, const Indices<rank> &low, const Indices<rank> &extents, LayoutLeft) : View(data, low, extents, natural(extents, true)) {}
    View(T *data, const Indices<rank> &low, const Indices<rank> &extents, LayoutRight) : View(data, low, extents, natural(extents, false)) {}
    // Any strides: padded rows, every second plane.
    View(T *data, const Indices<rank> &low, const Indices<rank> &extents, const Indices<rank> &strides)
        : data_(data),
          low_(low),
          extents_(extents),
          strides_(strides) {}

    template <class... Index>
    T &operator()(Index... index) const {
        static_assert(sizeof...(Index) == rank, "as many indices as the view has dimensions");
        return data_[offset({ static_cast<std::int64_t>(index)... })];
    }

    T *data() const { return data_; }
    std::int64_t low(std::size_t d) const { return low_[d]; }
    std::int64_t extent(std::size_t d) const { return extents_[d]; }
    std::int64_t stride(std::size_t d) const { return strides_[d]; }
    // Elements from the first one to an index.
    std::int64_t offset(const Indices<rank> &index) const {
        std::int64_t sum = 0;
        for (std::size_t d = 0; d < rank; ++d) sum += (index[d] - low_[d]) * strides_[d];
        return sum;
    }
    // Elements from the first to behind the last one.
    std::int64_t span() const {
        std::int64_t sum = 1;
        for (std::size_t d = 0; d < rank; ++d) sum += (extents_[d] - 1) * strides_[d];
        return sum;
    }

private:
    static Indices<rank> natural(const Indices<rank> &extents, bool left) {
        Indices<rank> strides;
        std::int64_t stride = 1;
        for (std::size_t i = 0; i < rank; ++i) {
            const std::size_t d = left ? i : rank - 1 - i;
            strides[d] = stride;
            stride *= extents[d];
        }
        return strides;
    }

    T *data_;
    Indices<rank> low_;
    Indices<rank> extents_;
    Indices<rank> strides_;
};

} // namespace views

// SPDX-License-Identifier: BSD-3-Clause
// Boxes of offsets around a cell, both ends included: extents of accesses, of stages, and of what is needed of a field.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

namespace halo {

struct Offsets {
    std::array<int64_t, 3> low{};
    std::array<int64_t, 3> high{};
    bool empty = true; // nothing at all, not even the cell itself

    static Offsets cell() { return { {}, {}, false }; }
    bool operator==(const Offsets &) const = default;

    // Does it reach out of a part at whose cells it is applied?
    bool leaves() const {
        return !empty && (std::any_of(low.begin(), low.end(), [](int64_t at) { return at < 0; }) ||
                          std::any_of(high.begin(), high.end(), [](int64_t at) { return at > 0; }));
    }
    bool off_centre() const { return !empty && *this != cell(); }
    // Layers of ghosts that it needs.
    int64_t ghosts_low(size_t d) const { return empty ? 0 : std::max<int64_t>(0, -low[d]); }
    int64_t ghosts_high(size_t d) const { return empty ? 0 : std::max<int64_t>(0, high[d]); }
};

// <x,y> + <u,v> = <x+u, y+v>: what a stage run at `a` needs of what it reads at `b`.
inline Offsets operator+(const Offsets &a, const Offsets &b) {
    Offsets sum{ {}, {}, a.empty || b.empty };
    for (size_t d = 0; d < 3 && !sum.empty; ++d) {
        sum.low[d] = a.low[d] + b.low[d];
        sum.high[d] = a.high[d] + b.high[d];
    }
    return sum;
}

inline Offsets enclosing(const Offsets &a, const Offsets &b) {
    if (a.empty) return b;
    if (b.empty) return a;
    Offsets both = a;
    for (size_t d = 0; d < 3; ++d) {
        both.low[d] = std::min(a.low[d], b.low[d]);
        both.high[d] = std::max(a.high[d], b.high[d]);
    }
    return both;
}

// "<-1,2> <0,0>": one pair for each of `n_dims` directions; "nowhere".
std::string text_of(const Offsets &offsets, int32_t n_dims);

} // namespace halo

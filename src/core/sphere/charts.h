// SPDX-License-Identifier: BSD-3-Clause
// Grids of several rectangular index spaces, each cut evenly into parts: which cells of others lie beyond their sides.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/function_ref.h"
#include "topology/regions/regions.h"

namespace halo {

// Cells of a chart, or beyond its sides, that are cells of another. In direction d cell x is cell sign[d] * x + shift[d] of direction axis[d]
// there; a vector's component along d comes with the sign vector[d].
struct Passage {
    int32_t chart = 0; // that it leads to
    halo_box cells{};
    std::array<int32_t, 2> axis{ 0, 1 };
    std::array<int32_t, 2> sign{ 1, 1 };
    std::array<int64_t, 2> shift{};
    std::array<int32_t, 2> vector{ 1, 1 };

    halo_box forward(const halo_box &here) const;
    halo_box back(const halo_box &across) const;
};

struct ChartsDesc {
    const char *what = nullptr; // for texts
    int32_t n_charts = 1;
    std::array<int64_t, 2> cells{}; // of each chart
    std::array<int64_t, 2> parts{};
    int64_t levels = 0; // 0: two dimensions
    int32_t reach = 0;  // of ghosts
    const int32_t *owner = nullptr;

    int64_t n_parts() const { return n_charts * parts[0] * parts[1]; }
    halo_box chart() const { return { { 0, 0, 0 }, { cells[0], cells[1], levels > 0 ? levels : 1 } }; }
    halo_box part(int64_t gid) const; // of its chart
    int32_t chart_of(int64_t gid) const { return static_cast<int32_t>(gid / (parts[0] * parts[1])); }
    void check() const;
};

// By chart; which cells they have must not overlap.
using Passages = std::vector<std::vector<Passage>>;

// Parts are counted by chart, then direction 1, then 0.
class ChartsTopology final : public RegionsTopology {
public:
    // Collective.
    ChartsTopology(Context &context, const ChartsDesc &desc, FunctionRef<Passages()> passages);

    halo_part part(int64_t gid) const override;

private:
    ChartsDesc desc_;
};

} // namespace halo

// SPDX-License-Identifier: BSD-3-Clause
// One random case over boxes: parts, fields, one exchange and the runs it makes. All ranks make the same from the same seed.
#pragma once

#include <string>
#include <vector>

#include "box_model.h"

namespace conformance {

enum class BoxStyle : uint8_t { tiles, slivers, holes, overlap, alone };
inline constexpr int n_box_styles = 5;
const char *style_name(BoxStyle style);

inline constexpr int n_box_layouts = 6;
inline constexpr int mapped_box_layout = 5;
const char *box_layout_name(int layout); // natural, padded, components fastest, places fastest, aligned, mapped

struct BoxField {
    halo_type type = HALO_FLOAT64;
    int64_t element_bytes = 8;
    int32_t n_components = 1;
    int32_t centring = 0; // HALO_CENTRE_...
    Ghosts ghosts;
    int layout = 0;

    std::vector<int32_t> places(int32_t n_dims) const; // bits of each
};

struct BoxRun {
    int32_t first_component = 0;
    int32_t n_components = 0;
    int32_t depth = 0;
    bool has_ghosts = false;
    std::array<int32_t, 3> low{}, high{};
    halo_op op = 0;            // 0: of the exchange
    std::vector<int32_t> mask; // empty: all fields
};

struct BoxCase {
    uint64_t seed = 0;
    BoxStyle style = BoxStyle::tiles;
    BoxModel model;
    std::vector<BoxField> fields;
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    bool phases = false;
    std::vector<BoxRun> runs;

    std::string describe() const;
};

const char *op_name(halo_op op);
const char *kind_name(int32_t kind);
const char *shared_name(int32_t shared);
const char *centring_name(int32_t centring);
inline constexpr int n_centrings = 10;
// Those that there are in so many dimensions.
std::vector<int32_t> centrings_in(int32_t n_dims);

// The case's number picks what the coverage table counts; the rest is random.
BoxCase make_box_case(uint64_t first_seed, int64_t number, int32_t n_ranks);

// For tests that choose the rest themselves. Parts with priorities only where boxes overlap.
void make_parts(BoxModel &model, BoxStyle style, int32_t n_ranks, Random &random);

} // namespace conformance

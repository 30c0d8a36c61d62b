// SPDX-License-Identifier: BSD-3-Clause
// The results as tables.
#include <algorithm>

#include "analysis/stencil.h"
#include "base/error.h"

namespace halo {

namespace {

Offsets offsets_of(const halo_stencil_range &range) {
    Offsets offsets = Offsets::cell();
    std::copy_n(range.low, 3, offsets.low.begin());
    std::copy_n(range.high, 3, offsets.high.begin());
    return offsets;
}

// "2 below, 1 above in x; ...": ghost layers of each direction that has some.
std::string layers_text(const int64_t *low, const int64_t *high) {
    std::string text;
    for (size_t d = 0; d < 3; ++d)
        if (low[d] > 0 || high[d] > 0)
            text += format("%s%lld below, %lld above in %c", text.empty() ? "" : "; ", static_cast<long long>(low[d]),
                           static_cast<long long>(high[d]), "xyz"[d]);
    return text.empty() ? "none" : text;
}

std::string levels_text(const Program &program, const halo_stencil_range &range) {
    if (!program.axis().has_levels()) return "";
    return format(" on levels %lld to %lld", static_cast<long long>(range.first), static_cast<long long>(range.last));
}

std::string stages_text(const Stencil &stencil) {
    const Program &program = stencil.program();
    std::string text = "stages\n";
    for (size_t s = 0; s < program.stages().size(); ++s) {
        const std::vector<halo_stencil_range> ranges = stencil.stage_ranges(static_cast<int32_t>(s));
        text += "  " + program.stage_text(s) + (ranges.empty() ? " need not run" : " runs at");
        for (size_t r = 0; r < ranges.size(); ++r)
            text +=
                (r == 0 ? " " : ", ") + text_of(offsets_of(ranges[r]), static_cast<int32_t>(program.n_cut_dims())) + levels_text(program, ranges[r]);
        text += program.stages()[s].conditional ? ", conditional\n" : "\n";
    }
    return text;
}

std::string fields_text(const Stencil &stencil) {
    std::string text = "fields\n";
    for (size_t f = 0; f < stencil.program().fields().size(); ++f) {
        const halo_stencil_field field = stencil.field(static_cast<int32_t>(f));
        text += "  " + stencil.program().fields()[f].name + (stencil.program().fields()[f].temporary ? ", temporary" : "") + ": ghosts " +
                layers_text(field.ghost_low, field.ghost_high) + (field.exchanged ? ", exchanged" : "") +
                (field.computed ? ", computed there too" : "") + "\n";
    }
    return text;
}

// "before stage 2 (flux)".
std::string place_text(const Program &program, int64_t place) {
    const auto n = static_cast<int64_t>(program.stages().size());
    if (place < 0) return place_text(program, place + n) + " of the turn before";
    return place == n ? "at the end" : "before " + program.stage_text(static_cast<size_t>(place));
}

std::string exchanges_text(const Stencil &stencil) {
    const Program &program = stencil.program();
    const std::vector<halo_stencil_exchange> exchanges = stencil.exchanges();
    std::string text = exchanges.empty() ? "no exchanges\n" : "exchanges\n";
    for (size_t i = 0; i < exchanges.size(); ++i) {
        const halo_stencil_exchange &one = exchanges[i];
        text += format("  %zu: ", i) + program.fields()[static_cast<size_t>(one.field)].name +
                (one.writer < 0 ? "" : ", written by " + program.stage_text(static_cast<size_t>(one.writer))) + ":";
        const std::vector<halo_stencil_range> ranges = stencil.filled_ranges(static_cast<int32_t>(i));
        for (size_t r = 0; r < ranges.size(); ++r)
            text += (r == 0 ? " " : ", and ") + layers_text(ranges[r].low, ranges[r].high) + levels_text(program, ranges[r]);
        text += "; started no earlier than " + place_text(program, one.start) + ", finished " + place_text(program, one.finish) +
                format("; group %d%s\n", one.group,
                       one.once    ? ", once"
                       : one.ahead ? ", for the next turn"
                                   : "");
    }
    return text;
}

std::string loops_text(const Stencil &stencil) {
    std::string text;
    for (const halo_stencil_loop &loop : stencil.loops())
        text += (text.empty() ? "loops\n  " : "  ") + text_of(loop.interval) +
                format(": levels %lld to %lld\n", static_cast<long long>(loop.first), static_cast<long long>(loop.last));
    return text;
}

} // namespace

std::string Stencil::text() const {
    const Costs &costs = result().costs;
    return stages_text(*this) + fields_text(*this) + exchanges_text(*this) + loops_text(*this) +
           format("a run has %d exchanges, which bring a part %lld values, and computes %lld cells twice: cost %g\n", costs.n_groups,
                  static_cast<long long>(costs.values), static_cast<long long>(costs.cells_twice), costs.cost);
}

} // namespace halo

// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/stencil.h"

#include <algorithm>
#include <ranges>

#include "analysis/dependencies.h"
#include "base/error.h"

namespace halo {

namespace {

size_t require_place(const char *what, int32_t place, size_t n) {
    if (place < 0 || static_cast<size_t>(place) >= n) fail(HALO_ERR_NOT_FOUND, "stencil: %s %d; there are %zu", what, place, n);
    return static_cast<size_t>(place);
}

void write(const Offsets &from, int64_t *low, int64_t *high) {
    std::ranges::copy(from.low, low);
    std::ranges::copy(from.high, high);
}

Offsets ghosts_of(const Offsets &needed) {
    Offsets ghosts = Offsets::cell();
    for (size_t d = 0; d < 3; ++d) {
        ghosts.low[d] = needed.ghosts_low(d);
        ghosts.high[d] = needed.ghosts_high(d);
    }
    return ghosts;
}

// Runs of levels with equal extents, without those that are empty.
std::vector<halo_stencil_range> ranges_of(const std::vector<Offsets> &levels) {
    std::vector<halo_stencil_range> ranges;
    for (size_t k = 0; k < levels.size(); ++k) {
        if (levels[k].empty) continue;
        const auto level = static_cast<int64_t>(k);
        if (k > 0 && levels[k - 1] == levels[k]) {
            ranges.back().last = level;
            continue;
        }
        ranges.push_back({ level, level, {}, {} });
        write(levels[k], ranges.back().low, ranges.back().high);
    }
    return ranges;
}

} // namespace

Program &Stencil::editable() {
    if (result_) fail(HALO_ERR_STATE, "stencil: it has been analysed: make another one");
    return program_;
}

void Stencil::analyse() {
    const Program &program = editable();
    check_dependencies(program);
    std::vector<halo_stencil_loop> loops;
    if (program.axis().has_levels()) {
        const halo_stencil_interval whole{ { 0, 1 }, program.axis().last() };
        std::vector<std::vector<halo_stencil_interval>> intervals;
        for (const StencilStage &stage : program.stages()) intervals.push_back(stage.intervals.empty() ? std::vector{ whole } : stage.intervals);
        loops = overlay(program.axis(), intervals);
    }
    result_ = choose(program);
    loops_ = std::move(loops);
}

const Choice &Stencil::result() const {
    if (!result_) fail(HALO_ERR_STATE, "stencil: not analysed yet: halo_stencil_analyse comes before its results");
    return *result_;
}

const std::vector<halo_stencil_loop> &Stencil::loops() const {
    result();
    return loops_;
}

size_t Stencil::require_field(int32_t field) const { return require_place("field", field, program_.fields().size()); }
size_t Stencil::require_stage(int32_t stage) const { return require_place("stage", stage, program_.stages().size()); }
size_t Stencil::require_filled(int32_t exchange) const { return require_place("exchange", exchange, result().needs.filled.size()); }
size_t Stencil::require_group(int32_t group) const { return require_place("group", group, result().groups.common.size()); }

halo_stencil_field Stencil::field(int32_t field) const {
    const Needs &needs = result().needs;
    const size_t f = require_field(field);
    halo_stencil_field found = HALO_STENCIL_FIELD_INIT;
    found.exchanged = std::ranges::any_of(needs.filled, [&](const FilledGhosts &filled) { return filled.field == f; });
    for (size_t s = 0; s < program_.stages().size(); ++s)
        for (const StencilAccess &access : program_.stages()[s].accesses)
            for (size_t k = 0; access.writes() && access.field == f && k < program_.n_levels(); ++k)
                if (program_.stages()[s].applies(access, static_cast<int64_t>(k)) && needs.computed[s][k].leaves()) found.computed = 1;
    write(ghosts_of(needs.storage[f]), found.ghost_low, found.ghost_high);
    return found;
}

halo_stencil_stage Stencil::stage(int32_t stage) const {
    const Needs &needs = result().needs;
    Offsets whole;
    for (const Offsets &level : needs.computed[require_stage(stage)]) whole = enclosing(whole, level);
    halo_stencil_stage found = HALO_STENCIL_STAGE_INIT;
    found.needed = whole.empty ? 0 : 1;
    write(whole, found.low, found.high);
    return found;
}

std::vector<halo_stencil_exchange> Stencil::exchanges() const {
    const Choice &choice = result();
    std::vector<halo_stencil_exchange> list;
    for (size_t i = 0; i < choice.needs.filled.size(); ++i) {
        const FilledGhosts &filled = choice.needs.filled[i];
        const Window &window = choice.windows[i];
        halo_stencil_exchange one{};
        one.field = static_cast<int32_t>(filled.field);
        one.writer = static_cast<int32_t>(filled.writer);
        one.start = static_cast<int32_t>(window.start);
        one.finish = static_cast<int32_t>(window.finish);
        one.group = choice.groups.of[i];
        one.once = window.once ? 1 : 0;
        const Window &common = choice.groups.common[static_cast<size_t>(one.group)];
        one.ahead = window.start <= common.start && common.finish <= window.finish ? 0 : 1;
        write(ghosts_of(filled.whole), one.low, one.high);
        one.values = values_of(program_, filled);
        list.push_back(one);
    }
    return list;
}

std::vector<halo_stencil_group> Stencil::groups() const {
    std::vector<halo_stencil_group> list;
    for (const Window &window : result().groups.common)
        list.push_back({ static_cast<int32_t>(window.start), static_cast<int32_t>(window.finish), 0, window.once ? 1 : 0 });
    for (const int32_t group : result().groups.of) ++list[static_cast<size_t>(group)].n_fields;
    return list;
}

std::vector<halo_stencil_range> Stencil::stage_ranges(int32_t stage) const { return ranges_of(result().needs.computed[require_stage(stage)]); }

std::vector<halo_stencil_range> Stencil::filled_ranges(int32_t exchange) const {
    std::vector<Offsets> levels = result().needs.filled[require_filled(exchange)].levels;
    for (Offsets &level : levels) level = level.leaves() ? ghosts_of(level) : Offsets{};
    return ranges_of(levels);
}

std::vector<int32_t> Stencil::loop_intervals(int32_t stage) const {
    const StencilStage &known = program_.stages()[require_stage(stage)];
    std::vector<int32_t> intervals;
    for (const halo_stencil_loop &loop : loops()) {
        int32_t found = -1;
        for (size_t i = 0; i < known.ranges.size(); ++i)
            if (known.ranges[i].holds(loop.first)) found = static_cast<int32_t>(i);
        intervals.push_back(found);
    }
    return intervals;
}

} // namespace halo

// SPDX-License-Identifier: BSD-3-Clause
#include "launcher.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "../level.h"
#include "../value.h"
#include "failure.h"

namespace halo::accelerator {

namespace {

uint64_t within_limit(uint64_t n) {
    if (n > INT32_MAX) fail(HALO_ERR_LIMIT, "a launch of more than 2^31 pieces of work");
    return n;
}

} // namespace

void Launcher::begin(Kernel kernel) {
    launches_.all.clear();
    launches_.bytes.clear();
    launches_.reached.clear();
    ranges_.clear();
    combinations_.clear();
    levels_.clear();
    lists_.clear();
    n_bases_ = 0;
    kernel_ = kernel;
}

void Launcher::next(Kernel kernel) {
    end();
    kernel_ = kernel;
}

void Launcher::end() {
    write(ranges_, HALO_THREADS / HALO_LANES);
    write(combinations_, HALO_THREADS);
    write(levels_, HALO_THREADS);
    ranges_.clear();
    combinations_.clear();
    levels_.clear();
    lists_.clear();
    n_bases_ = 0;
}

template <class Range>
uint32_t Launcher::end_of(const std::vector<Range> &ranges, uint64_t n) {
    return static_cast<uint32_t>(within_limit((ranges.empty() ? 0 : ranges.back().end) + within_limit(n)));
}

void Launcher::add(const Table &table, int64_t first, int64_t n, void *const *bases, int64_t n_bases, const halo_range &said) {
    halo_range range = said;
    table.set_range(range, first, n);
    if (range.end == 0) return;
    range.end = end_of(ranges_, range.end);
    range.bases = place_of(bases, n_bases);
    ranges_.push_back(range);
    if (!runtime_.wants_reached()) return;
    reach(table, first, n, bases, kernel_ == Kernel::move);
    reach(reinterpret_cast<const void *>(range.flags));
}

void Launcher::add(const halo_combine_range &said) {
    Table &table = *reinterpret_cast<Table *>(said.table);
    const Table::Combination &known = table.combination(said.first, said.n, said.n_moved, device::value_bytes(said.type));
    if (known.n_targets == 0) return;
    halo_combination combination{};
    combination.targets = reinterpret_cast<halo_u64>(known.on_device.data());
    combination.contributions = combination.targets + known.contributions;
    combination.bases = place_of(said.bases, said.n_bases);
    combination.end = end_of(combinations_, known.n_targets);
    combination.op = said.op;
    combination.type = said.type;
    combinations_.push_back(combination);
    if (!runtime_.wants_reached()) return;
    reach(table, said.first, said.n, said.bases, true);
    reach(known.on_device.data());
}

// How many values may be more than any number has room for.
void Launcher::add(const halo_level_operation &said) {
    halo_level level{};
    uint64_t n = static_cast<uint64_t>(said.n_components);
    for (int d = 0; d < 3; ++d) {
        if (said.points.high[d] <= said.points.low[d]) return;
        level.low[d] = static_cast<int32_t>(said.points.low[d]);
        level.n[d] = static_cast<uint32_t>(said.points.high[d] - said.points.low[d]);
        level.ratio[d] = said.ratio[d];
        n = within_limit(n) * level.n[d];
    }
    level.is_single = device::real_bytes(said.type) == sizeof(float) ? 1 : 0;
    level.numbers = device::value_bytes(said.type) == device::real_bytes(said.type) ? 1 : 2;
    level.end = end_of(levels_, n * level.numbers);
    level.what = said.what;
    level.centring = said.centring;
    level.linear = said.linear;
    level.fraction = said.fraction;
    for (int v = 0; v < device::n_values(said); ++v) {
        level.values[v] = reinterpret_cast<halo_u64>(said.values[v].first);
        level.component_stride[v] = said.values[v].component_stride;
        std::copy_n(said.values[v].stride, 3, level.stride[v]);
        if (runtime_.wants_reached()) reach(said.values[v].first);
    }
    levels_.push_back(level);
}

void Launcher::go(halo_stream stream) {
    end();
    for (const Launch &one : launches_.all) launch(one, stream);
}

Graphs::Outcome Launcher::go(Graphs &graphs, halo_stream stream) {
    end();
    if (launches_.all.empty()) return Graphs::Outcome::none;
    const Graphs::Outcome outcome = graphs.run(launches_, stream);
    if (outcome == Graphs::Outcome::none)
        for (const Launch &one : launches_.all) launch(one, stream);
    return outcome;
}

// As a number among all bases, until the launch knows how many ranges lie before them.
uint64_t Launcher::place_of(void *const *bases, int64_t n) {
    for (const Bases &one : lists_)
        if (one.from == bases && one.n == n) return one.place;
    const uint64_t place = n_bases_;
    lists_.push_back({ bases, n, place });
    n_bases_ += static_cast<uint64_t>(n);
    return place;
}

void Launcher::reach(const Table &table, int64_t first, int64_t n, void *const *bases, bool with_dst) {
    reach(table.data());
    for (const uint32_t base : table.bases_of(first, n, with_dst)) reach(bases[base]);
}

void Launcher::launch(const Launch &one, halo_stream stream) {
    Arguments::Placed &placed = arguments_.place(std::span(launches_.bytes).subspan(one.begin, one.end - one.begin), stream);
    try {
        runtime_.launch(one.kernel, one.n_groups, placed.address(), launches_.reached, stream);
    } catch (const Failure &) {
        arguments_.used(placed); // the copy is under way all the same
        throw;
    }
    arguments_.used(placed);
}

// The head, the ranges, then all bases of those that have some.
template <class Range>
void Launcher::write(std::vector<Range> &ranges, uint32_t per_group) {
    if (ranges.empty()) return;
    constexpr size_t boundary = 16; // where any type may begin
    const halo_launch head{ static_cast<uint32_t>(ranges.size()), ranges.back().end };
    const size_t begin = (launches_.bytes.size() + boundary - 1) / boundary * boundary;
    const size_t ranges_bytes = ranges.size() * sizeof(Range), bases_begin = sizeof head + ranges_bytes;
    if constexpr (requires(Range range) { range.bases; })
        for (Range &range : ranges) range.bases = bases_begin + range.bases * sizeof(halo_u64);
    launches_.bytes.resize(begin + bases_begin + n_bases_ * sizeof(halo_u64));
    std::byte *const to = launches_.bytes.data() + begin;
    std::memcpy(to, &head, sizeof head);
    std::memcpy(to + sizeof head, ranges.data(), ranges_bytes);
    for (const Bases &one : lists_)
        if (one.n > 0) std::memcpy(to + bases_begin + one.place * sizeof(halo_u64), one.from, static_cast<size_t>(one.n) * sizeof(halo_u64));
    const int64_t n_groups = (int64_t{ ranges.back().end } + per_group - 1) / per_group;
    launches_.all.push_back({ kernel_, n_groups, begin, launches_.bytes.size() });
}

} // namespace halo::accelerator

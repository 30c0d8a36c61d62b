// SPDX-License-Identifier: BSD-3-Clause
#include "launcher.h"

#include <cstring>

#include "../value.h"
#include "failure.h"

namespace halo::accelerator {

void Launcher::begin(Kernel kernel) {
    kernel_ = kernel;
    ranges_.clear();
    lists_.clear();
    n_bases_ = 0;
    reached_.clear();
}

void Launcher::add(const Table &table, int64_t first, int64_t n, void *const *bases, int64_t n_bases, const halo_range &said) {
    halo_range range = said;
    table.set_range(range, first, n);
    if (range.end == 0) return;
    const uint64_t end = uint64_t{ ranges_.empty() ? 0 : ranges_.back().end } + range.end;
    if (end > INT32_MAX) fail(HALO_ERR_LIMIT, "a launch of more than 2^31 pieces of work");
    range.end = static_cast<uint32_t>(end);
    range.bases = place_of(bases, n_bases);
    ranges_.push_back(range);
    if (!runtime_.wants_reached()) return;
    reach(table, first, n, bases, kernel_ == Kernel::move);
    reach(reinterpret_cast<const void *>(range.flags));
}

void Launcher::go(halo_stream stream) {
    if (ranges_.empty()) return;
    constexpr uint32_t chunks_per_group = HALO_THREADS / HALO_LANES;
    write_ranges();
    launch(kernel_, (ranges_.back().end + chunks_per_group - 1) / chunks_per_group, stream);
}

void Launcher::combine(Table &table, int64_t first, int64_t n, void *const *bases, int64_t n_bases, int32_t op, halo_type type, halo_stream stream) {
    const Table::Combination &combination = table.combination(first, n, device::value_bytes(type));
    if (combination.n_targets == 0) return;
    begin(Kernel::combine);
    halo_combination what{};
    what.targets = reinterpret_cast<halo_u64>(combination.on_device.data());
    what.contributions = what.targets + combination.contributions;
    what.bases = sizeof what;
    what.n_targets = combination.n_targets;
    what.op = op;
    what.type = type;
    const size_t bases_bytes = static_cast<size_t>(n_bases) * sizeof(halo_u64);
    bytes_.resize(sizeof what + bases_bytes);
    std::memcpy(bytes_.data(), &what, sizeof what);
    std::memcpy(bytes_.data() + sizeof what, bases, bases_bytes);
    if (runtime_.wants_reached()) {
        reach(table, first, n, bases, true);
        reach(combination.on_device.data());
    }
    launch(Kernel::combine, (uint64_t{ what.n_targets } + HALO_THREADS - 1) / HALO_THREADS, stream);
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

// The head, the ranges, then all bases.
void Launcher::write_ranges() {
    const halo_launch head{ static_cast<uint32_t>(ranges_.size()), ranges_.back().end };
    const size_t ranges_bytes = ranges_.size() * sizeof(halo_range), bases_begin = sizeof head + ranges_bytes;
    for (halo_range &range : ranges_) range.bases = bases_begin + range.bases * sizeof(halo_u64);
    bytes_.resize(bases_begin + n_bases_ * sizeof(halo_u64));
    std::memcpy(bytes_.data(), &head, sizeof head);
    std::memcpy(bytes_.data() + sizeof head, ranges_.data(), ranges_bytes);
    for (const Bases &one : lists_)
        if (one.n > 0)
            std::memcpy(bytes_.data() + bases_begin + one.place * sizeof(halo_u64), one.from, static_cast<size_t>(one.n) * sizeof(halo_u64));
}

void Launcher::launch(Kernel kernel, uint64_t n_groups, halo_stream stream) {
    Arguments::Placed &placed = arguments_.place(bytes_, stream);
    try {
        runtime_.launch(kernel, static_cast<int64_t>(n_groups), placed.address(), reached_, stream);
    } catch (const Failure &) {
        arguments_.used(placed); // the copy is under way all the same
        throw;
    }
    arguments_.used(placed);
}

} // namespace halo::accelerator

// SPDX-License-Identifier: BSD-3-Clause
#include "work.h"

#include <algorithm>
#include <stdexcept>

#include "text.h"

namespace bench {

namespace {

constexpr double poison = -1.0;

// Bits of the three coordinates in turn, x lowest.
uint64_t morton_code(const Offset &at) {
    uint64_t code = 0;
    for (int bit = 0; bit < 20; ++bit)
        for (int d = 0; d < 3; ++d) code |= (static_cast<uint64_t>(at[d]) >> bit & 1) << (3 * bit + d);
    return code;
}

void check(const WorkSize &size) {
    if (size.block < 1 || size.cells < size.block || size.cells % size.block != 0)
        throw std::invalid_argument(size.text() + ": blocks must divide the cells");
    if (size.components < 1 || size.ghost < 1 || size.ghost > size.block)
        throw std::invalid_argument(size.text() + ": needs a component, and ghosts no wider than a block");
}

} // namespace

std::string WorkSize::text() const {
    return format("(%lld,%lld,%d,%d)", static_cast<long long>(cells), static_cast<long long>(block), components, ghost);
}

Work::Work(const WorkSize &size, int32_t rank, int32_t n_ranks, const Storage &storage) : size_(size), rank_(rank), n_ranks_(n_ranks) {
    check(size);
    per_side_ = size.cells / size.block;
    for (int64_t z = 0; z < per_side_; ++z)
        for (int64_t y = 0; y < per_side_; ++y)
            for (int64_t x = 0; x < per_side_; ++x) places_.push_back({ x, y, z });
    gids_.resize(places_.size());
    std::sort(places_.begin(), places_.end(), [](const Offset &a, const Offset &b) { return morton_code(a) < morton_code(b); });
    for (int64_t gid = 0; gid < n_blocks(); ++gid) {
        const Offset &at = place(gid);
        gids_[static_cast<size_t>(at[0] + per_side_ * (at[1] + per_side_ * at[2]))] = gid;
    }
    first_ = first_of(rank);
    n_local_ = first_of(rank + 1) - first_;
    data_ = storage(elements());
}

int32_t Work::owner(int64_t gid) const { return static_cast<int32_t>(((gid + 1) * n_ranks_ - 1) / n_blocks()); }

int64_t Work::neighbour(int64_t gid, const Offset &offset) const {
    Offset at = place(gid);
    for (int d = 0; d < 3; ++d) at[d] = (at[d] + offset[d] + per_side_) % per_side_;
    return gids_[static_cast<size_t>(at[0] + per_side_ * (at[1] + per_side_ * at[2]))];
}

// visit(source gid, low, high): boxes count from the first owned cell.
template <class Visit>
void Work::for_each_ghost_box(int64_t gid, Visit &&visit) const {
    const int64_t low[3] = { -size_.ghost, 0, size_.block }, high[3] = { 0, size_.block, size_.block + size_.ghost };
    for (int64_t z = -1; z <= 1; ++z)
        for (int64_t y = -1; y <= 1; ++y)
            for (int64_t x = -1; x <= 1; ++x) {
                if (x == 0 && y == 0 && z == 0) continue;
                visit(neighbour(gid, { x, y, z }), Offset{ low[x + 1], low[y + 1], low[z + 1] }, Offset{ high[x + 1], high[y + 1], high[z + 1] });
            }
}

int64_t Work::ghost_bytes(Part part) const {
    int64_t cells = 0;
    for (int64_t gid = first_; gid < first_ + n_local_; ++gid)
        for_each_ghost_box(gid, [&](int64_t source, const Offset &low, const Offset &high) {
            if (is_filled(source, part)) cells += (high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]);
        });
    return cells * size_.components * static_cast<int64_t>(sizeof(double));
}

double Work::number(int64_t component, const Offset &cell) const {
    int64_t number = component;
    for (int d = 2; d >= 0; --d) number = number * size_.cells + (cell[d] + size_.cells) % size_.cells;
    return static_cast<double>(number + changes_);
}

// visit(gid, component, y, z, first owned value of the row)
template <class Visit>
void Work::for_each_owned_row(Visit &&visit) const {
    for (int64_t gid = first_; gid < first_ + n_local_; ++gid)
        for (int64_t c = 0; c < size_.components; ++c)
            for (int64_t z = 0; z < size_.block; ++z)
                for (int64_t y = 0; y < size_.block; ++y)
                    visit(gid, c, y, z, block(gid) + ((c * row() + z + size_.ghost) * row() + y + size_.ghost) * row() + size_.ghost);
}

void Work::fill() {
    std::fill_n(data(), elements(), poison);
    changes_ = 0;
    for_each_owned_row([&](int64_t gid, int64_t c, int64_t y, int64_t z, double *values) {
        const Offset &at = place(gid);
        const double first = number(c, { at[0] * size_.block, at[1] * size_.block + y, at[2] * size_.block + z });
        for (int64_t x = 0; x < size_.block; ++x) values[x] = first + static_cast<double>(x);
    });
}

void Work::change() {
    ++changes_;
    for_each_owned_row([&](int64_t, int64_t, int64_t, int64_t, double *values) {
        for (int64_t x = 0; x < size_.block; ++x) values[x] += 1.0;
    });
}

void Work::poison_ghosts() {
    for (int64_t gid = first_; gid < first_ + n_local_; ++gid)
        for_each_ghost_box(gid, [&](int64_t, const Offset &low, const Offset &high) {
            for (int64_t c = 0; c < size_.components; ++c)
                for (int64_t z = low[2]; z < high[2]; ++z)
                    for (int64_t y = low[1]; y < high[1]; ++y) {
                        double *values = block(gid) + ((c * row() + z + size_.ghost) * row() + y + size_.ghost) * row() + size_.ghost;
                        std::fill(values + low[0], values + high[0], poison);
                    }
        });
}

int64_t Work::wrong_in_box(int64_t gid, const Offset &low, const Offset &high, bool poisoned) const {
    const Offset &at = place(gid);
    int64_t wrong = 0;
    for (int64_t c = 0; c < size_.components; ++c)
        for (int64_t z = low[2]; z < high[2]; ++z)
            for (int64_t y = low[1]; y < high[1]; ++y) {
                const double *values = block(gid) + ((c * row() + z + size_.ghost) * row() + y + size_.ghost) * row() + size_.ghost;
                const double first = number(c, { at[0] * size_.block + low[0], at[1] * size_.block + y, at[2] * size_.block + z });
                // a box never crosses the border of the grid in x, so its numbers follow each other
                for (int64_t x = low[0]; x < high[0]; ++x) wrong += values[x] != (poisoned ? poison : first + static_cast<double>(x - low[0]));
            }
    return wrong;
}

int64_t Work::wrong_values(Part part) const {
    int64_t wrong = 0;
    for (int64_t gid = first_; gid < first_ + n_local_; ++gid) {
        wrong += wrong_in_box(gid, { 0, 0, 0 }, { size_.block, size_.block, size_.block }, false);
        for_each_ghost_box(
            gid, [&](int64_t source, const Offset &low, const Offset &high) { wrong += wrong_in_box(gid, low, high, !is_filled(source, part)); });
    }
    return wrong;
}

} // namespace bench

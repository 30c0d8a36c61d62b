// SPDX-License-Identifier: BSD-3-Clause
// The work W(N, B, nc, g): a periodic cube of N^3 cells in blocks of B^3, each stored alone with g ghost layers and nc components of
// double, dealt to the ranks along the Morton curve. Knows nothing of libhalo: it is what all contenders are checked against.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "pages.h"

namespace bench {

struct WorkSize {
    int64_t cells = 64;
    int64_t block = 16;
    int32_t components = 1;
    int32_t ghost = 2;

    std::string text() const;
};

using Offset = std::array<int64_t, 3>; // in blocks or in cells

// Which ghosts an exchange fills: all, or those whose source is on another rank.
enum class Part { all, remote };

class Work {
public:
    Work(const WorkSize &size, int32_t rank, int32_t n_ranks, const Storage &storage = own_storage);

    const WorkSize &size() const { return size_; }
    int32_t rank() const { return rank_; }
    int64_t n_blocks() const { return static_cast<int64_t>(places_.size()); }
    int64_t first_local() const { return first_; }
    int64_t n_local() const { return n_local_; }
    bool is_local(int64_t gid) const { return gid >= first_ && gid < first_ + n_local_; }
    int32_t owner(int64_t gid) const;
    int64_t first_of(int32_t rank) const { return n_blocks() * rank / n_ranks_; }
    const Offset &place(int64_t gid) const { return places_[static_cast<size_t>(gid)]; } // in blocks
    int64_t neighbour(int64_t gid, const Offset &offset) const;

    // Storage: x fastest, ghosts around, components slowest; blocks one behind the other, in the order of gids.
    int64_t row() const { return size_.block + int64_t{ 2 } * size_.ghost; }
    int64_t block_elements() const { return row() * row() * row() * size_.components; }
    int64_t elements() const { return block_elements() * n_local_; }
    double *data() const { return data_.get(); }
    double *block(int64_t gid) const { return data() + (gid - first_) * block_elements(); }

    int64_t ghost_bytes(Part part) const; // of this rank

    // Each owned value is its number in the grid plus the number of changes: exact in double.
    void fill();
    void change();
    void poison_ghosts();
    int64_t wrong_values(Part part) const; // owned cells and ghosts that are not to be filled count too

private:
    template <class Visit>
    void for_each_ghost_box(int64_t gid, Visit &&visit) const;
    template <class Visit>
    void for_each_owned_row(Visit &&visit) const;
    double number(int64_t component, const Offset &cell) const;
    int64_t wrong_in_box(int64_t gid, const Offset &low, const Offset &high, bool poisoned) const;
    bool is_filled(int64_t source, Part part) const { return part == Part::all || !is_local(source); }

    WorkSize size_;
    int64_t per_side_; // blocks
    int32_t rank_, n_ranks_;
    std::vector<Offset> places_;
    std::vector<int64_t> gids_; // by place
    int64_t first_ = 0, n_local_ = 0;
    Values data_;
    int64_t changes_ = 0;
};

} // namespace bench

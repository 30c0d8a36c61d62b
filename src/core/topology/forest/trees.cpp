// SPDX-License-Identifier: BSD-3-Clause
#include "topology/forest/trees.h"

#include <algorithm>

#include "base/error.h"

namespace halo {

namespace {

constexpr const char *side_names[] = { "x low", "x high", "y low", "y high", "z low", "z high" };

// Is the highest bit of a below that of b?
bool lower_bit(int64_t a, int64_t b) { return a < b && a < (a ^ b); }

// An element as it is seen from where one comes to across some of its directions.
int32_t element_beyond(int32_t element, int32_t crossed, const AxisMap &map) {
    const ElementOffset offset = element_offset(element);
    ElementOffset there{};
    for (size_t d = 0; d < 3; ++d) there[map.axis[d]] = map.sign[d] * ((crossed >> d & 1) != 0 ? -offset[d] : offset[d]);
    return HALO_ELEMENT(there[0], there[1], there[2]);
}

} // namespace

std::string text_of(const TreeBlock &block) {
    return format("level %d (%lld, %lld, %lld) of tree %d", block.level, static_cast<long long>(block.at[0]), static_cast<long long>(block.at[1]),
                  static_cast<long long>(block.at[2]), block.tree);
}

std::string name_in_tree(const TreeBlock &block, const Extent &n_cells, const Extent &point) {
    Extent at;
    for (size_t d = 0; d < 3; ++d) at[d] = block.at[d] * n_cells[d] + point[d];
    return format("in tree %d at level %d (%lld, %lld, %lld)", block.tree, block.level, static_cast<long long>(at[0]), static_cast<long long>(at[1]),
                  static_cast<long long>(at[2]));
}

// Where the coordinates first differ, of the directions that do at the same bit the last one decides.
bool comes_before(const TreeBlock &a, const TreeBlock &b) {
    if (a.tree != b.tree) return a.tree < b.tree;
    const int32_t level = std::max(a.level, b.level);
    int64_t highest = 0;
    bool before = a.level < b.level;
    for (int d = 0; d < 3; ++d) {
        const int64_t mine = a.at[d] << (level - a.level);
        const int64_t other = b.at[d] << (level - b.level);
        const int64_t differ = mine ^ other;
        if (differ == 0 || lower_bit(differ, highest)) continue;
        highest = differ;
        before = mine < other;
    }
    return before;
}

void Trees::join(const halo_tree_join &join, int64_t place, const Extent &n_cells) {
    const std::string what = format("forest: join %lld", static_cast<long long>(place));
    if (join.tree < 0 || join.tree >= size() || join.to_tree < 0 || join.to_tree >= size())
        fail(HALO_ERR_ARGUMENT, "%s, of trees %d and %d: there are trees 0 to %d", what.c_str(), join.tree, join.to_tree, size() - 1);
    if (join.side < 0 || join.side >= 2 * n_dims_)
        fail(HALO_ERR_ARGUMENT, "%s: tree %d has sides 0 to %d, and no side %d", what.c_str(), join.tree, 2 * n_dims_ - 1, join.side);
    Passage passage;
    passage.tree = join.to_tree;
    int32_t seen = 0;
    for (int d = 0; d < 3; ++d) {
        const int32_t there = join.axis[d];
        if (there < 0 || there > 2 || (join.sign[d] != 1 && join.sign[d] != -1))
            fail(HALO_ERR_ARGUMENT, "%s: direction %d runs along direction %d with sign %d", what.c_str(), d, there, join.sign[d]);
        if (d >= n_dims_ && (there != d || join.sign[d] != 1)) fail(HALO_ERR_ARGUMENT, "%s: direction %d is not used, but turned", what.c_str(), d);
        seen |= 1 << there;
        passage.axis[d] = static_cast<int8_t>(there);
        passage.sign[d] = static_cast<int8_t>(join.sign[d]);
    }
    if (seen != 7) fail(HALO_ERR_ARGUMENT, "%s: axis %d, %d, %d is no permutation", what.c_str(), join.axis[0], join.axis[1], join.axis[2]);
    const int across = join.side / 2;
    for (int d = 0; d < n_dims_; ++d) {
        const int there = join.axis[d];
        if (n_cells[d] != n_cells[there])
            fail(HALO_ERR_ARGUMENT, "%s turns direction %d, of %lld cells, into direction %d, of %lld", what.c_str(), d,
                 static_cast<long long>(n_cells[d]), there, static_cast<long long>(n_cells[there]));
        if (d != across && n_roots(join.tree)[d] != n_roots(join.to_tree)[there])
            fail(HALO_ERR_ARGUMENT, "%s: tree %d has %lld roots along direction %d, tree %d has %lld along direction %d", what.c_str(), join.tree,
                 static_cast<long long>(n_roots(join.tree)[d]), d, join.to_tree, static_cast<long long>(n_roots(join.to_tree)[there]), there);
    }
    const int32_t out = join.side % 2 == 0 ? -1 : 1;
    const int32_t to_side = 2 * join.axis[across] + (out * join.sign[across] > 0 ? 0 : 1); // upwards one comes in from below
    if (join.tree == join.to_tree && join.side == to_side)
        fail(HALO_ERR_ARGUMENT, "%s: side %s of tree %d is joined to itself", what.c_str(), side_names[join.side], join.tree);
    Passage &to = joined_[static_cast<size_t>(join.tree) * 6 + static_cast<size_t>(join.side)];
    Passage &from = joined_[static_cast<size_t>(join.to_tree) * 6 + static_cast<size_t>(to_side)];
    for (const auto &[side, tree, number] : { std::tuple(&to, join.tree, join.side), std::tuple(&from, join.to_tree, to_side) })
        if (side->tree >= 0) fail(HALO_ERR_ARGUMENT, "%s: side %s of tree %d is joined already", what.c_str(), side_names[number], tree);
    to = passage;
    const AxisMap back = map_of(passage).inverse();
    from = { join.tree, back.axis, back.sign };
}

// Out of a tree across one side after the other, in this order of directions.
std::optional<Trees::Passage> Trees::crossing(int32_t tree, const ElementOffset &out, const std::array<int, 3> &order, int n) const {
    Passage at;
    at.tree = tree;
    for (int i = 0; i < n; ++i) {
        const int d = order[i];
        const int side = 2 * at.axis[d] + (at.sign[d] * out[d] > 0 ? 1 : 0);
        const Passage &next = joined_[static_cast<size_t>(at.tree) * 6 + static_cast<size_t>(side)];
        if (next.tree < 0) return std::nullopt;
        at.tree = next.tree;
        for (int e = 0; e < 3; ++e) {
            at.sign[e] = static_cast<int8_t>(at.sign[e] * next.sign[at.axis[e]]);
            at.axis[e] = next.axis[at.axis[e]];
        }
    }
    return at;
}

// Where all orders lead that lead anywhere. Around an irregular edge, of 3 or 5 trees, they lead to different places.
Trees::Passage Trees::only_way(int32_t tree, int32_t element) const {
    const ElementOffset out = element_offset(element);
    std::array<int, 3> order{};
    int n = 0;
    for (int d = 0; d < 3; ++d)
        if (out[d] != 0) order[n++] = d;
    Passage only;
    do {
        const std::optional<Passage> way = crossing(tree, out, order, n);
        if (!way) continue;
        if (only.tree >= 0 && only != *way) return {};
        only = *way;
    } while (std::next_permutation(order.begin(), order.begin() + n));
    return only;
}

// A way that cannot be found back, because at its other end orders lead to different places, is none: so both ends know the same ones.
void Trees::find_passages() {
    std::vector<Passage> ways(n_roots_.size() * 27);
    const auto for_each = [&](auto &&visit) {
        for (int32_t tree = 0; tree < size(); ++tree)
            for (int32_t element = 0; element < 27; ++element) visit(tree, element, static_cast<size_t>(tree) * 27 + static_cast<size_t>(element));
    };
    for_each([&](int32_t tree, int32_t element, size_t place) {
        if (element != 13) ways[place] = only_way(tree, element);
    });
    passages_.assign(ways.size(), {});
    for_each([&](int32_t tree, int32_t element, size_t place) {
        const Passage &way = ways[place];
        if (way.tree < 0) return;
        const AxisMap map = map_of(way);
        const Passage &back = ways[static_cast<size_t>(way.tree) * 27 + static_cast<size_t>(element_across(element, map))];
        if (back.tree == tree && map_of(back) == map.inverse()) passages_[place] = way;
    });
    for_each([&](int32_t tree, int32_t element, size_t) { is_regular_ = is_regular_ && knows_all_at(tree, element); });
}

// Those that lie at an element of a tree are the tree, and what is behind any of the element's directions.
bool Trees::knows_all_at(int32_t tree, int32_t element) const {
    using At = std::pair<int32_t, int32_t>; // a tree, and which of its elements that is
    const ElementOffset offset = element_offset(element);
    std::vector<At> known{ { tree, element } };
    for (int32_t crossed = 1; crossed < 8; ++crossed) {
        ElementOffset over{};
        bool fits = true;
        for (int d = 0; d < 3; ++d) {
            fits = fits && ((crossed >> d & 1) == 0 || offset[d] != 0);
            over[d] = (crossed >> d & 1) != 0 ? offset[d] : 0;
        }
        if (!fits) continue;
        const Passage &way = passages_[static_cast<size_t>(tree) * 27 + static_cast<size_t>(HALO_ELEMENT(over[0], over[1], over[2]))];
        if (way.tree >= 0) known.emplace_back(way.tree, element_beyond(element, crossed, map_of(way)));
    }
    const auto has = [&](const At &at) { return std::find(known.begin(), known.end(), at) != known.end(); };
    for (const At &at : known)
        for (int32_t d = 0; d < n_dims_; ++d) {
            const int32_t out = element_offset(at.second)[static_cast<size_t>(d)];
            if (out == 0) continue;
            const Passage &side = joined_[static_cast<size_t>(at.first) * 6 + static_cast<size_t>(2 * d + (out > 0 ? 1 : 0))];
            if (side.tree >= 0 && !has({ side.tree, element_beyond(at.second, 1 << d, map_of(side)) })) return false;
        }
    return true;
}

bool Trees::behind(int32_t tree, int32_t side, int32_t &to_tree, AxisMap &map) const {
    const Passage &passage = joined_[static_cast<size_t>(tree) * 6 + static_cast<size_t>(side)];
    to_tree = passage.tree;
    map = map_of(passage);
    return passage.tree >= 0;
}

bool Trees::neighbour(const TreeBlock &block, const ElementOffset &offset, TreeBlock &there, AxisMap &map) const {
    const Extent &roots = n_roots(block.tree);
    ElementOffset out;
    Extent at;
    for (int d = 0; d < 3; ++d) {
        at[d] = block.at[d] + offset[d];
        out[d] = at[d] < 0 ? -1 : at[d] >= roots[d] << (d < n_dims_ ? block.level : 0) ? 1 : 0;
    }
    map = {};
    if (out == ElementOffset{}) {
        there = { block.tree, block.level, at };
        return true;
    }
    const Passage &way = passages_[static_cast<size_t>(block.tree) * 27 + static_cast<size_t>(HALO_ELEMENT(out[0], out[1], out[2]))];
    if (way.tree < 0) return false;
    map = map_of(way);
    there.tree = way.tree;
    there.level = block.level;
    for (int d = 0; d < 3; ++d) {
        const int along = way.axis[d];
        const int64_t last_here = (roots[d] << (d < n_dims_ ? block.level : 0)) - 1;
        const int64_t last_there = (n_roots(way.tree)[along] << (along < n_dims_ ? block.level : 0)) - 1;
        if (out[d] != 0)
            there.at[along] = way.sign[d] * out[d] > 0 ? 0 : last_there;
        else
            there.at[along] = way.sign[d] > 0 ? at[d] : last_here - at[d];
    }
    return true;
}

} // namespace halo

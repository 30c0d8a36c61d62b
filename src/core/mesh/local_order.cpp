// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/local_order.h"

#include <algorithm>
#include <functional>
#include <tuple>

#include "halo_access.h"

namespace halo {

namespace {

class Orderer {
public:
    Orderer(const MeshDescription &mesh, KnownMesh &known, size_t set, int32_t rank) : mesh_(mesh), set_(known.sets[set]), rank_(rank) {}

    LocalOrder order();

private:
    bool is_own(uint32_t number) const { return set_.owners[number] == rank_; }
    bool is_executed(uint32_t number) const { return set_.layer[number] <= mesh_.depth; }
    bool is_stored(uint32_t number) const { return set_.reach[number] <= mesh_.depth; } // of ghosts
    bool is_core(uint32_t number) const { return !set_.has_row(number) || !set_.leaves[set_.row_of(number)]; }
    std::vector<uint32_t> take_numbers(LocalOrder &order) const;
    std::vector<uint32_t> ghosts(const std::vector<uint32_t> &others) const;
    uint32_t groups_of(uint32_t number) const;

    const MeshDescription &mesh_;
    KnownSet &set_;
    int32_t rank_;
};

// Executed ones by layer, others by reach, then by owner, then key.
std::vector<uint32_t> Orderer::ghosts(const std::vector<uint32_t> &others) const {
    std::vector<std::tuple<uint32_t, int32_t, uint64_t, uint32_t>> places; // section, owner, key: number
    for (const uint32_t number : others) {
        if (!is_stored(number)) continue;
        const uint32_t section = is_executed(number) ? set_.layer[number] : 256u + set_.reach[number];
        places.emplace_back(section, set_.owners[number], set_.key(number), number);
    }
    if (!std::ranges::is_sorted(places)) std::ranges::sort(places);
    std::vector<uint32_t> numbers;
    for (const auto &place : places) numbers.push_back(std::get<3>(place));
    return numbers;
}

uint32_t Orderer::groups_of(uint32_t number) const {
    uint32_t groups = 1u << (is_executed(number) ? HALO_SECTION_EXEC : HALO_SECTION_NON_EXEC);
    for (int32_t reach = set_.reach[number]; reach <= mesh_.depth; ++reach) groups |= HALO_MESH_REACH(reach);
    return groups;
}

// Own entities come first: core ones, then those that lead to what others own. Returns the ghosts.
std::vector<uint32_t> Orderer::take_numbers(LocalOrder &order) const {
    LargeVector<uint32_t> &numbers = order.numbers;
    std::vector<uint32_t> rim, not_own;
    numbers.resize(set_.size());
    size_t n_core = 0;
    for (uint32_t number = 0; number < numbers.size(); ++number)
        if (!is_own(number))
            not_own.push_back(number);
        else if (is_core(number))
            numbers[n_core++] = number;
        else
            rim.push_back(number);
    numbers.resize(n_core);
    numbers.insert(numbers.end(), rim.begin(), rim.end());
    order.set.n_core = static_cast<int64_t>(n_core);
    std::vector<uint32_t> others = ghosts(not_own);
    numbers.insert(numbers.end(), others.begin(), others.end());
    return others;
}

LocalOrder Orderer::order() {
    LocalOrder order;
    LocalSet &set = order.set;
    const std::vector<uint32_t> others = take_numbers(order);
    const int64_t n_owned = std::ssize(order.numbers) - std::ssize(others);
    const auto end_of = [&](auto &&lies_before) { return n_owned + (std::ranges::partition_point(others, lies_before) - others.begin()); };
    for (int32_t layer = 0; layer <= mesh_.depth; ++layer)
        set.layer_ends.push_back(end_of([&](uint32_t number) { return set_.layer[number] <= layer; }));
    for (int32_t reach = 0; reach <= mesh_.depth; ++reach)
        set.reach_ends.push_back(end_of([&](uint32_t number) { return is_executed(number) || set_.reach[number] <= reach; }));

    const size_t n_known = set_.size();
    set.keys = set_.index.take_keys();
    order.indices = set_.index.take_table();
    order.indices.assign(n_known, KnownSet::none);
    for (size_t i = 0; i < order.numbers.size(); ++i) order.indices[order.numbers[i]] = static_cast<uint32_t>(i);
    std::vector<int32_t> owners_of_others;
    for (const uint32_t number : others) {
        set.groups.push_back(groups_of(number));
        owners_of_others.push_back(set_.owners[number]);
    }
    set.owners = std::move(set_.owners); // for its memory
    set.owners.assign(static_cast<size_t>(n_owned), rank_);
    set.owners.insert(set.owners.end(), owners_of_others.begin(), owners_of_others.end());
    put_in_order(
        set.keys, 1, order.numbers.size(), static_cast<size_t>(set.n_core), [&](size_t i) { return order.numbers[i]; }, std::identity());
    return order;
}

} // namespace

LocalOrder order_locally(const MeshDescription &mesh, KnownMesh &known, size_t set, int32_t rank) { return Orderer(mesh, known, set, rank).order(); }

} // namespace halo

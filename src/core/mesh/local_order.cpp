// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/local_order.h"

#include <algorithm>
#include <tuple>

#include "halo_access.h"

namespace halo {

namespace {

class Orderer {
public:
    Orderer(const MeshDescription &mesh, const KnownMesh &known, size_t set, int32_t rank) : mesh_(mesh), set_(known.sets[set]), rank_(rank) {}

    LocalOrder order() const;

private:
    bool is_own(uint32_t number) const { return set_.owners[number] == rank_; }
    bool is_executed(uint32_t number) const { return set_.layer[number] <= mesh_.depth; }
    bool is_stored(uint32_t number) const { return is_own(number) || set_.reach[number] <= mesh_.depth; }
    bool is_core(uint32_t number) const { return !set_.has_row(number) || !set_.leaves[set_.row_of(number)]; }
    std::vector<uint32_t> ghosts() const;
    uint32_t groups_of(uint32_t number) const;

    const MeshDescription &mesh_;
    const KnownSet &set_;
    int32_t rank_;
};

// Executed ones by layer, others by reach, then by owner, then key.
std::vector<uint32_t> Orderer::ghosts() const {
    std::vector<uint32_t> numbers;
    for (uint32_t number = 0; number < set_.size(); ++number)
        if (is_stored(number) && !is_own(number)) numbers.push_back(number);
    const auto place = [&](uint32_t number) {
        const bool executed = is_executed(number);
        return std::make_tuple(!executed, executed ? set_.layer[number] : set_.reach[number], set_.owners[number], set_.key(number));
    };
    std::ranges::sort(numbers, [&](uint32_t a, uint32_t b) { return place(a) < place(b); });
    return numbers;
}

uint32_t Orderer::groups_of(uint32_t number) const {
    uint32_t groups = 1u << (is_executed(number) ? HALO_SECTION_EXEC : HALO_SECTION_NON_EXEC);
    for (int32_t reach = set_.reach[number]; reach <= mesh_.depth; ++reach) groups |= HALO_MESH_REACH(reach);
    return groups;
}

LocalOrder Orderer::order() const {
    LocalOrder order;
    LocalSet &set = order.set;
    std::vector<uint32_t> rim;
    order.numbers.reserve(set_.size());
    for (uint32_t number = 0; number < set_.size(); ++number)
        if (is_own(number)) (is_core(number) ? order.numbers : rim).push_back(number);
    set.n_core = std::ssize(order.numbers);
    order.numbers.insert(order.numbers.end(), rim.begin(), rim.end());
    const int64_t n_owned = std::ssize(order.numbers);
    const std::vector<uint32_t> others = ghosts();
    order.numbers.insert(order.numbers.end(), others.begin(), others.end());

    const auto end_of = [&](auto &&lies_before) { return n_owned + (std::ranges::partition_point(others, lies_before) - others.begin()); };
    for (int32_t layer = 0; layer <= mesh_.depth; ++layer)
        set.layer_ends.push_back(end_of([&](uint32_t number) { return set_.layer[number] <= layer; }));
    for (int32_t reach = 0; reach <= mesh_.depth; ++reach)
        set.reach_ends.push_back(end_of([&](uint32_t number) { return is_executed(number) || set_.reach[number] <= reach; }));

    order.indices.assign(set_.size(), KnownSet::none);
    set.keys.resize(order.numbers.size());
    set.owners.resize(order.numbers.size());
    for (size_t i = 0; i < order.numbers.size(); ++i) {
        const uint32_t number = order.numbers[i];
        order.indices[number] = static_cast<uint32_t>(i);
        set.keys[i] = set_.key(number);
        set.owners[i] = set_.owners[number];
    }
    for (const uint32_t number : others) set.groups.push_back(groups_of(number));
    return order;
}

} // namespace

LocalOrder order_locally(const MeshDescription &mesh, const KnownMesh &known, size_t set, int32_t rank) {
    return Orderer(mesh, known, set, rank).order();
}

} // namespace halo

// SPDX-License-Identifier: BSD-3-Clause
#include "topology/forest/leaf_directory.h"

#include <algorithm>
#include <tuple>

#include "base/digest.h"
#include "comm/route.h"

namespace halo {

namespace {

// As it travels, without padding.
struct LeafRecord {
    int64_t to; // a rank
    int64_t gid;
    int32_t rank;
    int32_t tree;
    int64_t level;
    int64_t at[3];

    TreeBlock block() const { return { tree, static_cast<int32_t>(level), { at[0], at[1], at[2] } }; }
};

LeafRecord record_of(int64_t to, int64_t gid, int32_t rank, const TreeBlock &block) {
    return { to, gid, rank, block.tree, block.level, { block.at[0], block.at[1], block.at[2] } };
}

auto order_of(const TreeBlock &block) { return std::tie(block.tree, block.level, block.at); }

int32_t keeper(const TreeBlock &parent, int32_t n_ranks) {
    uint64_t hash = static_cast<uint64_t>(static_cast<uint32_t>(parent.tree)) << 32 | static_cast<uint32_t>(parent.level);
    for (const int64_t at : parent.at) hash = Digest::mix(hash ^ static_cast<uint64_t>(at));
    return static_cast<int32_t>(hash % static_cast<uint64_t>(n_ranks));
}

std::vector<LeafRecord> passed_on(Context &context, std::vector<LeafRecord> records) {
    records = route(context, std::move(records));
    for (const LeafRecord &record : records)
        if (record.rank < 0 || record.rank >= context.size() || record.level < -1 || record.level > deepest_level)
            fail(HALO_ERR_WIRE, "forest: a leaf of level %lld of rank %d is told of", static_cast<long long>(record.level), record.rank);
    return records;
}

} // namespace

void sort_unique(std::vector<TreeBlock> &blocks) {
    std::sort(blocks.begin(), blocks.end(), [](const TreeBlock &a, const TreeBlock &b) { return order_of(a) < order_of(b); });
    blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
}

LeafDirectory::LeafDirectory(Context &context, const std::vector<PlacedLeaf> &own) : context_(context) {
    std::vector<LeafRecord> records;
    records.reserve(own.size());
    for (const PlacedLeaf &leaf : own) records.push_back(record_of(keeper(parent_of(leaf.block), context.size()), leaf.gid, leaf.rank, leaf.block));
    for (const LeafRecord &record : passed_on(context, std::move(records))) kept_.push_back({ record.gid, record.rank, record.block() });
    std::sort(kept_.begin(), kept_.end(), [](const PlacedLeaf &a, const PlacedLeaf &b) {
        const TreeBlock parent_a = parent_of(a.block), parent_b = parent_of(b.block);
        return std::tuple(order_of(parent_a), a.gid) < std::tuple(order_of(parent_b), b.gid);
    });
}

std::vector<PlacedLeaf> LeafDirectory::parts_of(std::vector<TreeBlock> blocks) const {
    sort_unique(blocks);
    std::vector<LeafRecord> records;
    records.reserve(blocks.size());
    for (const TreeBlock &block : blocks) records.push_back(record_of(keeper(block, context_.size()), 0, context_.rank(), block));
    std::vector<LeafRecord> answers;
    for (const LeafRecord &asked : passed_on(context_, std::move(records))) {
        const TreeBlock block = asked.block();
        const auto before = [](const PlacedLeaf &leaf, const TreeBlock &wanted) {
            const TreeBlock parent = parent_of(leaf.block);
            return order_of(parent) < order_of(wanted);
        };
        for (auto leaf = std::lower_bound(kept_.begin(), kept_.end(), block, before); leaf != kept_.end() && parent_of(leaf->block) == block; ++leaf)
            answers.push_back(record_of(asked.rank, leaf->gid, leaf->rank, leaf->block));
    }
    std::vector<PlacedLeaf> found;
    for (const LeafRecord &answer : passed_on(context_, std::move(answers))) found.push_back({ answer.gid, answer.rank, answer.block() });
    return found;
}

} // namespace halo

// SPDX-License-Identifier: BSD-3-Clause
// A key that every rank has: what is sent to find that out grows with the ranks, not with their pairs.
#include <gtest/gtest.h>

#include "storage.h"

namespace {

using conformance::Rank;

constexpr uint64_t key = 77;

int64_t bytes_of_all(Rank &rank, const halo_topology *topology) {
    halo_keys_report report = HALO_KEYS_REPORT_INIT;
    OK(halo_topology_keys_report(topology, &report));
    int64_t sum = report.bytes_sent;
    OK(halo_context_allreduce(rank.context, &sum, &sum, 1, HALO_INT64, HALO_SUM));
    return sum;
}

void check_sharers(Rank &rank, const halo_topology *topology, int32_t n_ranks) {
    std::vector<int32_t> sharers(static_cast<size_t>(rank.size)), wanted;
    int64_t n = 0;
    OK(halo_topology_sharers(topology, 0, sharers.data(), rank.size, &n));
    sharers.resize(static_cast<size_t>(n));
    for (int32_t r = 0; r < n_ranks; ++r) wanted.push_back(r);
    if (sharers != wanted) conformance::stop("%lld sharers instead of ranks 0 to %d", static_cast<long long>(n), n_ranks - 1);
}

// Bytes that all ranks send to make a topology in which `n_copies` of the key lie on every rank, and to take it off the last rank again.
std::pair<int64_t, int64_t> bytes_for(int32_t n_ranks, int32_t directory, int64_t n_copies) {
    std::pair<int64_t, int64_t> bytes;
    conformance::run(n_ranks, { { "discovery", "consensus" } }, [&](Rank &rank) {
        const std::vector<uint64_t> keys(static_cast<size_t>(n_copies), key);
        halo_keys_desc desc = HALO_KEYS_DESC_INIT;
        desc.n_keys = n_copies;
        desc.keys = keys.data();
        desc.directory = directory;
        desc.editable = 1;
        halo_topology *topology = nullptr, *edited = nullptr;
        OK(halo_topology_create_keys(rank.context, &desc, &topology));
        check_sharers(rank, topology, rank.size);
        const bool last = rank.rank == rank.size - 1;
        std::vector<int64_t> all;
        for (int64_t i = 0; i < n_copies; ++i) all.push_back(i);
        halo_keys_edit edit = HALO_KEYS_EDIT_INIT;
        edit.n_remove = last ? n_copies : 0;
        edit.remove = all.data();
        OK(halo_topology_edit_keys(topology, &edit, &edited));
        if (!last) check_sharers(rank, edited, rank.size - 1);
        const std::pair<int64_t, int64_t> sums{ bytes_of_all(rank, topology), bytes_of_all(rank, edited) };
        if (rank.rank == 0) bytes = sums;
        OK(halo_topology_destroy(&topology));
        OK(halo_topology_destroy(&edited));
    });
    return bytes;
}

class Everywhere : public testing::TestWithParam<std::tuple<int32_t, int64_t>> {};
INSTANTIATE_TEST_SUITE_P(Directories, Everywhere,
                         testing::Combine(testing::Values(HALO_DIRECTORY_RANGE, HALO_DIRECTORY_HASH), testing::Values(1, 3)));

TEST_P(Everywhere, CostsAsMuchForEachRank) {
    if (!conformance::threads()) GTEST_SKIP() << "wants several numbers of ranks";
    const auto [directory, n_copies] = GetParam();
    const auto few = bytes_for(3, directory, n_copies);
    const auto many = bytes_for(9, directory, n_copies);
    // One rank decides; the others submit, are acknowledged and answered. At the edit all but the last are told.
    EXPECT_EQ(few.first % 2, 0);
    EXPECT_EQ(many.first, 8 * (few.first / 2));
    EXPECT_GT(few.second, 0);
    EXPECT_LE(many.second, 8 * few.second);
}

} // namespace

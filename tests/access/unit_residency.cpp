// SPDX-License-Identifier: BSD-3-Clause
// The table of residency, row by row; what each step copies is seen by the loops in loops.cpp, which run on a device with memory of its own.
#include <gtest/gtest.h>

#include "access/mirror.h"
#include "access/residency.h"

namespace {

using namespace halo;
using R = Residency;

struct Row {
    R state;
    int32_t where;
    bool writes;
    ResidencyStep wanted; // copy: unless the whole section is written
};

constexpr Row table[] = {
    { R::device_unallocated, HALO_ON_HOST, false, { R::device_unallocated, false, false } },
    { R::device_unallocated, HALO_ON_HOST, true, { R::device_unallocated, false, false } },
    { R::device_unallocated, HALO_ON_DEVICE, false, { R::both, true, true } },
    { R::device_unallocated, HALO_ON_DEVICE, true, { R::device, true, true } },
    { R::host_unallocated, HALO_ON_HOST, false, { R::both, true, true } },
    { R::host_unallocated, HALO_ON_HOST, true, { R::host, true, true } },
    { R::host_unallocated, HALO_ON_DEVICE, false, { R::host_unallocated, false, false } },
    { R::host_unallocated, HALO_ON_DEVICE, true, { R::host_unallocated, false, false } },
    { R::host, HALO_ON_HOST, false, { R::host, false, false } },
    { R::host, HALO_ON_HOST, true, { R::host, false, false } },
    { R::host, HALO_ON_DEVICE, false, { R::both, false, true } },
    { R::host, HALO_ON_DEVICE, true, { R::device, false, true } },
    { R::device, HALO_ON_HOST, false, { R::both, false, true } },
    { R::device, HALO_ON_HOST, true, { R::host, false, true } },
    { R::device, HALO_ON_DEVICE, false, { R::device, false, false } },
    { R::device, HALO_ON_DEVICE, true, { R::device, false, false } },
    { R::both, HALO_ON_HOST, false, { R::both, false, false } },
    { R::both, HALO_ON_HOST, true, { R::host, false, false } },
    { R::both, HALO_ON_DEVICE, false, { R::both, false, false } },
    { R::both, HALO_ON_DEVICE, true, { R::device, false, false } },
};

TEST(Residency, FollowsTheTable) {
    for (const Row &row : table) {
        EXPECT_EQ(access_section(row.state, row.where, row.writes, false), row.wanted)
            << "state " << static_cast<int>(row.state) << ", where " << row.where << ", writes " << row.writes;
        EXPECT_EQ(row.wanted.copy, !valid_at(row.state, row.where));
    }
}

TEST(Residency, WholeWritesCopyNothing) {
    for (const Row &row : table) {
        const ResidencyStep step = access_section(row.state, row.where, row.writes, true);
        EXPECT_EQ(step.next, row.wanted.next);
        EXPECT_EQ(step.allocate, row.wanted.allocate);
        EXPECT_EQ(step.copy, row.wanted.copy && !row.writes);
    }
}

TEST(Residency, ValuesAreValidWhereTheyWereAccessed) {
    for (const Row &row : table) EXPECT_TRUE(valid_at(access_section(row.state, row.where, row.writes, false).next, row.where));
}

} // namespace

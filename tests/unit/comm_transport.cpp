// SPDX-License-Identifier: BSD-3-Clause
// What a module of a transport tells of itself is looked at before anything is made of it.
#include "comm/transport.h"

#include "comm/fabric.h"
#include "expect_failure.h"

namespace halo {

namespace {

// What it tells, and how many are open.
struct Told {
    int32_t rank, size, max_tag;
    int32_t out_of_reach = -1; // a rank
    int32_t by_calls = -1;     // likewise
};
Told told;
int n_open = 0;

std::unique_ptr<Transport> open_one(const Told &tells) {
    told = tells;
    static halo_transport_ops ops{};
    ops.struct_size = sizeof ops;
    ops.open = [](const halo_host *, const halo_transport_params *, halo_transport **transport) {
        *transport = reinterpret_cast<halo_transport *>(&told);
        ++n_open;
        return HALO_SUCCESS;
    };
    ops.close = [](halo_transport *) { --n_open; };
    ops.identify = [](const halo_transport *, int32_t *rank, int32_t *size, int32_t *max_tag) {
        *rank = told.rank;
        *size = told.size;
        *max_tag = told.max_tag;
    };
    ops.reaches = [](const halo_transport *, int32_t peer) -> int32_t { return peer != told.out_of_reach ? 1 : 0; };
    ops.sends_by_calls = [](const halo_transport *, int32_t peer) -> int32_t { return peer == told.by_calls ? 1 : 0; };
    halo_transport_plugin plugin{};
    plugin.name = "fake";
    plugin.ops = &ops;
    const halo_host host{};
    const halo_transport_params params{};
    static const std::string report;
    return std::make_unique<Transport>(plugin, host, params, report);
}

TEST(TransportTells, WhatCanBeIsTaken) {
    EXPECT_EQ(open_one({ 2, 3, 16 })->max_tag(), 16);
    EXPECT_EQ(open_one({ 0, 1, INT32_MAX })->max_tag(), 32767);
    EXPECT_EQ(n_open, 0);
}

TEST(TransportTells, WhatCannotBeIsRefused) {
    expect_failure(HALO_ERR_PLUGIN, { "transport fake", "rank -1 of 2" }, [] { open_one({ -1, 2, 100 }); });
    expect_failure(HALO_ERR_PLUGIN, { "transport fake", "rank 2 of 2" }, [] { open_one({ 2, 2, 100 }); });
    expect_failure(HALO_ERR_PLUGIN, { "transport fake", "rank 0 of 0" }, [] { open_one({ 0, 0, 100 }); });
    expect_failure(HALO_ERR_PLUGIN, { "transport fake", "tags up to 15", "must reach 16" }, [] { open_one({ 0, 2, 15 }); });
    EXPECT_EQ(n_open, 0);
}

TEST(TransportTells, TheOnlyOneMustReachAll) {
    EXPECT_EQ(Fabric(open_one({ 1, 4, 100 })).size(), 4);
    EXPECT_EQ(Fabric(open_one({ 1, 4, 100, 1 })).size(), 4); // nobody sends to itself
    expect_failure(HALO_ERR_PLUGIN, { "transport fake", "rank 2 from rank 1", "cannot be the only one" }, [] { Fabric(open_one({ 1, 4, 100, 2 })); });
    EXPECT_EQ(n_open, 0);
}

TEST(TransportTells, WhetherAnyPeersMessagesNeedCalls) {
    EXPECT_FALSE(Fabric(open_one({ 1, 4, 100 })).any_sends_by_calls());
    EXPECT_FALSE(Fabric(open_one({ 1, 4, 100, -1, 1 })).any_sends_by_calls()); // itself
    const Fabric fabric(open_one({ 1, 4, 100, -1, 3 }));
    EXPECT_TRUE(fabric.any_sends_by_calls());
    EXPECT_TRUE(fabric.sends_by_calls(3));
    EXPECT_FALSE(fabric.sends_by_calls(2));
}

} // namespace

} // namespace halo

// SPDX-License-Identifier: BSD-3-Clause
// Edges as ranks name and compare them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "halo_channel.h"

namespace halo {

struct WireEdge {
    halo_channel_key key;
    int64_t bytes;
    int32_t type;
    uint32_t pattern; // tells which points are left out
};
static_assert(sizeof(WireEdge) == 48, "edges are part of the wire format");

// "3 -> 7, field 2, element 14" (and ", extra 5" where it is not 0).
std::string describe(const halo_channel_key &key);
using NameOfKey = std::function<std::string(const halo_channel_key &)>;

// Order of edges in a message: by send gid, receive gid, field, element, extra.
bool before(const halo_channel_key &a, const halo_channel_key &b);
bool equal(const halo_channel_key &a, const halo_channel_key &b);

// The first difference between what one rank sends and another receives, both sorted; empty: there is none.
std::string first_difference(const std::vector<WireEdge> &sent, int32_t sender, const std::vector<WireEdge> &received, int32_t receiver,
                             const NameOfKey &name);

} // namespace halo

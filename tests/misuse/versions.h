// SPDX-License-Identifier: BSD-3-Clause
// Structs that may grow, each with a call that takes it.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "base/first_version.h"

namespace versions {

// One rank: a ring of three blocks, points known by keys that can be edited, fields on the ring, an exchange, a channel, a grid on the sphere, and a
// sequence of stages.
struct World {
    halo_context *context = nullptr;
    halo_topology *ring = nullptr;
    halo_topology *points = nullptr;
    halo_field *u = nullptr;
    halo_field *v = nullptr;
    halo_exchange *exchange = nullptr;
    halo_channel *channel = nullptr;
    halo_sphere *sphere = nullptr;
    halo_mesh *mesh = nullptr;
    halo_stencil *stencil = nullptr;
    halo_channel_key next_key = { 0, 1, 0, 13, 0 };

    World();
    ~World();
    World(const World &) = delete;
    World &operator=(const World &) = delete;
};

enum class Use { read, written };

// A struct as this version's callers fill it, and a call that takes it and leaves nothing behind.
struct Case {
    const char *name;
    size_t first_bytes;
    Use use;
    std::vector<std::byte> bytes;
    std::function<halo_status(World &, void *)> call;
};

// All of them.
std::vector<Case> cases();

} // namespace versions

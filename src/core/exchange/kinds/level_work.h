// SPDX-License-Identifier: BSD-3-Clause
// What there is to do around a round between levels, part by part. It is found once for a topology, which keeps it: fields and exchanges alike share
// it.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/function_ref.h"
#include "plan/edge_source.h"

namespace halo {

// Of one part.
struct LevelWork {
    std::vector<std::pair<int32_t, halo_box>> sent{}; // points beside the field, by place, made from its own
    std::vector<halo_box> halved_ghosts{};            // cells made from its ghosts
    std::vector<std::pair<int32_t, halo_box>> made{}; // points of the field, by place, made from those beside it
    std::vector<halo_box> divided{};                  // cells beside it; the field's faces within them are made from those around them
    void send(int32_t place, const halo_box &box);
    bool needs_beside() const { return !sent.empty() || !halved_ghosts.empty() || !made.empty(); }
};
using LevelWorks = std::vector<LevelWork>; // of each local part
size_t bytes_of(const LevelWorks &works);

// Of a field's own topology, for values that go over these edges. `find` is given empty works, unless it has filled those of a like field.
std::shared_ptr<const LevelWorks> known_work(const Field &field, const EdgeSource &edges, FunctionRef<void(LevelWorks &)> find);

} // namespace halo

// SPDX-License-Identifier: BSD-3-Clause
// Parts in one space that is divided so finely that every position of a test is the middle of a grain of it: what becomes of particles follows from
// whole numbers. Each part has its index space, turned as it likes, and grains of its own number per cell.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "model.h"
#include "ranks.h"

namespace particles {

using levels::Place;
using levels::Random;

struct Part {
    Place origin{};                         // in space, of the part's grain (0, 0, 0)
    std::array<int32_t, 3> axis{ 0, 1, 2 }; // in space, along which its direction runs
    std::array<int32_t, 3> sign{ 1, 1, 1 };
    Place grains{ 1, 1, 1 }; // its extent
    int64_t per_cell = 1;    // grains, along each direction
    int32_t priority = 0;

    Place in_space(const Place &grain) const;
    Place from_space(const Place &place) const;
    bool has(const Place &grain) const;
};

struct Particle {
    int64_t id = 0;
    Place grain{}; // in its part, or outside
    Place speed{}; // along the part's directions
};

class World {
public:
    World(uint64_t number, int32_t n_ranks);

    int32_t n_dims() const { return n_dims_; }
    const std::vector<Part> &parts() const { return parts_; }
    const Place &extent() const { return extent_; }
    halo_topology *make(halo_context *context) const { return make_(context); }
    // Which part a particle goes to, -1: out; it is changed to what it is there.
    int64_t moved(int64_t gid, Particle &particle) const;
    std::string text() const { return text_; }

private:
    void blocks(Random &random, int32_t n_ranks);
    void boxes(Random &random, int32_t n_ranks);
    void forest(Random &random, uint64_t number, int32_t n_ranks);
    void add_box(const halo_box &cells, int32_t priority);

    int32_t n_dims_ = 3;
    std::vector<Part> parts_; // by gid
    Place extent_{ 1, 1, 1 };
    std::array<bool, 3> periodic_{};
    std::function<halo_topology *(halo_context *)> make_;
    std::string text_;
};

// All particles of all parts, as they must be.
class Serial {
public:
    Serial(const World &world, uint64_t number);

    const std::vector<Particle> &part(int64_t gid) const { return parts_[static_cast<size_t>(gid)]; }
    // Places of those of a part that have left the domain in the last step.
    const std::vector<int64_t> &left(int64_t gid) const { return left_[static_cast<size_t>(gid)]; }
    // Every particle jumps; some far.
    void jump(uint64_t seed);
    // As positions say, or as `targets` do, which are then those of a gid's particles.
    void migrate();
    void migrate(const std::function<int64_t(int64_t gid, const Particle &particle)> &target);
    int64_t n() const;

private:
    template <class Move>
    void migrate_by(Move &&move);

    const World &world_;
    std::vector<std::vector<Particle>> parts_;
    std::vector<std::vector<int64_t>> left_;
};

} // namespace particles

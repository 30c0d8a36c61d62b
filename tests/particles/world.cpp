// SPDX-License-Identifier: BSD-3-Clause
#include "world.h"

#include <algorithm>

#include "halo_levels.h"

namespace particles {

namespace {

constexpr int64_t per_cell = 8; // grains of the finest cells

int32_t below(Random &random, int64_t n) { return static_cast<int32_t>(random() % static_cast<uint64_t>(n)); }

std::vector<int32_t> owners(size_t n, uint64_t seed, int32_t n_ranks) {
    Random random(seed);
    std::vector<int32_t> ranks;
    const bool leaves_ranks_out = below(random, 4) == 0;
    for (size_t i = 0; i < n; ++i) ranks.push_back(below(random, leaves_ranks_out ? (n_ranks + 1) / 2 : n_ranks));
    return ranks;
}

} // namespace

Place Part::in_space(const Place &grain) const {
    Place place = origin;
    for (size_t d = 0; d < 3; ++d) place[static_cast<size_t>(axis[d])] += sign[d] * grain[d];
    return place;
}

Place Part::from_space(const Place &place) const {
    Place grain;
    for (size_t d = 0; d < 3; ++d) {
        const auto along = static_cast<size_t>(axis[d]);
        grain[d] = sign[d] * (place[along] - origin[along]);
    }
    return grain;
}

bool Part::has(const Place &grain) const {
    for (size_t d = 0; d < 3; ++d)
        if (grain[d] < 0 || grain[d] >= grains[d]) return false;
    return true;
}

World::World(uint64_t number, int32_t n_ranks) {
    Random random(number);
    n_dims_ = 1 + below(random, 3);
    if (number % 3 == 0)
        forest(random, number, n_ranks);
    else if (number % 3 == 1)
        blocks(random, n_ranks);
    else
        boxes(random, n_ranks);
}

void World::add_box(const halo_box &cells, int32_t priority) {
    Part part;
    part.priority = priority;
    part.per_cell = per_cell;
    for (size_t d = 0; d < static_cast<size_t>(n_dims_); ++d) {
        part.origin[d] = cells.low[d] * per_cell;
        part.grains[d] = (cells.high[d] - cells.low[d]) * per_cell;
    }
    parts_.push_back(part);
}

void World::blocks(Random &random, int32_t n_ranks) {
    halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
    desc.n_dims = n_dims_;
    for (size_t d = 0; d < static_cast<size_t>(n_dims_); ++d) {
        desc.n_blocks[d] = 1 + below(random, 4);
        desc.n_cells[d] = 1 + below(random, 5);
        desc.periodic[d] = below(random, 2);
        periodic_[d] = desc.periodic[d] != 0;
        extent_[d] = desc.n_blocks[d] * desc.n_cells[d] * per_cell;
    }
    desc.order = HALO_ORDER_ROWS;
    for (int64_t z = 0; z < desc.n_blocks[2]; ++z)
        for (int64_t y = 0; y < desc.n_blocks[1]; ++y)
            for (int64_t x = 0; x < desc.n_blocks[0]; ++x) {
                const int64_t at[] = { x, y, z };
                halo_box cells;
                for (int d = 0; d < 3; ++d) {
                    cells.low[d] = at[d] * desc.n_cells[d];
                    cells.high[d] = cells.low[d] + desc.n_cells[d];
                }
                add_box(cells, 0);
            }
    const std::vector<int32_t> owner = owners(parts_.size(), random(), n_ranks);
    text_ = conformance::text_of("%d-D blocks, %zu parts", n_dims_, parts_.size());
    make_ = [desc, owner](halo_context *context) {
        halo_blocks_desc known = desc;
        known.owner = owner.data(), known.n_owner = std::ssize(owner);
        halo_topology *topology = nullptr;
        OK(halo_topology_create_blocks(context, &known, &topology));
        return topology;
    };
}

// They overlap here and there, and leave holes.
void World::boxes(Random &random, int32_t n_ranks) {
    halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
    desc.n_dims = n_dims_;
    for (size_t d = 0; d < static_cast<size_t>(n_dims_); ++d) {
        desc.domain.high[d] = 6 + below(random, 10);
        desc.periodic[d] = below(random, 2);
        periodic_[d] = desc.periodic[d] != 0;
        extent_[d] = desc.domain.high[d] * per_cell;
    }
    std::vector<halo_box> all;
    std::vector<int32_t> priority;
    for (int32_t i = 0, n = 1 + below(random, 12); i < n; ++i) {
        halo_box box{ { 0, 0, 0 }, { 1, 1, 1 } };
        for (size_t d = 0; d < static_cast<size_t>(n_dims_); ++d) {
            box.low[d] = below(random, desc.domain.high[d]);
            box.high[d] = box.low[d] + 1 + below(random, desc.domain.high[d] - box.low[d]);
        }
        all.push_back(box);
        priority.push_back(below(random, 3));
        add_box(box, priority.back());
    }
    const std::vector<int32_t> owner = owners(parts_.size(), random(), n_ranks);
    text_ = conformance::text_of("%d-D boxes, %zu parts", n_dims_, parts_.size());
    make_ = [desc, all, priority, owner](halo_context *context) {
        halo_boxes_desc known = desc;
        known.boxes = all.data(), known.n_boxes = std::ssize(all), known.priority = priority.data(), known.owner = owner.data();
        halo_topology *topology = nullptr;
        OK(halo_topology_create_boxes(context, &known, &topology));
        return topology;
    };
}

void World::forest(Random &random, uint64_t number, int32_t n_ranks) {
    levels::Shape shape;
    shape.n_dims = n_dims_;
    shape.n_trees = 1 + below(random, 3);
    shape.n_cells = 2 + 2 * below(random, 2);
    shape.deepest = 1 + below(random, n_dims_ == 3 ? 2 : 3);
    shape.turned = below(random, 4) != 0;
    for (size_t d = 0; d < static_cast<size_t>(n_dims_); ++d) {
        shape.n_roots[d] = 1 + below(random, 2);
        shape.periodic[d] = periodic_[d] = below(random, 2) == 0;
        extent_[d] = (d == 0 ? shape.n_trees : 1) * shape.n_roots[d] * shape.n_cells * per_cell << shape.deepest;
    }
    const auto model = std::make_shared<levels::Model>(shape, number, n_ranks);
    for (size_t gid = 0; gid < model->blocks().size(); ++gid) {
        Part part;
        part.per_cell = per_cell << (shape.deepest - model->blocks()[gid].level);
        const int64_t along = shape.n_cells * part.per_cell;
        const auto in_space = [&](const Place &grain) { return model->in_space(static_cast<int64_t>(gid), grain, along); };
        part.origin = in_space({});
        for (size_t d = 0; d < static_cast<size_t>(n_dims_); ++d) {
            part.grains[d] = along;
            Place one{};
            one[d] = 1;
            const Place there = in_space(one);
            for (size_t e = 0; e < 3; ++e)
                if (there[e] != part.origin[e])
                    part.axis[d] = static_cast<int32_t>(e), part.sign[d] = static_cast<int32_t>(there[e] - part.origin[e]);
        }
        parts_.push_back(part);
    }
    text_ = conformance::text_of("%d-D forest of %d trees%s, %zu parts", n_dims_, shape.n_trees, shape.turned ? ", turned" : "", parts_.size());
    make_ = [model](halo_context *context) {
        halo_topology *topology = nullptr;
        OK(halo_topology_create_forest(context, &model->desc(), &topology));
        return topology;
    };
}

int64_t World::moved(int64_t gid, Particle &particle) const {
    const Part &from = parts_[static_cast<size_t>(gid)];
    if (from.has(particle.grain)) return gid;
    Place place = from.in_space(particle.grain);
    for (size_t d = 0; d < 3; ++d) {
        if (place[d] >= 0 && place[d] < extent_[d]) continue;
        if (!periodic_[d]) return -1;
        place[d] = (place[d] % extent_[d] + extent_[d]) % extent_[d];
    }
    int64_t best = -1;
    for (int64_t other = 0; other < std::ssize(parts_); ++other) {
        const Part &part = parts_[static_cast<size_t>(other)];
        if (part.has(part.from_space(place)) && (best < 0 || part.priority > parts_[static_cast<size_t>(best)].priority)) best = other;
    }
    if (best < 0) return -1;
    const Part &to = parts_[static_cast<size_t>(best)];
    Place speed{};
    for (size_t d = 0; d < 3; ++d) speed[static_cast<size_t>(from.axis[d])] = from.sign[d] * particle.speed[d];
    for (size_t d = 0; d < 3; ++d) particle.speed[d] = to.sign[d] * speed[static_cast<size_t>(to.axis[d])];
    particle.grain = to.from_space(place);
    return best;
}

Serial::Serial(const World &world, uint64_t number) : world_(world), parts_(world.parts().size()), left_(parts_.size()) {
    Random random(number + 99);
    const int32_t how = below(random, 6); // 0: there are none, 1: all in one part
    const int32_t one = below(random, std::ssize(parts_));
    for (int64_t id = 0, n = how == 0 ? 0 : 1 + below(random, 300); id < n; ++id) {
        const auto gid = static_cast<size_t>(how == 1 ? one : below(random, std::ssize(parts_)));
        Particle particle{ id, {}, {} };
        for (size_t d = 0; d < static_cast<size_t>(world.n_dims()); ++d) {
            particle.grain[d] = below(random, world.parts()[gid].grains[d]);
            particle.speed[d] = 1 + below(random, 1000);
        }
        parts_[gid].push_back(particle);
    }
}

void Serial::jump(uint64_t seed) {
    for (size_t gid = 0; gid < parts_.size(); ++gid)
        for (Particle &particle : parts_[gid]) {
            Random random(seed * 1000003 + static_cast<uint64_t>(particle.id));
            const bool far = below(random, 12) == 0, stays = below(random, 3) == 0;
            for (size_t d = 0; d < static_cast<size_t>(world_.n_dims()); ++d) {
                const int64_t most = far ? 3 * world_.extent()[d] : world_.parts()[gid].grains[d];
                if (!stays) particle.grain[d] += below(random, 2 * most + 1) - most;
            }
        }
}

template <class Move>
void Serial::migrate_by(Move &&move) {
    std::vector<std::vector<Particle>> next(parts_.size()), come(parts_.size());
    for (size_t gid = 0; gid < parts_.size(); ++gid) {
        left_[gid].clear();
        for (size_t place = 0; place < parts_[gid].size(); ++place) {
            Particle particle = parts_[gid][place];
            const Place before = particle.grain;
            const int64_t to = move(static_cast<int64_t>(gid), particle);
            if (to < 0)
                left_[gid].push_back(static_cast<int64_t>(place));
            else if (to == static_cast<int64_t>(gid) && particle.grain == before)
                next[gid].push_back(particle);
            else
                come[static_cast<size_t>(to)].push_back(particle);
        }
    }
    for (size_t gid = 0; gid < parts_.size(); ++gid) next[gid].insert(next[gid].end(), come[gid].begin(), come[gid].end());
    parts_ = std::move(next);
}

void Serial::migrate() {
    migrate_by([&](int64_t gid, Particle &particle) { return world_.moved(gid, particle); });
}

void Serial::migrate(const std::function<int64_t(int64_t gid, const Particle &particle)> &target) {
    migrate_by([&](int64_t gid, const Particle &particle) { return target(gid, particle); });
}

int64_t Serial::n() const {
    int64_t n = 0;
    for (const auto &part : parts_) n += std::ssize(part);
    return n;
}

} // namespace particles

// SPDX-License-Identifier: BSD-3-Clause
// What points of blocks must hold, of which several blocks may have a copy: computed in the model's space, by the definitions of halo_levels.h.
#pragma once

#include <bit>
#include <tuple>

#include "stored.h"

namespace levels {

// A point of a centring lies between the cells p - 1 and p of the directions whose bit is set, else in cell p. Of its copies one is the owner's. The
// centring is that in space; points of blocks are counted in these, and are those that have it there.
class Truth {
public:
    struct Value {
        double value = 0;
        bool is_inside = false;     // else it lies outside the domain, and is none
        bool reads_outside = false; // made from what has been filled in there
    };
    enum class Relation : uint8_t { same, coarser, finer, outside };
    // The level that a value comes from, against that of the block that gets it, and a leaf there: of several that it is made of, one.
    struct Source {
        Relation relation = Relation::outside;
        int64_t gid = -1;
    };

    // `along`: values are what goes through a face, or along an edge, upwards in the index space of whoever has them.
    Truth(const Model &model, int32_t centring, int32_t prolongation, bool along)
        : model_(model),
          centring_(centring),
          prolongation_(prolongation),
          along_(along) {}

    // Of a point of a block, also among its ghosts, as it is at the block's level.
    Value value(int64_t gid, const Place &point, int32_t c) const {
        const Place at = in_space(gid, point, n_cells());
        const Around around = look_around(level_of(gid), at);
        if (!around.is_inside) return {};
        if (around.is_finer || around.owner.gid >= 0) return { sign(gid) * known(around, level_of(gid), at, c), true, false };
        Value made = prolongated(level_of(gid), at, c);
        made.value *= sign(gid);
        return made;
    }
    // Of a ghost outside the domain, or of any other point.
    double filled(int64_t gid, const Place &point, int32_t c) const {
        const Value known = value(gid, point, c);
        return known.is_inside ? known.value : sign(gid) * model_.outside(level_of(gid), in_space(gid, point, n_cells()), c, centring_);
    }
    // What blocks of another list get at a point of some level, if all copies here are alike: `was` is what lay in the block's place. As upwards in
    // space.
    double moved(int32_t level, const Place &at, Model::Is was, int32_t c) const {
        if (was == Model::Is::finer)
            return mean_of_parts(at, [&](const Place &part) { return known(look_around(level + 1, part), level + 1, part, c); });
        const Around around = look_around(level, at);
        return was == Model::Is::leaf || around.owner.gid >= 0 ? known(around, level, at, c) : prolongated(level, at, c).value;
    }
    Source source(int64_t gid, const Place &point) const {
        const int32_t level = level_of(gid);
        const Place at = in_space(gid, point, n_cells());
        const Around around = look_around(level, at);
        if (!around.is_inside) return {};
        if (around.is_finer) return { Relation::finer, look_around(level + 1, { 2 * at[0], 2 * at[1], 2 * at[2] }).owner.gid };
        if (around.owner.gid >= 0) return { Relation::same, around.owner.gid };
        return { Relation::coarser, coarser_leaf(level, at) };
    }
    // Of a block's own copy of one of its points.
    double copy(int64_t gid, const Place &point, int32_t c) const { return model_.copy(gid, point, c, model_.centring_in_part(gid, centring_)); }
    // Of a coarse point beside a block, if it lies outside the domain.
    double outside(int64_t gid, const Place &point, int32_t c) const {
        return sign(gid) * model_.outside(level_of(gid) - 1, in_space(gid, point, n_cells() / 2), c, centring_);
    }
    // Is the block's copy of its own point the owner's?
    bool owns(int64_t gid, const Place &point) const {
        const Around around = look_around(level_of(gid), in_space(gid, point, n_cells()));
        return !around.is_finer && around.owner.gid == gid && around.owner.point == point;
    }
    // Of the values of a block of a model, where those in space are upwards there.
    int32_t sign(const Model &model, int64_t gid) const {
        const auto bits = static_cast<uint32_t>(centring_);
        return along_ ? model.sign_along(gid, std::countr_zero(std::has_single_bit(bits) ? bits : ~bits)) : 1;
    }

private:
    struct Copy {
        int64_t gid = -1;
        Place point{}; // in the block
    };
    // What the cells around a point are at its level.
    struct Around {
        bool is_inside = false;
        bool is_finer = false;
        Copy owner; // among the leaves of that level
    };

    int64_t n_cells() const { return model_.shape().n_cells; }
    int32_t directions() const { return (1 << model_.shape().n_dims) - 1; }
    int32_t level_of(int64_t gid) const { return model_.blocks()[static_cast<size_t>(gid)].level; }
    Place in_space(int64_t gid, const Place &point, int64_t width) const {
        return model_.in_space(gid, point, width, model_.centring_in_part(gid, centring_));
    }
    int32_t sign(int64_t gid) const { return sign(model_, gid); }

    // Each sum of some of the bits.
    template <class Visit>
    static void for_each_sum(int32_t bits, Visit &&visit) {
        for (int32_t sum = 0; sum < 8; ++sum)
            if ((sum & ~bits) == 0) visit(sum);
    }
    bool comes_before(const Copy &one, const Copy &other) const {
        if (one.gid != other.gid) return model_.comes_before(one.gid, other.gid);
        return std::tie(one.point[2], one.point[1], one.point[0]) < std::tie(other.point[2], other.point[1], other.point[0]);
    }
    Around look_around(int32_t level, const Place &point) const {
        Around found;
        for_each_sum(centring_, [&](int32_t below) {
            Place cell = point;
            for (size_t d = 0; d < 3; ++d) cell[d] -= below >> d & 1;
            if (!model_.wrap(level, cell)) return;
            found.is_inside = true;
            const Model::Is is = model_.what(level, cell);
            found.is_finer = found.is_finer || is == Model::Is::finer;
            if (is != Model::Is::leaf) return;
            const int64_t gid = model_.leaf_with(level, cell);
            for (size_t d = 0; d < 3; ++d) cell[d] += below >> d & 1;
            const Copy one{ gid, model_.in_part(gid, cell, centring_) };
            if (found.owner.gid < 0 || comes_before(one, found.owner)) found.owner = one;
        });
        return found;
    }
    // Around it are coarser leaves alone.
    int64_t coarser_leaf(int32_t level, const Place &point) const {
        int64_t gid = -1;
        for_each_sum(centring_, [&](int32_t below) {
            Place cell = point;
            for (size_t d = 0; d < 3; ++d) cell[d] -= below >> d & 1;
            if (gid < 0 && model_.wrap(level, cell))
                gid = model_.leaf_with(level - 1, { floor_half(cell[0]), floor_half(cell[1]), floor_half(cell[2]) });
        });
        return gid;
    }
    // Of the points of the next level that cover one.
    template <class Of>
    double mean_of_parts(const Place &point, Of &&of) const {
        double sum = 0;
        int n = 0;
        for_each_sum(directions() & ~centring_, [&](int32_t above) {
            Place part = point;
            for (size_t d = 0; d < 3; ++d) part[d] = d < static_cast<size_t>(model_.shape().n_dims) ? 2 * point[d] + (above >> d & 1) : point[d];
            sum += of(part);
            ++n;
        });
        return sum / n;
    }
    // Around it is a leaf of this level or a finer one.
    double known(const Around &around, int32_t level, const Place &point, int32_t c) const {
        if (!around.is_finer && around.owner.gid < 0) stop("model: blocks that touch differ by two levels");
        if (!around.is_finer) return sign(around.owner.gid) * copy(around.owner.gid, around.owner.point, c);
        return mean_of_parts(point, [&](const Place &part) {
            const Copy owner = look_around(level + 1, part).owner; // leaves finer than that have no say
            if (owner.gid < 0) stop("model: no leaf of the next level touches a point");
            return sign(owner.gid) * copy(owner.gid, owner.point, c);
        });
    }
    // Of a level whose points are used to make those of the next.
    double coarse(int32_t level, const Place &point, int32_t c, bool &reads_outside) const {
        const Around around = look_around(level, point);
        if (!around.is_inside) {
            reads_outside = true;
            return model_.outside(level, point, c, centring_);
        }
        if (around.is_finer || around.owner.gid >= 0) return known(around, level, point, c);
        const Value made = prolongated(level, point, c); // beside blocks that are made of coarser ones again
        reads_outside = reads_outside || made.reads_outside;
        return made.value;
    }
    // Mean of the coarse points on both sides, where it lies between two; in cells the coarse value and a quarter of its slope.
    Value prolongated(int32_t level, const Place &point, int32_t c) const {
        Value made{ 0, true, false };
        int32_t odd = 0;
        Place lowest{};
        for (size_t d = 0; d < 3; ++d) {
            odd |= static_cast<int32_t>(point[d] & 1) << d;
            lowest[d] = floor_half(point[d]);
        }
        int n = 0;
        for_each_sum(odd & centring_, [&](int32_t above) {
            Place centre = lowest;
            for (size_t d = 0; d < 3; ++d) centre[d] += above >> d & 1;
            const double middle = coarse(level - 1, centre, c, made.reads_outside);
            made.value += middle;
            for (size_t d = 0; d < 3 && prolongation_ == HALO_PROLONG_MINMOD; ++d) {
                if (((directions() & ~centring_) >> d & 1) == 0) continue;
                Place low = centre, high = centre;
                --low[d], ++high[d];
                const double below = middle - coarse(level - 1, low, c, made.reads_outside);
                const double slope = minmod(below, coarse(level - 1, high, c, made.reads_outside) - middle);
                made.value += ((odd >> d & 1) != 0 ? 0.25 : -0.25) * slope;
            }
            ++n;
        });
        made.value /= n;
        return made;
    }

    const Model &model_;
    int32_t centring_;
    int32_t prolongation_;
    bool along_;
};

} // namespace levels

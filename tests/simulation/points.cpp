// SPDX-License-Identifier: BSD-3-Clause
// Points that several ranks have: the lowest of them owns each.
#include <algorithm>
#include <memory>

#include "objects.h"

namespace programs {

using conformance::stop;

namespace {

class Points final : public Object {
public:
    Points(Calls &calls, const ObjectCase &made) : calls_(calls), made_(made), runs_(calls, made) {}

    void create() override {
        order_points();
        calls_.talk("points", [&] { return made_.made == Made::star ? create_star() : create_keys(); });
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = "p", desc.n_components = made_.n_components;
        calls_.together(
            "field", [&] { return halo_field_create(topology_, &desc, &field_); },
            [&] { calls_.free("field", [&] { return halo_field_destroy(&field_); }); });
        calls_.alone("allocate", [&] { return halo_field_allocate(field_, -1); });
        calls_.together(
            "exchange", [&] { return halo_exchange_create(&field_, 1, &made_.desc, &runs_.exchange); }, [&] { runs_.destroy(); });
    }
    bool start(int64_t time) override {
        time_ = time;
        for_values([&](uint64_t key, int64_t c, double &value) { value = first(calls_.rank, key, c); });
        return runs_.start();
    }
    bool finish() override {
        if (!runs_.finish()) return false;
        for_values([&](uint64_t key, int64_t c, const double &value) {
            const bool moves = made_.run.n_components == 0 || c == made_.run.first_component;
            if (!moves && value != first(calls_.rank, key, c)) stop("component %d of key %d has changed", static_cast<int>(c), static_cast<int>(key));
            const bool matters = made_.desc.kind != HALO_KIND_REVERSE || owner(key) == calls_.rank;
            if (moves && matters && value != right(key, c))
                stop("component %d of key %d is %g, not %g", static_cast<int>(c), static_cast<int>(key), value, right(key, c));
        });
        static const char *const kinds[] = { "ghosts", "reverse", "shared reduce", "fetch" };
        ++calls_.features[std::string(kinds[made_.desc.kind]) + " of points"];
        ++calls_.features[name_of(made_.made)];
        return true;
    }
    void destroy() override {
        runs_.destroy();
        if (field_) calls_.free("field", [&] { return halo_field_destroy(&field_); });
        if (topology_) calls_.free("topology", [&] { return halo_topology_destroy(&topology_); });
    }

private:
    const std::vector<uint64_t> &keys_of(int32_t rank) const { return made_.keys[static_cast<size_t>(rank)]; }
    static bool has(const std::vector<uint64_t> &keys, uint64_t key) { return std::find(keys.begin(), keys.end(), key) != keys.end(); }
    int32_t owner(uint64_t key) const {
        int32_t rank = 0;
        while (!has(keys_of(rank), key)) ++rank;
        return rank;
    }
    double first(int32_t rank, uint64_t key, int64_t c) const {
        return static_cast<double>((time_ + 1) * 10000 + static_cast<int64_t>(key) * 100 + rank * 7 % 4 * 10 + c);
    }
    double combine(double a, double b) const {
        return made_.desc.op == HALO_SUM ? a + b : made_.desc.op == HALO_MIN ? std::min(a, b) : std::max(a, b);
    }

    // What one process alone computes, from the owner's value on, rank by rank.
    double right(uint64_t key, int64_t c) const {
        const int32_t mine = owner(key);
        double value = first(mine, key, c);
        if (made_.desc.kind == HALO_KIND_GHOSTS) return value;
        for (int32_t rank = mine + 1; rank < std::ssize(made_.keys); ++rank) {
            if (!has(keys_of(rank), key)) continue;
            if (made_.desc.kind == HALO_KIND_FETCH && rank == calls_.rank) return value;
            value = combine(value, first(rank, key, c));
        }
        return value;
    }

    // Of a star: own points first, then copies.
    void order_points() {
        points_ = keys_of(calls_.rank);
        if (made_.made == Made::star) order_star();
    }
    void order_star() {
        const auto own_end = std::stable_partition(points_.begin(), points_.end(), [&](uint64_t key) { return owner(key) == calls_.rank; });
        ranks_.clear();
        indices_.clear();
        for (auto key = own_end; key != points_.end(); ++key) {
            ranks_.push_back(owner(*key));
            std::vector<uint64_t> there = keys_of(ranks_.back());
            std::stable_partition(there.begin(), there.end(), [&](uint64_t one) { return owner(one) == ranks_.back(); });
            indices_.push_back(static_cast<uint32_t>(std::find(there.begin(), there.end(), *key) - there.begin()));
        }
    }
    halo_status create_keys() {
        halo_keys_desc desc = HALO_KEYS_DESC_INIT;
        desc.keys = points_.data(), desc.n_keys = std::ssize(points_), desc.numbering = HALO_NUMBERING_AS_GIVEN;
        if (made_.made == Made::keys_by_hash) desc.directory = HALO_DIRECTORY_HASH;
        return halo_topology_create_keys(calls_.context, &desc, &topology_);
    }
    halo_status create_star() {
        halo_star_desc desc = HALO_STAR_DESC_INIT;
        desc.sharers = made_.desc.kind == HALO_KIND_SHARED_REDUCE, desc.n_points = std::ssize(points_), desc.n_leaves = std::ssize(ranks_);
        desc.ranks = ranks_.data(), desc.indices = indices_.data();
        return halo_topology_create_star(calls_.context, &desc, &topology_);
    }
    template <class Visit>
    void for_values(Visit &&visit) {
        halo_layout layout = HALO_LAYOUT_INIT;
        void *data = nullptr;
        OK(halo_field_layout(field_, calls_.rank, &layout));
        OK(halo_field_data(field_, calls_.rank, 0, &data));
        for (int64_t c = 0; c < made_.n_components; ++c)
            for (int64_t i = 0; i < std::ssize(points_); ++i)
                visit(points_[static_cast<size_t>(i)], c,
                      static_cast<double *>(data)[layout.first_owned + i * layout.stride[0] + c * layout.component_stride]);
    }

    Calls &calls_;
    const ObjectCase &made_;
    Runs runs_;
    std::vector<uint64_t> points_; // keys, by local index
    std::vector<int32_t> ranks_;
    std::vector<uint32_t> indices_;
    halo_topology *topology_ = nullptr;
    halo_field *field_ = nullptr;
    int64_t time_ = 0;
};

} // namespace

std::unique_ptr<Object> make_points(Calls &calls, const ObjectCase &made) { return std::make_unique<Points>(calls, made); }

} // namespace programs

// SPDX-License-Identifier: BSD-3-Clause
// Points that several ranks have: the lowest of them owns each.
#include <algorithm>
#include <memory>

#include "objects.h"
#include "relation.h"

namespace programs {

using conformance::stop;

namespace {

class Points final : public Object {
public:
    Points(Calls &calls, const ObjectCase &made) : calls_(calls), made_(made), relation_(made), runs_(calls, made) {}

    void create() override {
        make_lists();
        calls_.talk("points", [&] { return create_topology(); });
        if (made_.made == Made::graph) take_graph();
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
            const bool matters = made_.desc.kind != HALO_KIND_REVERSE || relation_.owner(key) == calls_.rank;
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
    double first(int32_t rank, uint64_t key, int64_t c) const {
        return static_cast<double>((time_ + 1) * 10000 + static_cast<int64_t>(key) * 100 + rank * 7 % 4 * 10 + c);
    }
    double combine(double a, double b) const {
        return made_.desc.op == HALO_SUM ? a + b : made_.desc.op == HALO_MIN ? std::min(a, b) : std::max(a, b);
    }

    // What one process alone computes, from the owner's value on, rank by rank.
    double right(uint64_t key, int64_t c) const {
        const int32_t mine = relation_.owner(key);
        double value = first(mine, key, c);
        if (made_.desc.kind == HALO_KIND_GHOSTS) return value;
        for (int32_t rank = 0; rank < relation_.n_ranks(); ++rank) {
            if (rank == mine || !relation_.has(rank, key)) continue;
            if (made_.desc.kind == HALO_KIND_FETCH && rank == calls_.rank) return value;
            value = combine(value, first(rank, key, c));
        }
        return value;
    }

    // Ahead of the call, in which memory may fail.
    void make_lists() {
        points_ = relation_.points(calls_.rank);
        if (made_.made == Made::star) star_ = relation_.star(calls_.rank);
        if (made_.made == Made::lists) lists_ = relation_.lists(calls_.rank);
        if (made_.made == Made::graph) graph_ = relation_.graph(calls_.rank);
    }
    halo_status create_topology() {
        switch (made_.made) {
        case Made::star: return create_star();
        case Made::lists: return create_lists();
        case Made::graph: return create_graph();
        default: return create_keys();
        }
    }
    halo_status create_lists() {
        halo_lists_desc desc = HALO_LISTS_DESC_INIT;
        desc.sharers = made_.desc.kind == HALO_KIND_SHARED_REDUCE, desc.n_points = std::ssize(points_);
        desc.n_peers = static_cast<int32_t>(lists_.peers.size()), desc.peers = lists_.peers.data();
        desc.send = lists_.send.data(), desc.send_offsets = lists_.send_offsets.data();
        desc.receive = lists_.receive.data(), desc.receive_offsets = lists_.receive_offsets.data();
        return halo_topology_create_lists(calls_.context, &desc, &topology_);
    }
    halo_status create_graph() {
        halo_graph_desc desc = HALO_GRAPH_DESC_INIT;
        desc.rings = made_.rings, desc.n_owned = std::ssize(graph_.own), desc.keys = graph_.own.data();
        desc.offsets = graph_.offsets.data(), desc.neighbours = graph_.neighbours.data();
        return halo_topology_create_graph(calls_.context, &desc, &topology_);
    }
    // Its numbering, of just the points that a search from the owned ones finds.
    void take_graph() {
        int64_t n = 0;
        OK(halo_topology_point_keys(topology_, nullptr, 0, &n));
        points_.assign(static_cast<size_t>(n), 0);
        if (n > 0) OK(halo_topology_point_keys(topology_, points_.data(), n, &n));
        std::vector<uint64_t> found = points_, wanted = relation_.points(calls_.rank);
        std::sort(found.begin(), found.end());
        std::sort(wanted.begin(), wanted.end());
        if (found != wanted) stop("a graph has %zu points, not %zu, or others", found.size(), wanted.size());
    }
    halo_status create_keys() {
        halo_keys_desc desc = HALO_KEYS_DESC_INIT;
        desc.keys = points_.data(), desc.n_keys = std::ssize(points_), desc.numbering = HALO_NUMBERING_AS_GIVEN;
        if (made_.made == Made::keys_by_hash) desc.directory = HALO_DIRECTORY_HASH;
        return halo_topology_create_keys(calls_.context, &desc, &topology_);
    }
    halo_status create_star() {
        halo_star_desc desc = HALO_STAR_DESC_INIT;
        desc.sharers = made_.desc.kind == HALO_KIND_SHARED_REDUCE, desc.n_points = std::ssize(points_), desc.n_leaves = std::ssize(star_.ranks);
        desc.ranks = star_.ranks.data(), desc.indices = star_.indices.data();
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
    Relation relation_;
    Runs runs_;
    std::vector<uint64_t> points_; // keys, by local index
    Relation::Star star_;
    Relation::Lists lists_;
    Relation::Graph graph_;
    halo_topology *topology_ = nullptr;
    halo_field *field_ = nullptr;
    int64_t time_ = 0;
};

} // namespace

std::unique_ptr<Object> make_points(Calls &calls, const ObjectCase &made) { return std::make_unique<Points>(calls, made); }

} // namespace programs

// SPDX-License-Identifier: BSD-3-Clause
// Fields in the cells of boxes, and of parts that are joined, some of them turned: ghosts, and sums of ghosts into their owners.
#include <algorithm>
#include <optional>

#include "objects.h"

namespace programs {

using conformance::stop;
using conformance::Triple;

namespace {

constexpr double untouched = -77;

struct Place {
    size_t part;
    Triple cell; // from the part's first owned one
};

class Cells final : public Object {
public:
    Cells(Calls &calls, const ObjectCase &made) : calls_(calls), made_(made), runs_(calls, made) {}

    void create() override {
        make_lists();
        calls_.talk("cells", [&] { return made_.what == What::boxes ? create_boxes() : create_regions(); });
        halo_field_desc wanted = HALO_FIELD_DESC_INIT;
        wanted.name = "c", wanted.n_components = made_.n_components;
        std::copy_n(made_.ghosts.low.begin(), 3, wanted.ghost_low);
        std::copy_n(made_.ghosts.high.begin(), 3, wanted.ghost_high);
        calls_.together(
            "field", [&] { return halo_field_create(topology_, &wanted, &field_); },
            [&] { calls_.free("field", [&] { return halo_field_destroy(&field_); }); });
        calls_.alone("allocate", [&] { return halo_field_allocate(field_, -1); });
        calls_.together(
            "exchange", [&] { return halo_exchange_create(&field_, 1, &made_.desc, &runs_.exchange); }, [&] { runs_.destroy(); });
    }
    bool start(int64_t time) override {
        time_ = time;
        for_values([&](const Place &place, int32_t c, double &value) { value = first(place, c); });
        return runs_.start();
    }
    bool finish() override {
        if (!runs_.finish()) return false;
        for_values([&](const Place &place, int32_t c, const double &value) {
            if (adds() && !is_owned(place)) return;
            const double wanted = adds() ? sum(place, c) : ghost(place, c);
            if (value != wanted)
                stop("part %zu, cell %d %d, component %d: %g, not %g", place.part, static_cast<int>(place.cell[0]), static_cast<int>(place.cell[1]),
                     c, value, wanted);
        });
        ++calls_.features[adds() ? "reverse of cells" : "ghosts of cells"];
        if (made_.distributed) ++calls_.features["distributed boxes"];
        if (!made_.joins.empty()) ++calls_.features["joins"];
        return true;
    }
    void destroy() override {
        runs_.destroy();
        if (field_) calls_.free("field", [&] { return halo_field_destroy(&field_); });
        if (topology_) calls_.free("topology", [&] { return halo_topology_destroy(&topology_); });
    }

private:
    bool adds() const { return made_.desc.kind == HALO_KIND_REVERSE; }

    // Ahead of the call, in which memory may fail.
    void make_lists() {
        boxes_.clear(), owners_.clear(), extents_.clear();
        for (const Part &part : made_.parts) {
            if (made_.distributed && part.owner != calls_.rank) continue;
            boxes_.push_back(part.cells);
            owners_.push_back(part.owner);
            extents_.insert(extents_.end(), part.cells.high, part.cells.high + 3);
        }
    }
    halo_status create_boxes() {
        halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
        desc.n_dims = made_.n_dims, desc.domain = made_.domain, desc.distributed = made_.distributed;
        std::copy_n(made_.periodic, 3, desc.periodic);
        static constexpr halo_box none{};
        desc.boxes = boxes_.empty() ? &none : boxes_.data(), desc.n_boxes = std::ssize(boxes_);
        if (made_.distributed)
            desc.reach = made_.reach;
        else
            desc.owner = owners_.data();
        return halo_topology_create_boxes(calls_.context, &desc, &topology_);
    }
    halo_status create_regions() {
        halo_regions_desc desc = HALO_REGIONS_DESC_INIT;
        desc.n_dims = made_.n_dims, desc.reach = made_.reach;
        desc.cells = extents_.data(), desc.owner = owners_.data(), desc.n_parts = std::ssize(owners_);
        desc.joins = made_.joins.data(), desc.n_joins = std::ssize(made_.joins);
        return halo_topology_create_regions(calls_.context, &desc, &topology_);
    }

    // ---- what is right

    int64_t extent(size_t part, int d) const { return made_.parts[part].cells.high[d] - made_.parts[part].cells.low[d]; }
    int64_t layer(const Place &place) const {
        int64_t most = 0;
        for (int d = 0; d < 3; ++d) most = std::max({ most, -place.cell[d], place.cell[d] - extent(place.part, d) + 1 });
        return most;
    }
    bool is_owned(const Place &place) const { return layer(place) == 0; }
    // The owned cell that a ghost stands for.
    std::optional<Place> source(const Place &ghost) const { return made_.what == What::boxes ? box_source(ghost) : join_source(ghost); }
    std::optional<Place> box_source(const Place &ghost) const {
        Triple global{};
        for (int d = 0; d < 3; ++d) {
            const int64_t low = made_.domain.low[d], period = made_.domain.high[d] - low;
            global[d] = made_.parts[ghost.part].cells.low[d] + ghost.cell[d];
            if (made_.periodic[d]) global[d] = ((global[d] - low) % period + period) % period + low;
        }
        for (size_t part = 0; part < made_.parts.size(); ++part) {
            Place place{ part, {} };
            for (int d = 0; d < 3; ++d) place.cell[d] = global[d] - made_.parts[part].cells.low[d];
            if (is_owned(place)) return place;
        }
        return {};
    }
    std::optional<Place> join_source(const Place &ghost) const {
        for (const halo_join &join : made_.joins) {
            bool is_in = static_cast<size_t>(join.receive_gid) == ghost.part;
            Place place{ static_cast<size_t>(join.send_gid), {} };
            for (int d = 0; d < 3; ++d) {
                const int64_t along = ghost.cell[d] - join.receive.low[d];
                const int there = join.axis[d];
                is_in = is_in && along >= 0 && ghost.cell[d] < join.receive.high[d];
                place.cell[there] = join.sign[d] > 0 ? join.send.low[there] + along : join.send.high[there] - 1 - along;
            }
            if (is_in) return place;
        }
        return {};
    }
    // What the rank writes before the run, into ghosts too.
    double first(const Place &place, int32_t c) const {
        if (!adds() && !is_owned(place)) return untouched;
        return static_cast<double>((time_ + 1) * 100000 + static_cast<int64_t>(place.part) * 10000 + (place.cell[0] + 10) * 300 +
                                   (place.cell[1] + 10) * 7 + c);
    }
    double ghost(const Place &place, int32_t c) const {
        const bool moves =
            (made_.run.n_components == 0 || c == made_.run.first_component) && (made_.run.depth == 0 || layer(place) <= made_.run.depth);
        if (is_owned(place) || !moves) return first(place, c);
        const std::optional<Place> from = source(place);
        return from ? first(*from, c) : untouched;
    }
    double sum(const Place &owned, int32_t c) const {
        double value = first(owned, c);
        for (size_t part = 0; part < made_.parts.size(); ++part)
            for_cells(part, [&](const Place &place) {
                if (is_owned(place)) return;
                const std::optional<Place> from = source(place);
                if (from && from->part == owned.part && from->cell == owned.cell) value += first(place, c);
            });
        return value;
    }
    template <class Visit>
    void for_cells(size_t part, Visit &&visit) const {
        for (int64_t y = -made_.ghosts.low[1]; y < extent(part, 1) + made_.ghosts.high[1]; ++y)
            for (int64_t x = -made_.ghosts.low[0]; x < extent(part, 0) + made_.ghosts.high[0]; ++x) visit(Place{ part, { x, y, 0 } });
    }
    template <class Visit>
    void for_values(Visit &&visit) {
        for (size_t part = 0; part < made_.parts.size(); ++part) {
            if (made_.parts[part].owner != calls_.rank) continue;
            halo_layout layout = HALO_LAYOUT_INIT;
            void *data = nullptr;
            OK(halo_field_layout(field_, gid_of(part), &layout));
            OK(halo_field_data(field_, gid_of(part), 0, &data));
            for_cells(part, [&](const Place &place) {
                for (int32_t c = 0; c < made_.n_components; ++c)
                    visit(place, c, static_cast<double *>(data)[conformance::element_at(layout, place.cell, c)]);
            });
        }
    }
    static int64_t gid_of(size_t part) { return static_cast<int64_t>(part); }

    Calls &calls_;
    const ObjectCase &made_;
    Runs runs_;
    std::vector<halo_box> boxes_;
    std::vector<int32_t> owners_;
    std::vector<int64_t> extents_;
    halo_topology *topology_ = nullptr;
    halo_field *field_ = nullptr;
    int64_t time_ = 0;
};

} // namespace

std::unique_ptr<Object> make_cells(Calls &calls, const ObjectCase &made) { return std::make_unique<Cells>(calls, made); }

} // namespace programs

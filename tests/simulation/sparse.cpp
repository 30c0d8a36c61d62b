// SPDX-License-Identifier: BSD-3-Clause
// A sparse field over blocks, sometimes with a dense one beside it: parts come and go with the time, regions are null, data arrive at parts without
// storage, which some of them are given.
#include <algorithm>
#include <cstring>
#include <map>

#include "objects.h"

namespace programs {

using conformance::element_at;
using conformance::for_each_cell;
using conformance::for_each_offset;
using conformance::side_of;
using conformance::stop;
using conformance::Triple;

namespace {

constexpr double untouched = -77;

class Sparse final : public Object {
public:
    Sparse(Calls &calls, const ObjectCase &made, uint64_t seed) : calls_(calls), made_(made), model_(made.sparse), seed_(seed), runs_(calls, made) {
        model_.grid = &made.grid;
        if (made.phases) runs_.before_unpack = [this] { take_listed(); };
    }

    void create() override {
        const halo_blocks_desc blocks = made_.grid.desc();
        calls_.together(
            "topology", [&] { return halo_topology_create_blocks(calls_.context, &blocks, &topology_); },
            [&] { calls_.free("topology", [&] { return halo_topology_destroy(&topology_); }); });
        halo_field_desc wanted = model_.field.desc();
        wanted.sparse = 1, wanted.threshold = model_.threshold, wanted.fill = model_.fill;
        calls_.together(
            "field", [&] { return halo_field_create(topology_, &wanted, &field_); },
            [&] { calls_.free("field", [&] { return halo_field_destroy(&field_); }); });
        // Ahead of arrivals, for which memory may fail.
        calls_.features["arrivals"] += 0;
        for (const int64_t gid : made_.grid.local(calls_.rank)) {
            halo_layout layout = HALO_LAYOUT_INIT;
            OK(halo_field_layout(field_, gid, &layout));
            memory_[gid].resize(static_cast<size_t>(layout.elements));
        }
        if (made_.with_dense) dense_ = std::make_unique<conformance::FieldStores>(topology_, made_.grid, calls_.rank, made_.fields[0], Random(seed_));
        halo_field *fields[] = { field_, dense_ ? dense_->handle() : nullptr };
        halo_exchange_desc desc = made_.desc;
        if (!made_.phases) desc.arrival = arrive, desc.arrival_user = this;
        calls_.together(
            "exchange", [&] { return halo_exchange_create(fields, dense_ ? 2 : 1, &desc, &runs_.exchange); }, [&] { runs_.destroy(); });
    }
    bool start(int64_t time) override {
        time_ = time;
        for (const int64_t gid : made_.grid.local(calls_.rank)) begin(gid);
        if (dense_) dense_->fill(0, time);
        return runs_.start();
    }
    bool finish() override {
        if (!runs_.finish()) return false;
        for (const int64_t gid : made_.grid.local(calls_.rank)) compare(gid);
        if (!dense_) return true;
        dense_->expect_ghosts(0, time_, [](int64_t, const Triple &, int32_t) { return true; });
        if (const std::string difference = dense_->first_difference(); !difference.empty()) stop("a result is wrong: %s", difference.c_str());
        ++calls_.features["dense and sparse"];
        return true;
    }
    void destroy() override {
        runs_.destroy();
        if (dense_) calls_.free("field", [&] { return dense_->destroy_if_free(); });
        dense_.reset();
        if (field_) calls_.free("field", [&] { return halo_field_destroy(&field_); });
        if (topology_) calls_.free("topology", [&] { return halo_topology_destroy(&topology_); });
        memory_.clear();
    }

private:
    // ---- storage

    static bool takes(int64_t gid) { return gid % 3 != 2; }
    // One half in the program's own memory.
    void give_storage(int64_t gid) {
        if (gid % 2 == 0) return calls_.alone("allocate", [&] { return halo_field_allocate(field_, gid); });
        halo_layout layout = HALO_LAYOUT_INIT;
        OK(halo_field_layout(field_, gid, &layout));
        std::fill(memory_[gid].begin(), memory_[gid].end(), untouched);
        halo_binding binding = HALO_BINDING_INIT;
        binding.data = memory_[gid].data();
        calls_.alone("bind", [&] { return halo_field_bind(field_, gid, &binding); });
    }
    void begin(int64_t gid) {
        const halo_binding nothing = HALO_BINDING_INIT;
        calls_.free("storage", [&] { return halo_field_bind(field_, gid, &nothing); });
        if (!model_.allocated(gid, time_)) return;
        give_storage(gid);
        for_values(gid,
                   [&](const Triple &cell, int32_t component, double &value) { value = is_owned(cell) ? right(gid, cell, component) : untouched; });
    }
    static halo_status arrive(void *user, const halo_arrival *arrival) {
        auto &self = *static_cast<Sparse *>(user);
        ++self.calls_.features["arrivals"];
        if (!takes(arrival->gid)) return HALO_DECLINED;
        self.give_storage(arrival->gid);
        return HALO_SUCCESS;
    }
    void take_listed() {
        int64_t n = 0;
        OK(halo_exchange_arrivals(runs_.exchange, nullptr, 0, &n));
        std::vector<halo_arrival> arrivals(static_cast<size_t>(n));
        if (n > 0) OK(halo_exchange_arrivals(runs_.exchange, arrivals.data(), n, &n));
        for (const halo_arrival &arrival : arrivals)
            if (takes(arrival.gid)) give_storage(arrival.gid);
        calls_.features["arrivals by list"] += n;
    }

    // ---- what is right

    bool is_owned(const Triple &cell) const { return side_of(made_.grid, cell) == Triple{}; }
    double right(int64_t gid, const Triple &cell, int32_t component) const {
        Triple global;
        if (!made_.grid.global_cell(gid, cell, global)) return untouched;
        double value = 0;
        model_.value(global, component, time_, reinterpret_cast<std::byte *>(&value));
        return value;
    }
    bool has_neighbour(int64_t gid, const Triple &side) const { return made_.grid.neighbour(gid, side) >= 0; }
    bool gets_data(int64_t gid) const {
        bool some = false;
        for_each_offset(made_.grid.n_dims,
                        [&](const Triple &side) { some = some || (has_neighbour(gid, side) && !model_.null_region(gid, side, time_)); });
        return some;
    }
    void compare(int64_t gid) {
        const bool had_storage = model_.allocated(gid, time_), arrives = !had_storage && gets_data(gid);
        void *data = nullptr;
        OK(halo_field_data(field_, gid, 0, &data));
        if ((data != nullptr) != (had_storage || (arrives && takes(gid)))) stop("part %d has %s storage", static_cast<int>(gid), data ? "got" : "no");
        if (!data) return;
        for_values(gid, [&](const Triple &cell, int32_t component, const double &value) {
            const Triple side = side_of(made_.grid, cell);
            double wanted = had_storage ? untouched : model_.fill;
            if (is_owned(cell))
                wanted = had_storage ? right(gid, cell, component) : model_.fill;
            else if (has_neighbour(gid, side))
                wanted = model_.null_region(gid, side, time_) ? model_.fill : right(gid, cell, component);
            if (std::memcmp(&value, &wanted, sizeof value) == 0) return;
            stop("part %d, cell %d %d, component %d: %g, not %g", static_cast<int>(gid), static_cast<int>(cell[0]), static_cast<int>(cell[1]),
                 component, value, wanted);
        });
        ++calls_.features[had_storage ? "sparse parts" : "sparse parts made"];
    }
    template <class Visit>
    void for_values(int64_t gid, Visit &&visit) {
        halo_layout layout = HALO_LAYOUT_INIT;
        void *data = nullptr;
        OK(halo_field_layout(field_, gid, &layout));
        OK(halo_field_data(field_, gid, 0, &data));
        for_each_cell(made_.grid, model_.field.ghosts, [&](const Triple &cell) {
            for (int32_t c = 0; c < model_.field.n_components; ++c) visit(cell, c, static_cast<double *>(data)[element_at(layout, cell, c)]);
        });
    }

    Calls &calls_;
    const ObjectCase &made_;
    conformance::SparseModel model_;
    uint64_t seed_;
    Runs runs_;
    halo_topology *topology_ = nullptr;
    halo_field *field_ = nullptr;
    std::unique_ptr<conformance::FieldStores> dense_;
    std::map<int64_t, std::vector<double>> memory_; // by gid
    int64_t time_ = 0;
};

} // namespace

std::unique_ptr<Object> make_sparse(Calls &calls, const ObjectCase &made, uint64_t seed) { return std::make_unique<Sparse>(calls, made, seed); }

} // namespace programs
